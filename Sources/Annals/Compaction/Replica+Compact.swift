extension Replica {
  /// Compacts the remote log after it is proven on the copy that what is left says the same.
  ///
  ///     let receipt = try await replica.compact(compaction)
  ///
  /// The copy is brought up to date, the rules are asked and everything is proven on it, in a transaction that is given
  /// up. Then the remote log is given what to cut and to replace. If something was erased from it meanwhile, or someone
  /// else compacted it, all of it is done again. At last the copy follows, as all other copies do when they hear of it.
  ///
  /// - Parameters:
  ///   - compaction: What to compact, and what must be equal.
  ///   - progress: Called as each part of the work begins, on the thread that does it. What it throws ends the work.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: What was done; of the server's files it says nothing.
  /// - Throws: ``CompactionError``, also with the code `followerBehind` if a follower of the copy or of the remote log
  ///   has not handled what would be cut; ``EventStoreError``, with the code `unsupported` if one of the stores
  ///   compacts nothing; what the compaction's rules and `progress` throw. The remote log is then as it was.
  ///   ``ReplicaBehind`` if it is compacted and the copy could not follow.
  /// - Complexity: O(n log n) for n events, and memory for the rows of the lists, twice.
  @discardableResult
  public func compact(
    _ compaction: Compaction, progress: @escaping @Sendable (Compaction.Step) throws -> Void = { _ in },
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> CompactionReceipt {
    guard let remoteCompacting = remote.compacting else {
      throw EventStoreError.unsupported("compactions", by: type(of: remote), instead: "compact where the log is")
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
        // Something was erased since the copy was read, or another one was quicker.
        continue
      }
      // States that were folded before are equal, as it was proven; they would be of another revision.
      remote.commands.announce()
      do { try await catchUp(isolation: isolation) } catch { throw ReplicaBehind(receipt: nil, reason: error) }
      return proven.receipt
    }
    preconditionFailure("an endless loop has no end")
  }

  /// What was proven on the copy, and what is to be done in the remote log.
  private struct Proven: Sendable {
    let receipt: CompactionReceipt
    let compaction: RemoteCompaction
  }

  /// Plans and proves on the copy, and leaves it as it is.
  ///
  /// - Returns: Nil if the copy is of another history by now.
  private func rehearsed(
    _ compaction: Compaction, _ id: String, isolation: isolated (any Actor)?,
    _ progress: @escaping @Sendable (Compaction.Step) throws -> Void
  ) async throws -> Proven? {
    struct Rehearsed: Error { let proven: Proven }
    struct Moved: Error {}
    guard let compacting = local.compacting else {
      throw EventStoreError.unsupported(
        "compactions", by: type(of: local), instead: "compact through a replica whose copy is in a store that can")
    }
    let revision = try await remote.ask([]).revision
    let (local, environment, source) = (local, remote.environment, remote.source)
    do {
      try await local.signal.lanes.run(isolation: isolation) { isCancelled in
        _ = try compacting.commitCompaction(progress: { _ in }) { log in
          let demand = ReplicaEnd.demand(revision.number)
          let kept = try log.checkpoints().first { $0.name == demand.name }?.position ?? 0
          guard kept == demand.position, try !UnfinishedCopy.isNoted(in: log) else { throw Moved() }
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
    preconditionFailure("the work of a rehearsal ends with what it found")
  }
}
