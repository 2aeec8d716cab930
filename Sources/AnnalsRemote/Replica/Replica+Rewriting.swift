import AnnalsLog
import Synchronization

extension Replica {
  /// Applies the remote log's changes since the last read to the copy: first erasures, then compactions.
  ///
  /// All events of the copy were read before these erasures. So after the same subjects are erased from the copy, the
  /// copy equals the remote log through the copy's end. If a change is repeated, after a crash or by another replica,
  /// the repetition has no effect.
  ///
  /// - Parameters:
  ///   - revision: The remote log's revision.
  ///   - end: The end of the copy.
  ///   - isolation: The caller's isolation.
  /// - Throws: `EventStoreError`: `.replaced` if the remote log's history went back, or `.rewritten` if the copy
  ///   can't repeat the remote log's changes. It also throws the errors of the stores.
  func rewrite(
    through revision: LogRevision, after end: ReplicaEnd, isolation: isolated (any Actor)?
  ) async throws {
    var revision = revision
    // Another replica might have read and claimed a later revision. A new read can't return an earlier revision than
    // that, unless the remote log's history went back.
    if revision.number < end.revision { revision = try await remote.ask([]).revision }
    let number = revision.number
    if number < end.revision { throw EventStoreError.wentBack(from: end.revision, to: number) }
    guard revision.rebases == 0,
      let done = try await RemoteRewritings(of: remote, through: revision, after: end.done),
      done.isComplete, done.erasures.isEmpty || local.erasing != nil,
      done.compactions.isEmpty || local.compacting != nil
    else { throw EventStoreError.replicaRewritten }
    // The last change that was applied here must be the change with the same number in the remote log.
    for (number, lineage) in [(end.done, end.lineage), (end.revision, end.claimedLineage)] {
      if let lineage, let known = done.lineage(of: number), lineage != known {
        throw EventStoreError.otherLineage(number)
      }
    }
    if number == end.done { return }
    guard let lineage = done.lineage(of: number) else { throw EventStoreError.replicaRewritten }
    // Removing the events that the remote log has removed is safe only if the copy has the same events.
    if done.compactions.count > end.compacted { try await checkSame(end) }
    let local = local
    try await local.runtime.lanes.run(isolation: nil) { _ in try end.claim(number, lineage: lineage, in: local) }
    var hasRemnants = end.hasRemnants
    let erased = done.erasures(after: end.erasedThrough)
    if !erased.isEmpty {
      hasRemnants = try await erase(erased, after: end, isolation: isolation)
      try await local.runtime.lanes.run(isolation: nil) { [hasRemnants] _ in
        try end.note(erasedThrough: number, hasRemnants: hasRemnants, in: local)
      }
    }
    if done.compactions.count > end.compacted {
      if end.unfinished == nil, end.head >= revision.compacted.horizon {
        try await compact(after: end, to: revision, isolation: isolation)
      } else if end.unfinished == nil {
        try await begin(after: end)
      }
    }
    try await local.runtime.lanes.run(isolation: nil) { [hasRemnants] _ in
      try end.finish(number, lineage: lineage, hasRemnants: hasRemnants, in: local)
    }
  }

  /// Repeats erasures of the remote log in the copy.
  ///
  /// - Parameters:
  ///   - erasures: The erasures.
  ///   - end: The end of the copy, as read before.
  ///   - isolation: The caller's isolation.
  /// - Returns: True if bytes of the erased values might remain.
  /// - Throws: ``ReplicaOvertaken`` if another replica has erased more in the meantime, or the error of the store.
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

  /// Removes erased values that remained in the copy's files because a reader used the files during the erasure.
  func sweep(_ end: ReplicaEnd) async throws {
    let (local, now) = (local, ContinuousClock.now)
    let isDue = sweeps.withLock { last in
      if let last, now - last < .seconds(600) { return false }
      last = now
      return true
    }
    guard isDue, let erasing = local.erasing else { return }
    try await local.runtime.lanes.run(isolation: nil) { _ in
      let receipt = try erasing.commitErasures(of: [])
      try end.keep(hasRemnants: !receipt.isComplete, end.revision, in: local)
    }
  }
}

/// The erasures and compactions of a remote log, numbered in one sequence.
struct RemoteRewritings: Sendable {
  /// All compactions.
  let compactions: [LogCompaction]
  /// The erasures after a given number.
  let erasures: [LogErasure]
  private let revision: LogRevision

  /// Reads the erasures and compactions from the remote log.
  ///
  /// - Parameters:
  ///   - remote: The log.
  ///   - revision: The log's revision.
  ///   - number: The number of the last known change, which is also read.
  /// - Throws: `EventStoreError`. Without an error, the result is `nil` if the store doesn't record its changes.
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

  /// True if all changes of the revision are present.
  var isComplete: Bool {
    compactions.count == revision.compacted.count && erasures.last.map { $0.number == revision.erasures } ?? true
  }

  /// Returns an erasure's number among all erasures and compactions of the log.
  private func rewriting(_ erasure: LogErasure) -> Int {
    erasure.number + compactions.count { $0.erasures < erasure.number }
  }

  /// Returns the erasures after the change with a number.
  func erasures(after number: Int) -> [LogErasure] { erasures.filter { rewriting($0) > number } }

  /// Returns the time of the change with a number, or `nil` if that change wasn't read.
  ///
  /// The time distinguishes the log's history from other histories with a change of this number.
  func lineage(of number: Int) -> Int? {
    if let compaction = compactions.first(where: { $0.rewriting == number }) {
      return Int(compaction.time.microseconds)
    }
    return erasures.first { rewriting($0) == number }.map { Int($0.time.microseconds) }
  }
}

extension LogCompaction {
  /// The compaction's number among all erasures and compactions of its log.
  fileprivate var rewriting: Int { number + erasures }
}

extension EventStoreError {
  /// The error for a remote log with an erasure or a compaction that the copy can't repeat.
  static var replicaRewritten: EventStoreError {
    EventStoreError(
      .rewritten,
      "a compaction or an erasure changed the remote log, but this copy can't repeat the change: either the remote "
        + "store doesn't report such changes, or the copy's store doesn't support them. The copy still contains the "
        + "data that was removed from the remote log. Clone the log into an empty store, and delete this copy")
  }
}
