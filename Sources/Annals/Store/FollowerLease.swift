/// Which follower of a remote log: its name, and the number of its code.
public struct FollowerID: Hashable, Sendable {
  /// What the follower is called.
  public let name: String
  /// The number of its code.
  public let version: Int

  /// Creates an identity.
  ///
  /// - Parameters:
  ///   - name: What the follower is called.
  ///   - version: The number of its code.
  public init(_ name: String, version: Int = 1) { (self.name, self.version) = (name, version) }
}

/// What a worker says to a ``RemoteCheckpointStore`` now and then to keep its leases, and to get some.
public struct LeaseClaim: Hashable, Sendable {
  /// The follower that the worker runs.
  public let follower: FollowerID
  /// What tells the worker from all others, of all processes; it is made once and not used again.
  public let worker: String
  /// How many partitions the follower has, 1 or more.
  public let partitions: Int
  /// For how long the leases hold, from when the store gets the claim.
  public let duration: Duration
  /// Where the partitions begin, if the follower never ran.
  public let start: Position

  /// Creates a claim.
  ///
  /// - Parameters:
  ///   - follower: The follower that the worker runs.
  ///   - worker: What tells the worker from all others.
  ///   - partitions: How many partitions the follower has, 1 or more.
  ///   - duration: For how long the leases hold.
  ///   - start: Where the partitions begin, if the follower never ran.
  public init(
    _ follower: FollowerID, worker: String, partitions: Int, duration: Duration, start: Position = 0
  ) {
    precondition(partitions >= 1, "`partitions` must be at least 1 (was \(partitions))")
    precondition(duration > .zero, "`duration` must be positive (was \(duration))")
    (self.follower, self.worker, self.partitions) = (follower, worker, partitions)
    (self.duration, self.start) = (duration, start)
  }
}

/// The right of one worker to handle the events of one partition, until its time is over.
public struct FollowerLease: Hashable, Sendable {
  /// The follower.
  public let follower: FollowerID
  /// Which of its partitions, from 0.
  public let partition: Int
  /// The worker that has it.
  public let worker: String
  /// A number that is greater than that of each lease that the partition had before.
  ///
  /// A system outside can compare it, and refuse what a worker sends that does not know yet that its lease is over.
  public let fence: Int
  /// Up to where the partition's events are done.
  public let position: Position

  /// Creates a lease, as a store does.
  ///
  /// - Parameters:
  ///   - follower: The follower.
  ///   - partition: Which of its partitions, from 0.
  ///   - worker: The worker that has it.
  ///   - fence: A number that is greater than that of each lease that the partition had before.
  ///   - position: Up to where the partition's events are done.
  public init(follower: FollowerID, partition: Int, worker: String, fence: Int, position: Position) {
    (self.follower, self.partition, self.worker) = (follower, partition, worker)
    (self.fence, self.position) = (fence, position)
  }
}

/// What a ``RemoteCheckpointStore`` answers to a claim.
public struct LeaseShare: Hashable, Sendable {
  /// All leases that the worker has now.
  public let leases: [FollowerLease]
  /// How many partitions the worker should have, so that all workers have about as many.
  public let quota: Int

  /// Creates an answer, as a store does.
  ///
  /// - Parameters:
  ///   - leases: All leases that the worker has now.
  ///   - quota: How many partitions the worker should have.
  public init(leases: [FollowerLease], quota: Int) { (self.leases, self.quota) = (leases, quota) }
}
