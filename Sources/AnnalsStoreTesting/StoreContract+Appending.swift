import Annals
import AnnalsTesting
import Foundation

extension StoreContract {
  static let appending: [Rule] = [
    Rule("an empty log has no events, and its head is 0") { trial in
      let store = try trial.store()
      try ensureEqual(try store.head(), 0)
      try ensureEqual(try store.version(of: "s"), 0)
      try ensure(try store.everything().isEmpty, "a new store has events")
      try ensure(
        try store.position(of: EventID(source: "s", id: "1")) == nil,
        "expected no position for an event that doesn't exist, but the new store returned a position")
    },
    Rule("positions, versions and transaction numbers start at 1 and have no gaps") { trial in
      let store = try trial.store()
      try store.append(Append([Trial.event(), Trial.event()], to: "a"))
      let streams: [StreamName] = ["b", "a", "b"]
      try store.append(Append(streams.map { .init(stream: $0, event: Trial.event()) }))
      let events = try store.everything()
      try ensureEqual(events.map(\.position), [1, 2, 3, 4, 5])
      try ensureEqual(events.map(\.transaction), [1, 1, 2, 2, 2])
      try ensureEqual(events.map(\.stream), ["a", "a", "b", "a", "b"])
      try ensureEqual(events.map(\.version), [1, 2, 1, 3, 2])
      try ensureEqual(try store.head(), 5)
      try ensureEqual(try store.version(of: "a"), 3)
    },
    Rule("a receipt contains the events' positions and the streams' versions") { trial in
      let store = try trial.store()
      try store.append(Append([Trial.event()], to: "a"))
      var append = Append([Trial.event(), Trial.event()], to: "b")
      append.expectations["a"] = .exact(1)
      try ensureEqual(
        try store.append(append), Receipt(position: 3, count: 2, transaction: 2, versions: ["a": 1, "b": 2]))
    },
    Rule("a refused append uses up no position, version or transaction number") { trial in
      let store = try trial.store()
      try store.append(Append([Trial.event()], to: "a"))
      try store.ensureRefuses(
        Append([Trial.event()], to: "a", expecting: .exact(0)),
        with: .versionConflict(stream: "a", expected: .exact(0), found: 1))
      let receipt = try store.append(Append([Trial.event()], to: "a"))
      try ensureEqual(receipt, Receipt(position: 2, count: 1, transaction: 2, versions: ["a": 2]))
    },
    Rule("the store checks an append's expectations and conditions even if the append has no events") { trial in
      let store = try trial.store()
      try store.append(Append([Trial.event()], to: "a"))
      let receipt = try store.append(Append(expectations: ["a": .exact(1)]))
      try ensureEqual(receipt, Receipt(position: 1, count: 0, transaction: nil, versions: ["a": 1]))
      try store.ensureRefuses(
        Append(expectations: ["a": .doesNotExist]),
        with: .versionConflict(stream: "a", expected: .doesNotExist, found: 1))
      try store.ensureRefuses(
        Append(conditions: [.init(noneMatching: .all, after: 0)]), with: .conditionConflict(after: 0, found: 1))
    },
    Rule("an event is read exactly as it was appended") { trial in
      let store = try trial.store()
      let payload = "{ \"b\": 1.50, \"a\":\"caf\u{E9} e\u{301} \u{202E}\u{1F469}\u{200D}\u{1F467}\",\n\"c\":[null] }"
      let event = NewEvent(
        type: "Type \u{E9}", schema: 3, payload: payload, tags: ["seat:1", "e\u{301}"],
        metadata: ["actor": "me \u{1F600}", "correlationid": "7"],
        id: EventID(source: "else/where", id: "e\u{301}"), time: Date(timeIntervalSince1970: -1_234_567.000_001))
      try store.append(Append([event, NewEvent(type: "B", payload: nil)], to: "Stra\u{DF}e-1"))
      let stored = try store.everything()
      try ensureEqual(stored.count, 2)
      try ensureEqual(stored[0].stream, "Stra\u{DF}e-1")
      try ensureEqual(Array(stored[0].type.utf8), Array(event.type.utf8))
      try ensureEqual(stored[0].schema, 3)
      try ensureEqual(stored[0].payload.map { Array($0.utf8) }, Array(payload.utf8))
      try ensureEqual(stored[0].tags, event.tags)
      try ensureEqual(stored[0].metadata, event.metadata)
      try ensureEqual(stored[0].id, event.id)
      try ensureEqual(stored[0].time.microseconds, -1_234_567_000_001)
      try ensureEqual(stored[1].payload, nil)
      try ensureEqual(stored[1].schema, 1)
    },
    Rule("the store creates an identity and a time for an event that has neither") { trial in
      let store = try trial.store()
      try store.append(Append([Trial.event(), Trial.event()], to: "a"))
      let events = try store.everything()
      try ensureEqual(events.map(\.id.source), [store.source, store.source])
      try ensure(
        events.allSatisfy { $0.id.id.hasPrefix("id-") },
        "expected ids with the prefix id- from the store's `environment`, found \(events.map(\.id.id))")
      try ensure(events[0].id != events[1].id, "two events have the same identity")
      try ensureEqual(events.map(\.time), [Trial.time, Trial.time])
      try ensureEqual(try store.position(of: events[1].id), 2)
    },
    Rule("the store refuses events that can't be stored and returned unchanged") { trial in
      let store = try trial.store()
      let bad: [NewEvent] = [
        NewEvent(type: "", payload: "{}"), NewEvent(type: "A", schema: 0, payload: "{}"),
        NewEvent(type: "A", payload: "{"), NewEvent(type: "A", payload: #"{"a":1,"a":1}"#),
        NewEvent(type: "A\u{0}", payload: nil),
        NewEvent(type: "A", payload: nil, tags: [""]),
        NewEvent(type: "A", payload: nil, id: EventID(source: "", id: "1")),
        NewEvent(type: "A", payload: nil, id: EventID(source: "s", id: "")),
      ]
      for event in bad { try store.ensureRefuses(Append([Trial.event(), event], to: "a"), with: .invalidAppend("")) }
      try store.ensureRefuses(Append([Trial.event()], to: ""), with: .invalidAppend(""))
    },
  ]
}
