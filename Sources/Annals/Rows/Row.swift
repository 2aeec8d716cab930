/// A value of a list, identified by its id.
///
/// Two rows with one id are the same row; whether its content changed is what `==` says.
///
///     struct Book: Row {
///       let id: String
///       var title: String
///       var price: Double
///     }
public protocol Row: Identifiable, Codable, Equatable, Sendable where ID: OrderedValue {}
