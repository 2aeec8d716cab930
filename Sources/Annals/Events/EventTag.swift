/// A string that is stored with an event so that queries can find the event, for example `"book:b1"` or
/// `"shelf:classics"`.
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
  /// The tag's stored string.
  public let text: String

  /// Creates a tag.
  ///
  /// - Parameter text: The tag. A store refuses an empty tag.
  public init(_ text: String) {
    self.text = text
  }

  /// Creates a tag from a literal, which can contain interpolations: `"book:\(id)"`.
  public init(stringLiteral value: String) {
    self.init(value)
  }
}
