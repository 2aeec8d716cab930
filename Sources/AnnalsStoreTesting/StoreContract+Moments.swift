import Annals
import AnnalsTesting
import Synchronization

extension StoreContract {
  /// Rules about reads that must return a consistent snapshot.
  static let moments: [Rule] = [
    Rule("all results of a read come from a snapshot of the log at the start of the read") { trial in
      let store = try trial.store()
      let id = EventID(source: "given", id: "1")
      try store.append(Append([Trial.event("A", tags: ["t"]), Trial.event("B")], to: "s"))
      let before = try store.everything()
      try store.read { log in
        try store.append(Append([Trial.event("A", tags: ["t"], id: id)], to: "s"))
        try ensureEqual(try store.head(), 3)
        try ensureEqual(try log.head(), 2)
        try ensureEqual(try log.version(of: "s"), 2)
        try ensureEqual(try log.position(of: id), nil)
        try ensureEqual(try log.revision(), .original)
        try ensureEqual(try log.events(.all, after: 0, through: nil, limit: 9), before)
        try ensureEqual(try log.events(.all, after: 0, through: 9, limit: 9), before)
        try ensureEqual(try log.events(.tagged("t"), after: 1, through: nil, limit: 9), [])
        try ensureEqual(try log.events(.stream("s"), after: 1, through: nil, limit: 9), [before[1]])
        try ensureEqual(try log.eventsBackwards(.all, after: 0, through: nil, limit: 1), [before[1]])
        try ensureEqual(try log.batch(after: 0, through: 9, limit: 9).events, before)
        let tail = try log.tail(after: 1, through: nil, limit: 9)
        try ensureEqual([tail.head, tail.after], [2, 1])
        try ensureEqual(tail.batch.events, [before[1]])
        let stream = try log.tail(of: "s", after: 0)
        try ensureEqual(stream.version, 2)
        try ensureEqual(stream.events, before)
        var seen: [StoredEvent] = []
        try log.forEachEvent { seen.append($0) }
        try ensureEqual(seen, before)
      }
      try ensureEqual(try store.read { try $0.head() }, 3)
    },
    Rule("a read rethrows its closure's error, and the next read succeeds") { trial in
      struct Wish: Error {}
      let store = try trial.store()
      do {
        try store.read { _ in throw Wish() }
        throw Unmet(description: "expected the closure's error from a read, found none", fileID: #fileID, line: #line)
      } catch is Wish {}
      try store.append(Append([Trial.event()], to: "s"))
      try ensureEqual(try store.read { try $0.head() }, 1)
    },
    Rule("a read during concurrent appends is a consistent snapshot") { trial in
      let store = try trial.store()
      let failures = Mutex<[String]>([])
      onThreads(4) { lane in
        do {
          if lane > 0 {
            for _ in 0..<30 {
              try store.append(
                Append(["a", "b", "c"].map { .init(stream: StreamName($0), event: Trial.event()) }))
            }
            return
          }
          for _ in 0..<60 {
            try store.read { log in
              let versions = try ["a", "b", "c"].map { try log.version(of: StreamName($0)) }
              let (head, count) = (try log.head(), try log.events(.all, after: 0, through: nil, limit: 1_000).count)
              let tail = try log.tail(after: 0, through: nil, limit: 1_000)
              try ensure(
                versions == Array(repeating: count / 3, count: 3) && head.rawValue == count && tail.head == head
                  && tail.batch.count == count,
                "all results of a read must come from one snapshot, but the results differ: the versions of three "
                  + "streams are \(versions), the read returned \(count) events, the last position is \(head), and a "
                  + "`tail` through position \(tail.head) returned \(tail.batch.count) events")
            }
            let tail = try store.tail(after: 0, through: nil, limit: 1_000)
            try ensure(
              tail.batch.count == tail.head.rawValue && tail.batch.count % 3 == 0,
              "a result of `tail` through position \(tail.head) must contain \(tail.head) events and end with a "
                + "complete append of 3 events, but contains \(tail.batch.count) events")
            let stream = try store.tail(of: "b", after: 0)
            try ensureEqual(stream.version, stream.events.count)
          }
        } catch { failures.withLock { $0.append("\(error)") } }
      }
      try ensureEqual(failures.withLock { $0 }, [])
      try ensureEqual(try store.head(), 270)
    },
    Rule("a read in batches throws an error if the log is rewritten during the read") { trial in
      let store = try trial.store()
      guard store.erasing != nil else { return }
      let event = NewEvent(type: "T", payload: #"{"$personal":"ann","value":1}"#)
      try store.append(Append([event, event, event], to: "s"))
      for query in [.all, .stream("s")] as [EventQuery] {
        var seen = 0
        do {
          try store.forEachEvent(query, batchSize: 1) { _ in
            seen += 1
            if seen == 2 {
              try store.append(Append([event], to: "s"))
              try store.erase(subject: "ann")
            }
          }
          throw Unmet(
            description: "expected an error from a read during an erasure, found none", fileID: #fileID, line: #line)
        } catch let error as EventStoreError {
          try ensureEqual(error.code, .rewritten)
          try ensureEqual(seen, 2)
        }
      }
    },
  ]
}
