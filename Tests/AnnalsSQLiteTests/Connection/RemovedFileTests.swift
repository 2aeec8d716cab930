import Annals
import AnnalsTesting
import Foundation
import Synchronization
import Testing

@testable import AnnalsSQLite

/// The files next to an open log, which other programs remove, replace and cut.
@Suite struct RemovedFileTests {
  enum Change: String, CaseIterable, Sendable { case remove, replace, copyOver, move }

  private let folder: TemporaryFolder
  private var log: String { folder.path("log") }

  init() throws { folder = try TemporaryFolder() }

  private func event(_ number: Int = 0) -> NewEvent {
    NewEvent(type: "T", payload: "{\"number\":\(number)}", tags: ["t"])
  }

  private func change(_ path: String, _ change: Change) throws {
    let files = FileManager.default
    switch change {
    case .remove: try files.removeItem(atPath: path)
    case .replace:
      try files.removeItem(atPath: path)
      try Data().write(to: URL(fileURLWithPath: path))
    case .copyOver:
      try files.copyItem(atPath: path, toPath: path + ".new")
      #expect(rename(path + ".new", path) == 0)
    case .move: try files.moveItem(atPath: path, toPath: path + ".away")
    }
  }

  private func expectReplaced(_ what: String, _ body: () throws -> Void) {
    let error = #expect(throws: EventStoreError.self, "\(what)") { try body() }
    #expect(error?.code == .replaced, "\(what): \(String(describing: error))")
  }

  @Test(arguments: ["-wal", "-shm"], Change.allCases)
  func `a file beside the log that is removed or replaced is noticed, and nothing that was acknowledged is lost`(
    _ end: String, _ change: Change
  ) throws {
    let store = try SQLiteEventStore(path: log)
    let reader = try SQLiteEventStore(readingFrom: log)
    for number in 0..<20 { try store.append(Append([event(number)], to: "s")) }
    #expect(try reader.head() == 20)
    try self.change(log + end, change)
    expectReplaced("append") { try store.append(Append([event()], to: "s")) }
    expectReplaced("head") { _ = try store.head() }
    expectReplaced("reader") { _ = try reader.head() }
    expectReplaced("scope") { try store.read { _ = try $0.head() } }
    expectReplaced("checkpoint") { _ = try store.checkpoints?.setCheckpoint(named: "f", to: 1, from: nil) }
    expectReplaced("list") {
      try FetchedResultsController(store: reader, projection: Tools(), request: ListRequest()).performFetch()
    }
    expectReplaced("group") { _ = try store.commit([Append([event()], to: "s"), Append([event()], to: "t")]) }
    expectReplaced("erasure") { _ = try store.erase(subject: "x") }
    // It stays so.
    let error = #expect(throws: EventStoreError.self) { try store.append(Append([event()], to: "s")) }
    #expect(error?.message.contains(log + end) == true && error?.message.contains("Reopen the log") == true)
    reader.close()
    store.close()
    let again = try SQLiteEventStore(path: log)
    let numbers = try again.events(.all, after: 0, through: nil, limit: 100).map(\.payload)
    #expect(numbers == (0..<20).map { "{\"number\":\($0)}" })
    #expect(try again.append(Append([event()], to: "s")).position == 21)
    #expect(try again.verify().problems.filter { !$0.message.contains("-wal") } == [])
  }

  @Test func `a process that ends after its commits were removed has saved them`() throws {
    for ends in [["-wal"], ["-shm"], ["-wal", "-shm"]] {
      let path = folder.path("log of \(ends.count) \(ends[0].dropFirst())")
      // The store is never closed, as if its process was killed.
      let store = try SQLiteEventStore(path: path)
      for number in 0..<20 { try store.append(Append([event(number)], to: "s")) }
      for end in ends { try FileManager.default.removeItem(atPath: path + end) }
      expectReplaced("append") { try store.append(Append([event()], to: "s")) }
      let copy = folder.path("copy of \(ends.count) \(ends[0].dropFirst())")
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      if ends == ["-shm"] { try FileManager.default.copyItem(atPath: path + "-wal", toPath: copy + "-wal") }
      #expect(try SQLiteEventStore(readingFrom: copy).head() == 20)
      withExtendedLifetime(store) {}
    }
  }

  @Test func `a connection that is opened after the commits were removed does not read without them`() throws {
    let store = try SQLiteEventStore(path: log)
    try store.append(Append([event()], to: "s"))
    try store.pool.read { _ in
      try FileManager.default.removeItem(atPath: log + "-wal")
      expectReplaced("another connection") { try store.pool.read { _ = try EventReader($0).head() } }
      expectReplaced("a connection of its own") { try store.pool.extra().close() }
      expectReplaced("verify") { _ = try store.verify() }
      expectReplaced("backup") { try store.backUp(to: folder.path("copy")) }
    }
  }

  @Test func `commits that were cut off are noticed`() throws {
    for size in [0, 32, 5_000] as [off_t] {
      let path = folder.path("log \(size)")
      let store = try SQLiteEventStore(path: path)
      for number in 0..<20 { try store.append(Append([event(number)], to: "s")) }
      #expect(truncate(path + "-wal", size) == 0)
      expectReplaced("append") { try store.append(Append([event()], to: "s")) }
      // Until it is reopened.
      expectReplaced("append") { try store.append(Append([event()], to: "s")) }
    }
  }

  @Test func `a list that waits fails once when the commits are removed`() throws {
    let store = try SQLiteEventStore(path: log)
    try store.append(Append([event()], to: "s"))
    let reader = try SQLiteEventStore(readingFrom: log)
    let isNotified = DispatchSemaphore(value: 0)
    let token = reader.runtime.watch { _ in isNotified.signal() }
    let announcement = reader.externalWriters?.announce()
    defer { withExtendedLifetime((token, announcement)) {} }
    try FileManager.default.removeItem(atPath: log + "-wal")
    while true {
      isNotified.wait()
      do { _ = try reader.head() } catch let error as EventStoreError where error.code == .replaced { break }
    }
  }

  /// The appends that a child has acknowledged.
  private func acknowledged(_ lines: [String]) -> [(name: String, position: Int)] {
    lines.compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 5, words[0] == "ack", let position = Int(words[3]) else { return nil }
      return (String(words[1]), position)
    }
  }

  #if os(macOS) || os(Linux)
    @Test(arguments: [["-wal"], ["-shm"], ["-wal", "-shm"], ["-shm", "-wal"]])
    func `while files are removed, each append is in the log or throws an error`(
      _ ends: [String]
    ) throws {
      for round in 0..<3 {
        let path = folder.path("log \(round)")
        let child = try ChildProcess("append", path, "3", "1000000")
        var said = ""
        // It is removed while the child opens the log, or while it appends.
        let least = [0, 1, 40][round]
        while said.split(separator: "\n").count < least { said += String(decoding: child.firstWords(), as: UTF8.self) }
        var removed = false
        while !removed {
          for end in ends where unlink(path + end) == 0 { removed = true }
        }
        let (rest, talk, status) = child.finish()
        // It ends by itself, because its appends fail.
        #expect(status == 1, "\(talk)")
        let store = try SQLiteEventStore(path: path)
        let found = Set(try store.events(.all, after: 0, through: nil, limit: 1_000_000).map(\.position.rawValue))
        let said2 = said + rest.joined(separator: "\n")
        let acks = acknowledged(said2.split(separator: "\n").map(String.init))
        let lost = acks.filter { !found.contains($0.position) }
        #expect(lost.isEmpty, "\(lost.count) of \(acks.count) acknowledged are lost, \(found.count) found, \(talk)")
      }
    }

    @Test func `a log that is opened, closed, erased, compacted and copied by several is kept for all of them`() throws
    {
      let path = folder.path("log")
      let failures = Mutex<[String]>([])
      let child = try ChildProcess("opens", path, "2", "40")
      let steady = try SQLiteEventStore(path: path, durability: .process)
      onThreads(3) { lane in
        do {
          for number in 0..<40 {
            let store = lane == 0 ? steady : try SQLiteEventStore(path: path, durability: .process)
            let payload = #"{"$personal":"s\#(lane)","value":"\#(number)"}"#
            for _ in 0..<3 { try store.append(Append([NewEvent(type: "T", payload: payload)], to: "s")) }
            _ = try store.head()
            // Both cut the file of commits.
            if number % 5 == lane { _ = try store.commitErasure(of: "s\(lane)", waiting: .milliseconds(20)) }
            if number % 7 == lane { try store.writer?.checkpoint() }
            let reader = try SQLiteEventStore(readingFrom: path)
            _ = try reader.head()
            reader.close()
            if lane > 0 { store.close() }
          }
        } catch { failures.withLock { $0.append("\(error)") } }
      }
      let (_, talk, status) = child.finish()
      #expect(status == 0 && talk == "", "\(talk)")
      #expect(failures.withLock { $0 } == [])
      #expect(try steady.head().rawValue == 3 * 40 * 3 + 2 * 40 * 3)
      let report = try steady.verify()
      #expect(report.isSound, "\(report)")
    }
  #endif

  @Test func `another program may copy all commits and cut their file`() throws {
    let store = try SQLiteEventStore(path: log)
    for number in 0..<20 { try store.append(Append([event(number)], to: "s")) }
    _ = try store.head()
    do {
      let other = try TestDatabase(log)
      #expect(try other.rows("PRAGMA wal_checkpoint(TRUNCATE)") == [["0", "0", "0"]])
      #expect(FileSystem.size(log + "-wal") == 0)
    }
    #expect(try store.append(Append([event()], to: "s")).position == 21)
    // While a store has it open, no program gets the lock that it needs to remove the file.
    let other = try TestDatabase(log)
    try other.execute("PRAGMA busy_timeout = 1")
    #expect((try? other.text("PRAGMA journal_mode = DELETE")) != "delete")
    #expect(try store.append(Append([event()], to: "s")).position == 22)
  }
}
