import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// What reads its own types alone sees the same as what reads all events and leaves the others out.
@Suite struct OwnEventTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs of events, each of one type and some transactions: some are longer than any stretch that is passed by.
  private static let logs = Generator<[[Int]]>.array(
    of: zip(Generator<Int>.int(in: 0...5), Generator<Int>.int(in: 0...9), Generator<Int>.int(in: 1...40)).map {
      type, size, length in
      // Mixed, a few of one type, or very many of one.
      size == 0 ? Array(repeating: type, count: length * 20) : (0..<size).map { ($0 * length + type) % 6 }
    }, count: 1...30)

  private func append(_ runs: [[Int]], to store: some EventStore) throws {
    for (number, run) in runs.enumerated() where !run.isEmpty {
      let events = run.enumerated().map { index, type in
        NewEvent(
          type: "Kind\(type)", payload: #"{"run":\#(number),"index":\#(index)}"#,
          id: EventID(source: "s", id: "\(number)-\(index)"), time: Date(timeIntervalSince1970: 1))
      }
      let step = number % 3 == 0 ? events.count : 7
      for start in stride(from: 0, to: events.count, by: step) {
        try store.append(Append(Array(events[start..<min(start + step, events.count)]), to: "s\(number % 4)"))
      }
    }
  }

  /// All that a log answers, batch by batch, and without what was not asked for.
  private func own(
    _ types: EventTypeFilter, in log: some EventLog, after: Position, through: Position, limit: Int
  ) throws -> [StoredEvent] {
    var (found, last) = ([StoredEvent](), after)
    while true {
      let batch = try log.batch(of: types, after: last, through: through, limit: limit)
      guard let end = batch.last else { return found }
      try ensure(end > last && batch.count <= limit, "a batch goes on")
      found += batch.events.filter { types.contains($0.type) }
      last = end
    }
  }

  @Test func `the events of some types are those that a look at all events finds, in both stores`() throws {
    let choice = zip(Generator<Int>.int(in: 0...63), Generator<Int>.int(in: 1...600), Generator<Int>.int(in: 0...900))
    var number = 0
    try check(Self.logs, choice, settings: CheckSettings(examples: 40)) { runs, choice in
      number += 1
      let (mask, limit, start) = choice
      let path = folder.path("log \(number)")
      let memory = MemoryEventStore()
      let store = try SQLiteEventStore(path: path)
      try append(runs, to: memory)
      try append(runs, to: store)
      let types = EventTypeFilter { name in (0..<6).contains { mask >> $0 & 1 == 1 && name == "Kind\($0)" } }
      let all = try store.events(.all, after: 0, through: nil, limit: 1_000_000)
      let end = Position(all.count - all.count / 7)
      let after = Position(min(start, all.count))
      let wanted = all.filter { types.contains($0.type) && $0.position > after && $0.position <= end }
      try ensureEqual(try own(types, in: store, after: after, through: end, limit: limit), wanted)
      try ensureEqual(
        try own(types, in: memory, after: after, through: end, limit: limit).map(\.id), wanted.map(\.id))
      let names = (0..<6).filter { mask >> $0 & 1 == 1 }.map { "Kind\($0)" }
      if !names.isEmpty {
        try ensureEqual(
          try store.events(.types(names), after: after, through: end, limit: limit), Array(wanted.prefix(limit)))
        let first = all.first { types.contains($0.type) && $0.position > after }
        do {
          var append = Append([NewEvent(type: "Kind0", payload: nil)], to: "new")
          append.conditions = [.init(noneMatching: .types(names), after: after)]
          try store.append(append)
          try ensure(first == nil, "no event of these types was there")
        } catch let error as EventStoreError where error.code == .conditionConflict {
          try ensure(error.message.contains("\(first?.position ?? 0)"), error.message)
        }
      }
      try ensure(try store.verify().isSound, "the log is sound")
      store.close()
      // A log of the format before has no way to find types, and is read all the same.
      try TestDatabase(path).makeFormatFive()
      let old = try SQLiteEventStore(readingFrom: path)
      try ensureEqual(try own(types, in: old, after: after, through: end, limit: limit), wanted)
    }
  }

  @Test func `a list among events of other types is the list of all events, also where it stops`() throws {
    let kinds = Generator<[Int]>.array(of: .int(in: 0...40), count: 1...400)
    var number = 0
    try check(kinds, Generator<Int>.int(in: 1...90), settings: CheckSettings(examples: 60)) { kinds, size in
      number += 1
      let store = try SQLiteEventStore(path: folder.path("list \(number)"))
      for start in stride(from: 0, to: kinds.count, by: size) {
        let events = kinds[start..<min(start + size, kinds.count)].map { kind in
          switch kind {
          case 0: NewEvent(type: "LeafFell", payload: #"{"id":"refused"}"#)
          case 1: NewEvent(type: "LeafVanished", payload: "{}")
          case 2...9: NewEvent(type: "LeafFell", payload: #"{"id":"\#(kind)"}"#)
          default: NewEvent(type: "Other\(kind % 3)", payload: "{}")
          }
        }
        try store.append(Append(events, to: "s"))
      }
      try ensureEqual(Outcome(store), Outcome(PlainStore(store)))
    }
  }

  @Test func `thousands of events of others are passed by, and the list stands at the log's end`() throws {
    let store = try SQLiteEventStore(path: folder.path("log"))
    try store.append(Append([NewEvent(type: "LeafFell", payload: #"{"id":"first"}"#)], to: "s"))
    for _ in 0..<10 {
      try store.append(Append((0..<2_000).map { _ in NewEvent(type: "Other", payload: "{}") }, to: "o"))
    }
    let list = Outcome(store)
    #expect(list.rows == ["first"] && list.position == 20_001)
    try store.append(Append([NewEvent(type: "LeafFell", payload: #"{"id":"second"}"#)], to: "s"))
    let (rows, position) = (Outcome(store).rows, Outcome(store).position)
    #expect(rows == ["first", "second"] && position == 20_002)
    let handled = Mutex<[Position]>([])
    let follower = try EventFollower("leaves", of: LeafEvent.self, in: store, startingAt: .beginning) { leaf, _ in
      handled.withLock { $0.append(leaf.position) }
    }
    #expect(try follower.catchUp() == 20_002)
    #expect(handled.withLock { $0 } == [1, 20_002])
    #expect(try follower.position == 20_002)
    #expect(try store.events(of: LeafEvent.self).map(\.position) == [1, 20_002])
    try store.append(Append([NewEvent(type: "Other", payload: "{}")], to: "o"))
    #expect(try follower.catchUp() == 20_003 && follower.position == 20_003)
  }

  /// A log of 200 events, the 1st and the 101st of them leaves.
  private func leafLog() throws -> String {
    let store = try SQLiteEventStore(path: folder.path("log"))
    for number in 0..<200 {
      let type = number % 100 == 0 ? "LeafFell" : "Other"
      try store.append(Append([NewEvent(type: type, payload: #"{"id":"\#(number)"}"#)], to: "s"))
    }
    return folder.path("log")
  }

  @Test func `a damaged event of another type does not stop a list, and verify finds it`() throws {
    let path = try leafLog()
    let database = try TestDatabase(path)
    try database.execute(
      "DROP TRIGGER event_is_never_changed; UPDATE event SET payload = '{}' WHERE position IN (50, 102)")
    let store = try SQLiteEventStore(readingFrom: path)
    let list = Outcome(store)
    #expect(list.rows == ["0", "100"] && list.position == 200 && list.error == nil)
    #expect(try Set(store.verify().problems.compactMap(\.position)) == [50, 102])
    #expect(Outcome(PlainStore(store)).error?.contains("event 50 is damaged") == true)
    try database.execute("UPDATE event SET payload = '{}' WHERE position = 101")
    #expect(Outcome(store).error?.contains("event 101 is damaged: the event's checksum") == true)
  }

  @Test func `an event missing near a list's own stops it, and verify finds one not found by its type`() throws {
    let path = try leafLog()
    let database = try TestDatabase(path)
    try database.dropTriggers()
    try database.execute("DELETE FROM type_stretch WHERE stretch = 1")
    let store = try SQLiteEventStore(readingFrom: path)
    #expect(Outcome(store).rows == ["0"])
    let problems = try store.verify().problems.map(\.description)
    #expect(problems.contains { $0.contains("event 64: the index of types doesn't contain this event") }, "\(problems)")
    #expect(problems.contains { $0.contains("event 83: the index of types doesn't contain this event") })
    try database.execute("DELETE FROM event WHERE position = 10")
    #expect(Outcome(store).error?.contains("expected event 10, found event 11") == true)
  }

  @Test func `what a compaction and an erasure leave is found by its type`() throws {
    let store = try SQLiteEventStore(path: folder.path("log"))
    for number in 0..<400 {
      let type = number % 50 == 0 ? "LeafFell" : number % 3 == 0 ? "TwigFell" : "Other"
      let payload = #"{"id":"\#(number)","who":{"$personal":"ann","value":1}}"#
      try store.append(Append([NewEvent(type: type, payload: payload)], to: "s\(number % 2)"))
    }
    var compaction = Compaction(through: 300)
    compaction.rewrite(LeafEvent.self) { _, events in Array(events.dropFirst(2)) }
    compaction.prove(LastLeaf())
    #expect(try store.compact(compaction).cut > 0)
    _ = try store.erase(subject: "ann")
    #expect(try store.verify().isSound)
    try ensureEqual(Outcome(store), Outcome(PlainStore(store)))
    let twigs = EventTypeFilter { $0.hasPrefix("Twig") }
    let all = try store.events(.all, after: 0, through: nil, limit: 1_000)
    #expect(
      try own(twigs, in: store, after: 0, through: store.head(), limit: 10) == all.filter { $0.type == "TwigFell" })
    try store.append(Append([NewEvent(type: "LeafFell", payload: #"{"id":"last"}"#)], to: "s"))
    #expect(Outcome(store).rows.contains("last"))
    #expect(try store.verify().isSound)
  }

  @Test func `types of another writer, and of appends that were refused, are found`() throws {
    let path = folder.path("log")
    let (one, other) = (try SQLiteEventStore(path: path), try SQLiteEventStore(path: path))
    let own = EventTypeFilter { $0.hasPrefix("Leaf") }
    func places() throws -> [Int] {
      try one.batch(of: own, after: 0, through: one.head(), limit: 99).events.map(\.position.rawValue)
    }
    try one.append(Append([NewEvent(type: "Other", payload: nil)], to: "s"))
    #expect(try places() == [])
    try other.append(Append([NewEvent(type: "LeafFell", payload: #"{"id":"1"}"#)], to: "s"))
    #expect(try places() == [2])
    var refused = Append(
      [NewEvent(type: "LeafGrew", payload: nil, id: EventID(source: "a", id: "b"))], to: "s")
    try one.append(refused)
    refused = Append(
      [
        NewEvent(type: "LeafTurned", payload: nil),
        NewEvent(type: "X", payload: nil, id: EventID(source: "a", id: "b")),
      ], to: "s")
    #expect(throws: EventStoreError.self) { try one.append(refused) }
    try other.append(Append([NewEvent(type: "LeafTurned", payload: nil)], to: "s"))
    try one.append(Append([NewEvent(type: "LeafTurned", payload: nil)], to: "s"))
    #expect(try places() == [2, 3, 4, 5])
    #expect(try one.verify().isSound)
  }
}

private enum LeafEvent: Event {
  case fell(id: String)
}

private struct Leaf: Row {
  var id: String
}

private struct Leaves: Projection {
  struct Refused: Error {}

  func project(_ event: LeafEvent, into rows: inout Rows<Leaf>) throws {
    guard case .fell(let id) = event else { return }
    rows.insert(Leaf(id: id))
    if id == "refused" { throw Refused() }
  }
}

/// How many leaves fell is forgotten: the list is that of one leaf.
private struct LastLeaf: Projection {
  func project(_ event: LeafEvent, into rows: inout Rows<Leaf>) {
    if case .fell = event { rows.insert(Leaf(id: "any")) }
  }
}

/// What a list shows, and where it stops.
private struct Outcome: Equatable {
  var rows: [String]
  var position: Position
  var error: String?

  init(_ store: some EventStore) {
    let controller = FetchedResultsController(
      store: store, projection: Leaves(), request: ListRequest(sort: [.ascending(\.id)]))
    do { try controller.performFetch() } catch let thrown { error = "\(thrown)" }
    rows = controller.results.rows.map(\.id)
    position = controller.results.position
  }
}
