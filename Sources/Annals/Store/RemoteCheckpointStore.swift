/// Keeps, beside the events of a remote log, how far followers have come, which worker may move it, and what is set
/// aside.
///
/// A capability of a ``RemoteEventStore``: see ``RemoteEventStore/checkpoints``. ``RemoteFollower`` needs it. Each of
/// the calls is one step, also beside other processes, and may be repeated if its answer was lost. Times are those of
/// the store's own clock, so that the clocks of workers do not matter. `RemoteCheckpointContract` in AnnalsTesting has
/// the rules.
public protocol RemoteCheckpointStore: Sendable {
  /// Says that a worker is there, prolongs its leases, and takes free ones, up to its share.
  ///
  /// The first claim of a follower makes its partitions, all at the claim's start. A lease whose time is over is free,
  /// also for the worker that had it. Each lease that is taken gets a greater fence than its partition ever had; one
  /// that is prolonged keeps its own. The shares of all workers whose time is not over differ by at most one, and add
  /// up to all partitions. A worker that has more than its share keeps them until it releases some.
  ///
  /// - Parameter claim: The worker, its follower, and for how long.
  /// - Returns: All leases that the worker has now, and its share.
  /// - Throws: ``EventStoreError``; ``EventStoreError/otherPartitions(_:expected:found:)`` if the follower has another
  ///   number of partitions.
  func claim(_ claim: LeaseClaim) async throws -> LeaseShare

  /// Keeps what a worker has done in a partition, if its lease still has the partition's fence.
  ///
  /// A position that is before the one that is kept changes nothing of it.
  ///
  /// - Parameters:
  ///   - progress: The position that was reached, and the streams that were set aside or are settled.
  ///   - lease: The lease.
  /// - Returns: False if another lease was given out since; nothing was changed then.
  /// - Throws: ``EventStoreError``.
  func save(_ progress: FollowerProgress, under lease: FollowerLease) async throws -> Bool

  /// Makes a lease free; one that is over is no error.
  ///
  /// - Parameter lease: The lease.
  /// - Throws: ``EventStoreError``.
  func release(_ lease: FollowerLease) async throws

  /// Makes all leases of a worker free, and takes it out of the workers that share them.
  ///
  /// - Parameters:
  ///   - follower: The follower.
  ///   - worker: The worker; one that never claimed is no error.
  /// - Throws: ``EventStoreError``.
  func leave(_ follower: FollowerID, worker: String) async throws

  /// How far all versions of a follower have come, and what they have set aside, all of one moment.
  ///
  /// - Parameter name: The follower's name.
  /// - Returns: The versions that ever ran, from the lowest on, each with all of its partitions in order.
  /// - Throws: ``EventStoreError``.
  func states(ofFollowersNamed name: String) async throws -> [FollowerState]

  /// Marks a stream that is set aside, so that the worker that has its partition goes on with it.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - follower: The follower.
  ///   - position: The position of the event at which it stopped, as ``QuarantinedStream/position`` says.
  ///   - isSkipped: True to leave that event out, false to try it again.
  /// - Returns: False if the stream is not set aside at that event.
  /// - Throws: ``EventStoreError``.
  func resume(
    _ stream: StreamName, of follower: FollowerID, at position: Position, skipping isSkipped: Bool
  ) async throws -> Bool

  /// Forgets a follower: how far it has come, its leases, and what it has set aside.
  ///
  /// - Parameter follower: The follower; one that never ran is no error.
  /// - Throws: ``EventStoreError``.
  func forget(_ follower: FollowerID) async throws
}

extension EventStoreError.Code {
  /// A follower has another number of partitions than its caller says.
  public static let otherPartitions = EventStoreError.Code(rawValue: "otherPartitions")
}

extension EventStoreError {
  /// The error of a store whose follower has another number of partitions than a claim says.
  ///
  /// - Parameters:
  ///   - follower: The follower.
  ///   - expected: The number in the claim.
  ///   - found: The number that the follower has.
  /// - Returns: The error, with the code ``Code/otherPartitions``.
  public static func otherPartitions(_ follower: FollowerID, expected: Int, found: Int) -> EventStoreError {
    EventStoreError(
      .otherPartitions,
      "expected \(expected) partitions of the follower \"\(follower.name)\" of version \(follower.version), found "
        + "\(found): all of its workers give the same number; for another one raise the version, or forget the "
        + "follower")
  }
}
