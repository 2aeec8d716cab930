/// A store for followers' progress on a remote log: their positions, leases and quarantined streams.
///
/// The progress is stored along with the log. This is a capability of a ``RemoteEventStore``, available through
/// ``RemoteEventStore/checkpoints``. ``RemoteFollower`` requires it. Every call is atomic, even with concurrent
/// processes, and can be repeated if its response was lost. All times are measured by the store's clock, so the clocks
/// of workers don't matter. `RemoteCheckpointContract` in AnnalsTesting tests that a store follows this protocol's
/// rules.
public protocol RemoteCheckpointStore: Sendable {
  /// Registers a worker, extends its leases, and acquires free leases for it until it has its share.
  ///
  /// The first claim for a follower creates its partitions, all at the claim's ``LeaseClaim/start``. An expired lease
  /// is free, even for its former worker. A newly acquired lease gets a greater ``FollowerLease/fence`` than any
  /// earlier lease of its partition. An extended lease keeps its fence. The shares of all active workers differ by at
  /// most one, and add up to the number of partitions. A worker with more than its share keeps its leases until it
  /// releases some.
  ///
  /// - Parameter claim: The worker, its follower, and the duration of the leases.
  /// - Returns: All current leases of the worker, and its share.
  /// - Throws: ``EventStoreError``; ``EventStoreError/otherPartitions(_:expected:found:)`` if the follower has a
  ///   different number of partitions.
  func claim(_ claim: LeaseClaim) async throws -> LeaseShare

  /// Saves a worker's progress in a partition, if the worker's lease is still the partition's latest lease.
  ///
  /// If the new position is before the saved position, the saved position stays unchanged.
  ///
  /// - Parameters:
  ///   - progress: The new position, and the streams that were quarantined or left the quarantine.
  ///   - lease: The lease.
  /// - Returns: False if a newer lease exists. In that case the saved progress is unchanged.
  /// - Throws: ``EventStoreError``.
  func save(_ progress: FollowerProgress, under lease: FollowerLease) async throws -> Bool

  /// Releases a lease.
  ///
  /// - Parameter lease: The lease.
  /// - Throws: ``EventStoreError``.
  func release(_ lease: FollowerLease) async throws

  /// Releases all leases of a worker, and removes the worker from the workers that share the partitions.
  ///
  /// - Parameters:
  ///   - follower: The follower.
  ///   - worker: The worker. If the worker never made a claim, the call has no effect.
  /// - Throws: ``EventStoreError``.
  func leave(_ follower: FollowerID, worker: String) async throws

  /// Returns the progress and the quarantine of all versions of a follower, in one snapshot.
  ///
  /// - Parameter name: The follower's name.
  /// - Returns: The states of all versions that ever ran, in ascending order of the versions.
  /// - Throws: ``EventStoreError``.
  func states(ofFollowersNamed name: String) async throws -> [FollowerState]

  /// Marks a quarantined stream, so that the worker of its partition resumes it.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - follower: The follower.
  ///   - position: The position of the event that failed, from ``QuarantinedStream/position``.
  ///   - isSkipped: True to skip the event, or false to retry it.
  /// - Returns: False if the stream isn't quarantined at that event.
  /// - Throws: ``EventStoreError``.
  func resume(
    _ stream: StreamName, of follower: FollowerID, at position: Position, skipping isSkipped: Bool
  ) async throws -> Bool

  /// Deletes a follower's progress, its leases and its quarantine.
  ///
  /// - Parameter follower: The follower. If the follower never ran, the call has no effect.
  /// - Throws: ``EventStoreError``.
  func forget(_ follower: FollowerID) async throws
}

extension EventStoreError.Code {
  /// The follower has a different number of partitions than the caller expects.
  public static let otherPartitions = EventStoreError.Code(rawValue: "otherPartitions")
}

extension EventStoreError {
  /// Creates the error for a follower whose number of partitions differs from the number in the claim.
  ///
  /// - Parameters:
  ///   - follower: The follower.
  ///   - expected: The number in the claim.
  ///   - found: The follower's number of partitions.
  /// - Returns: The error, with the code ``Code/otherPartitions``.
  public static func otherPartitions(_ follower: FollowerID, expected: Int, found: Int) -> EventStoreError {
    EventStoreError(
      .otherPartitions,
      "expected \(expected) partitions of the follower \"\(follower.name)\" of version \(follower.version), found "
        + "\(found), but all workers must pass the same number; to change it, raise the version or forget the "
        + "follower")
  }
}
