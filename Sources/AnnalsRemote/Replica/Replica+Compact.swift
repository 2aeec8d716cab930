public import Annals
public import AnnalsLog

extension Replica {
  /// Compacts the remote log, after a test on the local copy.
  ///
  ///     let receipt = try await replica.compact(compaction)
  ///
  /// First, the local copy catches up with the remote log. Then the compaction is tested on the copy, in a transaction
  /// that is rolled back. The test checks that the lists and decider states that you registered with `Compaction.prove`
  /// are the same before and after the compaction. If the test succeeds, the changes are sent to the remote log. If
  /// values were erased from the remote log in the meantime, or if another client compacted it, all these steps are
  /// repeated. Finally, the local copy repeats the compaction. Other replicas repeat the compaction in their
  /// copies when they are notified.
  ///
  /// - Parameters:
  ///   - compaction: The compaction's rules, with the lists and decider states that must be equal before and after the
  ///     compaction.
  ///   - progress: A closure that is called at the beginning of every step of the test, on the thread that runs the
  ///     test. If the closure throws, the compaction stops, and this function throws the same error.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt of the compaction, without information about the remote log's files.
  /// - Throws: `CompactionError`, for example with the code `followerBehind` if a follower of the local copy or of the
  ///   remote log hasn't handled events that would be removed. The call throws `EventStoreError` (`.unsupported`) if
  ///   the remote store or the copy's store doesn't support compactions, and also if the compaction removes streams.
  ///   The call also throws the errors of the compaction's rules and of `progress`. After each of these errors, the
  ///   remote log is unchanged. In contrast, a ``Replica/BehindError`` means that the remote log was compacted, but the
  ///   compaction couldn't be repeated in the local copy.
  /// - Complexity: O(n log n) for n events. The compaction needs memory for two copies of the registered lists' rows.
  @discardableResult
  public func compact(
    _ compaction: Compaction, progress: @escaping @Sendable (Compaction.Step) throws -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> CompactionReceipt {
    guard let remoteCompacting = remote.compacting else {
      throw EventStoreError.unsupported(
        "compactions", by: type(of: remote), instead: "compact the log on its server")
    }
    if compaction.removesStreams {
      throw EventStoreError.unsupported(
        "the removal of streams from a remote log", by: type(of: remote),
        instead: "erase the personal values of the stream's events")
    }
    let id = remote.environment.makeID()
    for attempt in 1... {
      try await catchUp(isolation: isolation)
      guard let proven = try await rehearsed(compaction, id, isolation: isolation, progress) else { continue }
      if proven.receipt.isUnchanged { return proven.receipt }
      do {
        _ = try await remote.environment.monitored(StoreOperation(.compact)) {
          try await remoteCompacting.commitCompaction(proven.compaction)
        }
      } catch let error as EventStoreError where error.code == .rewritten && attempt < 20 {
        // Values were erased after the copy was read, or another compaction finished first.
        continue
      }
      // According to the proof, the earlier states are equal, but they belong to another revision.
      remote.commands.announce()
      do { try await catchUp(isolation: isolation) } catch { throw BehindError(receipt: nil, reason: error) }
      return proven.receipt
    }
    preconditionFailure("the loop that retries a compaction ended without a receipt or an error. Please report this")
  }

  /// The result of a proof on the copy: the receipt, and the compaction for the remote log.
  private struct Proven: Sendable {
    let receipt: CompactionReceipt
    let compaction: RemoteCompaction
  }

  /// Plans and proves the compaction on the copy, without changing the copy.
  ///
  /// - Returns: The proven compaction, or nil if the copy's history has changed in the meantime.
  private func rehearsed(
    _ compaction: Compaction, _ id: String, isolation: isolated (any Actor)?,
    _ progress: @escaping @Sendable (Compaction.Step) throws -> Void
  ) async throws -> Proven? {
    struct Rehearsed: Error { let proven: Proven }
    struct Moved: Error {}
    guard let compacting = local.compacting else {
      throw EventStoreError.unsupported(
        "compactions", by: type(of: local),
        instead: "compact the log through a replica whose local store supports compactions")
    }
    let revision = try await remote.ask([]).revision
    let (local, environment, source) = (local, remote.environment, remote.source)
    do {
      try await local.runtime.lanes.run(isolation: isolation) { isCancelled in
        _ = try compacting.commitCompaction(progress: { _ in }) { log in
          let claimed = ReplicaNames(try log.revision()).claimed
          let kept = try log.checkpoints().first { $0.name == claimed }?.position ?? 0
          guard kept.rawValue == revision.number, try !UnfinishedCopy.isNoted(in: log) else { throw Moved() }
          let (receipt, plan) = try compaction.proven(in: log) { step in
            if isCancelled() { throw CancellationError() }
            try progress(step)
          }
          let named = plan.mapReplacements { event in
            var event = event
            event.id = EventID(source: source, id: environment.makeID())
            return event
          }
          throw Rehearsed(
            proven: Proven(
              receipt: receipt,
              compaction: RemoteCompaction(
                id: id, revision: revision, horizon: named.horizon, changes: named.changes)))
        }
      }
    } catch let rehearsed as Rehearsed { return rehearsed.proven } catch is Moved { return nil }
    preconditionFailure(
      "a compaction's dry run throws an error to roll back its transaction, but the local store's `commitCompaction` "
        + "returned without this error. Correct `commitCompaction`, so that it calls its closure and rethrows the "
        + "closure's error")
  }
}
