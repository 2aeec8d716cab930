import AnnalsLog
import Synchronization

extension Branch {
  /// The number of times that a read re-decides the commands before it accepts a branch that lags behind the base.
  private static var patience: Int { 8 }

  private enum Answer<T> {
    case read(T)
    /// The base has grown, so the branch must move to this ground.
    case moved(BranchGround)
  }

  /// Reads a consistent view of the branch.
  ///
  /// If the branch is floating and its base has new events, this function first re-decides the branch's commands based
  /// on the base's new state. It does this on the caller's thread. If other writers append to the base without a pause,
  /// the view may lack the base's latest transactions.
  ///
  /// - Parameter body: A closure that gets the branch's events as a log, and reads from that log. It is called once.
  /// - Returns: The body's result.
  /// - Throws: ``EventStoreError``, and the body's errors.
  public func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    var tries = 0
    while true {
      // Don't hold the commands during the read, because a commit of the body would have to copy them.
      let (tail, phase, hasCommands) = state.withLock { ($0.tail, $0.phase, !$0.commands.isEmpty) }
      // The base is read up to the fork, in the same view. No lock is held while a body reads.
      let answer = try readBase { log -> Answer<T> in
        if let ground = try newGround(tail, phase, hasCommands, log, mayLag: tries >= Self.patience) {
          return .moved(ground)
        }
        return .read(try body(BranchSnapshot(base: log, tail: tail)))
      }
      switch answer {
      case .read(let result): return result
      case .moved(let ground):
        let seen = state.withLock { $0 }
        // Another reader may already have moved the branch.
        if seen.tail.decision == tail.decision { _ = try decideAgain(seen, seen.commands, on: ground) }
      }
      tries += 1
    }
  }

  /// Returns the ground on which the commands must be re-decided before a read, or nil if a read needs no re-decision.
  ///
  /// A fixed branch keeps its fork. If values were erased from the base, the branch's commands are re-decided at the
  /// same fork, because their events may contain values that a decider copied from the base.
  ///
  /// - Throws: ``EventStoreError`` (`.rewritten`) if the events before a fixed branch's fork no longer exist.
  func newGround(
    _ tail: BranchTail, _ phase: Phase, _ hasCommands: Bool, _ log: any EventLog, mayLag: Bool
  ) throws -> BranchGround? {
    let ground = tail.ground
    if isFloating, case .open = phase {
      let isSame = try log.revision() == ground.revision
      if isSame, mayLag { return nil }
      return try isSame && log.head() == ground.fork ? nil : BranchGround(endOf: log)
    }
    let revision = try log.revision()
    guard revision.rebases != ground.revision.rebases,
      try (log as? BranchSnapshot)?.common(with: ground.revision) ?? log.unchanged(since: ground.revision) < ground.fork
    else {
      if case .merging = phase { return nil }
      let isErased = revision.erasures != ground.revision.erasures && revision.compacted.shows(ground.fork)
      return isErased && hasCommands
        ? BranchGround(fork: ground.fork, transaction: ground.transaction, revision: revision) : nil
    }
    guard hasMovingGround else {
      throw EventStoreError(
        .rewritten,
        "the branch starts at position \(ground.fork) of a replica's copy, its base. Replica.reclone later replaced "
          + "all events of the copy, so the state at position \(ground.fork) no longer exists. Call `rebase()` on the "
          + "branch, or create a branch that follows the copy with branch(floating:)")
    }
    throw EventStoreError(
      .rewritten,
      "the branch starts at position \(ground.fork) of another branch, its base. The base later re-decided its "
        + "commands, so the base's state at position \(ground.fork) no longer exists. Call `rebase()` on the branch, "
        + "or create a branch that follows the base with branch(floating:)")
  }

  /// True if the branch's next read re-decides commands because its base has new events, or all events of its base were
  /// replaced.
  ///
  /// The property is false after an erasure, whose effect lists show immediately.
  var decidesLater: Bool {
    guard isFloating else { return false }
    let (revision, hasCommands) = state.withLock { ($0.tail.ground.revision, $0.phase.isOpen && !$0.commands.isEmpty) }
    return hasCommands && (try? base.revision()).map { $0.isSameHistory(as: revision) } ?? false
  }

  /// Returns the last position up to which the branch has the same events as at an earlier `LogRevision`.
  public func unchanged(since earlier: LogRevision) throws -> Position { try read { try $0.unchanged(since: earlier) } }

  /// Returns the position after which the branch replaces events when it re-decides its commands.
  ///
  /// This position is the branch's ``fork``. Lists save their state at this position, and resume from that state when
  /// the later events are replaced.
  public func stableEnd() -> Position? { fork }

  /// Returns the place on the branch for a state of the base, or nil if the branch doesn't have the state.
  func place(ofBase place: StateVersion) -> StateVersion? {
    let tail = state.withLock { $0.tail }
    guard place.position <= tail.fork, place.revision.rebases == tail.ground.revision.rebases else { return nil }
    return StateVersion(
      version: place.version, position: place.position, revision: place.revision.shown(by: tail.decision))
  }

  /// Returns the place in the base for a state of the branch, or nil if the state contains the branch's own events.
  func place(inBase place: StateVersion) -> StateVersion? {
    let tail = state.withLock { $0.tail }
    guard place.position <= tail.fork, place.revision.rebases == tail.decision else { return nil }
    return StateVersion(
      version: place.version, position: place.position,
      revision: place.revision.shown(by: tail.ground.revision.rebases))
  }

  /// Returns whether a state contains events of an earlier decision.
  func hasReplaced(_ place: StateVersion) -> Bool {
    let tail = state.withLock { $0.tail }
    if place.revision.rebases == tail.decision { return false }
    let then = tail.decisions.last { $0.number == place.revision.rebases }
    return then.map { place.position > $0.ground.fork } ?? true
  }
}

extension EventStoreError {
  /// The error for a command that was decided on events that no longer exist, and that is re-decided.
  static var decidedAgain: EventStoreError {
    EventStoreError(
      .versionConflict,
      "while this command was being decided, the branch's earlier commands were decided anew. So the decision about "
        + "this command is based on outdated events. The command added no events. Retry the command")
  }
}
