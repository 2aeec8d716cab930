import Annals
import AnnalsLog
import AnnalsRemote
import Synchronization

/// Followers' positions, leases and quarantine in memory: what a store of a stranger's would have, by public names.
final class MemoryCheckpoints: RemoteCheckpointStore {
  private struct Partition {
    var position: Position
    var fence = 0
    var worker: String?
    var expires = ContinuousClock.now

    var isFree: Bool { worker == nil || expires <= .now }
  }

  private struct Follower {
    var partitions: [Partition]
    var workers: [String: ContinuousClock.Instant] = [:]
    var quarantine: [StreamName: QuarantinedStream] = [:]
  }

  private let followers = Mutex<[FollowerID: Follower]>([:])
  private let expiries = Mutex(0)
  private let failure = Mutex<(@Sendable (String) throws -> Void)?>(nil)
  /// A mistake: a later claim moves the partitions to its own start.
  private let movesAtClaims: Bool

  init(movesAtClaims: Bool = false) { self.movesAtClaims = movesAtClaims }

  /// What is called before each call, with its name; it may throw.
  func onCalls(_ body: (@Sendable (String) throws -> Void)?) { failure.withLock { $0 = body } }

  /// True if a lease ended because its time was over.
  var hasExpired: Bool { expiries.withLock { $0 > 0 } }

  private func begin(_ call: String) throws { try failure.withLock { $0 }?(call) }

  func claim(_ claim: LeaseClaim) async throws -> LeaseShare {
    try begin("claim")
    return try followers.withLock { followers in
      let made = Follower(partitions: Array(repeating: Partition(position: claim.start), count: claim.partitions))
      var follower = followers[claim.follower] ?? made
      defer { followers[claim.follower] = follower }
      if follower.partitions.count != claim.partitions {
        throw EventStoreError.otherPartitions(
          claim.follower, expected: claim.partitions, found: follower.partitions.count)
      }
      if movesAtClaims {
        for index in follower.partitions.indices { follower.partitions[index].position = claim.start }
      }
      let end = ContinuousClock.now + claim.duration
      follower.workers = follower.workers.filter { $0.value > .now }
      follower.workers[claim.worker] = end
      let (count, order) = (follower.workers.count, follower.workers.keys.sorted())
      let rank = order.firstIndex(of: claim.worker) ?? 0
      let quota = claim.partitions / count + (rank < claim.partitions % count ? 1 : 0)
      var held = 0
      for index in follower.partitions.indices
      where follower.partitions[index].worker == claim.worker && !follower.partitions[index].isFree {
        follower.partitions[index].expires = end
        held += 1
      }
      for index in follower.partitions.indices where held < quota && follower.partitions[index].isFree {
        if follower.partitions[index].worker != nil { expiries.withLock { $0 += 1 } }
        (follower.partitions[index].worker, follower.partitions[index].expires) = (claim.worker, end)
        follower.partitions[index].fence += 1
        held += 1
      }
      let leases = follower.partitions.enumerated().filter { $1.worker == claim.worker && !$1.isFree }.map {
        FollowerLease(
          follower: claim.follower, partition: $0, worker: claim.worker, fence: $1.fence, position: $1.position)
      }
      return LeaseShare(leases: leases, quota: quota)
    }
  }

  /// Changes the partition of a lease that has its fence.
  private func change(_ lease: FollowerLease, _ body: (inout Follower, Int) -> Void) -> Bool {
    followers.withLock { followers in
      guard var follower = followers[lease.follower], follower.partitions.indices.contains(lease.partition),
        follower.partitions[lease.partition].fence == lease.fence,
        follower.partitions[lease.partition].worker == lease.worker
      else { return false }
      body(&follower, lease.partition)
      followers[lease.follower] = follower
      return true
    }
  }

  func save(_ progress: FollowerProgress, under lease: FollowerLease) async throws -> Bool {
    try begin("save")
    return change(lease) { follower, index in
      follower.partitions[index].position = max(follower.partitions[index].position, progress.position)
      for stream in progress.setAside { follower.quarantine[stream.stream] = stream }
      for stream in progress.settled { follower.quarantine[stream] = nil }
    }
  }

  func release(_ lease: FollowerLease) async throws {
    try begin("release")
    _ = change(lease) { follower, index in follower.partitions[index].worker = nil }
  }

  func leave(_ follower: FollowerID, worker: String) async throws {
    try begin("leave")
    followers.withLock { followers in
      followers[follower]?.workers[worker] = nil
      for index in followers[follower]?.partitions.indices ?? 0..<0
      where followers[follower]?.partitions[index].worker == worker {
        followers[follower]?.partitions[index].worker = nil
      }
    }
  }

  func states(ofFollowersNamed name: String) async throws -> [FollowerState] {
    try begin("states")
    return followers.withLock { followers in
      followers.filter { $0.key.name == name }.sorted { $0.key.version < $1.key.version }.map { id, follower in
        FollowerState(
          follower: id,
          partitions: follower.partitions.map {
            FollowerState.Partition(position: $0.position, fence: $0.fence, worker: $0.isFree ? nil : $0.worker)
          },
          quarantine: Array(follower.quarantine.values))
      }
    }
  }

  func resume(
    _ stream: StreamName, of follower: FollowerID, at position: Position, skipping isSkipped: Bool
  ) async throws -> Bool {
    try begin("resume")
    return followers.withLock { followers in
      guard let found = followers[follower]?.quarantine[stream], found.position == position else { return false }
      followers[follower]?.quarantine[stream] = found.done(
        upTo: isSkipped ? max(found.after, found.position) : found.after, isResumed: true)
      return true
    }
  }

  func forget(_ follower: FollowerID) async throws {
    try begin("forget")
    followers.withLock { $0[follower] = nil }
  }
}
