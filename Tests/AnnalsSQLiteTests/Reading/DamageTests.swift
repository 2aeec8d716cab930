import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// Files that are cut, changed or not a log: a clear error or the right answer, and never a write.
@Suite struct DamageTests {
  private let folder: TemporaryFolder
  private let whole: Data
  private let events: [StoredEvent]

  init() throws {
    folder = try TemporaryFolder()
    let path = folder.path("whole")
    do {
      let store = try SQLiteEventStore(path: path)
      for number in 0..<120 {
        let event = NewEvent(
          type: "Type\(number % 3)", payload: #"{"number":\#(number),"text":"\#(String(repeating: "t", count: 90))"}"#,
          tags: ["tag:\(number % 7)", "all"], metadata: ["actor": "Ann"])
        try store.append(
          Append([.init(stream: StreamName("s\(number % 9)"), event: event)], commandID: "command \(number)"))
      }
      // Longer than a page, so that it continues in overflow pages.
      let long = NewEvent(type: "Long", payload: "\"\(String(repeating: "long ", count: 3_000))\"")
      try store.append(Append([long], to: "long"))
    }
    whole = try Data(contentsOf: URL(fileURLWithPath: path))
    events = try SQLiteEventStore(readingFrom: path).events(.all, after: 0, through: nil, limit: 1_000)
  }

  private enum Answer: Equatable {
    case right
    case refused(EventStoreError.Code)
    case wrong(String)
  }

  /// The store's answer for some bytes, opened and read in one way.
  private func answer(_ bytes: Data, writing: Bool, _ read: (SQLiteEventStore) throws -> String?) throws -> Answer {
    let path = folder.path("damaged")
    for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    try bytes.write(to: URL(fileURLWithPath: path))
    let answer: Answer
    do {
      let store = try writing ? SQLiteEventStore(path: path) : SQLiteEventStore(readingFrom: path)
      answer = try read(store).map { .wrong($0) } ?? .right
    } catch let error as EventStoreError {
      #expect(error.message.contains(path), "the message does not say which file: \(error.message)")
      answer = .refused(error.code)
    }
    let after = try Data(contentsOf: URL(fileURLWithPath: path))
    if after != bytes { return .wrong("the file was written to (\(answer))") }
    return answer
  }

  private func readAll(_ store: SQLiteEventStore) throws -> String? {
    let found = try store.events(.all, after: 0, through: nil, limit: 1_000)
    // A rebuild reads the same pages in another way.
    let batch = try store.batch(after: 0, through: 1_000, limit: 1_000)
    let batched = batch.events
    if batched != found { return "answered \(batched.count) events in a batch, \(found.count) as values" }
    return found == events ? nil : "answered \(found.count) events, expected \(events.count)"
  }

  @Test func `a log that is cut at any page is refused, or answers what it had`() throws {
    let pages = whole.count / 4_096
    #expect(pages > 20 && whole.count % 4_096 == 0)
    for page in 0..<pages {
      for count in [page * 4_096, page * 4_096 + 1_000] {
        for writing in [false, true] {
          // Like any database, an empty file becomes a log when it is opened for writing.
          if count == 0, writing { continue }
          let found = try answer(whole.prefix(count), writing: writing, readAll)
          guard case .refused(let code) = found else {
            Issue.record("cut after \(count) bytes: \(found)")
            continue
          }
          #expect([.corrupt, .notALog, .io].contains(code), "cut after \(count) bytes: \(code)")
        }
        let verified = try answer(whole.prefix(count), writing: false) { store in
          try store.verify().isSound ? "a log that was cut is found sound" : nil
        }
        if case .wrong(let what) = verified { Issue.record("cut after \(count) bytes: \(what)") }
      }
    }
  }

  @Test func `a bit that is flipped in any page is refused, or does not matter`() throws {
    let pages = whole.count / 4_096
    for page in 0..<pages {
      try check(.int(in: 0...4_095), .int(in: 0...7), settings: CheckSettings(examples: 6)) { offset, bit in
        var bytes = whole
        bytes[page * 4_096 + offset] ^= 1 << UInt8(bit)
        for writing in [false, true] {
          let found = try answer(bytes, writing: writing, readAll)
          if case .wrong(let what) = found { try ensure(false, "page \(page): \(what)") }
        }
        let verified = try answer(bytes, writing: false) { store in
          try store.verify().isSound ? try readAll(store) : nil
        }
        if case .wrong(let what) = verified { try ensure(false, "page \(page), verified: \(what)") }
      }
    }
  }

  @Test func `a bit that is flipped in how the file is written or read is refused`() throws {
    for byte in 18...19 {
      for bit in 0...7 {
        var bytes = whole
        bytes[byte] ^= 1 << UInt8(bit)
        for writing in [false, true] {
          let found = try answer(bytes, writing: writing, readAll)
          guard case .refused = found else {
            Issue.record("byte \(byte), bit \(bit): \(found)")
            continue
          }
        }
      }
    }
  }

  @Test func `a bit that is flipped in what an event holds is found by its checksum`() throws {
    for needle in ["\"number\":77,", "long long", "{\"actor\":\"Ann\"}", "[\"all\",\"tag:3\"]"] {
      var bytes = whole
      let range = try #require(bytes.range(of: Data(needle.utf8)))
      bytes[range.lowerBound + 3] ^= 2
      #expect(try answer(bytes, writing: false, readAll) == .refused(.corrupt))
      let onPage = try answer(bytes, writing: false) { store in
        let report = try store.verify()
        return report.isSound ? "\(report)" : nil
      }
      #expect(onPage == .right, "\(onPage)")
      // An author, or a disk that wrote wrong bytes, gives the page a matching checksum.
      mendPage(at: range.lowerBound, &bytes)
      #expect(try answer(bytes, writing: false, readAll) == .refused(.corrupt))
      let paged = try answer(bytes, writing: false) { "\(try $0.batch(after: 0, through: 121, limit: 512).count)" }
      #expect(paged == .refused(.corrupt))
      let verified = try answer(bytes, writing: false) { store in
        let report = try store.verify()
        let isReported = report.problems.contains { $0.position != nil && $0.message.contains("checksum") }
        // Events share their metadata: a check ends after a hundred problems.
        return isReported && (report.events == events.count || report.problems.count == 100) ? nil : "\(report)"
      }
      #expect(verified == .right, "\(verified)")
    }
  }

  @Test func `pages that were changed by hand are found`() throws {
    let path = folder.path("whole")
    for (sql, message) in [
      ("DELETE FROM event WHERE position = 50", "expected event 50, found event 51"),
      (
        "DELETE FROM event WHERE position = 121",
        "the log's last event must be at position 121, but is at position 120"
      ),
      (
        "UPDATE event SET version = 99 WHERE position = 60",
        "expected version 7 of the event's stream, found version 99"
      ),
      ("UPDATE event SET \"transaction\" = 999 WHERE position = 70", "found transaction 999"),
      (
        "DELETE FROM event_tag WHERE position = 5 AND tag = 'all'",
        "the event's tag \"all\" is missing from the table of tags"
      ),
      ("INSERT INTO event_tag VALUES ('more', 5)", "the events have 240 tags, but the table of tags contains 241"),
      ("UPDATE stream SET name = 'other' WHERE name = 's1'", "checksum"),
      ("DELETE FROM type WHERE name = 'Type1'", "the name of the event's stream, type or source is missing"),
      (
        "UPDATE command SET versions = 'x' WHERE id = 'command 7'",
        "the receipt of the command \"command 7\" is damaged"
      ),
      (
        "UPDATE command SET position = 999 WHERE id = 'command 7'",
        "the receipt of the command \"command 7\" is damaged"
      ),
      ("UPDATE command SET id = 'command 777' WHERE id = 'command 7'", "the receipt's checksum doesn't match its data"),
      ("INSERT INTO checkpoint VALUES ('c', 'f', 99, 0, 7)", "the checkpoint \"c\" with the position 99 is damaged"),
    ] {
      try whole.write(to: URL(fileURLWithPath: path))
      do {
        let database = try TestDatabase(path)
        try database.dropTriggers()
        try database.execute(sql)
      }
      let report = try SQLiteEventStore(readingFrom: path).verify()
      #expect(report.problems.contains { $0.description.contains(message) }, "\(sql): \(report.problems)")
    }
  }

  @Test func `a missing event is noticed by every read across it, and by the log's end`() throws {
    for place in [1, 50, 120, 121] {
      let path = folder.path("missing")
      try whole.write(to: URL(fileURLWithPath: path))
      do {
        let database = try TestDatabase(path)
        try database.execute("DROP TRIGGER event_is_never_deleted; DELETE FROM event WHERE position = \(place)")
      }
      for writing in [false, true] {
        let store = try writing ? SQLiteEventStore(path: path) : SQLiteEventStore(readingFrom: path)
        var error = #expect(throws: EventStoreError.self) { try store.forEachEvent { _ in } }
        let onPage = #expect(throws: EventStoreError.self) { try store.batch(after: 0, through: 121, limit: 512) }
        #expect(onPage?.message.contains("the log is damaged: ") == true)
        #expect(error?.code == .corrupt && error?.message.contains("the log is damaged: ") == true)
        // If the last event is missing, nothing may be appended, because it would take that position.
        guard place == 121, writing else { continue }
        error = #expect(throws: EventStoreError.self) {
          try store.append(Append([NewEvent(type: "T", payload: nil)], to: "s"))
        }
        #expect(error?.code == .corrupt)
      }
    }
  }

  @Test func `events that are missing at an end of what is asked for are noticed`() throws {
    let path = folder.path("missing")
    try whole.write(to: URL(fileURLWithPath: path))
    do {
      let database = try TestDatabase(path)
      try database.dropTriggers()
      try database.execute("DELETE FROM event WHERE position BETWEEN 40 AND 60")
    }
    let store = try SQLiteEventStore(readingFrom: path)
    #expect(try store.events(.all, after: 0, through: 39, limit: 99).count == 39)
    #expect(try store.batch(after: 60, through: 121, limit: 512).count == 61)
    #expect(try store.eventsBackwards(.all, after: 60, through: nil, limit: 99).count == 61)
    for end in [40, 50, 60] {
      let through = Position(end)
      let reads = [
        { try store.events(.all, after: 0, through: through, limit: 99).count },
        { try store.batch(after: 0, through: through, limit: 512).count },
        { try store.batch(after: 39, through: through, limit: 512).count },
        { try store.events(.all, after: Position(end - 1), through: through, limit: 1).count },
        { try store.eventsBackwards(.all, after: Position(end - 1), through: nil, limit: 99).count },
        { try store.eventsBackwards(.all, after: 0, through: through, limit: 99).count },
        { try store.eventsBackwards(.all, after: 0, through: through, limit: 1).count },
      ]
      for read in reads {
        let error = #expect(throws: EventStoreError.self, "up to \(end)") { try read() }
        #expect(error?.code == .corrupt && error?.message.contains("the log is damaged: expected event") == true)
      }
    }
  }

  @Test func `a stream with a hole, and an event that is found by what it does not have, are damage`() throws {
    let path = folder.path("missing")
    try whole.write(to: URL(fileURLWithPath: path))
    do {
      let database = try TestDatabase(path)
      try database.dropTriggers()
      // The sixth event of stream s5, and a tag that event 9 does not have.
      try database.execute("DELETE FROM event WHERE position = 51; INSERT INTO event_tag VALUES ('tag:0', 10)")
    }
    for writing in [false, true] {
      let store = try writing ? SQLiteEventStore(path: path) : SQLiteEventStore(readingFrom: path)
      let hole = #expect(throws: EventStoreError.self) {
        try store.events(.stream("s5"), after: 0, through: nil, limit: 99)
      }
      #expect(hole?.code == .corrupt)
      #expect(hole?.message.contains("expected version 6 of the event's stream, found version 7") == true)
      let stranger = #expect(throws: EventStoreError.self) {
        try store.events(.tagged("tag:0"), after: 0, through: nil, limit: 99)
      }
      #expect(stranger?.code == .corrupt && stranger?.message.contains("that the event doesn't have") == true)
      #expect(try store.events(.stream("s4"), after: 0, through: nil, limit: 99).count == 13)
    }
  }

  @Test func `another application's files are refused in whatever state, and stay as they are`() throws {
    let path = folder.path("other")
    let database = try TestDatabase(create: path)
    try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    // The table is still in the file of commits; its own file is empty.
    func bytes() throws -> [Data] {
      try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: path + $0)) }
    }
    let before = try bytes()
    for open in [{ try SQLiteEventStore(path: path) }, { try SQLiteEventStore(readingFrom: path) }] {
      let error = #expect(throws: EventStoreError.self) { _ = try open() }
      #expect(error?.code == .notALog)
      #expect(try bytes() == before)
    }
    try database.execute("PRAGMA application_id = 7; PRAGMA wal_checkpoint(TRUNCATE)")
    let error = #expect(throws: EventStoreError.self) { try SQLiteEventStore(path: path) }
    #expect(error?.code == .notALog && error?.message.contains("another application's") == true)
  }
}
