/// The name of a stream, which is a sequence of a log's events on which a `Decider` bases its decisions.
///
/// For example, the stream `"Concert-7"` contains the events of one concert. The events of a stream are numbered by
/// version, starting at 1. A stream's version is the version of its last event.
///
/// Two names are equal only if their Unicode scalars are equal.
public struct StreamName: Hashable, Comparable, Sendable, ExpressibleByStringInterpolation, CustomStringConvertible,
  ExactText
{
  /// The stream name's string, as it is stored.
  public let text: String

  /// Creates a stream name.
  ///
  /// - Parameter text: The name's string. A store refuses an empty string.
  public init(_ text: String) {
    self.text = text
  }

  /// Creates a stream name from a string literal.
  public init(stringLiteral value: String) {
    self.init(value)
  }
}

extension StreamName {
  /// Returns whether the name consists of a category, a hyphen and an identifier.
  package func belongs(to category: String) -> Bool {
    let (name, category) = (text.utf8, category.utf8)
    guard name.starts(with: category) else { return false }
    return name.dropFirst(category.count).first == UInt8(ascii: "-")
  }
}
