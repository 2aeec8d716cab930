public import Annals

extension SQLiteEventStore: CompactingStore {
  /// Up to where the log was compacted, and how often.
  public func compacted() throws -> CompactedHistory { try pool.read { try CompactionTables($0).history } }

  /// How often something was erased from the log or compacted.
  public func rewrites() throws -> Int { try pool.read { try CompactionTables($0).rewrites } }

  /// Compacts the log in one transaction, and makes its file shorter.
  ///
  /// Others may read meanwhile; appends wait. A reader that began before, of whatever process, keeps the file from getting shorter as long as
  /// it reads: a copy that is being made, a check. The compaction waits for it for five seconds.
  public func commitCompaction(
    _ compaction: Compaction, progress: (Compaction.Step) throws -> Void
  ) throws -> CompactionReceipt {
    try commitCompaction(compaction, waiting: .seconds(5), progress: progress)
  }

  /// Compacts the log, and waits for readers that began before.
  ///
  /// - Parameters:
  ///   - compaction: What to compact, and what must be equal.
  ///   - waiting: For how long to wait for readers before the file is made shorter.
  ///   - progress: Called as each part of the work begins; what it throws ends the work, but for the last part, at which the log is
  ///     compacted.
  /// - Returns: What was done; `remnants` says why the file did not get shorter, if it did not.
  /// - Throws: ``CompactionError``, ``EventStoreError``, and what the compaction's rules and `progress` throw; the log is then as it was.
  public func commitCompaction(
    _ compaction: Compaction, waiting: Duration, progress: (Compaction.Step) throws -> Void = { _ in }
  ) throws -> CompactionReceipt {
    guard let writer else {
      throw EventStoreError(
        .readOnly, "\(path): was opened for reading only; open it with SQLiteEventStore(path:) to compact it")
    }
    let before = Self.size(place.file) + Self.size(place.commits)
    let receipt = try writer.compact(compaction, source: source, environment: environment, progress: progress)
    func done(_ remnants: String? = nil) -> CompactionReceipt {
      receipt.with(
        bytes: .init(before: before, after: Self.size(place.file) + Self.size(place.commits)), remnants: remnants)
    }
    guard try writer.use({ try ErasureTransaction($0).isIncomplete }) else { return done() }
    // The log is compacted; what keeps its file from getting shorter is told, and is no failure.
    do {
      try? progress(.shrinking)
      if try writer.sweep(waiting: waiting) { return done() }
    } catch {
      return done("\(error)\nthe log was compacted, and its file is not shorter yet; compact it again to make it so")
    }
    return done(
      "\(path): a reader that began before the compaction is still reading (a copy that is being made, a check, or a program that "
        + "keeps a transaction open), so that the file is not shorter yet; end it, and compact the log again")
  }
}
