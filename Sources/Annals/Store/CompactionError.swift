/// An error that describes why a log wasn't compacted and is unchanged.
public struct CompactionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A kind of failure.
  ///
  /// Later versions can add more kinds.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code's name.
    public let rawValue: String

    /// Creates a code other than the constants of this type.
    ///
    /// - Parameter rawValue: The code's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code's name.
    public var description: String { rawValue }

    /// The compaction has no rule, or no registered list or decider whose state must stay equal.
    public static let incomplete = Code(rawValue: "incomplete")
    /// The position isn't a valid horizon, which is the position through which history is compacted.
    ///
    /// A horizon must be the end of a transaction, must not be past the end of the log, and must not be before the
    /// horizon of an earlier compaction.
    public static let badHorizon = Code(rawValue: "badHorizon")
    /// A follower hasn't yet handled events that would be compacted.
    public static let followerBehind = Code(rawValue: "followerBehind")
    /// A rule returned events that it didn't receive, duplicate events, or events in a different order, or two rules
    /// changed the same event.
    public static let badRule = Code(rawValue: "badRule")
    /// The compaction would remove or replace an event that no registered list or decider reads.
    public static let unproven = Code(rawValue: "unproven")
    /// A registered list or decider state can't be computed from the original events.
    public static let notFoldable = Code(rawValue: "notFoldable")
    /// A registered list or decider state would differ after the compaction.
    public static let notEqual = Code(rawValue: "notEqual")
  }

  /// The first difference that the compaction would cause.
  public struct Difference: Hashable, Sendable {
    /// The registered name: the projection's name, or the names of the decider and the stream.
    public let name: String
    /// The position at which the states differ.
    public let position: Position
    /// The id of the differing row, or `nil` if the difference isn't about one row.
    public let row: String?
    /// The value before the compaction, or `nil` if it didn't exist.
    public let before: String?
    /// The value after the compaction, or `nil` if it wouldn't exist.
    public let after: String?

    /// Creates a difference.
    ///
    /// - Parameters:
    ///   - name: The registered name.
    ///   - position: The position at which the states differ.
    ///   - row: The id of the differing row, or `nil` if the difference isn't about one row.
    ///   - before: The value before the compaction, or `nil` if it didn't exist.
    ///   - after: The value after the compaction, or `nil` if it wouldn't exist.
    package init(name: String, position: Position, row: String?, before: String?, after: String?) {
      (self.name, self.position, self.row, self.before, self.after) = (name, position, row, before, after)
    }
  }

  /// The kind of failure.
  public let code: Code
  /// A message that contains the expected state, the actual state, their place, and how to fix the problem.
  public let message: String
  /// The follower's name for ``Code/followerBehind``, or the name of the registered list or decider for
  /// ``Code/notFoldable``.
  public let name: String?
  /// The follower's version, for ``Code/followerBehind``.
  public let version: Int?
  /// The requested position for ``Code/badHorizon``, or the last position that the follower has handled for
  /// ``Code/followerBehind``.
  public let position: Position?
  /// The stream for which the rule returned an invalid result, for ``Code/badRule``.
  public let stream: StreamName?
  /// The event that no registered list or decider reads, for ``Code/unproven``.
  public let event: StoredEvent?
  /// The difference that the compaction would cause, for ``Code/notEqual``.
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
      "the log wasn't compacted: \(difference.name) would not be equal at position \(difference.position)\(row): "
        + "expected \(difference.before ?? "none"), found \(difference.after ?? "none") after the rewrite; change the "
        + "rule so that both are equal"
    )
  }

  /// Creates the error for a follower that hasn't handled all events that the compaction would remove or replace.
  ///
  /// - Parameters:
  ///   - follower: The follower.
  ///   - position: The last position that the follower has handled.
  ///   - horizon: The position through which the history would be compacted.
  /// - Returns: The error, with the code ``Code/followerBehind``.
  public static func followerBehind(
    _ follower: FollowerID, at position: Position, horizon: Position
  ) -> CompactionError {
    CompactionError(
      .followerBehind, name: follower.name, version: follower.version, position: position,
      "the log wasn't compacted: the follower \"\(follower.name)\", version \(follower.version), has handled "
        + "the events only up to position \(position), but events up to \(horizon) would be compacted; run the "
        + "follower first, compact only through \(position), or call forgetFollower if the follower isn't used anymore")
  }

  /// The message.
  public var description: String { message }
}
