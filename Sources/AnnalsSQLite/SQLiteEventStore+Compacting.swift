public import AnnalsLog

extension SQLiteEventStore {
  /// The object that compacts the log in one transaction, and then shrinks the log's file (`CompactingStore`).
  ///
  /// Other processes can read during a compaction, but appends wait. The file can't shrink while a read that began
  /// before the compaction is still running in any process, for example a backup or a verification. The compaction
  /// waits up to five seconds for such reads, and then leaves the file at its current size. To choose how long it
  /// waits, call ``commitCompaction(waiting:progress:_:)`` instead.
  public var compacting: (any CompactingStore)? { Compacting(store: self) }

  /// Rewrites the log in one transaction, waits until earlier reads have ended, and then shrinks the log's file.
  ///
  ///     try store.commitCompaction(waiting: .seconds(60)) { try compaction.run(in: $0) }
  ///
  /// The call doesn't notify closures that are registered with `StoreRuntime.watch(_:)`. To notify them, call
  /// `EventStore.compact(_:progress:isolation:)` instead, which waits up to five seconds for earlier reads.
  ///
  /// - Parameters:
  ///   - waiting: The maximum time to wait until earlier reads have ended. After this time, the file keeps its size.
  ///   - progress: A closure that is called when the file starts to shrink. Its errors are ignored, because the log is
  ///     already compacted.
  ///   - work: A closure that rewrites the log, usually by calling `Compaction.run(in:progress:)`. If the closure
  ///     throws, the log is unchanged.
  /// - Returns: The receipt that `work` returned. The store adds the total size of the log's file and its `-wal` file,
  ///   before and after the compaction. If the file didn't shrink, the receipt's `remnants` contain the reason.
  /// - Throws: `EventStoreError`, and the errors of `work`. In these cases, the log is unchanged.
  public func commitCompaction(
    waiting: Duration, progress: (CompactionStep) throws -> Void = { _ in },
    _ work: (any CompactionTransaction) throws -> CompactionReceipt
  ) throws -> CompactionReceipt {
    guard let writer else {
      throw EventStoreError(
        .readOnly, "\(path): the log was opened for reading only; open it with SQLiteEventStore(path:) to compact it")
    }
    let before = FileSystem.size(place.file) + FileSystem.size(place.commits)
    let receipt = try writer.compact(source: source, environment: environment, work)
    func done(_ remnants: String? = nil) -> CompactionReceipt {
      receipt.with(
        bytesBefore: before, bytesAfter: FileSystem.size(place.file) + FileSystem.size(place.commits),
        remnants: remnants)
    }
    guard try writer.use(writes: false, { try ErasureTransaction($0).isIncomplete }) else { return done() }
    // The log is compacted. If the file can't shrink, the receipt contains the reason instead of an error.
    do {
      try? progress(.shrinking)
      if try writer.sweep(waiting: waiting) { return done() }
    } catch {
      return done(
        "\(error)\nthe log was compacted, but the log's file hasn't shrunk yet. Repeat the compaction to shrink the "
          + "file")
    }
    return done(
      "\(path): a reader that started before the compaction is still reading, so the file hasn't shrunk yet. The "
        + "reader is a backup, a verification, or a program with an open transaction. End the reader, and repeat the "
        + "compaction")
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
