/// The name of a stream, whose events share one version number and form one consistency boundary.
///
/// Two names are equal only if their Unicode scalars are equal.
public struct StreamName: Hashable, Comparable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible,
  ExactText
{
  /// The name's stored string.
  public let text: String

  /// Creates a stream's name.
  ///
  /// - Parameter text: The name. A store refuses an empty name.
  public init(_ text: String) {
    self.text = text
  }

  /// Creates a stream's name from a literal.
  public init(stringLiteral value: String) {
    self.init(value)
  }
}
