/// Why a log was not compacted; it is as it was.
public struct CompactionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A kind of failure; later versions may add some.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// Creates one that is none of those below.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }

    /// Nothing was said that must be equal, or no rule.
    public static let incomplete = Code(rawValue: "incomplete")
    /// A log cannot be compacted through the position: it is not the end of a transaction, past the end, or before an
    /// earlier compaction's horizon.
    public static let badHorizon = Code(rawValue: "badHorizon")
    /// A follower has not handled what would be compacted.
    public static let followerBehind = Code(rawValue: "followerBehind")
    /// A rule returned what it cannot: events of another stream, twice, or in another order.
    public static let badRule = Code(rawValue: "badRule")
    /// An event would be cut or replaced that nothing reads of what must be equal.
    public static let unproven = Code(rawValue: "unproven")
    /// Something registered cannot be folded from the log as it is.
    public static let notFoldable = Code(rawValue: "notFoldable")
    /// Something would not be equal.
    public static let notEqual = Code(rawValue: "notEqual")
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
  /// What was registered: the follower (`followerBehind`), or the list or decider (`notFoldable`).
  public let name: String?
  /// The follower's version: `followerBehind`.
  public let version: Int?
  /// The position that was asked for (`badHorizon`), or that the follower has handled (`followerBehind`).
  public let position: Position?
  /// The stream whose events the rule returned wrongly: `badRule`.
  public let stream: StreamName?
  /// The event that nothing reads: `unproven`.
  public let event: StoredEvent?
  /// What would not be equal: `notEqual`.
  public let difference: Difference?

  init(
    _ code: Code, name: String? = nil, version: Int? = nil, position: Position? = nil, stream: StreamName? = nil,
    event: StoredEvent? = nil, difference: Difference? = nil, _ message: String
  ) {
    (self.code, self.message) = (code, message)
    (self.name, self.version, self.position, self.stream) = (name, version, position, stream)
    (self.event, self.difference) = (event, difference)
  }

  init(_ difference: Difference) {
    let row = difference.row.map { ", row \($0)" } ?? ""
    self.init(
      .notEqual, difference: difference,
      "nothing was compacted: \(difference.name) would not be equal at position \(difference.position)\(row): it was "
        + "\(difference.before ?? "not there"), and would be \(difference.after ?? "not there"); make the rule say "
        + "the same"
    )
  }

  /// The error of a store with a follower that has not handled what would be compacted.
  ///
  /// - Parameters:
  ///   - follower: The follower.
  ///   - position: Up to where it has handled the events.
  ///   - horizon: Up to where the history would be compacted.
  /// - Returns: The error, with the code ``Code/followerBehind``.
  public static func followerBehind(
    _ follower: FollowerID, at position: Position, horizon: Position
  ) -> CompactionError {
    CompactionError(
      .followerBehind, name: follower.name, version: follower.version, position: position,
      "nothing was compacted: the follower \"\(follower.name)\", version \(follower.version), has handled the events "
        + "up to \(position), and those up to \(horizon) would be compacted; run it first, compact through "
        + "\(position), or forget it with forgetFollower if it never comes again")
  }

  /// The message.
  public var description: String { message }
}
