/// A string that is stored with an event so that an ``EventQuery`` can find the event, for example `"book:b1"`.
///
/// Two tags are equal only if their Unicode scalars are equal.
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
  /// The tag's string, as it is stored.
  public let text: String

  /// Creates a tag.
  ///
  /// - Parameter text: The tag's string. A store refuses an empty string.
  public init(_ text: String) {
    self.text = text
  }

  /// Creates a tag from a string literal, which can contain interpolations, such as `"book:\(id)"`.
  public init(stringLiteral value: String) {
    self.init(value)
  }
}
