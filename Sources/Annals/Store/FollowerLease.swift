/// The identity of a remote log's follower: its name and the version of its code.
public struct FollowerID: Hashable, Sendable {
  /// The follower's name.
  public let name: String
  /// The version of the follower's code.
  public let version: Int

  /// Creates an identity.
  ///
  /// - Parameters:
  ///   - name: The follower's name.
  ///   - version: The version of the follower's code.
  public init(_ name: String, version: Int = 1) { (self.name, self.version) = (name, version) }
}

/// A worker's regular request to a ``RemoteCheckpointStore``, which extends the worker's leases and acquires new
/// leases.
///
/// A worker is one running instance of a ``RemoteFollower``. It handles the events of some partitions. A partition
/// contains a part of the log's streams.
public struct LeaseClaim: Hashable, Sendable {
  /// The follower that the worker runs.
  public let follower: FollowerID
  /// The worker's id, which is unique across all processes and never reused.
  public let worker: String
  /// The follower's number of partitions, at least 1.
  public let partitions: Int
  /// The duration of the worker's leases, counted from the time at which the store receives this claim.
  public let duration: Duration
  /// The starting position of the partitions if the follower has never run.
  public let start: Position

  /// Creates a claim.
  ///
  /// - Parameters:
  ///   - follower: The follower that the worker runs.
  ///   - worker: The worker's unique id.
  ///   - partitions: The follower's number of partitions, at least 1.
  ///   - duration: The duration of the leases.
  ///   - start: The starting position of the partitions if the follower has never run.
  public init(
    _ follower: FollowerID, worker: String, partitions: Int, duration: Duration, start: Position = 0
  ) {
    precondition(partitions >= 1, "`partitions` must be at least 1 (was \(partitions))")
    precondition(duration > .zero, "`duration` must be positive (was \(duration))")
    (self.follower, self.worker, self.partitions) = (follower, worker, partitions)
    (self.duration, self.start) = (duration, start)
  }
}

/// The exclusive right of a worker to handle the events of one partition for a limited time.
public struct FollowerLease: Hashable, Sendable {
  /// The follower.
  public let follower: FollowerID
  /// The partition's index, starting at 0.
  public let partition: Int
  /// The worker that holds the lease.
  public let worker: String
  /// A fencing token: a number that is greater than the fence of every earlier lease of the partition.
  ///
  /// Send the fence with requests to an external system. The system can then refuse a request whose fence is smaller
  /// than the fence of an earlier request, because the worker that sent it has lost its lease.
  public let fence: Int
  /// The position through which the partition's events have been handled.
  public let position: Position

  /// Creates a lease, for use in a custom store.
  ///
  /// - Parameters:
  ///   - follower: The follower.
  ///   - partition: The partition's index, starting at 0.
  ///   - worker: The worker that holds the lease.
  ///   - fence: A fencing token: a number that is greater than the fence of every earlier lease of the partition.
  ///   - position: The position through which the partition's events have been handled.
  public init(follower: FollowerID, partition: Int, worker: String, fence: Int, position: Position) {
    (self.follower, self.partition, self.worker) = (follower, partition, worker)
    (self.fence, self.position) = (fence, position)
  }
}

/// The response of a ``RemoteCheckpointStore`` to a claim.
public struct LeaseShare: Hashable, Sendable {
  /// All current leases of the worker.
  public let leases: [FollowerLease]
  /// The target number of partitions for the worker, so that all workers have about the same number.
  public let quota: Int

  /// Creates a response, for use in a custom store.
  ///
  /// - Parameters:
  ///   - leases: All current leases of the worker.
  ///   - quota: The target number of partitions for the worker.
  public init(leases: [FollowerLease], quota: Int) { (self.leases, self.quota) = (leases, quota) }
}
