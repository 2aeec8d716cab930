/// A value of a list, identified by its id.
///
/// Two rows with one id are the same row; whether its content changed is what `==` says.
public protocol Row: Identifiable, Codable, Equatable, Sendable where ID: OrderedValue {}
