import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting

extension RemoteCheckpointContract {
  static let leases: [Rule] = [
    Rule(
      "the first claim creates the follower's partitions at the claim's start position, and a claim with a different "
        + "number of partitions is refused"
    ) { make in
      let store = try await make()
      let share = try await store.claim(claim("a", partitions: 3, start: 7))
      try expect("the leased partitions", share.leases.map(\.partition).sorted(), [0, 1, 2])
      try expect("the positions of the leases", share.leases.map(\.position), [7, 7, 7])
      try expect("the quota", share.quota, 3)
      let again = try await store.claim(claim("a", partitions: 3, start: 99))
      try expect("the positions of the leases after a later claim", again.leases.map(\.position), [7, 7, 7])
      do {
        _ = try await store.claim(claim("b", partitions: 4))
        throw Difference(description: "expected an error for a claim with four partitions, found none")
      } catch let error as EventStoreError { try expect("the error's code", error.code, .otherPartitions) }
    },
    Rule("a renewed lease keeps its fencing token and its worker") { make in
      let store = try await make()
      let first = try await store.claim(claim("a", partitions: 2))
      let again = try await store.claim(claim("a", partitions: 2))
      try expect("the renewed leases", Set(again.leases), Set(first.leases))
      let other = try await store.claim(claim("b", partitions: 2))
      try expect("the second worker's leases", other.leases, [])
      try expect("the second worker's quota", other.quota, 1)
      let kept = try await store.claim(claim("a", partitions: 2))
      try expect(
        "the first worker's leases, which are more than the worker's reduced quota", Set(kept.leases),
        Set(first.leases))
      try expect("the first worker's quota", kept.quota, 1)
    },
    Rule("a worker can claim another worker's expired lease, and gets a greater fencing token") { make in
      let store = try await make()
      let first = try await store.claim(claim("a", partitions: 2, for: .milliseconds(60)))
      try await Task.sleep(for: .milliseconds(250))
      let second = try await store.claim(claim("b", partitions: 2))
      // The first worker no longer has a share, because its leases have expired.
      try expect("the leased partitions", second.leases.map(\.partition).sorted(), [0, 1])
      for lease in first.leases {
        let next = second.leases.first { $0.partition == lease.partition }
        try expect(
          "the new fencing token is greater than the old fencing token, \(lease.fence) (the new fencing token was "
            + "\(next?.fence ?? 0))",
          next?.fence ?? 0 > lease.fence)
      }
      try expect("the first worker's leases", try await store.claim(claim("a", partitions: 2)).leases, [])
    },
    Rule("a worker that claims its own expired lease gets a greater fencing token") { make in
      let store = try await make()
      let first = try await store.claim(claim("a", partitions: 1, for: .milliseconds(60)))
      try await Task.sleep(for: .milliseconds(250))
      let second = try await store.claim(claim("a", partitions: 1))
      try expect(
        "the new fencing token is greater than the old fencing token, \(first.leases.first?.fence ?? 0) (the new "
          + "fencing token was \(second.leases.first?.fence ?? 0))",
        (second.leases.first?.fence ?? 0) > (first.leases.first?.fence ?? 0))
    },
    Rule(
      "workers' quotas differ by at most one lease, and a worker below its quota can claim leases that were released"
    ) { make in
      let store = try await make()
      let first = try await store.claim(claim("a", partitions: 8))
      try expect("the only worker's leases", first.leases.count, 8)
      for worker in ["b", "c"] { _ = try await store.claim(claim(worker, partitions: 8)) }
      var quotas: [Int] = []
      for worker in ["a", "b", "c"] { quotas.append(try await store.claim(claim(worker, partitions: 8)).quota) }
      try expect("the workers' quotas", quotas.sorted(), [2, 3, 3])
      for lease in first.leases { try await store.release(lease) }
      var held: [Int] = []
      for (worker, quota) in zip(["a", "b", "c"], quotas) {
        let share = try await store.claim(claim(worker, partitions: 8))
        try expect("the number of leases of the worker \(worker)", share.leases.count, quota)
        held += share.leases.map(\.partition)
      }
      try expect("all leased partitions", held.sorted(), Array(0..<8))
    },
    Rule("a leaving worker's leases are released immediately, and the other workers can claim them") { make in
      let store = try await make()
      _ = try await store.claim(claim("a"))
      _ = try await store.claim(claim("b"))
      try await store.leave(FollowerID("mailer"), worker: "a")
      try await store.leave(FollowerID("mailer"), worker: "never")
      let share = try await store.claim(claim("b"))
      try expect("the leased partitions", share.leases.map(\.partition).sorted(), [0, 1, 2, 3])
    },
    Rule("after concurrent claims, every partition is leased to one worker") { make in
      let store = try await make()
      let leases = try await withThrowingTaskGroup(of: [FollowerLease].self) { group in
        for worker in 0..<8 {
          group.addTask { try await store.claim(claim("w\(worker)", partitions: 16)).leases }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      try expect("every partition occurs only once in \(leases)", Set(leases.map(\.partition)).count == leases.count)
      let states = try await store.states(ofFollowersNamed: "mailer")
      let workers = states.first?.partitions.map(\.worker) ?? []
      for lease in leases {
        try expect("the worker of partition \(lease.partition)", workers[lease.partition], lease.worker)
      }
    },
  ]
}
