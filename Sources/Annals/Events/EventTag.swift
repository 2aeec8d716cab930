/// A word that an event carries so that it can be found: `"book:b1"`, `"shelf:classics"`.
///
/// Two tags are equal only if their Unicode scalars are.
///
///     enum BoardEvent: Event {
///       case opened(id: String)
///
///       var tags: Set<EventTag> {
///         switch self {
///         case .opened(let id): ["board:\(id)"]
///         }
///       }
///     }
public struct EventTag: Hashable, Comparable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible,
  ExactText
{
  /// The tag as it is stored.
  public let text: String

  /// Creates a tag.
  ///
  /// - Parameter text: The tag; a store refuses an empty one.
  public init(_ text: String) {
    self.text = text
  }

  /// Creates a tag from a literal, which may hold values: `"book:\(id)"`.
  public init(stringLiteral value: String) {
    self.init(value)
  }
}
