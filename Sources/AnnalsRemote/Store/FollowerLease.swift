public import AnnalsLog

/// A request that a worker regularly sends to a ``RemoteCheckpointStore`` to extend its leases and acquire new leases.
///
/// A worker is one running instance of a ``RemoteFollower``. It handles the events of some partitions, and a partition
/// consists of some of the log's streams. A lease is a worker's exclusive right to a partition for a limited time
/// (``FollowerLease``).
public struct LeaseClaim: Hashable, Sendable {
  /// The follower that the worker runs.
  public let follower: FollowerID
  /// The worker's id, which is unique across all processes and never reused.
  public let worker: String
  /// The number of partitions into which the follower divides the log's streams, at least 1.
  public let partitions: Int
  /// The duration of the worker's leases, counted from the time at which the store receives this claim.
  public let duration: Duration
  /// The position after which all partitions start, if this is the follower's first claim.
  public let start: Position

  /// Creates a worker's claim.
  ///
  /// - Parameters:
  ///   - follower: The follower that the worker runs.
  ///   - worker: The worker's unique id.
  ///   - partitions: The number of partitions into which the follower divides the log's streams, at least 1.
  ///   - duration: The duration of the worker's leases, which must be positive, counted from the time at which the
  ///     store receives this claim.
  ///   - start: The position after which all partitions start, if this is the follower's first claim.
  public init(
    _ follower: FollowerID, worker: String, partitions: Int, duration: Duration, start: Position = 0
  ) {
    precondition(partitions >= 1, "`partitions` must be at least 1 (was \(partitions))")
    precondition(duration > .zero, "`duration` must be positive (was \(duration))")
    self.follower = follower
    self.worker = worker
    self.partitions = partitions
    self.duration = duration
    self.start = start
  }
}

/// A worker's exclusive right to handle the events of one partition for a limited time.
///
/// A worker is one running instance of a ``RemoteFollower``, and a partition consists of some of the log's streams.
public struct FollowerLease: Hashable, Sendable {
  /// The identity of the follower that the worker runs.
  public let follower: FollowerID
  /// The partition's index, starting at 0.
  public let partition: Int
  /// The id of the worker that holds the lease.
  public let worker: String
  /// A fencing token: a number that is greater than the fence of every earlier lease of the partition.
  ///
  /// Send the fence with every request to an external system. If the system has already received a greater fence for
  /// the same partition, it can refuse the request, because the sending worker has lost its lease.
  public let fence: Int
  /// The position through which the partition's events have been handled or quarantined.
  public let position: Position

  /// Creates a lease, for use in a custom store.
  ///
  /// - Parameters:
  ///   - follower: The identity of the follower that the worker runs.
  ///   - partition: The partition's index, starting at 0.
  ///   - worker: The id of the worker that holds the lease.
  ///   - fence: A fencing token: a number that is greater than the fence of every earlier lease of the partition.
  ///   - position: The position through which the partition's events have been handled or quarantined.
  public init(follower: FollowerID, partition: Int, worker: String, fence: Int, position: Position) {
    self.follower = follower
    self.partition = partition
    self.worker = worker
    self.fence = fence
    self.position = position
  }
}

/// The response of a ``RemoteCheckpointStore`` to a worker's ``LeaseClaim``.
public struct LeaseShare: Hashable, Sendable {
  /// All current leases of the worker.
  public let leases: [FollowerLease]
  /// The worker's share: the number of partitions that it should hold, which is about the same for all workers.
  public let quota: Int

  /// Creates a response, for use in a custom store.
  ///
  /// - Parameters:
  ///   - leases: All current leases of the worker.
  ///   - quota: The worker's share: the number of partitions that it should hold.
  public init(leases: [FollowerLease], quota: Int) {
    self.leases = leases
    self.quota = quota
  }
}
