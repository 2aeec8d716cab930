import AnnalsTesting
import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsSQLite

/// Identities and metadata that a log stores once.
@Suite struct ShortEventTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("log")
  }

  /// Ids of every kind: some in order, some not, some that look like others.
  private static func id(_ number: Int) -> String? {
    let digits = String(number, radix: 16)
    let padded = String(repeating: "0", count: 12 - digits.count) + digits
    switch number % 7 {
    case 0: return nil
    case 1: return "01920000-0000-7000-8000-\(padded)"
    case 2: return "01920000-0000-7000-8000-\(padded)".uppercased()
    case 3: return "01920000-0000-4000-8000-\(padded)"
    case 4: return "01920000-0000-7000-c000-\(padded)"
    case 5: return "\(number)"
    default: return "01920000-0000-7000-8000-\(padded)\(number)"
    }
  }

  private static func event(_ number: Int) -> NewEvent {
    let source = ["urn:a", "urn:b"][number / 7 % 2]
    var metadata: Metadata = [:]
    if number % 3 > 0 { metadata["actor"] = number % 3 == 1 ? "Ann" : "Zoë \(number)" }
    return NewEvent(
      type: "T", payload: "\(number)", metadata: metadata, id: id(number).map { EventID(source: source, id: $0) })
  }

  /// What a log says of its events, by every way to read them.
  private func ensureSame(_ store: SQLiteEventStore, _ wanted: [StoredEvent]) throws {
    try ensureEqual(try store.events(.all, after: 0, through: nil, limit: 9_999), wanted)
    var batches: [StoredEvent] = []
    try store.forEachBatch(.all, after: 0, through: try store.head()) { batches += $0.events }
    try ensureEqual(batches, wanted)
    for event in wanted {
      try ensureEqual(try store.position(of: event.id), event.position)
      try ensureEqual(try store.position(ofEventID: event.id.id) == nil, false)
    }
  }

  @Test func `identities are found, and taken once, in whatever form and order they come`() throws {
    let numbers = Generator<[Int]>.array(of: .int(in: 1...40), count: 1...120)
    var number = 0
    try check(numbers, Generator<Int>.int(in: 1...9), settings: CheckSettings(examples: 60)) { numbers, size in
      number += 1
      let path = folder.path("identities \(number)")
      var stores = [try SQLiteEventStore(path: path), try SQLiteEventStore(path: path)]
      var wanted: [StoredEvent] = []
      for (round, start) in stride(from: 0, to: numbers.count, by: size).enumerated() {
        let events = numbers[start..<min(start + size, numbers.count)].map(Self.event)
        // Each is given once at most.
        let ids = events.compactMap(\.id)
        let isRefused =
          Set(ids).count < ids.count || ids.contains { id in wanted.contains { $0.id == id } }
        do {
          try stores[round % 2].append(Append(events, to: "s"))
          try ensure(!isRefused, "an identity was taken twice")
        } catch let error as EventStoreError where error.code == .duplicateEvent {
          try ensure(isRefused, "\(error)")
        }
        let all = try stores[0].events(.all, after: 0, through: nil, limit: 9_999)
        try ensureEqual(Array(all.prefix(wanted.count)), wanted)
        try ensureEqual(all.count, wanted.count + (isRefused ? 0 : events.count))
        for (new, event) in zip(all.dropFirst(wanted.count), events) {
          if let id = event.id { try ensureEqual(new.id, id) }
          try ensureEqual(new.metadata, event.metadata)
        }
        wanted = all
        if round % 5 == 4 { stores[0] = try SQLiteEventStore(path: path) }
      }
      for absent in 41...54 {
        guard let id = Self.id(absent) else { continue }
        try ensureEqual(try stores[0].position(of: EventID(source: "urn:a", id: id)), nil)
      }
      try ensure(try stores[0].verify().isSound, "the log is sound")
      for store in stores { store.close() }
      try ensureSame(try SQLiteEventStore(readingFrom: path), wanted)
      // The same log as it was in format 6: read as it is, and then brought up to date.
      try TestDatabase(path).makeFormatSix()
      let old = try SQLiteEventStore(readingFrom: path)
      try ensureEqual(try old.statistics().format, 6)
      try ensureSame(old, wanted)
      try ensure(try old.verify().isSound, "the old log is sound")
      old.close()
      let new = try SQLiteEventStore(path: path)
      try ensureEqual(try new.statistics().format, 8)
      try ensureSame(new, wanted)
      try ensure(try new.verify().isSound, "the new log is sound")
    }
  }

  @Test func `what many threads and two stores append has ids in the order of positions, all stored as bytes`() throws {
    let stores = [try SQLiteEventStore(path: path), try SQLiteEventStore(path: path)]
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for number in 0..<25 {
        do {
          try stores[thread % 2].append(
            Append((0..<(number % 3 + 1)).map { _ in NewEvent(type: "T", payload: nil) }, to: StreamName("s-\(thread)"))
          )
        } catch { failures.withLock { $0.append("\(error)") } }
      }
    }
    #expect(failures.withLock { $0 } == [])
    let events = try stores[0].events(.all, after: 0, through: nil, limit: 9_999)
    #expect(events.count == 392 && zip(events, events.dropFirst()).allSatisfy { $0.id.id < $1.id.id })
    #expect(try TestDatabase(path).int("SELECT count(*) FROM event WHERE typeof(id) = 'blob'") == 392)
    for event in events { #expect(try stores[1].position(of: event.id) == event.position) }
    #expect(try stores[0].verify().isSound)
  }

  @Test func `an id that comes again from the caller's own maker is refused, and nothing is written`() throws {
    let made = "01920000-0000-7000-8000-000000000001"
    for first in [made, "01920000-0000-7000-8000-000000000002", "1"] {
      let path = folder.path(first)
      let ids = Mutex([first, made, "3", made])
      let environment = StoreEnvironment(makeID: { ids.withLock { $0.isEmpty ? made : $0.removeFirst() } })
      try SQLiteEventStore(path: path).close()
      let store = try SQLiteEventStore(path: path, environment: environment)
      try store.append(Append([NewEvent(type: "T", payload: nil)], to: "s"))
      if first != made { try store.append(Append([NewEvent(type: "T", payload: nil)], to: "s")) }
      let head = try store.head()
      for count in 1...3 {
        ids.withLock { $0 = Array(repeating: made, count: count) }
        let error = #expect(throws: EventStoreError.self) {
          try store.append(Append((0..<count).map { _ in NewEvent(type: "T", payload: nil) }, to: "s"))
        }
        #expect(error?.code == .duplicateEvent && error?.message.contains(made) == true, "\(String(describing: error))")
      }
      #expect(try store.head() == head && store.verify().isSound)
    }
    // Twice in one append, where the log has none of them.
    let environment = StoreEnvironment(makeID: { made })
    let store = try SQLiteEventStore(path: folder.path("twice"), environment: environment)
    let error = #expect(throws: EventStoreError.self) {
      try store.append(Append([NewEvent(type: "T", payload: nil), NewEvent(type: "T", payload: nil)], to: "s"))
    }
    #expect(try error?.code == .duplicateEvent && store.head() == 0)
  }

  @Test(arguments: [true, false])
  func `the ids that the caller's own maker makes are taken as they are, in whatever order`(isSetLater: Bool) throws {
    let wanted = [5, 3, 4, 9, 1].map { "01920000-0000-7000-8000-00000000000\($0)" }
    let ids = Mutex(wanted)
    let make: @Sendable () -> String = { ids.withLock { $0.removeFirst() } }
    try SQLiteEventStore(path: path).close()
    var environment = isSetLater ? StoreEnvironment() : StoreEnvironment(makeID: make)
    if isSetLater { environment.makeID = make }
    let store = try SQLiteEventStore(path: path, environment: environment)
    for _ in wanted { try store.append(Append([NewEvent(type: "T", payload: nil)], to: "s")) }
    let events = try store.events(.all, after: 0, through: nil, limit: 9)
    #expect(events.map(\.id.id) == wanted)
    for event in events { #expect(try store.position(of: event.id) == event.position) }
    #expect(try store.verify().isSound)
  }

  @Test func `the store's own ids follow one that is far ahead, and stay UUIDs of version 7`() throws {
    let store = try SQLiteEventStore(path: path)
    let ahead = "ff920000-0000-7fff-bfff-ffffffffffff"
    try store.append(
      Append([NewEvent(type: "T", payload: nil, id: EventID(source: store.source, id: ahead))], to: "s"))
    for _ in 0..<3 { try store.append(Append([NewEvent(type: "T", payload: nil)], to: "s")) }
    let ids = try store.events(.all, after: 0, through: nil, limit: 9).map(\.id.id)
    #expect(ids[0] == ahead && ids[1].hasPrefix("ff920000-0001-7000-") && ids == ids.sorted())
    #expect(ids.allSatisfy { OrderedID($0) != nil })
    // The last one of all has none after it: others are stored as texts.
    let last = "ffffffff-ffff-7fff-bfff-ffffffffffff"
    try store.append(Append([NewEvent(type: "T", payload: nil, id: EventID(source: store.source, id: last))], to: "s"))
    try store.append(Append([NewEvent(type: "T", payload: nil)], to: "s"))
    let event = try #require(try store.events(.all, after: 5, through: nil, limit: 9).first)
    #expect(try event.id.id < ids[0] && store.position(of: event.id) == 6 && store.verify().isSound)
  }

  @Test func `metadata are stored once from the second time on, and those of one event with it`() throws {
    let store = try SQLiteEventStore(path: path)
    for number in 0..<9 {
      var metadata: Metadata = ["actor": "Ann"]
      if number % 3 == 2 { metadata["correlationid"] = "c\(number)" }
      try store.append(Append([NewEvent(type: "T", payload: nil, metadata: metadata)], to: "s"))
    }
    let database = try TestDatabase(path)
    #expect(try database.rows("SELECT text FROM shared_metadata") == [[#"{"actor":"Ann"}"#]])
    #expect(try database.int("SELECT count(*) FROM event WHERE typeof(metadata) = 'integer'") == 5)
    // Another store, which knows nothing of it, and one transaction that is taken back.
    let other = try SQLiteEventStore(path: path)
    #expect(throws: EventStoreError.self) {
      try other.append(
        Append(
          [.init(stream: "s", event: NewEvent(type: "T", payload: nil, metadata: ["actor": "Bo"]))],
          expectations: ["s": .exact(99)]))
    }
    for name in ["Ann", "Bo", "Ann", "Bo", "Bo"] {
      try other.append(Append([NewEvent(type: "T", payload: nil, metadata: ["actor": name])], to: "s"))
      try store.append(Append([NewEvent(type: "T", payload: nil, metadata: ["actor": name])], to: "s"))
    }
    let actors = try store.events(.all, after: 9, through: nil, limit: 99).map(\.metadata.author)
    #expect(actors == ["Ann", "Ann", "Bo", "Bo", "Ann", "Ann", "Bo", "Bo", "Bo", "Bo"])
    #expect(try database.int("SELECT count(*) FROM shared_metadata") == 2 && store.verify().isSound)
    #expect(try store.positions(mentioning: ["\"Bo\""])?.count == 6)
    #expect(try store.positions(mentioning: [store.events(.all, after: 3, through: 4, limit: 1)[0].id.id]) == [4])
  }

  @Test func `a compaction deletes the metadata that only cut events had, also for a writer that knew them`() throws {
    let coder = try EventCoder<TallyEvent>()
    let store = try SQLiteEventStore(path: path)
    let other = try SQLiteEventStore(path: path)
    func changed(_ amount: Int, _ actor: String) throws -> Append {
      var event = try coder.encode(.changed(by: amount))
      event.metadata = ["actor": actor]
      return Append([event], to: "Tally-a")
    }
    for _ in 0..<3 {
      for actor in ["Secretive", "Bo"] { try other.append(try changed(1, actor)) }
    }
    for store in [store, other] {
      // The connections that read know the texts of the keys.
      #expect(try store.events(.all, after: 0, through: nil, limit: 99).count == 6)
      try store.forEachBatch(.all, after: 0, through: 6) { #expect($0.events.count == 6) }
    }
    var compaction = Compaction()
    compaction.rewrite(TallyEvent.self) { _, events in
      [events[1].replaced(by: .changed(by: 6))]
    }
    compaction.prove(Tally.self)
    #expect(try store.compact(compaction).remaining == 1)
    #expect(try TestDatabase(path).int("SELECT count(*) FROM shared_metadata WHERE text LIKE '%Secretive%'") == 0)
    // A key that was deleted is not another text's: both have read events that referred to the former ones.
    for _ in 0..<3 {
      for actor in ["Cy", "Di"] { try other.append(try changed(1, actor)) }
    }
    for store in [store, other] {
      #expect(
        try store.events(.all, after: 6, through: nil, limit: 99).map(\.metadata.author)
          == ["Cy", "Di", "Cy", "Di", "Cy", "Di"])
      var batches: [String?] = []
      try store.forEachBatch(.all, after: 6, through: 12) { batches += $0.events.map(\.metadata.author) }
      #expect(batches == ["Cy", "Di", "Cy", "Di", "Cy", "Di"])
    }
    for actor in ["Secretive", "Bo"] { try other.append(try changed(1, actor)) }
    let events = try store.events(.all, after: 0, through: nil, limit: 99)
    #expect(events.map(\.metadata.author) == ["Bo", "Cy", "Di", "Cy", "Di", "Cy", "Di", "Secretive", "Bo"])
    for event in events { #expect(try store.position(of: event.id) == event.position) }
    #expect(try store.verify().isSound && other.verify().isSound)
    store.close()
    other.close()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(bytes.range(of: Data("Bo".utf8)) != nil)
  }

  @Test func `a transaction is found by the id of its first event, or how it begins`() throws {
    let store = try SQLiteEventStore(path: path)
    for _ in 0..<150 {
      try store.append(Append((0..<2).map { _ in NewEvent(type: "T", payload: nil) }, to: "s"))
    }
    let ids = try store.events(.all, after: 0, through: nil, limit: 999).map(\.id.id)
    for number in [0, 1, 32, 63, 64, 149] {
      let (id, range) = (ids[2 * number], Position(2 * number + 1)...Position(2 * number + 2))
      #expect(try store.ranges(ofTransactionLabel: id) == [range])
      #expect(try store.ranges(ofTransactionLabel: String(id.prefix(30)), isBeginning: true) == [range])
      #expect(try store.position(ofTransactionLabel: id) == range.upperBound)
      #expect(try store.position(ofEventID: id) == range.lowerBound)
      // The second event's id is no label.
      #expect(try store.ranges(ofTransactionLabel: ids[2 * number + 1]) == [])
      #expect(try store.positions(mentioning: [id, "x"], newestFirst: true) == [range.lowerBound])
    }
    #expect(try store.ranges(ofTransactionLabel: String(ids[0].prefix(3)), isBeginning: true, limit: 10).count >= 10)
    #expect(try store.ranges(ofTransactionLabel: "ffffffff-ffff-7fff-bfff-ffffffffffff") == [])
  }

  @Test func `events are found by their ids when the last ones of a source were cut, and others come out of order`()
    throws
  {
    let coder = try EventCoder<TallyEvent>()
    let store = try SQLiteEventStore(path: path)
    func append(_ number: Int, _ amount: Int, to stream: StreamName) throws {
      var event = try coder.encode(.changed(by: amount))
      let digits = String(number)
      event.id = EventID(
        source: "urn:a", id: "01920000-0000-7000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)
      try store.append(Append([event], to: stream))
    }
    // The second stretch begins with the event 64, and is cut as a whole.
    for number in 1...70 { try append(number * 2, number < 64 ? 1 : 0, to: "Tally-a") }
    var compaction = Compaction()
    compaction.rewrite(TallyEvent.self) { _, events in Array(events.prefix(63)) }
    compaction.prove(Tally.self)
    #expect(try store.compact(compaction).cut == 7)
    for number in [3, 141, 129, 131, 143] { try append(number, 1, to: "Tally-b") }
    for number in [3, 2, 140, 129] {
      let error = #expect(throws: EventStoreError.self) { try append(number, 1, to: "Tally-b") }
      #expect(error?.code == .duplicateEvent)
    }
    let events = try store.events(.all, after: 0, through: nil, limit: 99)
    #expect(events.count == 68)
    for event in events { #expect(try store.position(of: event.id) == event.position, "\(event.id.id)") }
    #expect(try store.verify().isSound)
  }

  @Test func `what does not fit the order of ids is reported, and an id or metadata of no form are damage`() throws {
    for (sql, sentence) in [
      ("DELETE FROM id_mark WHERE stretch = 1", "event 64: the index of ids doesn't contain this event"),
      ("UPDATE id_mark SET stretch = 5 WHERE stretch = 1", "event 64: the index of ids doesn't contain this event"),
      ("UPDATE event SET id = (SELECT id FROM event WHERE position = 9) WHERE position = 30", "its id must be higher"),
      ("UPDATE event SET id = x'0102' WHERE position = 9", "event 9 is damaged"),
      ("UPDATE event SET id = 5 WHERE position = 9", "event 9 is damaged"),
      ("UPDATE event SET metadata = 77 WHERE position = 9", "event 9 is damaged"),
      ("UPDATE event SET metadata = -1 WHERE position = 9", "event 9 is damaged"),
      ("UPDATE event SET metadata = 1 << 40 WHERE position = 9", "event 9 is damaged"),
      ("UPDATE event SET metadata = x'7B7D' WHERE position = 9", "event 9 is damaged"),
      ("UPDATE shared_metadata SET text = '{}'", "event 9 is damaged"),
      (
        "UPDATE event SET id = (SELECT \(TestDatabase.idSQL) FROM event WHERE position = 8) WHERE position = 99",
        "event 8 has the same id"
      ),
    ] {
      let path = folder.path("\(sentence) \(sql.hashValue)")
      do {
        let store = try SQLiteEventStore(path: path)
        for _ in 0..<99 {
          try store.append(Append([NewEvent(type: "T", payload: nil, metadata: ["actor": "Ann"])], to: "s"))
        }
      }
      do {
        let database = try TestDatabase(path)
        try database.dropTriggers()
        try database.execute(sql)
      }
      let store = try SQLiteEventStore(readingFrom: path)
      let problems = try store.verify().problems.map(\.description)
      #expect(problems.contains { $0.contains(sentence) }, "\(sql): \(problems)")
      guard sentence.hasSuffix("damaged") else { continue }
      #expect(throws: EventStoreError.self, "\(sql)") { try store.events(.all, after: 0, through: 9, limit: 99) }
      #expect(throws: EventStoreError.self, "\(sql)") { try store.batch(after: 0, through: 9, limit: 99) }
      #expect(try store.events(.all, after: 0, through: 1, limit: 99).count == 1)
    }
  }

  // MARK: A log of format 6

  private func formatSix() throws -> String {
    let fixture = fixtures.appending(path: "format-6.sqlite")
    try FileManager.default.copyItem(at: fixture, to: URL(fileURLWithPath: path))
    return path
  }

  private func checkSix(_ store: SQLiteEventStore) throws {
    let events = try store.events(.all, after: 0, through: 513, limit: 999)
    #expect(events.map(\.position.rawValue) == Array(1...513))
    let told = events.suffix(9).map(\.id)
    #expect(
      told.map(\.id) == [
        "01920000-0000-7000-8000-000000000001", "01920000-0000-7000-8000-000000000003",
        "01920000-0000-7000-8000-000000000002", "01920000-0000-7000-8000-00000000000A",
        "01920000-0000-4000-8000-000000000004", "7", "07", "01920000-0000-7000-8000-000000000005",
        "01920000-0000-7000-8000-000000000001",
      ])
    #expect(Set(told.map(\.source)) == ["urn:other", "urn:third"])
    #expect(events.suffix(9).dropLast().map { $0.metadata.correlation ?? "" } == (0..<8).map { "c\($0)" })
    #expect(events[300].metadata.author == "Zoë" && events[300].type == "BookLent")
    for event in events { #expect(try store.position(of: event.id) == event.position) }
    #expect(try store.position(of: EventID(source: "urn:other", id: "01920000-0000-7000-8000-00000000000a")) == nil)
    #expect(try store.receipt(ofCommand: "first")?.position == 2)
    #expect(try store.verify().isSound)
  }

  @Test func `a log of format 6 is read as it is, and stays as it is`() throws {
    let path = try formatSix()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    do {
      let store = try SQLiteEventStore(readingFrom: path)
      try checkSix(store)
      #expect(try store.statistics().format == 6)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func `a log of format 6 that is opened for writing has everything in less room`() throws {
    let path = try formatSix()
    let before = try Data(contentsOf: URL(fileURLWithPath: path)).count
    for round in 0..<2 {
      let store = try SQLiteEventStore(path: path)
      try checkSix(store)
      #expect(try store.statistics().format == 8 && store.head() == Position(513 + round))
      try store.append(Append([NewEvent(type: "New\(round)", payload: nil)], to: "s"))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count < before * 9 / 10)
    let database = try TestDatabase(path)
    // Those in order of each source: three of one, one of another, and two that were appended just now.
    #expect(try database.int("SELECT count(*) FROM event WHERE position > 504 AND typeof(id) = 'blob'") == 6)
    #expect(try database.int("SELECT count(*) FROM shared_metadata") == 1)
  }

  @Test func `a log of format 6 that another program has open stays one, and is written to`() throws {
    let path = try formatSix()
    do {
      let other = try TestDatabase(path)
      #expect(try other.int("SELECT count(*) FROM event") == 513)
      let store = try SQLiteEventStore(path: path, patience: .milliseconds(100))
      for _ in 0..<3 {
        try store.append(Append([NewEvent(type: "New", payload: nil, metadata: ["actor": "Ann"])], to: "s"))
      }
      try checkSix(store)
      #expect(try store.statistics().format == 6)
      #expect(try other.int("SELECT count(*) FROM event WHERE typeof(id) = 'text'") == 516)
    }
    let store = try SQLiteEventStore(path: path)
    try checkSix(store)
    #expect(try store.statistics().format == 8 && store.head() == 516)
  }

  #if os(macOS) || os(Linux)
    @Test(.enabled(if: SmallDisk.canBeMade, "no file system can be mounted here, so that no disk can be filled"))
    func
      `on a disk without space for the migration a log stays in format 6, works, and is migrated when there is space`()
      throws
    {
      let old = try formatSix()
      let size = FileSystem.size(old)
      // The log itself, and the space for the migration.
      let enough = 5 * size + 1_048_576
      for (bytes, format) in [(enough - 65_536, 6), (2 * size + 1_048_576, 6), (enough + 65_536, 8)] {
        let disk = try SmallDisk(bytes: bytes)
        let path = disk.path + "/log"
        try FileManager.default.copyItem(atPath: old, toPath: path)
        var store = try SQLiteEventStore(path: path)
        #expect(try store.statistics().format == format, "\(bytes) bytes")
        try checkSix(store)
        try store.append(Append([NewEvent(type: "New", payload: nil)], to: "s"))
        store.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["log"])
        guard format == 6 else { continue }
        try #require(disk.remount("size=\(enough + 131_072)"))
        store = try SQLiteEventStore(path: path)
        #expect(try store.statistics().format == 8 && store.head() == 514)
        try checkSix(store)
        store.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["log"])
      }
    }

  #endif

  @Test(arguments: ["old_event", "id_mark", "shared_metadata"])
  func `a log of format 6 with another program's table of the same name stays as it is`(_ name: String) throws {
    let path = try formatSix()
    try TestDatabase(path).execute("CREATE TABLE \(name) (a); INSERT INTO \(name) VALUES (1)")
    for round in 0..<2 {
      let store = try SQLiteEventStore(path: path)
      #expect(try store.statistics().format == 6 && store.head() == Position(513 + round))
      try store.append(Append([NewEvent(type: "New", payload: nil)], to: "s"))
      #expect(try TestDatabase(path).int("SELECT a FROM \(name)") == 1)
    }
    try TestDatabase(path).execute("DROP TABLE \(name)")
    let store = try SQLiteEventStore(path: path)
    try checkSix(store)
    #expect(try store.statistics().format == 8 && store.head() == 515)
  }

  @Test func `a damaged log of format 6 stays as it is, and what can be read of it is read`() throws {
    let path = try formatSix()
    do {
      let database = try TestDatabase(path)
      try database.dropTriggers()
      // Of both bytes one sign is made where they are read as text.
      try database.execute(
        """
        UPDATE event SET metadata = CAST(x'7BFF7D' AS TEXT) WHERE position IN (3, 9, 10);
        UPDATE event SET metadata = CAST(x'7BFE7D' AS TEXT), id = CAST(x'FE' AS TEXT) WHERE position = 11;
        """)
    }
    // Damaged events are copied as they are.
    for _ in 0..<2 {
      let store = try SQLiteEventStore(path: path)
      #expect(try store.statistics().format == 8)
      #expect(throws: EventStoreError.self) { try store.events(.all, after: 0, through: 3, limit: 9) }
      #expect(try store.events(.all, after: 11, through: nil, limit: 999).count == 502)
      let bytes = try TestDatabase(path).rows(
        "SELECT hex(metadata), typeof(metadata) FROM event WHERE position IN (3, 9, 10, 11) ORDER BY position")
      #expect(bytes == [["7BFF7D", "text"], ["7BFF7D", "text"], ["7BFF7D", "text"], ["7BFE7D", "text"]])
      #expect(try TestDatabase(path).rows("SELECT hex(id) FROM event WHERE position = 11") == [["FE"]])
    }
    // A page that cannot be read keeps the log from being copied.
    try FileManager.default.removeItem(atPath: path)
    _ = try formatSix()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try #require(bytes.range(of: Data(#"{"n":90,"of":1}"#.utf8)))
    bytes[place.lowerBound] ^= 4
    try bytes.write(to: URL(fileURLWithPath: path))
    let store = try SQLiteEventStore(path: path)
    #expect(try TestDatabase(path).int("PRAGMA user_version") == 6)
    #expect(try store.events(.all, after: 0, through: 99, limit: 999).count == 99)
    #expect(throws: EventStoreError.self) { try store.events(.all, after: 0, through: nil, limit: 999) }
  }
}

/// Identifiers that begin with the time.
@Suite struct OrderedIDTests {
  @Test func `an id's text comes back, and other texts are none`() throws {
    for _ in 0..<100 {
      let id = OrderedID.make()
      #expect(OrderedID(id.text) == id && id.text.utf8.count == 36)
      #expect(UUID(uuidString: id.text)?.uuidString.lowercased() == id.text)
      id.withBytes { #expect(OrderedID(bytes: $0) == id) }
    }
    let text = "01920000-0000-7000-8000-00000000000a"
    #expect(OrderedID(text)?.text == text)
    for offset in 0..<36 {
      for letter in ["g", "A", "-", " ", "é", ""] as [String] {
        var letters = text.map { String($0) }
        if letters[offset] == letter { continue }
        letters[offset] = letter
        #expect(OrderedID(letters.joined()) == nil, "\(letters)")
      }
    }
    #expect(OrderedID("") == nil && OrderedID(text + "0") == nil && OrderedID(text + "\0") == nil)
  }

  @Test func `ids are in the order of their texts, and one is made after any other`() throws {
    let generator = Generator<Int>.int(in: 0...281_474_976_710_655)
    try check(generator, generator, Generator<Int>.int(in: 0...4_095), settings: CheckSettings(examples: 200)) {
      one, other, fraction in
      let date = { (milliseconds: Int) in Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }
      let (first, second) = (OrderedID.make(at: date(one)), OrderedID.make(at: date(other)))
      try ensureEqual(first < second, first.text < second.text)
      try ensure(OrderedID(first.text) == first, "\(first.text) is a UUID of version 7")
      if let after = OrderedID.make(at: date(other), after: first) {
        try ensure(after > first && OrderedID(after.text) == after, "\(after.text) after \(first.text)")
      } else {
        try ensure(first.text.hasPrefix("ffffffff-ffff-7fff"), "there is one after \(first.text)")
      }
      let letters = String(first.text.prefix(fraction % 37))
      let range = try #require(OrderedID.range(beginning: letters))
      try ensure(range.contains(first), "\(letters)")
      try ensureEqual(range.contains(second), second.text.hasPrefix(letters))
    }
    for none in ["g", "0192000-", "01920000-0000-7000-8000-00000000000a0", "A"] {
      #expect(OrderedID.range(beginning: none) == nil)
    }
  }
}
