import Annals
import AnnalsLog
import AnnalsTesting

extension StoreContract {
  /// The rules for the removal of streams.
  ///
  /// A store that can't compact logs or can't remove streams passes all of them.
  static let removing: [Rule] = [
    Rule("a removed stream has no events and version 0, and the other events stay unchanged") { trial in
      guard let store = try trial.removing() else { return }
      try store.place("1", ["book"])
      try store.place("2", ["pen", "ink"])
      try store.place("1", ["lamp"])
      let before = try store.everything()
      let receipt = try store.compact(Removal.of("1"))
      try ensureEqual([receipt.cut, receipt.replaced, receipt.remaining], [2, 0, 2])
      try ensureEqual(receipt.horizon, 4)
      try ensureEqual(try store.everything(), [before[1], before[2]])
      try ensureEqual(try store.head(), 4)
      try ensureEqual(try store.version(of: "Basket-1"), 0)
      try ensureEqual(try store.version(of: "Basket-2"), 2)
      try ensureEqual(try store.state(of: Basket["1"]), Basket())
      try ensureEqual(try store.revision().compacted, CompactedHistory(count: 1, horizon: 4))
    },
    Rule(
      "a removal compacts the log through the end of the transaction that contains the stream's last event"
    ) { trial in
      guard let store = try trial.removing() else { return }
      try store.place("2", ["pen"])
      let events = try ["book", "ink"].map { try EventCoder<BasketEvent>().encode(.placed($0)) }
      try store.append(
        Append([.init(stream: "Basket-1", event: events[0]), .init(stream: "Basket-2", event: events[1])]))
      try store.place("2", ["cup"])
      try ensureEqual(try store.compact(Removal.of("1")).horizon, 3)
      try store.ensureRefuses(
        Append(
          [.init(stream: "s", event: Trial.event())], conditions: [.init(noneMatching: .types("Never"), after: 2)]),
        with: .conditionConflict(after: 2, found: 3))
      try store.append(
        Append(
          [.init(stream: "s", event: Trial.event())], conditions: [.init(noneMatching: .types("Never"), after: 3)]))
    },
    Rule("a removed stream can be recreated with version 1, but not with the ids of removed events") { trial in
      guard let store = try trial.removing() else { return }
      try store.place("1", ["book", "pen"])
      let ids = try store.everything().map(\.id)
      for round in 1...2 {
        try store.compact(Removal.of("1"))
        for (index, id) in ids.enumerated() {
          try ensureEqual(try store.position(of: id), Position(index + 1))
          try store.ensureRefuses(
            Append([Trial.event(id: id)], to: "other"), with: .duplicateEvent(id, at: Position(index + 1)))
        }
        try store.ensureRefuses(
          Append([Trial.event()], to: "Basket-1", expecting: .exists),
          with: .versionConflict(stream: "Basket-1", expected: .exists, found: 0))
        let next = try store.execute("lamp", on: Basket["1", expecting: .doesNotExist])
        try ensureEqual(
          [next.position.rawValue, next.transaction ?? 0, next.versions["Basket-1"] ?? 0],
          [
            round + 2, round + 1, 1,
          ])
        try ensureEqual(try store.everything().map(\.version), [1])
        try ensureEqual(try store.state(of: Basket["1"]).items, ["lamp"])
      }
    },
    Rule("after a stream's removal, a command id can be reused if the command appended events only to this stream") {
      trial in
      guard let store = try trial.removing() else { return }
      let event = try EventCoder<BasketEvent>().encode(.placed("book"))
      let alone = Append([.init(stream: "Basket-1", event: event)], commandID: "alone")
      let both = Append(
        [.init(stream: "Basket-1", event: event), .init(stream: "Basket-2", event: event)], commandID: "both")
      let checked = Append([], expectations: ["Basket-1": .exists], commandID: "checked")
      let guarded = Append(
        [.init(stream: "Basket-2", event: event)], expectations: ["Basket-1": .exists], commandID: "guarded")
      let elsewhere = Append([.init(stream: "Basket-2", event: event)], commandID: "elsewhere")
      try store.append(alone)
      let receipts = try [both, checked, guarded, elsewhere].map { try store.append($0) }
      try store.compact(Removal.of("1"))
      for id in ["alone", "checked"] { try ensureEqual(try store.receipt(ofCommand: id), nil) }
      for (id, index, versions) in [("both", 0, ["Basket-2": 1]), ("guarded", 2, ["Basket-2": 2])]
        as [(
          String, Int, [StreamName: Int]
        )]
      {
        let found = try store.receipt(ofCommand: id)
        try ensureEqual(found?.versions, versions)
        try ensureEqual(
          [found?.position, found.map { Position($0.count) }],
          [
            receipts[index].position, Position(receipts[index].count),
          ])
      }
      try ensureEqual(try store.receipt(ofCommand: "elsewhere"), receipts[3])
      let (head, repeated) = (try store.head(), try store.append(both))
      try ensure(repeated.isRepeated, "expected the first receipt of the command \"both\", found \(repeated)")
      try ensureEqual(try store.head(), head)
      let next = try store.append(alone)
      try ensure(!next.isRepeated, "expected a new receipt of the command \"alone\", found the first receipt")
      try ensureEqual(next.versions, ["Basket-1": 1])
      try ensureEqual(try store.append(alone), next)
    },
    Rule("if a list must not change, a removal that would change the list is refused, and changes no data") { trial in
      guard let store = try trial.removing() else { return }
      try store.place("1", ["book"])
      try store.place("2", ["pen"])
      let before = try store.everything()
      let planned = try store.rehearse(Removal.of("1", allowing: []))
      try ensureEqual(planned.references.map(\.code), [.notEqual])
      try ensureEqual(planned.references.map(\.name), [Baskets.name])
      try ensureEqual(planned.references.map(\.row), ["Basket-1"])
      try ensure(
        planned.references.allSatisfy { $0.after == nil && $0.before?.contains("book") == true },
        "the removal must report a deleted row with \"book\", but reports \(planned.references)")
      try ensureEqual(planned.blockingReferences, planned.references)
      try ensureRefuses(.referenced, in: store) { try store.compact(Removal.of("1", allowing: ["Others"])) }
      try ensureEqual(try store.everything(), before)
      try ensureEqual(try store.revision().number, 0)
      try ensureEqual(try store.version(of: "Basket-1"), 1)
      let allowed = try store.rehearse(Removal.of("1"))
      try ensureEqual(allowed.references, planned.references)
      try ensureEqual(allowed.blockingReferences, [])
      try ensureEqual(try store.everything(), before)
      try ensureEqual(try store.compact(Removal.of("1")).references, allowed.references)
    },
    Rule("a removal is refused if the stream has no events, or doesn't have the expected version") { trial in
      guard let store = try trial.removing() else { return }
      try store.place("17", ["book"])
      let missing = try ensureRefuses(.noStream, in: store) { try store.compact(Removal.of("71")) }
      try ensureEqual(missing.stream, "Basket-71")
      try ensure(
        missing.message.contains("\"Basket-17\""),
        "expected an error that contains the similar name \"Basket-17\", found \(missing)")
      var removal = Compaction()
      removal.removeStream("Basket-17", expecting: .exact(2), allowing: ["Baskets"])
      removal.prove(Baskets())
      do {
        try store.compact(removal)
        throw Unmet(description: "expected a conflict, found none", fileID: #fileID, line: #line)
      } catch let error as EventStoreError {
        try ensureEqual(error.code, .versionConflict)
        try ensureEqual(error.version, 1)
      }
      try ensureEqual(try store.version(of: "Basket-17"), 1)
      try store.compact(Removal.of("17"))
      try ensureRefuses(.noStream, in: store) { try store.compact(Removal.of("17")) }
    },
    Rule("before a removal, every follower must have handled the stream's last event, but not all events of the log") {
      trial in
      guard let store = try trial.removing(), store.checkpoints != nil else { return }
      try store.place("1", ["book", "pen"])
      let follower = try EventFollower("f", of: BasketEvent.self, in: store, startingAt: .beginning) { recorded, _ in
        if recorded.position > 1 { throw Unmet(description: "stop", fileID: #fileID, line: #line) }
      }
      _ = try? follower.catchUp()
      let error = try ensureRefuses(.followerBehind, in: store) { try store.compact(Removal.of("1")) }
      try ensureEqual([error.name, error.position.map { "\($0)" }], ["f", "1"])
      let planned = try store.rehearse(Removal.of("1"))
      try ensureEqual(planned.blockingReferences.map(\.code), [.followerBehind])
      try ensureEqual(planned.blockingReferences.map(\.name), ["f"])
      try store.forgetFollower("f", version: 1)
      let other = try EventFollower("g", of: BasketEvent.self, in: store, startingAt: .beginning) { recorded, _ in
        if recorded.position > 2 { throw Unmet(description: "stop", fileID: #fileID, line: #line) }
      }
      try store.place("2", ["ink"])
      _ = try? other.catchUp()
      try store.compact(Removal.of("1"))
      try ensureEqual(try other.position, 2)
    },
  ]
}

extension Trial {
  /// Creates a store, or returns `nil` if the store can't remove streams.
  fileprivate func removing() throws -> (any EventStore)? {
    let probe = try store()
    if probe.compacting == nil { return nil }
    try probe.place("1", ["book"])
    let before = try probe.everything()
    do {
      try probe.compact(Removal.of("1"))
    } catch let error as EventStoreError where error.code == .unsupported {
      try ensureEqual(try probe.everything(), before)
      return nil
    }
    return try store()
  }
}

/// Verifies that a removal throws a `CompactionError` with the given code, and that the log stays unchanged.
@discardableResult
private func ensureRefuses(
  _ code: CompactionError.Code, in store: any EventStore, line: UInt = #line, _ remove: () throws -> Void
) throws -> CompactionError {
  let (before, revision) = (try store.everything(), try store.revision())
  do {
    try remove()
  } catch let error as CompactionError {
    try ensureEqual(error.code, code, line: line)
    try ensureEqual(try store.everything(), before, line: line)
    try ensureEqual(try store.revision(), revision, line: line)
    return error
  }
  throw Unmet(description: "expected the error \(code), found a compacted log", fileID: #fileID, line: line)
}

extension EventStore {
  fileprivate func place(_ id: String, _ items: [String]) throws {
    let coder = try EventCoder<BasketEvent>()
    try append(Append(items.map { try coder.encode(.placed($0)) }, to: Basket.stream(id)))
  }
}

private enum Removal {
  static func of(_ id: String, allowing names: Set<String> = ["Baskets"]) -> Compaction {
    var removal = Compaction()
    removal.removeStream(Basket.stream(id), allowing: names)
    removal.prove(Baskets())
    removal.prove(Basket.self)
    return removal
  }
}

private enum BasketEvent: Event {
  case placed(String)
}

private struct Basket: Decider, Equatable {
  var items: [String] = []

  func decide(_ command: String) -> [BasketEvent] { [.placed(command)] }

  mutating func evolve(_ event: BasketEvent) {
    if case .placed(let item) = event { items.append(item) }
  }
}

private struct BasketRow: Row {
  let id: String
  var items: [String]
}

private struct Baskets: Projection {
  func project(_ recorded: Recorded<BasketEvent>, into rows: inout Rows<BasketRow>) {
    guard case .placed(let item) = recorded.event else { return }
    let id = recorded.stream.text
    rows.insert(BasketRow(id: id, items: (rows[id]?.items ?? []) + [item]))
  }
}
