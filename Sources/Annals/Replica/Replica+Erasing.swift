import Synchronization

extension Replica {
  /// Erases from the copy what was erased from the remote log since it was read.
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
  func erase(
    through revision: LogRevision, after end: ReplicaEnd, isolation: isolated (any Actor)?
  ) async throws {
    var revision = revision
    // Another replica may have read later and claimed more; what is read now is not older than that.
    if revision.number < end.revision { revision = try await remote.ask([]).revision }
    let number = revision.number
    if number < end.revision {
      throw EventStoreError.wentBack(from: LogRevision(erasures: end.revision), to: revision)
    }
    guard revision.compacted.count == 0, revision.rebases == 0 else { throw EventStoreError.replicaRewritten }
    guard local.erasing != nil, var erasures = try await remote.erasures(after: max(0, end.done - 1), through: number)
    else { throw EventStoreError.replicaRewritten }
    // The last one that is done here must be the one of this number there too.
    for (number, lineage) in [(end.done, end.lineage), (end.revision, end.claimedLineage)] {
      let known = erasures.first { $0.number == number }
      if let lineage, let known, lineage != known.lineage { throw EventStoreError.otherLineage(number) }
    }
    erasures.removeAll { $0.number <= end.done }
    guard let lineage = erasures.last?.lineage else { return }
    var seen: Set<ExactString> = []
    let subjects = erasures.map(\.subject).filter { seen.insert(ExactString($0)).inserted }
    let local = local
    try await local.signal.lanes.run(isolation: nil) { _ in
      try end.claim(number, lineage: lineage, in: local)
    }
    let receipt = try await local.erase(subjects: subjects, isolation: isolation)
    remote.environment.note(.copiedErasures, .count(erasures.count))
    try await local.signal.lanes.run(isolation: nil) { _ in
      try ReplicaEnd.finish(number, lineage: lineage, hasRemnants: !receipt.isComplete, in: local)
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

extension LogErasure {
  /// What ``LogReading/lineage`` is after the erasure.
  fileprivate var lineage: Int { Int(time.microseconds) }
}

extension EventStoreError {
  /// Something was erased from the remote log, or it was compacted, and the copy cannot do the same.
  static var replicaRewritten: EventStoreError {
    EventStoreError(
      .rewritten,
      "the remote log was compacted, or something was erased from it, and this copy cannot follow: the remote store "
        + "does not say what it was, or the copy's store erases nothing. The copy still has what is gone there: clone "
        + "the log again into an empty store, and delete this copy")
  }
}
