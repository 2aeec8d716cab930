import Annals
import AnnalsLog
import AnnalsTesting

extension StoreContract {
  /// Positions that fit in an integer but that no log reaches.
  static let farPositions = [Int.max, .max - 1, .max / 2].map { Position($0) }
  private static let farLimits = [Int.max, .max - 1, .max / 2 + 1]

  /// Rules for very large and very small integers.
  static let ends: [Rule] = [
    Rule("reads accept positions and limits up to Int.max") { trial in
      let store = try trial.store()
      for number in 0..<4 {
        try store.append(
          Append([Trial.event("T\(number % 2)", tags: number == 2 ? ["x"] : [])], to: StreamName("s\(number % 3)")))
      }
      let all = try store.everything()
      let queries: [EventQuery] = [
        .all, .types("T1"), .tagged("x"), .stream("s0"), .stream("never"), .tagged("x") || .stream("s1"),
      ]
      let positions = [0, 1, 3, 4, 5] + farPositions
      for query in queries {
        for after in positions {
          for through in [nil] + positions.map(Optional.some) {
            let expected = all.filter {
              $0.position > after && $0.position <= through ?? $0.position && query.matches($0)
            }
            for limit in [1, 4] + farLimits {
              try ensureEqual(
                try store.events(query, after: after, through: through, limit: limit), Array(expected.prefix(limit)))
              try ensureEqual(
                try store.eventsBackwards(query, after: after, through: through, limit: limit),
                Array(expected.reversed().prefix(limit)))
            }
            for batchSize in [1] + farLimits {
              var read: [StoredEvent] = []
              try store.forEachEvent(query, after: after, through: through, batchSize: batchSize) { event in
                read.append(event)
                try ensure(read.count <= all.count, "a read in batches returned more events than the log has")
              }
              try ensureEqual(read, expected)
            }
          }
        }
      }
    },
    Rule("`batch` and `tail` accept positions and limits up to Int.max") { trial in
      let store = try trial.store()
      for _ in 0..<4 { try store.append(Append([Trial.event()], to: "s")) }
      let positions = [0, 1, 3, 4, 5] + farPositions
      for after in positions {
        for through in positions {
          for limit in [1, 4] + farLimits {
            let expected = (1...4).filter { $0 > after.rawValue && $0 <= through.rawValue }
            let batch = try store.batch(after: after, through: through, limit: limit)
            try ensureEqual(batch.events.map(\.position.rawValue), Array(expected.prefix(limit)))
            try ensureEqual(batch.count, batch.events.count)
            try ensureEqual(batch.last, batch.events.last?.position)
            let tail = try store.tail(after: after, through: through, limit: limit)
            try ensureEqual(tail.batch.events.map(\.position.rawValue), Array(expected.prefix(limit)))
            try ensureEqual([tail.head, tail.after], [4, after])
          }
        }
        for stream in ["s", "never"] as [StreamName] {
          let tail = try store.tail(of: stream, after: after)
          let expected = (1...4).filter { $0 > after.rawValue && stream == "s" }
          try ensureEqual(tail.events.map(\.position.rawValue), expected)
          try ensureEqual(tail.version, stream == "s" ? 4 : 0)
        }
      }
    },
    Rule("a read in batches with a query for event types returns every event of these types exactly once") { trial in
      let store = try trial.store()
      for type in ["Own", "Other", "Own", "Other", "Other", "Own", "Other"] {
        try store.append(Append([Trial.event(type)], to: "s"))
      }
      let own = EventTypeFilter { $0 == "Own" }
      let positions = [0, 1, 3, 5, 6, 7, 8] + farPositions
      for after in positions {
        for through in positions {
          for limit in [1, 2] + farLimits {
            var (found, last) = ([Int](), after)
            while true {
              let batch = try store.batch(of: own, after: last, through: through, limit: limit)
              guard let end = batch.last else { break }
              try ensure(
                end > last && batch.count <= limit, "a batch repeats events, or has more events than the limit")
              found += batch.events.filter { own.contains($0.type) }.map(\.position.rawValue)
              last = end
            }
            try ensureEqual(found, [1, 3, 6].filter { $0 > after.rawValue && $0 <= through.rawValue })
          }
        }
      }
    },
    Rule("an append that expects a negative or very large version is refused, and changes no data") { trial in
      let store = try trial.store()
      try store.append(Append([Trial.event(), Trial.event()], to: "a"))
      for stream in ["a", "new"] as [StreamName] {
        for version in [Int.max, .max - 1, .max / 2, -1, .min, .min + 1] {
          let found = stream == "a" ? 2 : 0
          try store.ensureRefuses(
            Append([Trial.event()], to: stream, expecting: .exact(version)),
            with: .versionConflict(stream: stream, expected: .exact(version), found: found))
          try store.ensureRefuses(
            Append(
              [.init(stream: "b", event: Trial.event())], expectations: [stream: .exact(version)],
              commandID: "command"),
            with: .versionConflict(stream: stream, expected: .exact(version), found: found))
        }
      }
      for schema in [0, -1, Int.min] {
        try store.ensureRefuses(
          Append([Trial.event(), NewEvent(type: "T", schema: schema, payload: "{}")], to: "b"), with: .invalidAppend("")
        )
      }
      try ensureEqual(try store.head(), 2)
      try ensureEqual(try store.version(of: "b"), 0)
      // The store doesn't remember a refused command either.
      let receipt = try store.append(Append([.init(stream: "b", event: Trial.event())], commandID: "command"))
      try ensureEqual(receipt, Receipt(position: 3, count: 1, transaction: 2, versions: ["b": 1]))
    },
    Rule("an append condition holds if its `after` is the log's last position or greater") {
      trial in
      let store = try trial.store()
      try store.append(Append([Trial.event()], to: "a"))
      for (number, position) in ([1, 2, 3] + farPositions).enumerated() {
        let condition = Append.Condition(noneMatching: .types("Other"), after: position)
        try ensureEqual(
          try store.append(Append([.init(stream: "a", event: Trial.event())], conditions: [condition])),
          Receipt(position: Position(number + 2), count: 1, transaction: number + 2, versions: ["a": number + 2]))
      }
      for position in farPositions {
        try store.append(Append(conditions: [.init(noneMatching: .all, after: position)]))
        try store.append(Append(conditions: [.init(noneMatching: .stream("a"), after: position)]))
      }
      try store.ensureRefuses(
        Append([.init(stream: "a", event: Trial.event())], conditions: [.init(noneMatching: .all, after: 6)]),
        with: .conditionConflict(after: 6, found: 7))
    },
    Rule("an event with the schema version Int.max is read as it was appended") { trial in
      let store = try trial.store()
      try store.append(Append([NewEvent(type: "T", schema: .max, payload: "{}")], to: "a"))
      try ensureEqual(try store.everything().map(\.schema), [.max])
    },
    Rule(
      "a cursor at any position up to Int.max doesn't hang, and a wait with any timeout up to Int.max doesn't hang"
    ) { trial in
      let store = try trial.store()
      try store.append(Append([Trial.event(), Trial.event()], to: "a"))
      for position in farPositions {
        try ensure(
          !(try store.wait(for: position, timeout: .zero)),
          "a wait for position \(position) succeeded in a log of 2 events")
        var cursor = EventCursor(store, .all, after: position, batchSize: .max)
        do {
          _ = try cursor.next()
          throw Unmet(
            description: "expected an error from a cursor after \(position) in a log of 2 events, found none",
            fileID: #fileID, line: #line)
        } catch let error as EventStoreError {
          try ensureEqual(error.code, .replaced)
        }
      }
      // The first wait has an unlimited timeout, so it would hang if the store had lost events. The second wait's
      // negative timeout has already expired.
      try ensureEqual(try store.head(), 2)
      try ensure(try store.wait(for: 2, timeout: .seconds(Int64.max)), "a wait for an existing event failed")
      try ensure(!(try store.wait(for: 3, timeout: .seconds(-Int64.max))), "a wait for a missing event succeeded")
      for batchSize in farLimits {
        var cursor = EventCursor(store, .all, after: 1, batchSize: batchSize)
        try ensureEqual(try cursor.next()?.events.map(\.position), [2])
        try ensureEqual(try cursor.next()?.events.map(\.position), nil)
      }
    },
    Rule("the store keeps checkpoints and saved states with positions and versions up to Int.max") { trial in
      let store = try trial.store()
      if let checkpoints = store.checkpoints {
        for position in farPositions {
          let name = "far \(position)"
          try ensureEqual(try checkpoints.setCheckpoint(named: name, to: position, from: nil), true)
          try ensureEqual(try checkpoints.checkpoint(named: name), position)
          try ensureEqual(try checkpoints.setCheckpoint(named: name, to: 1, from: 2), false)
          try ensureEqual(try checkpoints.setCheckpoint(named: name, to: 1, from: position), true)
        }
      }
      if let snapshots = store.snapshots {
        for position in farPositions {
          let kept = DeciderSnapshot(
            fingerprint: "f", version: position.rawValue, position: position, state: "{}")
          try snapshots.save(kept, of: "s", decider: "d", revision: .original)
          try ensureEqual(try snapshots.snapshot(of: "s", decider: "d"), kept)
        }
      }
    },
  ]
}
