import Annals

extension RemoteCheckpointContract {
  static let leases: [Rule] = [
    Rule(
      "the first claim creates the partitions at its start, and a claim with a different number is refused"
    ) { make in
      let store = try await make()
      let share = try await store.claim(claim("a", partitions: 3, start: 7))
      try expect("leases", share.leases.map(\.partition).sorted(), [0, 1, 2])
      try expect("positions", share.leases.map(\.position), [7, 7, 7])
      try expect("quota", share.quota, 3)
      let again = try await store.claim(claim("a", partitions: 3, start: 99))
      try expect("positions at a later claim", again.leases.map(\.position), [7, 7, 7])
      do {
        _ = try await store.claim(claim("b", partitions: 4))
        throw Difference(description: "expected that a claim with four partitions is refused")
      } catch let error as EventStoreError { try expect("the error's code", error.code, .otherPartitions) }
    },
    Rule("a renewed lease keeps its fence and its worker") { make in
      let store = try await make()
      let first = try await store.claim(claim("a", partitions: 2))
      let again = try await store.claim(claim("a", partitions: 2))
      try expect("leases", Set(again.leases), Set(first.leases))
      let other = try await store.claim(claim("b", partitions: 2))
      try expect("leases of another worker", other.leases, [])
      try expect("its quota", other.quota, 1)
      let kept = try await store.claim(claim("a", partitions: 2))
      try expect("leases beyond the quota", Set(kept.leases), Set(first.leases))
      try expect("the quota of the first one", kept.quota, 1)
    },
    Rule("an expired lease is free, and its next worker gets a greater fence") { make in
      let store = try await make()
      let first = try await store.claim(claim("a", partitions: 2, for: .milliseconds(60)))
      try await Task.sleep(for: .milliseconds(250))
      let second = try await store.claim(claim("b", partitions: 2))
      // The first worker no longer counts, because its lease has expired.
      try expect("leases", second.leases.map(\.partition).sorted(), [0, 1])
      for lease in first.leases {
        let next = second.leases.first { $0.partition == lease.partition }
        try expect("fence \(next?.fence ?? 0) is greater than \(lease.fence)", next?.fence ?? 0 > lease.fence)
      }
      try expect("leases of the first worker", try await store.claim(claim("a", partitions: 2)).leases, [])
    },
    Rule("a worker whose lease expired gets a new fence") { make in
      let store = try await make()
      let first = try await store.claim(claim("a", partitions: 1, for: .milliseconds(60)))
      try await Task.sleep(for: .milliseconds(250))
      let second = try await store.claim(claim("a", partitions: 1))
      try expect("a fence greater than \(first)", (second.leases.first?.fence ?? 0) > (first.leases.first?.fence ?? 0))
    },
    Rule("shares differ by at most one, and a worker with less than its share takes a released lease") { make in
      let store = try await make()
      let first = try await store.claim(claim("a", partitions: 8))
      try expect("leases of one worker", first.leases.count, 8)
      for worker in ["b", "c"] { _ = try await store.claim(claim(worker, partitions: 8)) }
      var quotas: [Int] = []
      for worker in ["a", "b", "c"] { quotas.append(try await store.claim(claim(worker, partitions: 8)).quota) }
      try expect("quotas", quotas.sorted(), [2, 3, 3])
      for lease in first.leases { try await store.release(lease) }
      var held: [Int] = []
      for (worker, quota) in zip(["a", "b", "c"], quotas) {
        let share = try await store.claim(claim(worker, partitions: 8))
        try expect("leases of \(worker)", share.leases.count, quota)
        held += share.leases.map(\.partition)
      }
      try expect("all leases", held.sorted(), Array(0..<8))
    },
    Rule("a leaving worker releases its leases immediately, and no longer counts") { make in
      let store = try await make()
      _ = try await store.claim(claim("a"))
      _ = try await store.claim(claim("b"))
      try await store.leave(FollowerID("mailer"), worker: "a")
      try await store.leave(FollowerID("mailer"), worker: "never")
      let share = try await store.claim(claim("b"))
      try expect("leases", share.leases.map(\.partition).sorted(), [0, 1, 2, 3])
    },
    Rule("after concurrent claims every partition has one holder") { make in
      let store = try await make()
      let leases = try await withThrowingTaskGroup(of: [FollowerLease].self) { group in
        for worker in 0..<8 {
          group.addTask { try await store.claim(claim("w\(worker)", partitions: 16)).leases }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      try expect("no partition twice in \(leases)", Set(leases.map(\.partition)).count == leases.count)
      let states = try await store.states(ofFollowersNamed: "mailer")
      let workers = states.first?.partitions.map(\.worker) ?? []
      for lease in leases { try expect("the worker of \(lease.partition)", workers[lease.partition], lease.worker) }
    },
  ]
}
