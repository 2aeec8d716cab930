public import AnnalsLog

/// A store for the progress of a remote log's followers: their positions, leases and quarantined streams.
///
/// This is a capability of a ``RemoteEventStore``, available through ``RemoteEventStore/checkpoints``. A
/// ``RemoteFollower`` requires this capability. The store keeps the progress along with the log. A follower's workers
/// are its running instances. They divide the follower's partitions among themselves with leases (``FollowerLease``).
///
/// Every call is atomic, even with concurrent processes. If the response to a call is lost, the caller can repeat the
/// call. All times are measured by the store's clock, so the workers' clocks don't matter. `RemoteCheckpointContract`
/// in AnnalsStoreTesting tests that a store follows this protocol's rules.
public protocol RemoteCheckpointStore: Sendable {
  /// Registers a worker, extends its leases, and gives it leases on free partitions until it has its share of
  /// partitions.
  ///
  /// The first claim for a follower creates the follower's partitions, all at the position ``LeaseClaim/start``. A
  /// partition is free if no worker holds a lease on it, or if the lease has expired. An expired lease isn't extended,
  /// so even its former worker gets a new lease. A new lease has a greater ``FollowerLease/fence`` than all earlier
  /// leases on the partition. An extended lease keeps its fence. The shares of all active workers differ by at most one
  /// partition, and add up to the number of partitions. If a worker has more leases than its share, it keeps them until
  /// it releases some of them.
  ///
  /// - Parameter claim: The worker's request, with its follower and the duration of the leases.
  /// - Returns: All current leases of the worker, and its share of the partitions.
  /// - Throws: `EventStoreError`. If the follower already has a different number of partitions than the claim, the
  ///   error is `EventStoreError.otherPartitions(_:expected:found:)`.
  func claim(_ claim: LeaseClaim) async throws -> LeaseShare

  /// Saves a worker's progress in a partition, unless the worker's lease was released or replaced by a newer lease.
  ///
  /// If the new position is before the saved position, the saved position stays unchanged.
  ///
  /// - Parameters:
  ///   - progress: The new position, the new and changed quarantined streams, and the streams that are no longer
  ///     quarantined.
  ///   - lease: The worker's lease on the partition.
  /// - Returns: False if the lease was released, or if a newer lease on the partition exists. In these cases the saved
  ///   progress is unchanged.
  /// - Throws: `EventStoreError`.
  func save(_ progress: FollowerProgress, under lease: FollowerLease) async throws -> Bool

  /// Releases a lease, so that another worker can immediately get a lease on the partition.
  ///
  /// - Parameter lease: The worker's lease on the partition.
  /// - Throws: `EventStoreError`.
  func release(_ lease: FollowerLease) async throws

  /// Releases all leases of a worker, and removes the worker from the workers that share the partitions.
  ///
  /// - Parameters:
  ///   - follower: The follower.
  ///   - worker: The worker's id. If the worker never made a claim, the call has no effect.
  /// - Throws: `EventStoreError`.
  func leave(_ follower: FollowerID, worker: String) async throws

  /// Returns the progress and the quarantined streams of all versions of a follower, read from one snapshot.
  ///
  /// - Parameter name: The follower's name.
  /// - Returns: The states of all versions that ever ran, sorted by version in ascending order.
  /// - Throws: `EventStoreError`.
  func states(ofFollowersNamed name: String) async throws -> [FollowerState]

  /// Marks a quarantined stream, so that the worker of the stream's partition resumes the stream.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - follower: The follower.
  ///   - position: The position of the event that couldn't be handled, from ``QuarantinedStream/position``.
  ///   - isSkipped: True to skip this event, or false to retry it.
  /// - Returns: False if the stream isn't quarantined because of that event.
  /// - Throws: `EventStoreError`.
  func resume(
    _ stream: StreamName, of follower: FollowerID, at position: Position, skipping isSkipped: Bool
  ) async throws -> Bool

  /// Deletes a follower's progress, its leases and its quarantined streams.
  ///
  /// - Parameter follower: The follower. If the follower never ran, the call has no effect.
  /// - Throws: `EventStoreError`.
  func forget(_ follower: FollowerID) async throws
}

extension EventStoreError.Code {
  /// The number of partitions in a worker's ``LeaseClaim`` differs from the number in the follower's stored progress.
  public static let otherPartitions = EventStoreError.Code(rawValue: "otherPartitions")
}

extension EventStoreError {
  /// Creates the error for a follower whose number of partitions differs from the number in a ``LeaseClaim``.
  ///
  /// - Parameters:
  ///   - follower: The follower.
  ///   - expected: The number of partitions in the claim.
  ///   - found: The follower's number of partitions.
  /// - Returns: The error, with the code ``Code/otherPartitions``.
  public static func otherPartitions(_ follower: FollowerID, expected: Int, found: Int) -> EventStoreError {
    EventStoreError(
      .otherPartitions,
      "this worker divides the follower \"\(follower.name)\", version \(follower.version), into \(expected) "
        + "partitions, but the follower's stored progress has \(found) partitions. Use \(found) partitions in all "
        + "workers, increase the follower's version, or call forgetFollower")
  }
}
