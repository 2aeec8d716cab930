import Foundation

/// What was executed on a branch at once: a command, a transaction of several, or events that were appended.
public struct BranchCommand: Sendable, Identifiable, CustomStringConvertible {
  /// Which one of the branch it is; the first is 1.
  public let number: Int
  /// The positions that its events have in the branch; nil if it led to none.
  ///
  /// They are others after the commands were decided again.
  public let events: ClosedRange<Position>?
  /// The command's id, or nil if it was executed without one.
  public var commandID: String? { identified?.id }
  /// The command's id with the call that it was given for.
  let identified: IdentifiedCommand?
  /// What its events were called when it was decided last.
  let identities: [Identity]
  private let kept: [KeptCommand]

  /// What tells an event from all others, beside what it says.
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
    (self.number, self.events, self.identities) = (number, events, identities)
    (self.identified, self.kept) = (identified, kept)
  }

  /// The same command, after it was decided again.
  func decided(_ range: ClosedRange<Position>?, _ events: [StoredEvent]) -> BranchCommand {
    BranchCommand(number: number, range, events, identified, kept: kept)
  }

  /// The same command under another number.
  func numbered(_ number: Int) -> BranchCommand { BranchCommand(number, events, identities, identified, kept) }

  /// The same command where it is refused: it leads to no events.
  var undecided: BranchCommand { BranchCommand(number, nil, identities, identified, kept) }

  /// Its number.
  public var id: Int { number }

  /// What was given to the deciders, in order; the new events where events were appended.
  public var values: [Any] { kept.map(\.command) }

  /// The number, the deciders and the commands: `2 Shelf: remove("emma")`.
  public var description: String {
    "\(number) " + kept.map { "\($0.decider.map { "\($0)" } ?? "events"): \($0.command)" }.joined(separator: ", ")
  }

  /// Decides it again, as part of a transaction.
  func decide(in transaction: inout CommandTransaction) throws {
    for command in kept { try command.decide(in: &transaction) }
  }
}

/// A command of a branch that its base refuses.
public struct BranchConflict: Sendable {
  /// The command.
  public let command: BranchCommand
  /// The reason, which is mostly the decider's rejection.
  ///
  /// It can be an ``EventStoreError``. The code is `versionConflict` if the stream isn't as the command expects it,
  /// `duplicateEvent` if the base has an event with the identity of an event of the command, and `commandReused` if the
  /// base used the command's id for another call. On a branch that is re-decided it can also be an
  /// ``EventCodingError``, for events that cannot be read there.
  public let error: any Error

  /// - Throws: The error, if it doesn't concern the command alone.
  init(_ command: BranchCommand, refusedBy error: any Error) throws {
    if error is EventCodingError || error is CancellationError { throw error }
    if let error = error as? EventStoreError, !Self.codes.contains(error.code) { throw error }
    self.init(command, error)
  }

  /// The codes of errors that another base, or a branch without the command, wouldn't have.
  private static let codes: Set<EventStoreError.Code> = [.versionConflict, .duplicateEvent, .commandReused]

  init(_ command: BranchCommand, _ error: any Error) { (self.command, self.error) = (command.undecided, error) }
}

/// The commands of a branch that its base refuses, so that nothing was merged.
public struct BranchConflicts: Error, Sendable, CustomStringConvertible {
  /// The refused commands, in order; at least one.
  ///
  /// Each was decided after those before it that were not refused.
  public let refused: [BranchConflict]
  /// The position of the base that they were decided at.
  public let position: Position
  /// The number of all commands of the branch.
  public let count: Int

  /// Which commands are refused, and why.
  public var description: String {
    let reasons = refused.map { "\($0.command): \($0.error)" }.joined(separator: "; ")
    return "\(refused.count) of \(count) commands of the branch are refused by its base at position \(position), and "
      + "nothing was merged: \(reasons)"
  }
}
