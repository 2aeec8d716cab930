#if os(macOS) || os(Linux)
  import Annals
  import AnnalsLog
  import Foundation
  import Testing
  @testable import AnnalsSQLite

  /// The file of a copy whose process is killed while it replaces the copy.
  @Suite struct RecloneTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `A process that is killed during Replica.reclone leaves the old copy or the whole new copy`() throws {
      let path = folder.path("log")
      var types: Set<String> = []
      for _ in 0..<12 {
        let child = try ChildProcess("reclones", path, "1", "1000000")
        #expect(child.wait(for: "replaced"))
        usleep(UInt32.random(in: 0...30_000))
        child.kill()
        let (_, talk, _) = child.finish()
        #expect(talk == "")
        let store = try SQLiteEventStore(path: path, durability: .process)
        let events = try store.events(.all, after: 0, through: nil, limit: 1_000)
        #expect(events.map(\.position.rawValue) == Array(1...400))
        #expect(Set(events.map(\.type)).count == 1)
        types.formUnion(events.map(\.type))
        let report = try store.verify()
        #expect(report.isSound, "\(report.problems)")
        store.close()
      }
      #expect(types.count == 12)
    }

    /// Returns appends with tags, personal values and repeated metadata, whose identities are consecutive.
    private func appends(_ type: String, _ count: Int, from first: Int) -> [Append] {
      (0..<count).map { number in
        let id = "01920000-0000-7000-8000-" + String(format: "%012d", first + number)
        let event = NewEvent(
          type: type, payload: #"{"p":{"$personal":"\#(type)","value":\#(number)}}"#, tags: ["t:\(number % 3)"],
          metadata: ["who": "program \(type)"], id: EventID(source: "urn:a", id: id))
        return Append([event], to: StreamName("\(type)-\(number % 4)"))
      }
    }

    /// Returns the number of rows of every table that depends on the events, and the settings that depend on them.
    private func rows(_ store: SQLiteEventStore) throws -> [String: Int64] {
      try store.pool.read { connection in
        var (tables, found) = ([] as [String], [:] as [String: Int64])
        try connection.statement("SELECT name FROM sqlite_master WHERE type = 'table'").run {
          tables.append($0.text(0) ?? "")
        }
        // The names remain, and the checkpoints are given.
        let others = ["meta", "source", "stream", "type", "checkpoint", "draft", "draft_command", "sqlite_sequence"]
        for table in tables where !others.contains(table) {
          found[table] = try connection.int("SELECT count(*) FROM \"\(table)\"")
        }
        found["the last position"] = try connection.int("SELECT seq FROM sqlite_sequence WHERE name = 'event'")
        for name in ["erasure", "compaction"] {
          found["the last \(name)"] = try connection.int("SELECT seq FROM sqlite_sequence WHERE name = '\(name)'") ?? 0
        }
        found["erased_from"] = try connection.int("SELECT count(*) FROM meta WHERE name GLOB 'erased_from/*'")
        found["personal"] = try connection.int("SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'personal'")
        return found
      }
    }

    @Test @MainActor func `The file has the same rows as a new file with the new events`() throws {
      let store = try SQLiteEventStore(path: folder.path("old"), durability: .process)
      let new = try SQLiteEventStore(path: folder.path("new"), durability: .process)
      defer {
        store.close()
        new.close()
      }
      for (number, append) in appends("Old", 200, from: 0).enumerated() {
        var append = append
        append.commandID = "command \(number)"
        try store.append(append)
      }
      let coder = try EventCoder<PartEvent>()
      try store.append(Append((0..<300).map { try coder.encode(.put(Part(id: $0, shelf: 1))) }, to: "parts"))
      _ = try store.erasing?.commitErasures(of: ["Old"])
      try compact(store) { log in
        var changes = CompactionEdits()
        // One stream loses all its events.
        for event in try log.events(.all, after: 0, through: 200, limit: 1_000) where event.stream == "Old-1" {
          changes.add(.cut, at: event.position)
        }
        return try log.rewrite(CompactionPlan(following: changes, through: 200, in: log))
      }
      for append in appends("Later", 10, from: 500) { try store.append(append) }
      let list = FetchedResultsController(store: store, projection: Parts(), cacheName: "parts")
      try list.performFetch()
      try list.saveCache()
      let state = DeciderSnapshot(fingerprint: "f", version: 1, position: 1, state: "one")
      try store.snapshots?.save(state, of: "Old-2", decider: "d", revision: store.revision())
      // The setting's value in a file of an older format.
      try store.writing { try $0.execute("UPDATE meta SET value = '9' WHERE name = 'personal'") }
      for (name, count) in try rows(store) { #expect(count > 0, "\(name)") }
      #expect(try store.checkpoints?.setCheckpoint(named: "own", to: 7, from: nil) == true)
      let news = appends("New", 5, from: 1_000)
      try compact(store) { log in
        try (log as? any ReplacingTransaction)?.replaceAll(with: news, keeping: [])
        return news.count
      }
      for append in news { try new.append(append) }
      let expected = try rows(new)
      for (name, count) in try rows(store) { #expect(count == expected[name] ?? 0, "\(name)") }
      #expect(try store.events(.all, after: 0, through: nil, limit: 9).map(\.id) == news.map(\.entries[0].event.id))
      #expect(try store.verify().isSound && store.checkpoints?.checkpoint(named: "own") == nil)
      // Later erasures don't rewrite the file, because it no longer contains old events.
      #expect(try store.pool.read { try ErasureTransaction($0).isIncomplete } == false)
    }

    /// Runs a transaction that removes or replaces events, and returns the number of remaining events.
    private func compact(_ store: SQLiteEventStore, _ body: (any CompactionTransaction) throws -> Int) throws {
      _ = try store.commitCompaction(waiting: .seconds(60)) { log in
        CompactionReceipt(
          horizon: 200, cut: 0, replaced: 0, remaining: try body(log), leftAlone: [], bytesBefore: nil,
          bytesAfter: nil, remnants: nil)
      }
    }

    @Test func `A writer recognises its own commits after the replacement of all events, too`() {
      let (old, new) = (LogRevision.original, LogRevision(rebases: 3))
      var end = OwnEnd()
      #expect(end.isEnd(0, old) && !end.isEnd(1, old))
      end.move(to: 9, at: 0)
      end.move(to: 8, at: 0)
      #expect(end.isEnd(9, old) && !end.isEnd(10, old))
      // Another writer replaced the events.
      #expect(!end.isEnd(4, new))
      end.move(to: 5, at: 3)
      #expect(end.isEnd(5, new) && !end.isEnd(6, new))
    }
  }
#endif
