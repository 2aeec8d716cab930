import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting

extension RemoteCompactingContract {
  /// Rules for events after a compaction.
  static let events: [Rule] = [
    rule(
      "a compaction deletes removed events, stores replacement events at the positions of the replaced events, and "
        + "changes no byte of other events"
    ) {
      store, compacting in
      try await store.append(Append([said(1, tags: ["a:1"]), said(2, tags: ["a:2"])], to: "s"))
      try await store.append(Append([said(3), said(4, tags: ["a:4"])], to: "t"))
      let before = try await everything(store)
      let new = NewEvent(
        type: "Sum", schema: 3, payload: #"{ "sum" : 6 }"#, tags: ["b:4"],
        id: EventID(source: "urn:contract", id: "new"))
      try await compact(store, compacting, through: 4, cut: [1, 3], replaced: [4: new])
      let after = try await everything(store)
      try expect("the remaining positions", after.map(\.position), [2, 4])
      try expect("the remaining event", after.first, before[1])
      let (old, found) = (before[3], after[1])
      try expect("the replacement's payload", found.payload, new.payload)
      try expect("the replacement's type and schema", [found.type, "\(found.schema)"], ["Sum", "3"])
      try expect("the replacement's identity", found.id, EventID(source: "urn:contract", id: "new"))
      try expect("the replacement's tags", found.tags, ["b:4"])
      try expect("the replacement's version", found.version, old.version)
      try expect("the replacement's transaction", found.transaction, old.transaction)
      try expect("the replacement's time", found.time, old.time)
      try expect("the replacement's metadata", found.metadata, old.metadata)
      try expect("events with the new tag", try await store.events(.tagged("b:4"), after: 0, limit: 9).count, 1)
      try expect("events with the old tag", try await store.events(.tagged("a:4"), after: 0, limit: 9).count, 0)
      try expect(
        "events with a removed event's tag", try await store.events(.tagged("a:1"), after: 0, limit: 9).count, 0)
      try expect(
        "events with the remaining event's tag", try await store.events(.tagged("a:2"), after: 0, limit: 9).count, 1)
      try expect("events of the new type", try await store.events(.types("Sum"), after: 0, limit: 9).count, 1)
      try expect(
        "the revision", try await store.revision(), LogRevision(compacted: CompactedHistory(count: 1, horizon: 4)))
    },
    rule(
      "positions, versions and transaction numbers continue from their old values after a compaction, even if the "
        + "last events were removed"
    ) { store, compacting in
      for number in 1...3 { try await store.append(Append([said(number)], to: "s")) }
      try await compact(store, compacting, through: 3, cut: [1, 2, 3])
      try expect("the head", try await store.head(), 3)
      try expect("the stream's version", try await store.version(of: "s"), 3)
      let receipt = try await store.append(Append([said(4)], to: "s", expecting: .exact(3)))
      try expect("the next position", receipt.position, 4)
      let event = try await everything(store).first
      try expect("the next event's version", event?.version, 4)
      try expect("the next event's transaction", event?.transaction, 4)
    },
    rule(
      "a compaction deletes personal values of removed and replaced events, and an erasure deletes personal values of "
        + "replacement events"
    ) { store, compacting in
      guard let erasing = store.erasing else { return }
      try await store.append(Append([said(1, of: "ann"), said(2, of: "ann"), said(3, of: "bob")], to: "s"))
      try await compact(store, compacting, through: 3, cut: [1], replaced: [2: said(9, of: "cid", id: "new")])
      try expect("the number of erased fields of the subject ann", try await store.erase(subject: "ann").fields, 0)
      let payload = try await everything(store).first?.payload
      try expect("whether the replacement event contains the personal value", payload?.contains(#""value":9"#), true)
      try expect("the number of erased fields of the subject cid", try await store.erase(subject: "cid").fields, 1)
      try expect("the number of erased fields of the subject bob", try await store.erase(subject: "bob").fields, 1)
      try expect("whether the log has personal values", try await erasing.hasPersonalValues(), false)
      try expect(
        "the positions of the first erased values", try await erasing.erasures(after: 0, limit: 9).map(\.first), [2, 3])
    },
  ]

  /// Rules for appends after a compaction.
  static let appends: [Rule] = [
    rule("the store never reuses identities of removed or replaced events, and still returns their positions") {
      store, compacting in
      try await store.append(Append([said(1, id: "one"), said(2, id: "two")], to: "s"))
      try await compact(store, compacting, through: 2, cut: [1], replaced: [2: said(3, id: "three")])
      for (position, id) in [(1, "one"), (2, "two"), (2, "three")] {
        let found = try await store.position(of: EventID(source: "urn:contract", id: id))
        try expect("the position of \(id)", found, Position(position))
        try await expect(.duplicateEvent) { try await store.append(Append([said(4, id: id)], to: "s")) }
        try await expect(.duplicateEvent) { try await store.append(Append([said(4), said(5, id: id)], to: "s")) }
      }
      // This also holds for identities that the store generated.
      try await store.append(Append([said(6)], to: "t"))
      guard let made = try await everything(store).last?.id else { return }
      try await compact(store, compacting, through: 3, cut: [3], id: "again")
      try expect("the position of the event with the generated identity", try await store.position(of: made), 3)
      var event = said(7)
      event.id = made
      let again = event
      try await expect(.duplicateEvent) { try await store.append(Append([again], to: "t")) }
      let former = try await compacting.formerEvents(since: 1, after: 0, limit: 9)
      try expect("the removed event's identity", former.map(\.ids), [[made]])
      // The same ID with another source is a different identity.
      event.id = EventID(source: "urn:other", id: made.id)
      let other = event
      try await store.append(Append([other], to: "t"))
    },
    rule(
      "after a compaction through position 3, append conditions on events after position 1 or 2 are refused, and other "
        + "append conditions are evaluated"
    ) { store, compacting in
      try await store.append(Append([said(1, tags: ["a:1"]), said(2), said(3)], to: "s"))
      try await compact(store, compacting, through: 3, cut: [1])
      func append(after position: Position) async throws {
        try await store.append(
          Append(
            [.init(stream: "t", event: said(4))], conditions: [.init(noneMatching: .tagged("a:1"), after: position)]))
      }
      for position in [1, 2] as [Position] {
        try await expect(.conditionConflict) { try await append(after: position) }
      }
      try await append(after: 0)
      try await append(after: 3)
    },
    rule(
      "if another store compacts the log, the next decision is based on the compacted events, and receipts are kept"
    ) {
      store, compacting in
      try await store.execute(1, on: Teller["a"], commandID: "first")
      try await store.execute(2, on: Teller["a"])
      // The store that decides isn't notified of this compaction.
      try await compact(store, compacting, through: 2, replaced: [2: Teller.event(12, id: "sum")], cut: [1])
      try await store.execute(3, on: Teller["a"])
      let last = try await everything(store).last?.payload
      try expect("the payload of the decided event", last, Teller.event(15, id: "").payload)
      let again = try await store.execute(1, on: Teller["a"], commandID: "first")
      try expect("whether the repeated command's receipt is marked as repeated", again.isRepeated, true)
      try expect("the position in the repeated command's receipt", again.position, 1)
    },
    rule("concurrent appends and compactions take effect one after another") { store, compacting in
      for number in 1...20 { try await store.append(Append([said(number)], to: "s")) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<4 {
          group.addTask {
            for number in 0..<10 { try await store.append(Append([said(number)], to: StreamName("t\(task)"))) }
          }
        }
        group.addTask { try await compact(store, compacting, through: 20, cut: (1...19).map { Position($0) }) }
        try await group.waitForAll()
      }
      let found = try await everything(store).map(\.position.rawValue)
      try expect("the positions", found, Array(20...60))
    },
  ]

  private static func compact(
    _ store: any RemoteEventStore, _ compacting: any RemoteCompactingStore, through horizon: Position,
    replaced: [Position: NewEvent], cut: [Position]
  ) async throws {
    try await compact(store, compacting, through: horizon, cut: cut, replaced: replaced, id: "once")
  }
}

private enum TellerEvent: Event {
  case counted(sum: Int)
}

/// A decider that keeps the last sum and adds each command's number to it.
private struct Teller: Decider {
  var sum = 0

  func decide(_ command: Int) -> [TellerEvent] { [.counted(sum: sum + command)] }

  mutating func evolve(_ event: TellerEvent) {
    if case .counted(let sum) = event { self.sum = sum }
  }

  static func event(_ sum: Int, id: String) -> NewEvent {
    NewEvent(type: "TellerCounted", payload: #"{"sum":\#(sum)}"#, id: EventID(source: "urn:contract", id: id))
  }
}
