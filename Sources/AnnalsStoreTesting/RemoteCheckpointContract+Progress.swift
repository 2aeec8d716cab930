import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting
import Foundation

extension RemoteCheckpointContract {
  private static func lease(
    _ store: any RemoteCheckpointStore, _ worker: String, of follower: FollowerID = FollowerID("mailer"),
    for duration: Duration = .seconds(3_600)
  ) async throws -> FollowerLease {
    let share = try await store.claim(claim(worker, of: follower, partitions: 1, for: duration))
    guard let lease = share.leases.first else {
      throw Difference(description: "expected a lease for the worker \(worker), found none")
    }
    return lease
  }

  private static func state(
    _ store: any RemoteCheckpointStore, _ follower: FollowerID = FollowerID("mailer")
  ) async throws -> FollowerState? {
    try await store.states(ofFollowersNamed: follower.name).first { $0.follower == follower }
  }

  private static func aside(_ stream: StreamName, at position: Position) -> QuarantinedStream {
    QuarantinedStream(
      stream: stream, position: position, after: Position(position.rawValue - 1), attempts: 3,
      error: "it refuses the event", time: Date(timeIntervalSince1970: 1_700_000_000))
  }

  static let progress: [Rule] = [
    Rule("a saved position is kept for the partition's next worker, and never decreases") { make in
      let store = try await make()
      let first = try await lease(store, "a")
      for position in [5, 3] {
        try expect(
          "the position is saved", try await store.save(FollowerProgress(position: Position(position)), under: first))
        try expect("the saved position", try await state(store)?.position, 5)
      }
      try await store.leave(FollowerID("mailer"), worker: "a")
      try expect("the position of the next lease", try await lease(store, "b").position, 5)
    },
    Rule("a save with an outdated fencing token or a released lease is refused, and changes no data") { make in
      let store = try await make()
      let first = try await lease(store, "a", for: .milliseconds(60))
      try await Task.sleep(for: .milliseconds(250))
      let second = try await lease(store, "b")
      try expect("the position is saved", try await store.save(FollowerProgress(position: 2), under: second))
      let late = FollowerProgress(position: 9, setAside: [aside("s", at: 9)])
      try expect("the save is refused", try await !store.save(late, under: first))
      // Releasing an expired lease doesn't affect its current holder.
      try await store.release(first)
      try expect("the position is saved", try await store.save(FollowerProgress(position: 3), under: second))
      try await store.release(second)
      try expect("the save is refused", try await !store.save(late, under: second))
      try expect("the saved position", try await state(store)?.position, 3)
      try expect("the quarantined streams", try await state(store)?.quarantine, [])
    },
    Rule("a quarantined stream stays in quarantine until a save lists the stream in `settled`") { make in
      let store = try await make()
      let lease = try await lease(store, "a")
      let (first, second) = (aside("s", at: 4), aside("é\u{1F600}", at: 6))
      _ = try await store.save(FollowerProgress(position: 6, setAside: [first, second]), under: lease)
      try expect("the quarantined streams", try await state(store)?.quarantine, [first, second])
      let later = aside("s", at: 8)
      _ = try await store.save(FollowerProgress(position: 8, setAside: [later], settled: [second.stream]), under: lease)
      try expect("the quarantined streams", try await state(store)?.quarantine, [later])
      try expect("the saved position", try await state(store)?.position, 8)
    },
    Rule(
      "a quarantined stream resumes only if `resume` receives the position of the event that stopped the stream"
    ) { make in
      let store = try await make()
      let (id, lease) = (FollowerID("mailer"), try await lease(store, "a"))
      let (retried, skipped) = (aside("a", at: 4), aside("b", at: 6))
      _ = try await store.save(FollowerProgress(position: 6, setAside: [retried, skipped]), under: lease)
      for (stream, position) in [("a", 5), ("c", 4), ("b", 4)] as [(StreamName, Position)] {
        let isResumed = try await store.resume(stream, of: id, at: position, skipping: true)
        try expect("`resume` returns false for the stream \(stream) and position \(position)", !isResumed)
      }
      let other = FollowerID("mailer", version: 2)
      try expect(
        "`resume` returns false if the follower has another version",
        try await !store.resume("a", of: other, at: 4, skipping: false))
      // A retry after a lost response has the same effect.
      for _ in 0..<2 {
        try expect("the stream is resumed", try await store.resume("a", of: id, at: 4, skipping: false))
        try expect("the stream is resumed", try await store.resume("b", of: id, at: 6, skipping: true))
      }
      try expect(
        "the quarantined streams", try await state(store)?.quarantine,
        [retried.done(upTo: 3, isResumed: true), skipped.done(upTo: 6, isResumed: true)])
    },
    Rule("followers with different names or versions share no data, and the store lists all versions of a name") {
      make in
      let store = try await make()
      let ids = [
        FollowerID("mailer"), FollowerID("mailer", version: 2), FollowerID("mailer/1"), FollowerID("Mailer"),
      ]
      for (index, id) in ids.enumerated() {
        let lease = try await lease(store, "w", of: id)
        let progress = FollowerProgress(position: Position(index + 1), setAside: [aside("s", at: Position(index + 1))])
        try expect("the position is saved", try await store.save(progress, under: lease))
      }
      for (index, id) in ids.enumerated() {
        try expect("the position of \(id)", try await state(store, id)?.position, Position(index + 1))
        try expect(
          "the quarantine of \(id)", try await state(store, id)?.quarantine.map(\.position), [Position(index + 1)])
      }
      let states = try await store.states(ofFollowersNamed: "mailer")
      try expect("the listed versions", states.map(\.follower.version), [1, 2])
      try expect("the workers", states.map { $0.partitions.map(\.worker) }, [["w"], ["w"]])
    },
    Rule("a forgotten follower starts without its old positions, leases and quarantine") { make in
      let store = try await make()
      let (first, second) = (FollowerID("mailer"), FollowerID("mailer", version: 2))
      let old = try await lease(store, "a", of: first)
      _ = try await store.save(FollowerProgress(position: 5, setAside: [aside("s", at: 5)]), under: old)
      _ = try await lease(store, "a", of: second)
      try await store.forget(first)
      try await store.forget(FollowerID("never"))
      try expect("the listed followers", try await store.states(ofFollowersNamed: "mailer").map(\.follower), [second])
      try expect("the save is refused", try await !store.save(FollowerProgress(position: 9), under: old))
      let share = try await store.claim(claim("b", of: first, partitions: 3, start: 1))
      try expect("the positions of the leases", share.leases.map(\.position), [1, 1, 1])
      try expect("the quarantined streams", try await state(store, first)?.quarantine, [])
    },
  ]
}
