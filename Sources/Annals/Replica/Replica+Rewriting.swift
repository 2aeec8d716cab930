import Synchronization

extension Replica {
  /// Does to the copy what was done to the remote log since it was read: erasures, then compactions.
  ///
  /// The copy ends before those erasures, since it was read before them. So to erase the same subjects here makes it
  /// what the remote log has up to there. What is done twice, after a crash or beside another replica, is done once.
  ///
  /// - Parameters:
  ///   - revision: The remote log's revision.
  ///   - end: The end of the copy.
  ///   - isolation: The caller's isolation.
  /// - Throws: ``EventStoreError``: `replaced` if the remote log's history went back, `rewritten` if the copy cannot
  ///   follow it; what the stores throw.
  func rewrite(
    through revision: LogRevision, after end: ReplicaEnd, isolation: isolated (any Actor)?
  ) async throws {
    var revision = revision
    // Another replica may have read later and claimed more; what is read now is not older than that.
    if revision.number < end.revision { revision = try await remote.ask([]).revision }
    let number = revision.number
    if number < end.revision { throw EventStoreError.wentBack(from: end.revision, to: number) }
    guard revision.rebases == 0,
      let done = try await RemoteRewritings(of: remote, through: revision, after: end.done),
      done.isComplete, done.erasures.isEmpty || local.erasing != nil,
      done.compactions.isEmpty || local.compacting != nil
    else { throw EventStoreError.replicaRewritten }
    // The last one that is done here must be the one of this number there too.
    for (number, lineage) in [(end.done, end.lineage), (end.revision, end.claimedLineage)] {
      if let lineage, let known = done.lineage(of: number), lineage != known {
        throw EventStoreError.otherLineage(number)
      }
    }
    if number == end.done { return }
    guard let lineage = done.lineage(of: number) else { throw EventStoreError.replicaRewritten }
    // To cut what the remote log has cut would take events away that it never had.
    if done.compactions.count > end.compacted { try await checkSame(end) }
    let local = local
    try await local.signal.lanes.run(isolation: nil) { _ in try end.claim(number, lineage: lineage, in: local) }
    var hasRemnants = end.hasRemnants
    let erased = done.erasures(after: end.erasedThrough)
    if !erased.isEmpty {
      hasRemnants = try await erase(erased, after: end, isolation: isolation)
      try await local.signal.lanes.run(isolation: nil) { [hasRemnants] _ in
        try end.note(erasedThrough: number, hasRemnants: hasRemnants, in: local)
      }
    }
    if done.compactions.count > end.compacted {
      if end.unfinished == nil, end.head >= revision.compacted.horizon {
        try await compact(after: end.compacted, to: revision, isolation: isolation)
      } else if end.unfinished == nil {
        try await begin(at: end.head)
      }
    }
    try await local.signal.lanes.run(isolation: nil) { [hasRemnants] _ in
      try ReplicaEnd.finish(number, lineage: lineage, hasRemnants: hasRemnants, in: local)
    }
  }

  /// Erases the subjects of some erasures from the copy.
  ///
  /// - Parameters:
  ///   - erasures: The erasures.
  ///   - end: The end of the copy, as it was read before.
  ///   - isolation: The caller's isolation.
  /// - Returns: True if bytes of what was erased may be left.
  /// - Throws: ``ReplicaOvertaken`` if another replica has erased more meanwhile; what the store throws.
  private func erase(
    _ erasures: [LogErasure], after end: ReplicaEnd, isolation: isolated (any Actor)?
  ) async throws -> Bool {
    var seen: Set<ExactString> = []
    let subjects = erasures.map(\.subject).filter { seen.insert(ExactString($0)).inserted }
    do {
      let receipt = try await local.erase(subjects: subjects, demanding: end.erasureDemand, isolation: isolation)
      remote.environment.note(.copiedErasures, .count(erasures.count))
      return !receipt.isComplete
    } catch let error as EventStoreError where error.code == .conditionConflict {
      throw ReplicaOvertaken()
    }
  }

  /// Takes out of the copy's files what a reader held there when it was erased.
  func sweep(_ end: ReplicaEnd) async throws {
    let (local, now) = (local, ContinuousClock.now)
    let isDue = sweeps.withLock { last in
      if let last, now - last < .seconds(600) { return false }
      last = now
      return true
    }
    guard isDue, let erasing = local.erasing else { return }
    try await local.signal.lanes.run(isolation: nil) { _ in
      let receipt = try erasing.commitErasures(of: [])
      try ReplicaEnd.keep(hasRemnants: !receipt.isComplete, end.revision, in: local)
    }
  }
}

/// What was done to a remote log, numbered in the order in which it was done.
struct RemoteRewritings: Sendable {
  /// All compactions, from the first one on.
  let compactions: [LogCompaction]
  /// The erasures from some number on.
  let erasures: [LogErasure]
  private let revision: LogRevision

  /// Asks what was done.
  ///
  /// - Parameters:
  ///   - remote: The log.
  ///   - revision: Its revision.
  ///   - number: Up to where it is known what was done; that one is asked for, too.
  /// - Throws: ``EventStoreError``. Without an error it is nil if the store does not say it.
  init?(of remote: any RemoteEventStore, through revision: LogRevision, after number: Int) async throws {
    self.revision = revision
    guard let compactions = try await remote.compactions(through: revision.compacted.count) else { return nil }
    self.compactions = compactions
    let known = number - compactions.count { $0.rewriting <= number }
    if revision.erasures == 0 {
      erasures = []
    } else {
      guard let erasures = try await remote.erasures(after: max(0, known - 1), through: revision.erasures) else {
        return nil
      }
      self.erasures = erasures
    }
  }

  /// True if everything of the revision is there.
  var isComplete: Bool {
    compactions.count == revision.compacted.count && erasures.last.map { $0.number == revision.erasures } ?? true
  }

  /// The number of an erasure among all that was done.
  private func rewriting(_ erasure: LogErasure) -> Int {
    erasure.number + compactions.count { $0.erasures < erasure.number }
  }

  /// The erasures after a number.
  func erasures(after number: Int) -> [LogErasure] { erasures.filter { rewriting($0) > number } }

  /// When a number was done, which tells it from another history's; nil if that was not asked for.
  func lineage(of number: Int) -> Int? {
    if let compaction = compactions.first(where: { $0.rewriting == number }) {
      return Int(compaction.time.microseconds)
    }
    return erasures.first { rewriting($0) == number }.map { Int($0.time.microseconds) }
  }
}

extension LogCompaction {
  /// The number of the compaction among all that was done to its log.
  fileprivate var rewriting: Int { number + erasures }
}

extension EventStoreError {
  /// Something was erased from the remote log, or it was compacted, and the copy cannot do the same.
  static var replicaRewritten: EventStoreError {
    EventStoreError(
      .rewritten,
      "the remote log was compacted, or something was erased from it, and this copy cannot follow: the remote store "
        + "does not say what it was, or the copy's store cannot do the same. The copy still has what is gone there: "
        + "clone the log again into an empty store, and delete this copy")
  }
}
