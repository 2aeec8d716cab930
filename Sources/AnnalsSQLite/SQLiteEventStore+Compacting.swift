public import Annals

extension SQLiteEventStore {
  /// The store for compactions, which compacts the log in one transaction and then shrinks its file.
  ///
  /// Other processes can read during a compaction, but appends wait. An earlier reader in any process, such as a
  /// running copy or check, keeps the file from shrinking as long as it reads. The compaction waits for such readers
  /// for five seconds. ``commitCompaction(_:waiting:progress:)`` waits for as long as you choose.
  public var compacting: (any CompactingStore)? { Compacting(store: self) }

  /// Compacts the log, and waits for earlier readers before it shrinks the file.
  ///
  /// - Parameters:
  ///   - compaction: The compaction rules, and the lists and states that must stay equal.
  ///   - waiting: The longest time to wait for readers before the file shrinks.
  ///   - progress: A closure that is called when a step of the work begins. If it throws, the compaction is rolled
  ///     back, except in the last step: by then the log is compacted.
  /// - Returns: A receipt, whose `remnants` contains the reason if the file didn't shrink.
  /// - Throws: `CompactionError`, `EventStoreError`, and the errors of the compaction's rules and of `progress`. The
  ///   log is then unchanged.
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
    // The log is compacted. If the file can't shrink, the receipt contains the reason instead of an error.
    do {
      try? progress(.shrinking)
      if try writer.sweep(waiting: waiting) { return done() }
    } catch {
      return done("\(error)\nthe log was compacted, and its file is not shorter yet; compact it again to make it so")
    }
    return done(
      "\(path): a reader that began before the compaction is still reading (a copy that is being made, a check, or a "
        + "program that keeps a transaction open), so that the file is not shorter yet; end it, and compact the "
        + "log again")
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
