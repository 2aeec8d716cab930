/// What was executed on a branch at once: a command, a transaction of several, or events that were appended.
public struct BranchCommand: Sendable, Identifiable, CustomStringConvertible {
  /// Which one of the branch it is; the first is 1.
  public let number: Int
  /// The positions that its events have in the branch; nil if it led to none.
  public let events: ClosedRange<Position>?
  /// What it was given as its id; nil if it was given none.
  public let commandID: String?
  private let kept: [KeptCommand]

  init(number: Int, events: ClosedRange<Position>?, commandID: String?, kept: [KeptCommand]) {
    (self.number, self.events, self.commandID, self.kept) = (number, events, commandID, kept)
  }

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
  /// Why it is refused: the decider's rejection, or an ``EventStoreError`` with the code `versionConflict`.
  public let error: any Error

  /// - Throws: The error, if it does not say that the command is refused, but that it could not be decided.
  init(_ command: BranchCommand, refusedBy error: any Error) throws {
    if error is EventCodingError || error is CancellationError { throw error }
    if let error = error as? EventStoreError, error.code != .versionConflict { throw error }
    (self.command, self.error) = (command, error)
  }
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
