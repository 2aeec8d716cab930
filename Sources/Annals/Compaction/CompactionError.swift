/// Why a log was not compacted; it is as it was.
public struct CompactionError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Code: Hashable, Sendable {
    /// Nothing was said that must be equal, or no rule.
    case incomplete
    /// The position is none that a log can be compacted through: not the end of a transaction, past the end, or before an
    /// earlier compaction's horizon.
    case badHorizon(Position)
    /// A follower has not handled what would be compacted.
    case followerBehind(name: String, version: Int, at: Position)
    /// A rule returned what it cannot: events of another stream, twice, or in another order.
    case badRule(stream: StreamName)
    /// An event would be cut or replaced that nothing reads of what must be equal.
    case unproven(StoredEvent)
    /// Something registered cannot be folded from the log as it is.
    case notFoldable(String)
    /// Something would not be equal.
    case notEqual(Difference)
  }

  /// The first thing that would not be equal.
  public struct Difference: Hashable, Sendable {
    /// What was registered: the projection's name, or the decider's and the stream's.
    public let name: String
    /// The position of the state that would differ.
    public let position: Position
    /// The id of the row; nil if it is none in particular.
    public let row: String?
    /// What was there; nil if nothing was.
    public let before: String?
    /// What would be there; nil if nothing would.
    public let after: String?

    /// Creates a difference.
    ///
    /// - Parameters:
    ///   - name: What was registered.
    ///   - position: The position of the state that would differ.
    ///   - row: The id of the row; nil if it is none in particular.
    ///   - before: What was there; nil if nothing was.
    ///   - after: What would be there; nil if nothing would.
    package init(name: String, position: Position, row: String?, before: String?, after: String?) {
      (self.name, self.position, self.row, self.before, self.after) = (name, position, row, before, after)
    }
  }

  /// The kind of failure.
  public let code: Code
  /// What happened: what was expected, what was found, where, what to do.
  public let message: String

  init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  init(_ difference: Difference) {
    let row = difference.row.map { ", row \($0)" } ?? ""
    self.init(
      .notEqual(difference),
      "nothing was compacted: \(difference.name) would not be equal at position \(difference.position)\(row): it was "
        + "\(difference.before ?? "not there"), and would be \(difference.after ?? "not there"); make the rule say the same"
    )
  }

  /// The message.
  public var description: String { message }
}
