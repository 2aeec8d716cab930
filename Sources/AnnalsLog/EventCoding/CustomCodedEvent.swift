/// An event type whose payloads are written and read by custom code, which is about three times as fast as Codable.
///
/// Use this protocol if you often read a log with millions of events. Otherwise, Codable is fast enough. The payload
/// remains JSON. If the custom code writes the same JSON as Codable, you can add or remove the custom code at any time.
/// `ensureCodesEqually()` in AnnalsTesting checks that the custom code and Codable write the same JSON.
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
  /// To write the same JSON as Codable, sort an object's members by the bytes of their names, and omit members without
  /// a value.
  ///
  /// - Parameter payload: The writer that receives the value.
  /// - Returns: The case's name, as Codable writes it.
  func write(to payload: inout PayloadWriter) -> String

  /// Creates an event from a case's name and a payload, or returns `nil` if the type has no case with that name.
  ///
  /// - Parameters:
  ///   - name: The case's name, as Codable writes it.
  ///   - payload: The payload, which is valid only until the initializer returns.
  /// - Throws: The errors that `payload` throws if a value is missing or has a different type.
  init?(case name: String, payload: PayloadValue) throws
}
