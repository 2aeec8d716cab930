import AnnalsLog
import AnnalsRemote
import Foundation

/// The positions, leases and quarantined streams of a server's followers.
///
/// The methods correspond to those of `RemoteCheckpointStore`.
struct RemoteFollowers: Sendable {
  private struct Partition {
    var position: Position
    var fence = 0
    var worker: String?
    var expires = Date.distantPast

    /// Returns the worker that holds an active lease, or `nil`.
    func holder(at now: Date) -> String? { expires > now ? worker : nil }
  }

  private struct Follower {
    var partitions: [Partition]
    /// The active workers, each with the end of its leases.
    var workers: [String: Date] = [:]
    var quarantine: [StreamName: QuarantinedStream] = [:]
  }

  private var all: [FollowerID: Follower] = [:]
  /// The number of leases that expired and were replaced by a new lease.
  private(set) var expiredLeases = 0

  mutating func claim(_ claim: LeaseClaim, at now: Date) throws -> LeaseShare {
    var follower =
      all[claim.follower]
      ?? Follower(partitions: Array(repeating: Partition(position: claim.start), count: claim.partitions))
    guard follower.partitions.count == claim.partitions else {
      throw EventStoreError.otherPartitions(
        claim.follower, expected: claim.partitions, found: follower.partitions.count)
    }
    let end = now + claim.duration / .seconds(1)
    follower.workers = follower.workers.filter { $0.value > now }
    follower.workers[claim.worker] = end
    let rank = follower.workers.keys.count { $0 < claim.worker }
    let (share, rest) = claim.partitions.quotientAndRemainder(dividingBy: follower.workers.count)
    let quota = share + (rank < rest ? 1 : 0)
    var held: [Int] = []
    for index in follower.partitions.indices where follower.partitions[index].holder(at: now) == claim.worker {
      follower.partitions[index].expires = end
      held.append(index)
    }
    for index in follower.partitions.indices
    where held.count < quota && follower.partitions[index].holder(at: now) == nil {
      if follower.partitions[index].worker != nil { expiredLeases += 1 }
      follower.partitions[index].worker = claim.worker
      follower.partitions[index].expires = end
      follower.partitions[index].fence += 1
      held.append(index)
    }
    all[claim.follower] = follower
    let leases = held.sorted().map { index in
      FollowerLease(
        follower: claim.follower, partition: index, worker: claim.worker, fence: follower.partitions[index].fence,
        position: follower.partitions[index].position)
    }
    return LeaseShare(leases: leases, quota: quota)
  }

  mutating func save(_ progress: FollowerProgress, under lease: FollowerLease) -> Bool {
    guard holds(lease), var follower = all[lease.follower] else { return false }
    let known = follower.partitions[lease.partition].position
    follower.partitions[lease.partition].position = max(known, progress.position)
    for stream in progress.setAside { follower.quarantine[stream.stream] = stream }
    for stream in progress.settled { follower.quarantine[stream] = nil }
    all[lease.follower] = follower
    return true
  }

  mutating func release(_ lease: FollowerLease) {
    if holds(lease) { all[lease.follower]?.partitions[lease.partition].worker = nil }
  }

  /// True if the lease wasn't released, and no newer lease on its partition exists.
  private func holds(_ lease: FollowerLease) -> Bool {
    guard let partitions = all[lease.follower]?.partitions, partitions.indices.contains(lease.partition) else {
      return false
    }
    return partitions[lease.partition].fence == lease.fence && partitions[lease.partition].worker == lease.worker
  }

  mutating func leave(_ follower: FollowerID, worker: String) {
    all[follower]?.workers[worker] = nil
    for index in all[follower]?.partitions.indices ?? 0..<0 where all[follower]?.partitions[index].worker == worker {
      all[follower]?.partitions[index].worker = nil
    }
  }

  func states(named name: String, at now: Date) -> [FollowerState] {
    all.filter { $0.key.name == name }.sorted { $0.key.version < $1.key.version }.map { id, follower in
      let partitions = follower.partitions.map {
        FollowerState.Partition(position: $0.position, fence: $0.fence, worker: $0.holder(at: now))
      }
      return FollowerState(follower: id, partitions: partitions, quarantine: Array(follower.quarantine.values))
    }
  }

  mutating func resume(
    _ stream: StreamName, of follower: FollowerID, at position: Position, skipping isSkipped: Bool
  ) -> Bool {
    guard let found = all[follower]?.quarantine[stream], found.position == position else { return false }
    all[follower]?.quarantine[stream] = found.done(
      upTo: isSkipped ? max(found.after, found.position) : found.after, isResumed: true)
    return true
  }

  mutating func forget(_ follower: FollowerID) { all[follower] = nil }

  /// Returns the first follower that hasn't handled all events through a position, and the last position that it has
  /// handled.
  func firstBehind(_ horizon: Position) -> (follower: FollowerID, position: Position)? {
    let positions = all.flatMap { id, follower in
      follower.partitions.map { (id, $0.position) }
        + follower.quarantine.values.map { (id, Position($0.position.rawValue - 1)) }
    }
    return positions.filter { $0.1 < horizon }.min { ($0.0.name, $0.0.version, $0.1) < ($1.0.name, $1.0.version, $1.1) }
  }
}
