public import Foundation

/// An error that explains why a log wasn't compacted.
///
/// If this error is thrown, the log is unchanged. In a `Compaction`, rules decide which events are removed or replaced.
/// The lists and deciders that you register with `prove` must have equal results before and after the compaction.
///
/// `Docs/Errors.md` lists the causes and remedies of every code.
public struct CompactionError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// A kind of failure.
  ///
  /// Later versions of this library can add more kinds.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code's name.
    public let rawValue: String

    /// Creates a code from its name.
    ///
    /// For the known kinds of failure, use this type's constants.
    ///
    /// - Parameter rawValue: The code's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code's name.
    public var description: String { rawValue }

    /// The compaction has no rule, or you haven't registered any list or decider with `prove`.
    public static let incomplete = Code(rawValue: "incomplete")
    /// The compaction's last position isn't valid.
    ///
    /// It must be the end of a transaction, must not be after the log's end, and must not be before the last position
    /// of an earlier compaction. If the compaction removes streams, it must not be before the end of the transaction
    /// with the last removed event.
    public static let badHorizon = Code(rawValue: "badHorizon")
    /// A follower hasn't yet handled some of the events that would be compacted.
    public static let followerBehind = Code(rawValue: "followerBehind")
    /// A rule returned an invalid result, two rules changed the same event, or a compaction with rules would also
    /// remove a stream.
    ///
    /// A result is invalid if it contains events that the rule didn't receive, duplicate events, or events in a
    /// different order.
    public static let badRule = Code(rawValue: "badRule")
    /// The compaction would remove or replace an event that no registered list or decider reads, so the effect of the
    /// change can't be checked.
    public static let unproven = Code(rawValue: "unproven")
    /// A registered list or decider state can't be built from the original events.
    public static let notFoldable = Code(rawValue: "notFoldable")
    /// A registered list or decider state would differ after the compaction.
    public static let notEqual = Code(rawValue: "notEqual")
    /// The log contains no events of a stream that the compaction would remove.
    public static let noStream = Code(rawValue: "noStream")
    /// The removal of a stream would affect lists, decider states or drafts that you didn't allow in `removeStream`.
    public static let referenced = Code(rawValue: "referenced")
    /// A saved draft contains a command or an event for a stream that the compaction would remove.
    public static let draft = Code(rawValue: "draft")
    /// A step of an undo history contains an event of a stream that the compaction would remove.
    ///
    /// An error with this code is only an entry of ``CompactionReceipt/references``. The step doesn't prevent the
    /// removal.
    public static let undoStep = Code(rawValue: "undoStep")
    /// An event of another stream refers to a stream that the compaction would remove.
    ///
    /// The event has a tag that names the stream, or has an event of the stream as its causation or correlation.
    ///
    /// An error with this code is only an entry of ``CompactionReceipt/references``. The event doesn't prevent the
    /// removal.
    public static let relatedEvent = Code(rawValue: "relatedEvent")
  }

  /// The kind of failure.
  public let code: Code
  /// A message that describes the expected value, the found value, their place, and how to fix the problem.
  public let message: String
  /// The name of the follower, projection or decider that the failure is about.
  ///
  /// If the code is ``Code/followerBehind``, it is the follower's name. If the code is ``Code/notFoldable`` or
  /// ``Code/notEqual``, it is the name of the registered projection, or the names of the registered decider and its
  /// stream or boundary. If the error is an entry of ``CompactionReceipt/references``, it is the name of the
  /// projection, the decider, the follower, the draft or the undo step.
  public let name: String?
  /// The follower's version.
  ///
  /// It is set only for the code ``Code/followerBehind``.
  public let version: Int?
  /// The requested last position if the code is ``Code/badHorizon``, or the last position that the follower has handled
  /// if the code is ``Code/followerBehind``.
  ///
  /// If the code is ``Code/notEqual``, it is the position at which the two lists or states differ. If the code is
  /// ``Code/relatedEvent``, it is the event's position.
  public let position: Position?
  /// The stream that the failure is about.
  ///
  /// If the code is ``Code/badRule``, it is the stream with the events that a rule handled incorrectly, or the stream
  /// that a compaction with rules would remove. If the code is ``Code/noStream``, it is the stream without events. If
  /// the code is ``Code/relatedEvent``, it is the event's stream. For all other codes, it is `nil`.
  public let stream: StreamName?
  /// The event that no registered list or decider reads.
  ///
  /// It is set only for the code ``Code/unproven``.
  public let event: StoredEvent?
  /// The id of the first row that would differ, or `nil` if the difference isn't in a row.
  ///
  /// It is set only for the code ``Code/notEqual``.
  public let row: String?
  /// A description of the row, section or state before the compaction, or `nil` if it didn't exist.
  ///
  /// It is set only for the code ``Code/notEqual``.
  public let before: String?
  /// A description of the row, section or state after the compaction, or `nil` if it wouldn't exist.
  ///
  /// It is set only for the code ``Code/notEqual``. If the list or state can't be built after the compaction, this is
  /// the error.
  public let after: String?
  /// The references that prevent the removal of a stream.
  ///
  /// The array is empty unless the code is ``Code/referenced``.
  public let references: [CompactionError]

  package init(
    _ code: Code, name: String? = nil, version: Int? = nil, position: Position? = nil, stream: StreamName? = nil,
    event: StoredEvent? = nil, difference: CompactionDifference? = nil,
    references: [CompactionError] = [], _ message: String
  ) {
    self.references = references
    self.code = code
    self.message = message
    self.name = difference?.name ?? name
    self.version = version
    self.position = difference?.position ?? position
    self.stream = stream
    self.event = event
    row = difference?.row
    before = difference?.before
    after = difference?.after
  }

  package init(_ difference: CompactionDifference) {
    let row = difference.row.map { ", row \($0)" } ?? ""
    self.init(
      .notEqual, difference: difference,
      "the log wasn't compacted: the compaction would change the result of \(difference.name) at position "
        + "\(difference.position)\(row). The result is \(difference.before ?? "none") before the compaction, and "
        + "\(difference.after ?? "none") after the compaction. Change the rule so that the result stays the same"
    )
  }

  /// Creates the error for a stream without events.
  package init(noStream stream: StreamName, among streams: [StreamName]) {
    let nearest = Nearest.name(to: stream.text, among: streams.map(\.text)).map { ". Did you mean \"\($0)\"?" }
    self.init(
      .noStream, stream: stream,
      "the log wasn't compacted: the stream to remove, \"\(stream)\", has no events. Pass the name of an existing "
        + "stream" + (nearest ?? ""))
  }

  /// Creates the error for references that prevent the removal of a stream.
  package init(blockedBy references: [CompactionError]) {
    let rest = references.count > 5 ? "; and \(references.count - 5) more" : ""
    let names = Set(references.compactMap(\.name)).sorted().map { "\"\($0)\"" }.joined(separator: ", ")
    self.init(
      .referenced, references: references,
      "the log wasn't compacted: \(references.prefix(5).map(\.message).joined(separator: "; "))\(rest). To "
        + "remove the stream despite these references, add these names to `allowing` in `removeStream`: \(names)")
  }

  /// Creates a reference to a removed stream: a row or a state that would change.
  ///
  /// - Parameters:
  ///   - difference: The change.
  ///   - proof: The name of the list or decider.
  package init(changing difference: CompactionDifference, in proof: String) {
    let place = difference.row.map { ", row \($0)" } ?? difference.source.map { ", \($0)" } ?? ""
    self.init(
      .notEqual,
      difference: .init(
        name: proof, position: difference.position, row: difference.row, before: difference.before,
        after: difference.after),
      "\(proof)\(place): \(difference.before ?? "none") would become \(difference.after ?? "none")")
  }

  /// Creates the error for a follower that hasn't handled all events that the compaction would remove or replace.
  ///
  /// - Parameters:
  ///   - follower: The follower's name and version.
  ///   - position: The last position that the follower has handled.
  ///   - horizon: The position through which the log would be compacted.
  /// - Returns: The error, with the code ``Code/followerBehind``.
  public static func followerBehind(
    _ follower: FollowerID, at position: Position, horizon: Position
  ) -> CompactionError {
    CompactionError(
      .followerBehind, name: follower.name, version: follower.version, position: position,
      "the log wasn't compacted: the follower \"\(follower.name)\", version \(follower.version), has handled "
        + "the events only up to position \(position), but events up to position \(horizon) would be compacted; run "
        + "the follower first, compact only through position \(position), or call forgetFollower if you no longer use "
        + "the follower")
  }

  /// The message.
  public var description: String { message }

  /// The ``description``, which Foundation returns as the error's `localizedDescription`.
  public var errorDescription: String? { description }
}

/// The first difference between a list or state before a compaction and after it.
package struct CompactionDifference {
  let name: String
  /// The decider's stream or boundary, or `nil` for a list.
  package let source: String?
  let position: Position
  package let row: String?
  package let before: String?
  package let after: String?

  package init(
    name: String, source: String? = nil, position: Position, row: String?, before: String?, after: String?
  ) {
    self.name = source.map { "\(name), \($0)" } ?? name
    self.source = source
    self.position = position
    self.row = row
    self.before = before
    self.after = after
  }
}
