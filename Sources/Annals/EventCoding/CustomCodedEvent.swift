/// An event type with its own coding of payloads, which takes a third of the time of Codable.
///
/// Use it if a log of millions of events is read often. Codable is fast enough for all other event types. The payload
/// remains JSON, so you can add or remove a custom coding at any time: write the same values as Codable.
/// `ensureCodesEqually()` of AnnalsTesting checks that both codings are equal.
///
///     extension BookEvent: CustomCodedEvent {
///       func write(to payload: inout PayloadWriter) -> String {
///         switch self {
///         case .inserted(let book):
///           payload.writeObject {
///             $0.write("id", book.id)
///             $0.write("price", book.price)
///             $0.write("title", book.title)
///           }
///           return "inserted"
///         case .noted(let text):
///           payload.write(text)
///           return "noted"
///         }
///       }
///
///       init?(case name: String, payload: PayloadValue) throws {
///         switch name {
///         case "inserted":
///           self = .inserted(
///             Book(
///               id: try payload["id"].string(), title: try payload["title"].string(),
///               price: try payload["price"].double()))
///         case "noted": self = .noted(try payload.string())
///         default: return nil
///         }
///       }
///     }
///
/// The type remains an enum with compiler-generated Codable, which provides its cases and their stored names.
public protocol CustomCodedEvent: Event {
  /// Writes the event's payload, which is one JSON value.
  ///
  /// Codable writes an object's members in the order of their names, by bytes, and omits members without a value.
  ///
  /// - Parameter payload: The writer for the value.
  /// - Returns: The case's name in Codable.
  func write(to payload: inout PayloadWriter) -> String

  /// Creates an event of a case, or returns `nil` for a case that this coding does not know.
  ///
  /// - Parameters:
  ///   - name: The case's name in Codable.
  ///   - payload: The payload, which is valid until the initializer returns.
  /// - Throws: The errors of `payload` if a value is missing or has a different type.
  init?(case name: String, payload: PayloadValue) throws
}
