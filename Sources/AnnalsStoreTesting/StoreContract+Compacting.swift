import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting
import Synchronization

extension StoreContract {
  /// The rules for compaction.
  ///
  /// A store that can't compact logs passes all of them.
  static let compacting: [Rule] = [
    Rule("a compaction keeps the events that its rule returns, and doesn't change their positions") { trial in
      guard let store = try trial.compacting() else { return }
      try store.append(
        Append([Trial.event(tags: ["t"]), Trial.event(id: EventID(source: "given", id: "1"))], to: "other"))
      try store.keep([.set("a", 1), .set("a", 2)], in: "Tally-x")
      try store.keep([.set("b", 5), .set("a", 3), .noted], in: "Tally-x")
      let before = try store.everything()
      let receipt = try store.compact(Tally.compaction())
      try ensureEqual([receipt.cut, receipt.replaced, receipt.remaining], [2, 0, 5])
      try ensureEqual(receipt.horizon, 7)
      try ensureEqual(try store.everything(), [0, 1, 4, 5, 6].map { before[$0] })
      try ensureEqual(try store.revision().compacted, CompactedHistory(count: 1, horizon: 7))
      try ensureEqual(try store.revision(), LogRevision(erasures: 0, compacted: CompactedHistory(count: 1, horizon: 7)))
      for (after, left) in [(0, [1, 2, 5, 6, 7]), (3, [5, 6, 7]), (4, [5, 6, 7]), (5, [6, 7])] {
        let events = try store.events(.all, after: Position(after), through: nil, limit: 9)
        try ensureEqual(events.map(\.position.rawValue), left)
        let stream = try store.events(.stream("Tally-x"), after: Position(after), through: 6, limit: 9)
        try ensureEqual(stream.map(\.position.rawValue), left.filter { (5...6).contains($0) })
      }
      let backwards = try store.eventsBackwards(.all, after: 1, through: 6, limit: 3)
      try ensureEqual(backwards.map(\.position), [6, 5, 2])
      try ensureEqual(try store.events(.tagged("t"), after: 0, through: nil, limit: 9).map(\.position), [1])
    },
    Rule(
      "a replacement event without an identity gets a new identity, and has the position and time of the replaced "
        + "event"
    ) { trial in
      guard let store = try trial.compacting() else { return }
      let id = EventID(source: "given", id: "1")
      var event = try EventCoder<TallyEvent>().encode(.add("a", 1))
      event.metadata = ["actor": "Zoë"]
      event.id = id
      try store.append(Append([event], to: "Tally-x"))
      try store.keep([.add("a", 2), .add("a", 3)], in: "Tally-x")
      let before = try store.everything()
      let receipt = try store.compact(Tally.compaction())
      try ensureEqual([receipt.cut, receipt.replaced, receipt.remaining], [2, 1, 1])
      let left = try store.everything()
      try ensureEqual(left.map(\.payload), [#"{"by":6,"name":"a"}"#])
      try ensureEqual(left.map(\.tags), [["name:a"]])
      try ensureEqual(try store.events(.tagged("name:a"), after: 0, through: nil, limit: 9), left)
      for (old, new) in zip(before, left) {
        try ensureEqual(
          [old.position.rawValue, old.version, old.transaction], [new.position.rawValue, new.version, new.transaction])
        try ensureEqual(new.time, old.time)
        try ensureEqual(new.metadata, old.metadata)
        try ensure(
          new.id != old.id && new.id.source == store.source, "expected a new identity, found \(new.id)")
        try ensureEqual(try store.position(of: new.id), new.position)
      }
      // The store still knows the ID of a removed event.
      try ensureEqual(try store.position(of: id), 1)
      try store.ensureRefuses(Append([Trial.event(id: id)], to: "other"), with: .duplicateEvent(id, at: 1))
    },
    Rule(
      "if a replacement event already has an identity, the store keeps the identity, so that a replica can contain the "
        + "same event"
    ) { trial in
      guard let store = try trial.compacting(), let compacting = store.compacting else { return }
      try store.append(Append([Trial.event(), Trial.event(tags: ["t"]), Trial.event()], to: "s"))
      let before = try store.everything()
      var new = Trial.event(tags: ["u"], id: EventID(source: "elsewhere", id: "\u{E9}"))
      new.payload = #"{"sum":6}"#
      var changes = CompactionEdits()
      changes.add(.replaced(by: new), at: 2)
      changes.add(.cut, at: 3)
      func follow() throws -> CompactionReceipt {
        try compacting.commitCompaction(progress: { _ in }) { log in
          let plan = try CompactionPlan(
            following: RemoteCompaction(id: "1", revision: try log.revision(), horizon: 3, changes: changes), in: log)
          return CompactionReceipt(of: plan, remaining: try log.rewrite(plan))
        }
      }
      let receipt = try follow()
      try ensureEqual([receipt.cut, receipt.replaced, receipt.remaining], [1, 1, 2])
      let left = try store.everything()
      try ensureEqual(left.first, before.first)
      try ensureEqual(left.last?.id, new.id)
      try ensureEqual(left.last?.payload, new.payload)
      try ensureEqual(left.last?.position, 2)
      try ensureEqual(try store.position(of: EventID(source: "elsewhere", id: "\u{E9}")), 2)
      for event in before { try ensureEqual(try store.position(of: event.id), event.position) }
      // Changes that were already made aren't repeated.
      try ensureEqual([try follow().cut, try follow().replaced], [0, 0])
      try ensureEqual(try store.everything(), left)
    },
    Rule(
      "a compaction keeps receipts, and never reuses the positions, versions, transaction numbers or identities of "
        + "removed events"
    ) { trial in
      guard let store = try trial.compacting() else { return }
      let event = try EventCoder<TallyEvent>().encode(.cleared)
      let first = try store.append(
        Append([.init(stream: "Tally-x", event: event)], commandID: "first"))
      try store.keep([.set("a", 1), .cleared], in: "Tally-x")
      let ids = try store.everything().map(\.id)
      let receipt = try store.compact(Tally.compaction())
      try ensureEqual([receipt.cut, receipt.remaining], [3, 0])
      try ensureEqual(try store.head(), 3)
      try ensureEqual(try store.version(of: "Tally-x"), 3)
      for (index, id) in ids.enumerated() {
        try ensureEqual(try store.position(of: id), Position(index + 1))
        try store.ensureRefuses(
          Append([Trial.event(id: id)], to: "s"), with: .duplicateEvent(id, at: Position(index + 1)))
      }
      try ensureEqual(try store.receipt(ofCommand: "first"), first)
      try ensureEqual(try store.append(Append([.init(stream: "Tally-x", event: event)], commandID: "first")), first)
      try ensureEqual(try store.state(of: Tally["x"]), Tally())
      let next = try store.execute(.add("a", 4), on: Tally["x", expecting: .exact(3)])
      try ensureEqual([next.position.rawValue, next.transaction ?? 0, next.versions["Tally-x"] ?? 0], [4, 3, 4])
      let stale = Append([event], to: "Tally-x", expecting: .exact(1))
      let conflict = EventStoreError.versionConflict(stream: "Tally-x", expected: .exact(1), found: 4)
      do {
        try store.append(stale)
        throw Unmet(description: "expected a conflict, found a committed append", fileID: #fileID, line: #line)
      } catch let error as EventStoreError {
        try ensureEqual(error.facts, conflict.facts)
      }
      try ensureEqual(try store.state(of: Tally["x"]).counts, ["a": 4])
    },
    Rule(
      "after a compaction through position 3, append conditions on events after position 1 or 2 are refused, and other "
        + "append conditions are evaluated"
    ) { trial in
      guard let store = try trial.compacting() else { return }
      try store.keep([.set("a", 1), .set("a", 2), .set("a", 3)], in: "Tally-x")
      try store.compact(Tally.compaction())
      let query = EventQuery.types("Never")
      for after in [1, 2] as [Position] {
        let append = Append(
          [.init(stream: "s", event: Trial.event())], conditions: [.init(noneMatching: query, after: after)])
        try store.ensureRefuses(append, with: .conditionConflict(after: after, found: 3))
      }
      for after in [0, 3, 4] as [Position] {
        try store.append(
          Append([.init(stream: "s", event: Trial.event())], conditions: [.init(noneMatching: query, after: after)]))
      }
      try store.ensureRefuses(
        Append([], conditions: [.init(noneMatching: .types("TallySet"), after: 0)]),
        with: .conditionConflict(after: 0, found: 3))
    },
    Rule(
      "if a compaction would change a list's row, the store refuses the compaction, changes no event, and names the row"
    ) { trial in
      guard let store = try trial.compacting() else { return }
      try store.keep([.set("a", 1), .set("b", 2), .set("a", 3)], in: "Tally-x")
      let before = try store.everything()
      func refused(
        _ rule:
          @escaping @Sendable (StreamName, [Compaction.Candidate<TallyEvent>]) -> [Compaction.Candidate<TallyEvent>]
      )
        throws -> CompactionError
      {
        var compaction = Compaction()
        compaction.rewrite(TallyEvent.self, rule)
        compaction.prove(Tallies())
        do {
          try store.compact(compaction)
        } catch let error as CompactionError {
          try ensureEqual(try store.everything(), before)
          try ensureEqual(try store.revision().compacted, .none)
          guard error.code == .notEqual else { throw error }
          return error
        }
        throw Unmet(
          description: "expected the compaction to fail because of a changed row in a list, but the compaction "
            + "succeeded",
          fileID: #fileID, line: #line)
      }
      let lost = try refused { _, _ in [] }
      try ensureEqual(lost.row, "a")
      try ensureEqual(lost.after, nil)
      let changed = try refused { _, events in events.dropLast() + [events[2].replaced(by: .set("a", 4))] }
      try ensureEqual(changed.row, "a")
      try ensure(
        changed.before?.contains("3") ?? false,
        "expected the error to contain the row's old count, 3, found \(changed)")
      try ensure(
        changed.after?.contains("4") ?? false,
        "expected the error to contain the row's new count, 4, found \(changed)")
      let more = try refused { _, events in [events[1], events[2].replaced(by: .set("c", 3))] }
      try ensureEqual(more.row, "a")
    },
    Rule("a compaction changes no data if its rule returns all events unchanged") { trial in
      guard let store = try trial.compacting() else { return }
      try store.keep([.set("a", 1), .set("b", 2)], in: "Tally-x")
      let before = try store.everything()
      var compaction = Compaction()
      compaction.rewrite(TallyEvent.self) { _, events in events.map { $0.replaced(by: $0.event) } }
      compaction.prove(Tallies())
      for _ in 0..<2 {
        let receipt = try store.compact(compaction)
        try ensure(
          receipt.isUnchanged && receipt.horizon == 0 && receipt.remaining == 2,
          "expected a receipt without removed or replaced events, found \(receipt)")
        try ensureEqual(try store.everything(), before)
        try ensureEqual(try store.revision().number, 0)
      }
    },
    Rule("a watcher is notified of a compaction") { trial in
      guard let store = try trial.compacting() else { return }
      try store.keep([.set("a", 1), .set("a", 2)], in: "Tally-x")
      let counts = Mutex<[Int]>([])
      let token = store.runtime.watch { [weak store] _ in
        let count = (try? store?.revision().number) ?? -1
        counts.withLock { $0.append(count) }
      }
      try store.compact(Tally.compaction())
      token.cancel()
      try ensureEqual(counts.withLock { $0 }, [1])
    },
    Rule("a compaction through a position far beyond the log's last event is refused, and changes no data") { trial in
      guard let store = try trial.compacting() else { return }
      try store.keep([.set("a", 1), .set("a", 2)], in: "Tally-x")
      let before = try store.everything()
      for position in farPositions {
        do {
          var compaction = Tally.compaction()
          compaction.through = position
          _ = try store.compact(compaction)
          throw Unmet(
            description: "expected an error for a compaction through \(position), found none", fileID: #fileID,
            line: #line)
        } catch let error as CompactionError {
          try ensureEqual(error.code, .badHorizon)
          try ensureEqual(error.position, position)
        }
      }
      try ensureEqual(try store.everything(), before)
      try ensureEqual(try store.revision().compacted, .none)
    },
  ]
}

extension Trial {
  /// Creates a store, or returns `nil` if the store can't compact logs.
  fileprivate func compacting() throws -> (any EventStore)? {
    let store = try store()
    return store.compacting == nil ? nil : store
  }
}

extension EventStore {
  fileprivate func keep(_ events: [TallyEvent], in stream: StreamName) throws {
    let coder = try EventCoder<TallyEvent>()
    try append(Append(events.map { try coder.encode($0) }, to: stream))
  }
}

/// An event that sets or increases a named count, or clears all counts.
private enum TallyEvent: Event {
  case set(name: String, to: Int)
  case added(name: String, by: Int)
  case cleared
  case noted

  static func set(_ name: String, _ count: Int) -> TallyEvent { .set(name: name, to: count) }

  static func add(_ name: String, _ count: Int) -> TallyEvent { .added(name: name, by: count) }

  var tags: Set<EventTag> { if case .added(let name, _) = self { [EventTag("name:\(name)")] } else { [] } }
}

private struct Tally: Decider, Equatable {
  var counts: [String: Int] = [:]

  func decide(_ command: TallyEvent) -> [TallyEvent] { [command] }

  mutating func evolve(_ event: TallyEvent) {
    switch event {
    case .set(let name, let count): counts[name] = count
    case .added(let name, let count): counts[name, default: 0] += count
    case .cleared: counts = [:]
    case .noted: break
    }
  }

  /// Returns a compaction that keeps one event with every name's last count, and all `noted` events.
  static func compaction() -> Compaction {
    var compaction = Compaction()
    compaction.rewrite(TallyEvent.self) { _, events in
      var last: [String: Compaction.Candidate<TallyEvent>] = [:]
      var left: [Compaction.Candidate<TallyEvent>] = []
      for event in events {
        switch event.event {
        case .set(let name, _): last[name] = event
        case .added(let name, let count):
          guard case .added(_, let before) = last[name]?.event, let first = last[name] else {
            last[name] = event
            continue
          }
          last[name] = first.replaced(by: .add(name, before + count))
        case .cleared: last = [:]
        case .noted: left.append(event)
        }
      }
      return (left + last.values).sorted { $0.recorded.position < $1.recorded.position }
    }
    compaction.prove(Tallies())
    compaction.prove(Tally.self)
    return compaction
  }
}

private struct Count: Row {
  let id: String
  var count: Int
}

private struct Tallies: Projection {
  func project(_ event: TallyEvent, into rows: inout Rows<Count>) {
    switch event {
    case .set(let name, let count): rows.insert(Count(id: name, count: count))
    case .added(let name, let count): rows.insert(Count(id: name, count: (rows[name]?.count ?? 0) + count))
    case .cleared: for row in rows.all { rows[row.id] = nil }
    case .noted: break
    }
  }
}
