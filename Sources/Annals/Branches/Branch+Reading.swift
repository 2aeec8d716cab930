import Synchronization

extension Branch {
  /// How many times a reader lets the commands be decided again before it takes what there is, while others write.
  private static var patience: Int { 8 }

  private enum Answer<T> {
    case read(T)
    /// The base has gone on to there.
    case moved(BranchGround)
  }

  /// Reads what belongs together: all answers of the log that the body gets are of one moment.
  ///
  /// If the branch floats and its base has grown, the branch's commands are decided again first, on the caller's
  /// thread. While others write to the base without a pause, what you read may be some transactions behind it.
  ///
  /// - Parameter body: Reads. It may be called more than once only if it was not called before.
  /// - Returns: What the body returned.
  /// - Throws: ``EventStoreError``, and what the body throws.
  public func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    var tries = 0
    while true {
      let seen = state.withLock { $0 }
      // The base's part ends at the fork, so that it is of the same moment. No lock is held while a body reads.
      let answer = try readBase { log -> Answer<T> in
        if let ground = try newGround(seen, log, mayLag: tries >= Self.patience) { return .moved(ground) }
        return .read(try body(BranchMoment(base: log, tail: seen.tail)))
      }
      switch answer {
      case .read(let result): return result
      case .moved(let ground): _ = try decideAgain(seen, seen.commands, on: ground)
      }
      tries += 1
    }
  }

  /// The ground that the branch must move to before it can be read, or nil if it can be read as it is.
  ///
  /// A fixed branch keeps its fork. Its commands are re-decided there when something was erased from the base, because
  /// their events may contain values that a decider took from the base.
  ///
  /// - Throws: ``EventStoreError``, with the code `rewritten` if the events below a fixed branch no longer exist.
  func newGround(_ seen: State, _ log: any EventLog, mayLag: Bool) throws -> BranchGround? {
    let ground = seen.tail.ground
    if isFloating, case .open = seen.phase {
      let isSame = try log.revision() == ground.revision
      if isSame, mayLag { return nil }
      return try isSame && log.head() == ground.fork ? nil : BranchGround(endOf: log)
    }
    let revision = try log.revision()
    guard hasMovingGround, revision.rebases != ground.revision.rebases,
      try (log as? BranchMoment)?.common(with: ground.revision) ?? log.unchanged(since: ground.revision) < ground.fork
    else {
      if case .merging = seen.phase { return nil }
      let isErased = revision.erasures != ground.revision.erasures && revision.compacted.shows(ground.fork)
      return isErased && !seen.commands.isEmpty
        ? BranchGround(fork: ground.fork, transaction: ground.transaction, revision: revision) : nil
    }
    throw EventStoreError(
      .rewritten,
      "the branch leaves its base at position \(ground.fork), and the base is a branch whose commands were decided "
        + "again since; what it was at \(ground.fork) is gone: call rebase(), or make a branch that floats")
  }

  /// Up to where the branch has the events that it had in an earlier revision.
  public func unchanged(since earlier: LogRevision) throws -> Position { try read { try $0.unchanged(since: earlier) } }

  /// The last position that the branch has in common with its base.
  public func stableEnd() -> Position? { fork }

  /// What a state of the base is called on the branch; nil if the branch does not have it.
  func own(_ place: StatePlace) -> StatePlace? {
    let tail = state.withLock { $0.tail }
    guard place.position <= tail.fork, place.revision.rebases == tail.ground.revision.rebases else { return nil }
    return StatePlace(
      version: place.version, position: place.position, revision: place.revision.shown(by: tail.decision))
  }

  /// What a state of the branch is called in its base; nil if it is folded from the branch's own events too.
  func ofBase(_ place: StatePlace) -> StatePlace? {
    let tail = state.withLock { $0.tail }
    guard place.position <= tail.fork, place.revision.rebases == tail.decision else { return nil }
    return StatePlace(
      version: place.version, position: place.position,
      revision: place.revision.shown(by: tail.ground.revision.rebases))
  }

  /// True if a state is folded from events of an earlier decision.
  func isGone(_ place: StatePlace) -> Bool {
    let tail = state.withLock { $0.tail }
    if place.revision.rebases == tail.decision { return false }
    let then = tail.decisions.last { $0.number == place.revision.rebases }
    return then.map { place.position > $0.ground.fork } ?? true
  }
}

extension EventStoreError {
  /// What a command was decided on is not there any more; it is decided again.
  static var decidedAgain: EventStoreError {
    EventStoreError(
      .versionConflict,
      "the commands of the branch were decided again after this one had read it; nothing was added: execute it again")
  }
}
