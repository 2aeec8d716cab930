import Annals
import AnnalsLog
import AnnalsTesting
import Synchronization

extension StoreContract {
  static let following: [Rule] = [
    Rule("a follower receives every event once, in order, during concurrent appends") { trial in
      for (query, batchSize) in [(.all, 7), (.types("T1"), 3)] as [(EventQuery, Int)] {
        let store = try trial.store()
        for number in 0..<20 { try store.append(Append([Trial.event("T\(number % 2)")], to: "before")) }
        let seen = Mutex<[StoredEvent]>([])
        let failures = Mutex<[String]>([])
        onThreads(4) { lane in
          do {
            if lane > 0 {
              for number in 0..<25 {
                try store.append(
                  Append([Trial.event("T\(number % 2)"), Trial.event("T1")], to: StreamName("s\(lane)")))
              }
              return
            }
            var cursor = EventCursor(store, query, after: 5, batchSize: batchSize)
            let waiter = CommitWaiter(store)
            let end = ContinuousClock.now + .seconds(60)
            while cursor.position < 170 {
              if let batch = try cursor.next() {
                let count = seen.withLock { seen in
                  seen += batch.events
                  return seen.count
                }
                try ensure(count <= 170, "a cursor returned an event more than once")
              } else {
                waiter.wait(.seconds(20))
                try ensure(
                  ContinuousClock.now < end,
                  "within 60 seconds, a waiting cursor did not return all events that other threads appended")
              }
            }
          } catch { failures.withLock { $0.append("\(error)") } }
        }
        try ensureEqual(failures.withLock { $0 }, [])
        let expected = try store.everything().filter { $0.position > 5 && query.matches($0) }
        try ensureEqual(seen.withLock { $0.map(\.position) }, expected.map(\.position))
      }
    },
    Rule("a wait for a position ends when the log reaches the position, and not earlier") { trial in
      let store = try trial.store()
      try ensure(
        try store.wait(for: 0, timeout: .zero), "expected a wait for position 0 to succeed immediately, found a timeout"
      )
      try ensure(!(try store.wait(for: 1, timeout: .milliseconds(5))), "a wait for a missing event succeeded")
      let failures = Mutex<[String]>([])
      onThreads(2) { lane in
        do {
          if lane == 0 {
            if try !store.wait(for: 3, timeout: .seconds(20)) || store.head() < 3 {
              let head = (try? store.head()).map { "\($0)" } ?? "unknown"
              failures.withLock { $0.append("a wait for position 3 ended while the log's last position was \(head)") }
            }
          } else {
            for _ in 0..<4 { try store.append(Append([Trial.event()], to: "s")) }
          }
        } catch { failures.withLock { $0.append("\(error)") } }
      }
      try ensureEqual(failures.withLock { $0 }, [])
    },
  ]
}
