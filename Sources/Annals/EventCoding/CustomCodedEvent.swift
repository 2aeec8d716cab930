/// An event type with custom code to write and read payloads, about three times as fast as Codable.
///
/// Use this protocol if a log of millions of events is read often. Codable is fast enough for all other event types.
/// The payload remains JSON, so you can add or remove a custom coding at any time, if it writes the same JSON as
/// Codable. `ensureCodesEqually()` in AnnalsTesting checks that both codings write the same JSON.
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
/// The type must still be an enum with compiler-generated Codable, from which Annals gets the cases and their stored
/// names.
public protocol CustomCodedEvent: Event {
  /// Writes the event's payload, which is one JSON value.
  ///
  /// Codable writes an object's members in the order of their names, by bytes, and omits members without a value.
  ///
  /// - Parameter payload: The writer for the value.
  /// - Returns: The case's name, as Codable writes it.
  func write(to payload: inout PayloadWriter) -> String

  /// Creates an event of a case, or returns `nil` if the type has no such case.
  ///
  /// - Parameters:
  ///   - name: The case's name, as Codable writes it.
  ///   - payload: The payload, which is valid until the initializer returns.
  /// - Throws: The errors that `payload` throws if a value is missing or has a different type.
  init?(case name: String, payload: PayloadValue) throws
}
