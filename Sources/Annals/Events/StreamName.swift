/// The name of a stream: one consistency boundary's events.
///
/// Two names are equal only if their Unicode scalars are.
public struct StreamName: Hashable, Comparable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible,
  ExactText
{
  /// The name as it is stored.
  public let text: String

  /// Creates a stream's name.
  ///
  /// - Parameter text: The name; a store refuses an empty one.
  public init(_ text: String) {
    self.text = text
  }

  /// Creates a stream's name from a literal.
  public init(stringLiteral value: String) {
    self.init(value)
  }
}
