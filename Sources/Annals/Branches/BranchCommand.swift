import Foundation

/// What was executed on a branch at once: a command, a transaction of several, or events that were appended.
public struct BranchCommand: Sendable, Identifiable, CustomStringConvertible {
  /// Which one of the branch it is; the first is 1.
  public let number: Int
  /// The positions that its events have in the branch; nil if it led to none.
  ///
  /// They are others after the commands were decided again.
  public let events: ClosedRange<Position>?
  /// What it was given as its id; nil if it was given none.
  public let commandID: String?
  /// What its events were called when it was decided last.
  let identities: [Identity]
  private let kept: [KeptCommand]

  /// What tells an event from all others, beside what it says.
  struct Identity: Sendable {
    let (stream, type): (StreamName, String)
    let (id, time): (EventID, Date)
  }

  init(
    number: Int, _ range: ClosedRange<Position>?, _ events: [StoredEvent], commandID: String?, kept: [KeptCommand]
  ) {
    let identities = events.map { Identity(stream: $0.stream, type: $0.type, id: $0.id, time: $0.time) }
    self.init(number, range, identities, commandID, kept)
  }

  private init(
    _ number: Int, _ events: ClosedRange<Position>?, _ identities: [Identity], _ commandID: String?,
    _ kept: [KeptCommand]
  ) {
    (self.number, self.events, self.identities) = (number, events, identities)
    (self.commandID, self.kept) = (commandID, kept)
  }

  /// The same command, after it was decided again.
  func decided(_ range: ClosedRange<Position>?, _ events: [StoredEvent]) -> BranchCommand {
    BranchCommand(number: number, range, events, commandID: commandID, kept: kept)
  }

  /// The same command under another number.
  func numbered(_ number: Int) -> BranchCommand { BranchCommand(number, events, identities, commandID, kept) }

  /// The same command where it is refused: it leads to no events.
  var undecided: BranchCommand { BranchCommand(number, nil, identities, commandID, kept) }

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
  /// Why it is refused: the decider's rejection, an ``EventStoreError`` with the code `versionConflict`, or on a branch
  /// that is decided again an ``EventCodingError`` if events cannot be read there.
  public let error: any Error

  /// - Throws: The error, if it does not say that the command is refused, but that it could not be decided.
  init(_ command: BranchCommand, refusedBy error: any Error) throws {
    if error is EventCodingError || error is CancellationError { throw error }
    if let error = error as? EventStoreError, error.code != .versionConflict { throw error }
    self.init(command, error)
  }

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
