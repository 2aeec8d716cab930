import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation
import Testing

/// Logs of older formats, as their versions wrote them.
@Suite struct MigrationTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A copy of a log in format 1: five events in four transactions, of two sources, in two streams.
  private func formatOne() throws -> String {
    let fixture = fixtures.appending(path: "format-1.sqlite")
    try FileManager.default.copyItem(at: fixture, to: URL(fileURLWithPath: folder.path("log")))
    return folder.path("log")
  }

  /// A copy of a log in format 2.
  ///
  /// It has four events, one with a payload that format 3 would refuse, a command and a saved list.
  private func formatTwo() throws -> String {
    let fixture = fixtures.appending(path: "format-2.sqlite")
    try FileManager.default.copyItem(at: fixture, to: URL(fileURLWithPath: folder.path("log")))
    return folder.path("log")
  }

  private func checkTwo(_ events: [StoredEvent]) {
    #expect(events.map(\.position) == [1, 2, 3, 4])
    #expect(events.map(\.transaction) == [1, 1, 2, 3])
    #expect(events.map(\.version) == [1, 2, 1, 3])
    #expect(events.map(\.stream) == ["Bookshop-main", "Bookshop-main", "Stock-é", "Bookshop-main"])
    #expect(
      events.map(\.payload) == [
        #"{"id":"b1","price":50.50}"#, #"{"id":"b2"}"#, nil,
        #"{"a":{"$personal":"ann","value":"kept"},"b":{"$personal":7}}"#,
      ])
    #expect(events[0].tags == ["book:b1", "shelf:é"] && events[0].metadata.author == "Zoë")
  }

  @Test func `a log of format 2 is read as it is, and stays as it is`() throws {
    let path = try formatTwo()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    do {
      let store = try SQLiteEventStore(readingFrom: path)
      checkTwo(try store.events(.all, after: 0, through: nil, limit: 99))
      #expect(try store.receipt(ofCommand: "first")?.position == 2)
      #expect(try store.revision().erasures == 0 && store.statistics().personalFields == 0)
      #expect(try store.verify().isSound)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func `in a log of format 2 that is opened for writing only what comes later can be erased`() throws {
    let path = try formatTwo()
    for round in 0..<2 {
      let store = try SQLiteEventStore(path: path)
      checkTwo(try store.events(.all, after: 0, through: 4, limit: 99))
      #expect(try store.receipt(ofCommand: "first")?.position == 2)
      let payload = #"{"$personal":"ann","value":"\#(round)"}"#
      try store.append(
        Append([NewEvent(type: "T", payload: payload)], to: "Stock-é", expecting: .exact(1 + round)))
      func last() throws -> String? {
        try store.events(.all, after: Position(4 + round), through: nil, limit: 1)[0].payload
      }
      #expect(try last() == payload)
      #expect(try store.erase(subject: "ann").fields == 1)
      checkTwo(try store.events(.all, after: 0, through: 4, limit: 99))
      #expect(try last() == #"{"$personal":"ann"}"#)
      #expect(try store.verify().isSound && store.statistics().format == 8)
    }
    #expect(try TestDatabase(path).int("SELECT value FROM meta WHERE name = 'personal'") == 4)
  }

  /// A copy of a log in format 3.
  ///
  /// It has four events, a command, a follower's checkpoint, a saved list and a kept state. One event has values of two
  /// subjects, and one of the two was erased.
  private func formatThree() throws -> String {
    let fixture = fixtures.appending(path: "format-3.sqlite")
    try FileManager.default.copyItem(at: fixture, to: URL(fileURLWithPath: folder.path("log")))
    return folder.path("log")
  }

  private func checkThree(_ store: SQLiteEventStore) throws {
    let events = try store.events(.all, after: 0, through: 4, limit: 99)
    #expect(events.map(\.position) == [1, 2, 3, 4] && events.map(\.version) == [1, 2, 1, 3])
    #expect(
      events.map(\.payload) == [
        #"{"id":"b1","price":50.50}"#, #"{"id":"b2"}"#, nil,
        #"{"a":{"$personal":"ann","value":"kept"},"b":{"$personal":"bob"}}"#,
      ])
    #expect(events[0].tags == ["book:b1", "shelf:é"] && events[0].metadata.author == "Zoë")
    #expect(try store.receipt(ofCommand: "first")?.position == 2)
    #expect(try store.revision().erasures == 1 && store.revision().number == 1 && store.revision().compacted == .none)
    #expect(try store.verify().isSound)
  }

  @Test func `a log of format 3 is read as it is, and stays as it is`() throws {
    let path = try formatThree()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    do {
      let store = try SQLiteEventStore(readingFrom: path)
      try checkThree(store)
      #expect(try store.statistics().format == 3 && !store.statistics().hasRemnants)
      #expect(try store.followers().compactMap(\.lag).sorted() == [0, 2])
      #expect(try store.position(of: EventID(source: "a", id: "b")) == nil && store.version(of: "Stock-é") == 1)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func `a log of format 3 that is opened for writing has everything, and can be compacted`() throws {
    let path = try formatThree()
    let store = try SQLiteEventStore(path: path)
    try checkThree(store)
    #expect(try store.statistics().format == 8 && TestDatabase(path).int("SELECT count(*) FROM cache") == 1)
    let ids = try store.events(.all, after: 0, through: nil, limit: 9).map(\.id)
    var compaction = Compaction(through: 2)
    compaction.rewrite(OldBookEvent.self) { _, events in Array(events.dropFirst()) }
    compaction.prove(LastBook())
    let receipt = try store.compact(compaction)
    #expect(receipt.cut == 1 && receipt.remaining == 3 && receipt.horizon == 2)
    #expect(try store.events(.all, after: 0, through: nil, limit: 9).map(\.position) == [2, 3, 4])
    #expect(try ids.map { try store.position(of: $0) } == [1, 2, 3, 4])
    #expect(try store.verify().isSound && store.erase(subject: "ann").fields == 1 && store.revision().number == 3)
  }

  /// A copy of a log in format 5.
  ///
  /// It has 204 events, a command, a follower's checkpoint, and an event with values of two subjects, one of whom was
  /// erased.
  private func formatFive() throws -> String {
    let fixture = fixtures.appending(path: "format-5.sqlite")
    try FileManager.default.copyItem(at: fixture, to: URL(fileURLWithPath: folder.path("log")))
    return folder.path("log")
  }

  /// The events of some types, whether a batch has others too or not.
  private func own(_ types: EventTypeFilter, in store: SQLiteEventStore, through: Position) throws -> [StoredEvent] {
    var (found, last) = ([StoredEvent](), Position(0))
    while let end = try { () throws -> Position? in
      let batch = try store.batch(of: types, after: last, through: through, limit: 99)
      found += batch.events.filter { types.contains($0.type) }
      return batch.last
    }() {
      last = end
    }
    return found
  }

  private func checkFive(_ store: SQLiteEventStore) throws {
    let events = try store.events(.all, after: 0, through: 204, limit: 999)
    #expect(events.map(\.position.rawValue) == Array(1...204) && events.last?.version == 3)
    #expect(events.last?.payload == #"{"a":{"$personal":"ann","value":"kept"},"b":{"$personal":"bob"}}"#)
    #expect(events[0].tags == ["book:b1", "shelf:é"] && events[0].metadata.author == "Zoë")
    #expect(try store.receipt(ofCommand: "first")?.position == 2)
    #expect(try store.checkpoints?.checkpoint(named: "follower/mail/version/1") == 3)
    let books = EventTypeFilter { $0.hasPrefix("Book") }
    let found = try own(books, in: store, through: 204)
    #expect(found.map(\.position.rawValue) == [1, 2, 4, 54, 104, 154, 204])
    #expect(try store.events(.types("BookRepriced"), after: 4, through: 154, limit: 2).map(\.position) == [54, 104])
    #expect(try store.verify().isSound)
  }

  @Test func `a log of format 5 is read as it is, and stays as it is`() throws {
    let path = try formatFive()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    do {
      let store = try SQLiteEventStore(readingFrom: path)
      try checkFive(store)
      #expect(try store.statistics().format == 5)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func `a log of format 5 that is opened for writing finds events by their types`() throws {
    let path = try formatFive()
    for round in 0..<2 {
      let store = try SQLiteEventStore(path: path)
      try checkFive(store)
      #expect(try store.statistics().format == 8)
      #expect(try TestDatabase(path).int("SELECT count(*) FROM type_stretch") == 9 + round)
      try store.append(Append([NewEvent(type: "New\(round)", payload: nil)], to: "s"))
    }
  }

  // MARK: A log of format 7

  /// A log of format 7 with one command, which recorded a digest of a date as a number.
  private func formatSeven(_ event: NewEvent) throws -> (path: String, receipt: Receipt) {
    let path = folder.path("seven")
    let receipt: Receipt
    do {
      let store = try SQLiteEventStore(path: path)
      let old = NewEvent(type: event.type, schema: event.schema, payload: #"{"at":804769200}"#)
      receipt = try store.append(Append([.init(stream: "s", event: old)], commandID: "retried"))
      #expect(throws: EventStoreError.self, "another digest") {
        try store.append(Append([.init(stream: "s", event: event)], commandID: "retried"))
      }
    }
    try TestDatabase(path).execute("PRAGMA user_version = 7")
    return (path, receipt)
  }

  private enum Opening: Event, Equatable {
    case opened(at: Date)
  }

  private let opening = Opening.opened(at: Date(timeIntervalSinceReferenceDate: 804_769_200))

  @Test func `a retry of a command with a date gets its receipt after the log was converted`() throws {
    let event = try NewEvent(opening)
    #expect(event.payload == #"{"at":"2026-07-03T11:00:00Z"}"#)
    let (path, receipt) = try formatSeven(event)
    for _ in 0..<2 {
      let store = try SQLiteEventStore(path: path)
      #expect(try store.statistics().format == 8)
      let retried = try store.append(Append([.init(stream: "s", event: event)], commandID: "retried"))
      #expect(retried.position == receipt.position && retried.isRepeated)
      #expect(try store.events(of: Opening.self, .all).map(\.event) == [opening])
      #expect(try store.head() == 1 && store.verify().isSound)
    }
  }

  @Test func `a log of format 7 that another program has open, or that is opened for reading, stays as it is`() throws {
    let (path, _) = try formatSeven(try NewEvent(opening))
    do {
      let other = try TestDatabase(path)
      #expect(try other.int("SELECT count(*) FROM event") == 1)
      let store = try SQLiteEventStore(path: path, patience: .milliseconds(100))
      try store.append(Append([NewEvent(opening)], to: "s"))
      #expect(try store.statistics().format == 7)
      #expect(try other.int("SELECT count(*) FROM command_use WHERE digest IS NOT NULL") == 1)
    }
    do {
      let store = try SQLiteEventStore(readingFrom: path)
      #expect(try store.statistics().format == 7)
      #expect(try store.events(of: Opening.self, .all).map(\.event) == [opening, opening])
    }
    let store = try SQLiteEventStore(path: path)
    #expect(try store.statistics().format == 8 && store.verify().isSound)
    #expect(try TestDatabase(path).int("SELECT count(*) FROM command_use WHERE digest IS NOT NULL") == 0)
  }

  @Test func `while a program of an older version has a log open, what it appends is found by its type`() throws {
    let path = try formatFive()
    var old: TestDatabase? = try TestDatabase(path)
    #expect(try old?.int("PRAGMA user_version") == 5)
    let books = EventTypeFilter { $0.hasPrefix("Book") }
    do {
      let store = try SQLiteEventStore(path: path)
      try store.append(Append([NewEvent(type: "BookLent", payload: nil)], to: "s"))
      // An older program goes on to append events, and notes nothing of their types.
      try old?.dropTriggers()
      try old?.execute("DELETE FROM type_stretch")
      #expect(try own(books, in: store, through: 205).map(\.position.rawValue) == [1, 2, 4, 54, 104, 154, 204, 205])
      #expect(try store.events(.types("BookLent"), after: 0, through: nil, limit: 2).map(\.position) == [205])
      #expect(throws: EventStoreError.self) {
        try store.append(
          Append(
            [.init(stream: "s", event: NewEvent(type: "E", payload: nil))],
            conditions: [.init(noneMatching: .types("BookLent"), after: 204)]))
      }
    }
    old = nil
    let store = try SQLiteEventStore(path: path)
    #expect(try own(books, in: store, through: 205).count == 8)
    #expect(try TestDatabase(path).int("SELECT count(*) FROM type_stretch WHERE stretch = 3") ?? 0 > 1)
    #expect(try !store.verify().problems.contains { $0.message.contains("the index of types doesn't contain") })
  }

  #if os(macOS) || os(Linux)
    @Test func `a log whose migration is killed is one of the old format, or of the new one`() throws {
      let path = folder.path("old")
      do {
        let store = try SQLiteEventStore(path: path)
        for number in 0..<10 {
          let events = (0..<1_800).map { NewEvent(type: "Type\(($0 + number) % 60)", payload: "{}") }
          try store.append(Append(events, to: "s"))
        }
      }
      try TestDatabase(path).makeFormatFive()
      for round in 0..<10 {
        let copy = folder.path("copy \(round)")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let child = try ChildProcess("append", copy, "1", "1")
        usleep(UInt32.random(in: 0...80_000))
        child.kill()
        let (_, talk, _) = child.finish()
        #expect(talk == "")
        let format = try #require(try SQLiteEventStore(readingFrom: copy).statistics().format)
        #expect((5...7).contains(format))
        for store in [try SQLiteEventStore(readingFrom: copy), try SQLiteEventStore(path: copy)] {
          let own = EventTypeFilter { $0 == "Type7" }
          #expect(try self.own(own, in: store, through: 18_000).count == 300)
        }
        let store = try SQLiteEventStore(path: copy)
        #expect(try store.statistics().format == 8 && store.verify().isSound)
      }
    }
  #endif

  private func check(_ events: [StoredEvent]) {
    #expect(events.map(\.position) == [1, 2, 3, 4, 5])
    #expect(events.map(\.transaction) == [1, 1, 2, 3, 4])
    #expect(events.map(\.version) == [1, 2, 1, 3, 2])
    #expect(events.map(\.stream) == ["Bookshop-main", "Bookshop-main", "Stock-é", "Bookshop-main", "Stock-é"])
    #expect(events.map(\.type) == ["BookInserted", "BookInserted", "StockTaken", "BookRepriced", "StockTaken"])
    #expect(events.map(\.schema) == [1, 1, 3, 1, 1])
    #expect(events.map(\.id.source) == ["urn:test", "urn:test", "urn:other", "urn:test", "urn:test"])
    #expect(events.map(\.id.id) == ["1", "2", "1", "3", "4"])
    #expect(events.map(\.tags) == [["book:b1", "shelf:é"], ["book:b2"], [], ["book:b1"], []])
    #expect(events.map(\.payload?.utf8.count) == [27, 23, nil, 21, 20])
    #expect(events.map(\.metadata.author) == ["Zoë", nil, nil, nil, nil])
    #expect(events[3].metadata.correlation == "c" && events[3].metadata.causation == "1")
    #expect(events[2].time.microseconds == -1)
  }

  @Test func `a log of format 1 is read as it is, and stays as it is`() throws {
    let path = try formatOne()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    do {
      let store = try SQLiteEventStore(readingFrom: path)
      check(try store.events(.all, after: 0, through: nil, limit: 99))
      #expect(try store.receipt(ofCommand: "c") == nil)
      #expect(try store.version(of: "Stock-é") == 2)
      #expect(try store.verify().isSound)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func `a log of format 1 that is opened for writing has everything, and the new tables`() throws {
    let path = try formatOne()
    for round in 0..<2 {
      let store = try SQLiteEventStore(path: path)
      #expect(store.source == "urn:uuid:393a1d9f-9480-405a-8f4c-493035f6f0a3")
      check(try store.events(.all, after: 0, through: 5, limit: 99))
      #expect(try store.events(.tagged("book:b1"), after: 1, through: 5, limit: 9).map(\.position) == [4])
      #expect(try store.position(of: EventID(source: "urn:other", id: "1")) == 3)
      let receipt = try store.append(
        Append(
          [.init(stream: "Stock-é", event: NewEvent(type: "StockTaken", payload: nil))],
          expectations: ["Stock-é": .exact(2 + round)], commandID: "c\(round)"))
      #expect(receipt.position == Position(6 + round) && receipt.transaction == 5 + round)
      #expect(try store.receipt(ofCommand: "c0")?.position == 6)
      #expect(try store.verify().isSound)
    }
  }

  @Test func `a log of a newer format is refused, in its header or in what was committed last`() throws {
    let path = folder.path("log")
    let store = try SQLiteEventStore(path: path)
    try TestDatabase(path).execute("PRAGMA user_version = 99")
    for open in [{ try SQLiteEventStore(path: path) }, { try SQLiteEventStore(readingFrom: path) }] {
      let error = #expect(throws: EventStoreError.self) { _ = try open() }
      #expect(error?.code == .newerFormat && error?.format == 99)
    }
    store.close()
    for open in [{ try SQLiteEventStore(path: path) }, { try SQLiteEventStore(readingFrom: path) }] {
      let error = #expect(throws: EventStoreError.self) { _ = try open() }
      #expect(error?.code == .newerFormat && error?.format == 99)
    }
  }

  @Test func `events and answers of commands can be neither changed nor deleted, by any connection`() throws {
    let path = folder.path("log")
    let store = try SQLiteEventStore(path: path)
    try store.append(Append([.init(stream: "s", event: NewEvent(type: "T", payload: "1"))], commandID: "c"))
    for (sql, message) in [
      ("UPDATE event SET payload = '2'", "events do not change"), ("DELETE FROM event", "events stay"),
      ("UPDATE command SET count = 2", "what a command answered does not change"),
      ("DELETE FROM command", "commands stay"),
      ("INSERT INTO event_tag VALUES (x'00', 'here')", "cannot store"),
    ] {
      let error = #expect(throws: TestDatabase.Failure.self) { try TestDatabase(path).execute(sql) }
      #expect(error?.message.contains(message) == true, "\(sql): \(error?.message ?? "done")")
    }
    #expect(try store.events(.all, after: 0, through: nil, limit: 9).map(\.payload) == ["1"])
  }
}

private enum OldBookEvent: Event {
  case inserted(id: String)
  static var typePrefix: String { "Book" }
}

private struct OldBook: Row {
  let id: Int
  let name: String
}

/// The last book.
private struct LastBook: Projection {
  func project(_ event: OldBookEvent, into rows: inout Rows<OldBook>) {
    if case .inserted(let id) = event { rows.insert(OldBook(id: 0, name: id)) }
  }
}
