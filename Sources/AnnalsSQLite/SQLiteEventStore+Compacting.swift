public import Annals

extension SQLiteEventStore {
  /// Compacts the log in one transaction, and makes its file shorter.
  ///
  /// Others may read meanwhile; appends wait. A reader that began before keeps the file from getting shorter as long as
  /// it reads, whatever process it is in. Examples are a copy that is being made, or a check. The compaction waits for
  /// it for five seconds; ``commitCompaction(_:waiting:progress:)`` waits for as long as you say.
  public var compacting: (any CompactingStore)? { Compacting(store: self) }

  /// Compacts the log, and waits for readers that began before.
  ///
  /// - Parameters:
  ///   - compaction: What to compact, and what must be equal.
  ///   - waiting: For how long to wait for readers before the file is made shorter.
  ///   - progress: Called as each part of the work begins. What it throws ends the work, except in the last part: the
  ///     log is compacted by then.
  /// - Returns: What was done; `remnants` says why the file did not get shorter, if it did not.
  /// - Throws: `CompactionError`, `EventStoreError`, and what the compaction's rules and `progress` throw; the log
  ///   is then as it was.
  public func commitCompaction(
    _ compaction: Compaction, waiting: Duration, progress: (Compaction.Step) throws -> Void = { _ in }
  ) throws -> CompactionReceipt {
    try commitCompaction(waiting: waiting, progress: progress) { try compaction.run(in: $0, progress: progress) }
  }

  fileprivate func commitCompaction(
    waiting: Duration, progress: (CompactionStep) throws -> Void,
    _ work: (any CompactionTransaction) throws -> CompactionReceipt
  ) throws -> CompactionReceipt {
    guard let writer else {
      throw EventStoreError(
        .readOnly, "\(path): was opened for reading only; open it with SQLiteEventStore(path:) to compact it")
    }
    let before = FileSystem.size(place.file) + FileSystem.size(place.commits)
    let receipt = try writer.compact(source: source, environment: environment, work)
    func done(_ remnants: String? = nil) -> CompactionReceipt {
      receipt.with(
        bytes: .init(before: before, after: FileSystem.size(place.file) + FileSystem.size(place.commits)),
        remnants: remnants)
    }
    guard try writer.use({ try ErasureTransaction($0).isIncomplete }) else { return done() }
    // The log is compacted. If its file cannot get shorter, the reason is reported, and is no failure.
    do {
      try? progress(.shrinking)
      if try writer.sweep(waiting: waiting) { return done() }
    } catch {
      return done("\(error)\nthe log was compacted, but its file hasn't shrunk yet; repeat the compaction to shrink it")
    }
    return done(
      "\(path): a reader that started before the compaction is still reading (a backup, a verification, or a program "
        + "with an open transaction), so the file hasn't shrunk yet; end the reader, and repeat the compaction")
  }
}

private struct Compacting: CompactingStore {
  let store: SQLiteEventStore

  func commitCompaction(
    progress: (CompactionStep) throws -> Void, _ work: (any CompactionTransaction) throws -> CompactionReceipt
  ) throws -> CompactionReceipt {
    try store.commitCompaction(waiting: .seconds(5), progress: progress, work)
  }
}
