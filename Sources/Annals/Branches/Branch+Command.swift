import AnnalsLog
public import Foundation

extension Branch {
  /// A call that was executed on a ``Branch``: a command, a transaction of several commands, or an append of events.
  public struct Command: Sendable, Identifiable, CustomStringConvertible {
    /// The number that identifies the command in its branch, starting at 1.
    public let number: Int
    /// The positions of the command's events in the branch, or `nil` for a command without events.
    ///
    /// The positions change when the branch re-decides its commands: it calls `decide` for each command with a newer
    /// state, and replaces the commands' events. For example, ``Branch/rebase(isolation:)`` re-decides the commands.
    public let events: ClosedRange<Position>?
    /// The `commandID` with which the command was executed, or `nil` if it was executed without an id.
    public var commandID: String? { identified?.id }
    /// The command's id, and the call for which the id was used.
    let identified: IdentifiedCommand?
    /// The identities of the command's events in the last decision.
    let identities: [Identity]
    private let kept: [KeptCommand]

    /// The stream, type, id and time of an event, but not its content.
    struct Identity: Sendable {
      let (stream, type): (StreamName, String)
      let (id, time): (EventID, Date)
    }

    init(
      number: Int, _ range: ClosedRange<Position>?, _ events: [StoredEvent], _ identified: IdentifiedCommand?,
      kept: [KeptCommand]
    ) {
      let identities = events.map { Identity(stream: $0.stream, type: $0.type, id: $0.id, time: $0.time) }
      self.init(number, range, identities, identified, kept)
    }

    private init(
      _ number: Int, _ events: ClosedRange<Position>?, _ identities: [Identity], _ identified: IdentifiedCommand?,
      _ kept: [KeptCommand]
    ) {
      self.number = number
      self.events = events
      self.identities = identities
      self.identified = identified
      self.kept = kept
    }

    /// Returns the same command after a new decision.
    func decided(_ range: ClosedRange<Position>?, _ events: [StoredEvent]) -> Command {
      Command(number: number, range, events, identified, kept: kept)
    }

    /// Returns the same command with a different number.
    func numbered(_ number: Int) -> Command { Command(number, events, identities, identified, kept) }

    /// The same command without events, as the branch keeps it after a refusal.
    var undecided: Command { Command(number, nil, identities, identified, kept) }

    /// The command's ``number``.
    public var id: Int { number }

    /// Returns the commands that this call passed to a decider.
    ///
    /// If the call was a transaction, it can contain commands of several deciders. Call this method for each of these
    /// deciders.
    ///
    ///     for conflict in draft.conflicts { show(conflict.command.values(of: Hall.self), conflict.message) }
    ///
    /// - Parameter decider: The decider type.
    /// - Returns: The decider's commands, in order. The array is empty if the decider got no command, if the call was
    ///   an append of events, or if the command of a named draft can't be decoded.
    public func values<D: Decider>(of decider: D.Type) -> [D.Command] {
      kept.compactMap { $0.decider == decider ? $0.command as? D.Command : nil }
    }

    /// A string with the number, the deciders and the commands, for example `2 Shelf: remove("emma")`.
    public var description: String {
      "\(number) "
        + kept.map { "\($0.decider.map { "\($0)" } ?? "events"): \(described($0.command))" }.joined(separator: ", ")
    }

    /// Re-decides the command as part of a transaction.
    func decide(in transaction: inout CommandTransaction) throws {
      for command in kept { try command.decide(in: &transaction) }
    }
  }

  /// A command that was refused when it was proposed or re-decided, and the reason for the refusal.
  ///
  /// A re-decided command can be refused because the base has changed, or because the branch's commands have changed.
  public struct Conflict: Sendable, CustomStringConvertible {
    /// The refused command, which has no events.
    public let command: Command
    /// The reason for the refusal, usually the error that the decider threw.
    ///
    /// The reason can also be an ``EventStoreError`` with one of these codes:
    ///
    /// - `versionConflict` if the stream doesn't have the version that the command expects
    /// - `duplicateEvent` if the base has an event with the same identity (``EventID``) as one of the command's events
    /// - `commandReused` if the base used the command's id for a different call
    /// - `unequalDecision` if the branch called `decide` twice for the command in the same state, and the results
    ///   differ. Only debug builds make the second call.
    ///
    /// In ``Branch/conflicts``, the reason can also be an ``EventCodingError``, for an event in the base that can't be
    /// decoded. For a command of a named draft, the reason can also be a ``Branch/DraftError``.
    public let error: any Error

    /// The reason for the refusal, as a sentence for the user.
    ///
    /// The sentence is the error's `errorDescription` if the error is a `LocalizedError`, and otherwise the error's
    /// description. To show your own sentences, conform your decider's error type to `LocalizedError` or to
    /// `CustomStringConvertible`.
    public var message: String { sentence(of: error) }

    /// A string with the command and the message, for example `2 Shelf: remove("emma"): the book is lent`.
    public var description: String { "\(command): \(message)" }

    /// - Throws: The given error, if it isn't a refusal of this command.
    init(_ command: Command, refusedBy error: any Error) throws {
      if error is EventCodingError || error is CancellationError { throw error }
      if let error = error as? EventStoreError, !Self.codes.contains(error.code) { throw error }
      self.init(command, error)
    }

    /// The codes of errors that are refusals, because they might not occur on another base, or on a branch without the
    /// command.
    private static let codes: Set<EventStoreError.Code> = [
      .versionConflict, .duplicateEvent, .commandReused, .unequalDecision,
    ]

    init(_ command: Command, _ error: any Error) {
      self.command = command.undecided
      self.error = error
    }
  }

  /// An error for a branch that wasn't merged, because some of its commands are refused in the base's current state.
  ///
  /// `Docs/Errors.md` describes the remedy.
  public struct MergeError: LocalizedError, Sendable, CustomStringConvertible {
    /// The refused commands, in the branch's order.
    ///
    /// The array contains at least one command. A merge doesn't stop at the first refusal. It decides every command
    /// based on the base's state and on the events of the accepted commands before it.
    public let refused: [Conflict]
    /// The base's last position when the commands were decided.
    public let position: Position
    /// The total number of commands in the branch.
    public let count: Int

    /// A message that contains the refused commands and the reasons for the refusals.
    public var description: String {
      let reasons = refused.map(\.description).joined(separator: "; ")
      return "at position \(position), the base refuses \(refused.count) of the branch's \(count) commands, "
        + "so no command was merged. Remove the refused commands with drop(_:), or retry the merge when the base "
        + "accepts them. The refused commands are: \(reasons)"
    }

    /// The ``description``, which Foundation returns as the error's `localizedDescription`.
    public var errorDescription: String? { description }
  }
}
