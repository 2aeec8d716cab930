/// An event type that writes and reads its payloads itself, which takes a third of the time of Codable.
///
/// Use it where a log of millions of events is read again and again; every other event type is served well by Codable.
/// The payload is JSON as before, so that a type can get or lose a coding of its own at any time: write what Codable
/// writes. `ensureCodesEqually()` of AnnalsTesting holds the two together.
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
/// The type stays an enum whose Codable the compiler writes: its cases and their stored names are still asked of it.
public protocol CustomCodedEvent: Event {
  /// Writes the event's payload: one JSON value.
  ///
  /// Codable writes an object's members in the order of their names, by bytes, and leaves out a member without value.
  ///
  /// - Parameter payload: Takes the value.
  /// - Returns: The case's name, as Codable knows it.
  func write(to payload: inout PayloadWriter) -> String

  /// Reads an event of a case.
  ///
  /// - Parameters:
  ///   - name: The case's name, as Codable knows it.
  ///   - payload: The payload, valid until this returns.
  /// - Throws: What `payload` throws where something is missing or of another kind.
  init?(case name: String, payload: PayloadValue) throws
}
