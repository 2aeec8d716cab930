import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization
import Testing

@testable import AnnalsSQLite

/// The life of an open store: full disks, other writers, closing, and deleted files.
@Suite struct StoreLifeTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  #if os(macOS) || os(Linux)
    private static func run(_ words: String...) -> Bool {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = words
      process.standardError = FileHandle.nullDevice
      guard (try? process.run()) != nil else { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }

    private static let canMount: Bool = {
      guard let folder = try? TemporaryFolder(), run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder.path(""))
      else { return false }
      return run("umount", folder.path(""))
    }()
  #endif

  private func event(_ bytes: Int = 10) -> NewEvent {
    NewEvent(type: "T", payload: "\"\(String(repeating: "x", count: bytes))\"", tags: ["t"])
  }

  #if os(macOS) || os(Linux)
    @Test(.enabled(if: canMount, "no file system can be mounted here, so that no disk can be filled"))
    func `a full disk refuses what does not fit, and the same store goes on when there is room`() throws {
      let disk = folder.path("disk")
      try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
      try #require(Self.run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk))
      defer { _ = Self.run("umount", disk) }
      let store = try SQLiteEventStore(path: disk + "/log")
      var receipts: [Receipt] = []
      let full = #expect(throws: EventStoreError.self) {
        for _ in 0..<2_000 { receipts.append(try store.append(Append([event(2_000), event()], to: "s"))) }
      }
      #expect(full?.code == .io && full?.message.contains("the disk is full, and no data was added") == true)
      #expect(try store.head().rawValue == receipts.count * 2)
      // Many threads append small events, and some of them may fit: each append succeeds or is refused.
      let done = Mutex(0)
      onThreads(4) { _ in
        for _ in 0..<20 where (try? store.append(Append([NewEvent(type: "T", payload: nil)], to: "t"))) != nil {
          done.withLock { $0 += 1 }
        }
      }
      let small = done.withLock { $0 }
      #expect(try store.head().rawValue == receipts.count * 2 + small)
      try #require(Self.run("mount", "-o", "remount,size=20m", disk))
      let receipt = try store.append(Append([event(2_000), event()], to: "s"))
      #expect(receipt.position.rawValue == receipts.count * 2 + small + 2)
      #expect(receipt.versions["s"] == receipts.count * 2 + 2)
      #expect(try store.verify().isSound)
      store.close()
      #expect(try SQLiteEventStore(path: disk + "/log").head() == receipt.position)
    }

    @Test(.enabled(if: canMount, "no file system can be mounted here, so that no disk can be filled"))
    func `a list that is kept stays at the log's end when an append does not fit on the disk`() throws {
      let disk = folder.path("disk")
      try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
      try #require(Self.run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk))
      defer { _ = Self.run("umount", disk) }
      let store = try SQLiteEventStore(path: disk + "/log")
      let kept = try store.keepList(of: Notes(), request: ListRequest(), cacheName: "notes")
      let coder = try EventCoder<NoteEvent>()
      func append(_ id: String) throws {
        try store.append(
          Append([try coder.encode(.taken(Note(id: id, text: String(repeating: "x", count: 900))))], to: "s"))
      }
      #expect(throws: EventStoreError.self) { for number in 0..<4_000 { try append("note \(number)") } }
      for number in 0..<3 {
        _ = try? append("more \(number)")
        #expect(try kept.results.position == store.head() && kept.results.rows.count == store.head().rawValue)
      }
      try #require(Self.run("mount", "-o", "remount,size=20m", disk))
      try append("last")
      #expect(try kept.results.position == store.head() && kept.results.row(forID: "last") != nil)
      let list = FetchedResultsController(store: store, projection: Notes(), cacheName: "notes")
      try list.performFetch()
      #expect(try list.cacheReport.restored == store.head() && list.results == kept.results)
      store.close()
    }
  #endif

  @Test func `a log that many threads create at once is one log for all of them`() throws {
    for round in 0..<100 {
      let path = folder.path("log \(round)")
      let found = Mutex<[Result<String, any Error>]>([])
      onThreads(6) { _ in
        let opened = Result { try SQLiteEventStore(path: path, durability: .process).source }
        found.withLock { $0.append(opened) }
      }
      let sources = try found.withLock { try Set($0.map { try $0.get() }) }
      #expect(sources.count == 1)
    }
  }

  @Test(arguments: Durability.allCases) func `each level asks SQLite for what it says`(level: Durability) throws {
    let store = try SQLiteEventStore(path: folder.path("log"), durability: level)
    let append = Append([.init(stream: "s", event: event())], commandID: "first")
    #expect(try store.append(append).durability == store.reachedDurability)
    // What the first call reached is not known any more.
    #expect(try store.append(append).durability == nil && store.receipt(ofCommand: "first")?.durability == nil)
    #expect(try store.append(Append([])).durability == nil)
    let group = try store.commit([Append([event()], to: "s"), Append([event()], to: "t")])
    #expect(group.receipts.map(\.durability) == [store.reachedDurability, store.reachedDurability])
    let writer = try #require(store.writer)
    #expect(try writer.use { try $0.int("PRAGMA synchronous") } == (level == .process ? 1 : 2))
    #expect(try writer.use { try $0.int("PRAGMA fullfsync") } == (level == .power ? 1 : 0))
    #expect(try writer.use { try $0.int("PRAGMA checkpoint_fullfsync") } == (level == .process ? 0 : 1))
    #expect(store.durability == level && store.reachedDurability <= level)
    #if os(Linux)
      #expect(store.reachedDurability == level)
    #endif
  }

  @Test func `no connection copies commits on its own, and the file of commits does not grow without end`() throws {
    let path = folder.path("log")
    let store = try SQLiteEventStore(path: path)
    let writer = try #require(store.writer)
    #expect(try writer.use { try $0.int("PRAGMA wal_autocheckpoint") } == 0)
    #expect(try store.pool.read { try $0.int("PRAGMA wal_autocheckpoint") } == 0)
    #expect(try writer.use { try $0.int("PRAGMA mmap_size") } == 0)
    let log = { try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0 }
    let commits = { try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0 }
    let before = try log()
    var largest = 0
    for number in 0..<1_500 {
      try store.append(Append([event(8_000)], to: StreamName("s\(number % 50)")))
      largest = max(largest, try commits())
    }
    #expect(try log() > before + 6_000_000)
    // At most a thousand pages more come before the one that commits copies them itself.
    #expect(largest < 8_500_000, "\(largest)")
    // A long reader keeps SQLite from reusing the file of commits, and appends continue.
    try store.pool.read { reader in
      try reader.execute("BEGIN")
      let head = try EventReader(reader).head()
      for _ in 0..<600 { try store.append(Append([event(8_000)], to: "s")) }
      #expect(try EventReader(reader).head() == head)
      try reader.execute("COMMIT")
    }
    for _ in 0..<600 { try store.append(Append([event(8_000)], to: "s")) }
    #expect(try commits() <= 16_777_216 + 8_000_000)
    #expect(try store.head() == 2_700)
  }

  @Test func `a thread that commits leaves it to another one to copy commits, if that one comes to it`() throws {
    let path = folder.path("log")
    let store = try SQLiteEventStore(path: path)
    let writer = try #require(store.writer)
    let left = Mutex<[@Sendable () -> Void]>([])
    writer.handOver.withLock { $0 = { work in left.withLock { $0.append(work) } } }
    let log = { try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0 }
    let commits = { try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0 }
    let before = try log()
    for _ in 0..<1_000 where left.withLock({ $0.isEmpty }) { try store.append(Append([event(8_000)], to: "s")) }
    #expect(try commits() > 4_000_000)
    #expect(try log() == before)
    let copy = try #require(left.withLock { $0.popLast() })
    copy()
    #expect(try log() > before + 1_000_000)
    // The file of commits begins again, and a thousand pages later another copy is left.
    let size = try commits()
    for _ in 0..<1_000 where left.withLock({ $0.isEmpty }) { try store.append(Append([event(8_000)], to: "s")) }
    #expect(try commits() <= size + 100_000)
    // That one never comes to it.
    let later = try log()
    for _ in 0..<1_000 { try store.append(Append([event(8_000)], to: "s")) }
    #expect(try log() > later + 4_000_000)
    #expect(try commits() < 8_500_000)
    #expect(left.withLock { $0.count } == 1)
    // After the end there is nothing to copy.
    store.close()
    left.withLock { $0 }.forEach { $0() }
    let reader = try SQLiteEventStore(path: path)
    #expect(try reader.verify().isSound)
    reader.close()
  }

  @Test func `a writer that holds the log too long is named, and later appends go on`() throws {
    let store = try SQLiteEventStore(path: folder.path("log"), patience: .milliseconds(30))
    let other = try TestDatabase(folder.path("log"))
    try other.execute("BEGIN IMMEDIATE")
    let error = #expect(throws: EventStoreError.self) { try store.append(Append([event()], to: "s")) }
    #expect(error?.code == .busy && error?.message.contains("another process held the log") == true)
    // Commits are not copied either while another process may begin to overwrite them.
    let copying = #expect(throws: EventStoreError.self) { try store.writer?.checkpoint() }
    #expect(copying?.code == .busy)
    #expect(try store.head() == 0)
    try other.execute("ROLLBACK")
    #expect(try store.append(Append([event()], to: "s")).position == 1)
  }

  @Test func `a store that was closed refuses, and leaves one file`() throws {
    let store = try SQLiteEventStore(path: folder.path("log"))
    let answered = Mutex((done: 0, closed: 0, other: 0))
    onThreads(4) { lane in
      for number in 0..<60 {
        if lane == 0, number == 30 { store.close() }
        do {
          try store.append(Append([event()], to: "s"))
          answered.withLock { $0.done += 1 }
        } catch let error as EventStoreError where error.code == .closed {
          answered.withLock { $0.closed += 1 }
        } catch { answered.withLock { $0.other += 1 } }
      }
    }
    let error = #expect(throws: EventStoreError.self) { try store.head() }
    #expect(error?.code == .closed)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["log"])
    let (done, closed, other) = answered.withLock { $0 }
    #expect(other == 0 && done + closed == 240 && closed > 0)
    #expect(try SQLiteEventStore(readingFrom: folder.path("log")).head().rawValue == done)
  }

  @Test func `a log that was removed or replaced is not written to any more`() throws {
    for isReplaced in [false, true] {
      let path = folder.path("log-\(isReplaced)")
      let store = try SQLiteEventStore(path: path)
      let reader = try SQLiteEventStore(readingFrom: path)
      try store.append(Append([event()], to: "s"))
      #expect(try reader.head() == 1)
      try FileManager.default.removeItem(atPath: path)
      if isReplaced { try Data("another file".utf8).write(to: URL(fileURLWithPath: path)) }
      for attempt in [{ _ = try store.append(Append([event()], to: "s")) }, { _ = try reader.head() }] {
        let error = #expect(throws: EventStoreError.self) { try attempt() }
        #expect(error?.code == .replaced, "\(String(describing: error))")
        #expect(error?.message.contains(isReplaced ? "was replaced by another file" : "was removed") == true)
      }
      #expect(FileManager.default.fileExists(atPath: path) == isReplaced)
    }
  }

  @Test func `an append that fails half-way leaves no name, and what comes next makes its own`() throws {
    let made = Mutex(0)
    let environment = StoreEnvironment(makeID: {
      made.withLock { count in
        count += 1
        // The third and the fourth event get the same id, which is known only when they are written.
        return "id-\(count == 4 ? 3 : count)"
      }
    })
    let store = try SQLiteEventStore(path: folder.path("log"), environment: environment)
    func event(_ type: String) -> NewEvent { NewEvent(type: type, payload: nil) }
    try store.append(Append([event("Old")], to: "old"))
    let error = #expect(throws: EventStoreError.self) {
      try store.append(Append([event("New"), event("Other")], to: "new"))
    }
    #expect(error == .duplicateEvent(EventID(source: store.source, id: "id-3"), at: 3))
    try store.append(Append([event("Other")], to: "other"))
    let receipt = try store.append(Append([event("New")], to: "new"))
    #expect(receipt == Receipt(position: 3, count: 1, transaction: 3, versions: ["new": 1]))
    #expect(try store.events(.all, after: 0, through: nil, limit: 9).map(\.type) == ["Old", "Other", "New"])
    #expect(try store.events(.stream("new"), after: 0, through: nil, limit: 9).map(\.type) == ["New"])
    #expect(try store.verify().isSound)
  }

  @Test func `a query of very many alternatives answers as one of few does`() throws {
    let store = try SQLiteEventStore(path: folder.path("log"))
    let memory = MemoryEventStore(source: store.source)
    for number in 0..<200 {
      let event = NewEvent(
        type: "T\(number % 3)", payload: nil, tags: ["n:\(number)"], id: EventID(source: "x", id: "\(number)"),
        time: Date(timeIntervalSince1970: 0))
      for store in [store, memory] as [any EventStore] {
        try store.append(Append([event], to: StreamName("s\(number)")))
      }
    }
    let numbers = stride(from: 1, to: 400, by: 2)
    for query in [
      EventQuery(numbers.map { .init(tags: ["n:\($0)"]) }),
      EventQuery([.init(streams: Set(numbers.map { StreamName("s\($0)") }), types: ["T1", "T2"])]),
    ] {
      for (after, limit) in [(0, 7), (50, 1_000), (199, 5)] as [(Position, Int)] {
        #expect(
          try store.events(query, after: after, through: 180, limit: limit)
            == memory.events(query, after: after, through: 180, limit: limit))
        #expect(
          try store.eventsBackwards(query, after: after, through: nil, limit: limit)
            == memory.eventsBackwards(query, after: after, through: nil, limit: limit))
      }
      let append = Append(conditions: [.init(noneMatching: query, after: 150)])
      let expected = #expect(throws: EventStoreError.self) { try memory.append(append) }
      let found = #expect(throws: EventStoreError.self) { try store.append(append) }
      #expect(found?.code == expected?.code)
    }
  }
}

private enum NoteEvent: Event {
  case taken(Note)
}

private struct Note: Row {
  let id: String
  let text: String
}

private struct Notes: Projection {
  func project(_ event: NoteEvent, into rows: inout Rows<Note>) {
    if case .taken(let note) = event { rows.insert(note) }
  }
}
