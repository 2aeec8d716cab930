import Annals
import AnnalsSQLite
import Disks
import Foundation
import Synchronization
import Testing

/// Which logs have a checksum in each page, and which files exist beside a log.
@Suite struct PageChecksumTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("log") }

  init() throws { folder = try TemporaryFolder() }

  private func formatFour() throws {
    let fixture = fixtures.appending(path: "format-4.sqlite")
    try FileManager.default.copyItem(at: fixture, to: URL(fileURLWithPath: path))
  }

  private func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

  /// The pages whose last bytes are not their checksum.
  private func pagesWithoutChecksum() throws -> [Int] {
    let bytes = try bytes()
    return (0..<bytes.count / 4_096).filter { page in
      bytes[page * 4_096..<(page + 1) * 4_096].withUnsafeBytes { !PageChecksum.fits($0) }
    }
  }

  @Test func `a new log has a checksum in each page, and SQLite itself reads it`() throws {
    do {
      let store = try SQLiteEventStore(path: path)
      for number in 0..<50 {
        let payload = "\"\(String(repeating: "x", count: number * 300))\""
        try store.append(Append([NewEvent(type: "T", payload: payload, tags: ["t"])], to: "s"))
      }
    }
    #expect(try pagesWithoutChecksum() == [] && bytes()[20] == 8)
    let other = try TestDatabase(path, checked: false)
    #expect(try other.int("SELECT count(*) FROM event WHERE length(payload) > 3000") == 40)
    #expect(try other.text("PRAGMA integrity_check") == "ok")
  }

  @Test func `a log of format 4 is read as it is, and gets its checksums when it is opened for writing`() throws {
    try formatFour()
    let before = try bytes()
    do {
      let store = try SQLiteEventStore(readingFrom: path)
      #expect(try store.verify().isSound && store.statistics().format == 4)
      #expect(try store.receipt(ofCommand: "first")?.position == 2)
      #expect(try store.checkpoints?.checkpoint(named: "follower/mailer") == 2)
    }
    #expect(try bytes() == before)
    for round in 0..<2 {
      let store = try SQLiteEventStore(path: path)
      #expect(try store.verify().isSound && store.statistics().format == 8)
      #expect(try store.receipt(ofCommand: "first")?.position == 2)
      #expect(try store.checkpoints?.checkpoint(named: "follower/mailer/version/1") == 4)
      #expect(try store.events(.all, after: 0, through: nil, limit: 9).count == 4 + round)
      try store.append(Append([NewEvent(type: "T", payload: nil)], to: "s"))
      store.close()
      #expect(try pagesWithoutChecksum() == [] && bytes()[20] == 8)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["log"])
  }

  @Test func `a log that another program has open gets its checksums the next time`() throws {
    try formatFour()
    do {
      let other = try TestDatabase(path, checked: false)
      #expect(try other.int("SELECT count(*) FROM event") == 4)
      let store = try SQLiteEventStore(path: path, patience: .milliseconds(100))
      #expect(try store.verify().isSound && store.statistics().format == 6)
      try store.append(Append([NewEvent(type: "T", payload: nil)], to: "s"))
      #expect(try other.int("SELECT count(*) FROM event") == 5)
      store.close()
    }
    #expect(try bytes()[20] == 0)
    do {
      let store = try SQLiteEventStore(path: path)
      #expect(try store.verify().isSound && store.head() == 5 && store.statistics().format == 8)
    }
    #expect(try pagesWithoutChecksum() == [] && bytes()[20] == 8)
  }

  @Test func `the page that is named as damaged is the one that is`() throws {
    do {
      let store = try SQLiteEventStore(path: path)
      for number in 0..<20 {
        let payload = "\"\(String(repeating: "x", count: number * 400))\""
        try store.append(Append([NewEvent(type: "T", payload: payload, tags: ["t"])], to: "s"))
      }
    }
    let whole = try bytes()
    var named = 0
    for page in 2...whole.count / 4_096 {
      var bytes = whole
      bytes[(page - 1) * 4_096 + 2_000] ^= 1
      try bytes.write(to: URL(fileURLWithPath: path))
      let said: String
      do { said = try "\(SQLiteEventStore(readingFrom: path).verify())" } catch { said = "\(error)" }
      for match in said.matches(of: /page (\d+) doesn't match its checksum/) {
        named += 1
        #expect(match.1 == "\(page)", "\(said)")
      }
    }
    #expect(named > 10)
  }

  @Test func `a file that says that its pages have no checksums, and has them, is damaged`() throws {
    do { _ = try SQLiteEventStore(path: path) }
    for (place, values) in [(20, [0, 9, 255] as [UInt8]), (63, [4, 1])] {
      for value in values {
        let whole = try bytes()
        var changed = whole
        changed[place] = value
        mendPage(at: 0, &changed)
        try changed.write(to: URL(fileURLWithPath: path))
        for open in [{ try SQLiteEventStore(path: path) }, { try SQLiteEventStore(readingFrom: path) }] {
          let error = #expect(throws: EventStoreError.self, "byte \(place): \(value)") { _ = try open() }
          #expect(error?.code == .corrupt)
        }
        try whole.write(to: URL(fileURLWithPath: path))
      }
    }
    #expect(try SQLiteEventStore(path: path).verify().isSound)
  }

  @Test func `what another program writes without checksums is found to be damaged`() throws {
    do { _ = try SQLiteEventStore(path: path) }
    try TestDatabase(path, checked: false).execute("INSERT INTO meta VALUES ('more', 'x')")
    let error = #expect(throws: EventStoreError.self) { _ = try SQLiteEventStore(path: path) }
    #expect(error?.code == .corrupt && error?.message.contains("doesn't match its checksum") == true)
  }

  @Test func `a log that is written as a whole is built beside the log, in a file that goes again`() throws {
    final class Watcher: FileWatcher {
      let names = Mutex<Set<String>>([])
      func happened(_ event: FileEvent, to name: String) {
        if case .created = event { names.withLock { _ = $0.insert(name) } }
      }
    }
    let watcher = Watcher()
    try WatchedFiles.watch(URL(fileURLWithPath: folder.path("")), by: watcher)
    defer { WatchedFiles.forget(URL(fileURLWithPath: folder.path(""))) }
    let store = try SQLiteEventStore(path: path)
    // More than SQLite keeps in memory.
    for number in 0..<100 {
      let payload =
        #"{"a":{"$personal":"ann","value":"secret \#(number)"},"b":"\#(String(repeating: "x", count: 100_000))"}"#
      try store.append(Append([NewEvent(type: "T", payload: payload)], to: "s"))
    }
    #expect(watcher.names.withLock { $0.allSatisfy { $0.hasPrefix("log") } })
    #expect(try store.erase(subject: "ann") == ErasureReceipt(fields: 100))
    #expect(watcher.names.withLock { $0 }.contains { $0.hasPrefix(".annals-") })
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
    #expect(names.sorted() == ["log", "log-shm", "log-wal"])
    for name in names {
      let data = try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
      #expect(data.range(of: Data("secret".utf8)) == nil, "\(name)")
    }
  }
}

/// Events that are large.
@Suite struct LargeEventTests {
  @Test func `a page of large events ends before it is too large, and all are read`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteEventStore(path: folder.path("log"), durability: .process)
    let text = String(repeating: "x", count: 1_000_000)
    for number in 0..<30 {
      try store.append(Append([NewEvent(type: "LengthText", payload: "\"\(number)\(text)\"")], to: "s"))
    }
    let batch = try store.batch(after: 0, through: 30, limit: 512)
    #expect((8...10).contains(batch.count))
    var (after, counts): (Position, [Int]) = (0, [])
    while after < 30 {
      let batch = try store.batch(after: after, through: 30, limit: 512)
      after = try #require(batch.last)
      counts.append(batch.count)
    }
    #expect(counts.reduce(0, +) == 30)
    var positions: [Position] = []
    try store.forEachEvent { positions.append($0.position) }
    #expect(positions == (1...30).map { Position($0) })
    let list = FetchedResultsController(store: store, projection: Lengths())
    try list.performFetch()
    #expect(list.results.rows.map(\.length) == (0..<30).map { text.count + "\($0)".count })
  }
}

private enum LengthEvent: Event {
  case text(String)
}

private struct Length: Row {
  let id: Int
  let length: Int
}

private struct Lengths: Projection {
  typealias Event = LengthEvent

  func project(_ event: LengthEvent, into rows: inout Rows<Length>) {}

  func project(_ event: Recorded<LengthEvent>, into rows: inout Rows<Length>) {
    guard case .text(let text) = event.event else { return }
    rows.insert(Length(id: event.position.rawValue, length: text.count))
  }
}
