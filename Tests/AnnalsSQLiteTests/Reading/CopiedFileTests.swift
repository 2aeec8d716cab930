import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization
import Testing

@testable import AnnalsSQLite

/// Files of an open log that were copied by a program that doesn't know logs.
@Suite struct CopiedFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func event(_ bytes: Int) -> NewEvent {
    NewEvent(type: "T", payload: "\"\(String(repeating: "x", count: bytes))\"")
  }

  /// Copies the file alone, as `cp` does.
  private func copy(_ name: String) throws -> String {
    let path = folder.path(name)
    try FileManager.default.copyItem(atPath: folder.path("log"), toPath: path)
    return path
  }

  private func lacks(_ path: String) throws -> Bool {
    let store = try SQLiteEventStore(readingFrom: path)
    defer { store.close() }
    let report = try store.verify()
    #expect(store.mayLackCommits == report.problems.contains { $0.message.contains("(-wal)") })
    return store.mayLackCommits
  }

  @Test func `a copy that lacks commits is noticed once commits were copied into the file`() throws {
    // A new log is copied into its file when it is made.
    try SQLiteEventStore(path: folder.path("log")).close()
    let store = try SQLiteEventStore(path: folder.path("log"))
    for _ in 0..<10 { try store.append(Append([event(10)], to: "s")) }
    // This copy is the log as it was closed last. It has no sign of later commits, as Durability.md documents.
    #expect(try !lacks(copy("early")))
    try store.writer?.checkpoint()
    #expect(try lacks(copy("late")))
    store.close()
    #expect(try !lacks(copy("closed")))
  }

  @Test func `a log that several open at the same time lacks no commits`() throws {
    for round in 0..<150 {
      let path = folder.path("race \(round)")
      let lacking = Mutex<[String]>([])
      onThreads(3) { lane in
        do {
          let store =
            lane < 2
            ? try SQLiteEventStore(path: path, durability: .process, observesExternalWriters: false)
            : try SQLiteEventStore(readingFrom: path, observesExternalWriters: false)
          if store.mayLackCommits { lacking.withLock { $0.append("\(lane)") } }
          if lane == 0 {
            try store.append(Append([event(10)], to: "s"))
            try store.writer?.checkpoint()
          }
          store.close()
        } catch let error as EventStoreError where lane == 2 && [.notFound, .notALog].contains(error.code) {
          // The log isn't there yet.
        } catch { lacking.withLock { $0.append("\(error)") } }
      }
      #expect(lacking.withLock { $0 } == [], "round \(round)")
    }
  }

  @Test func `a file that is longer than its first page says lacks commits`() throws {
    let store = try SQLiteEventStore(path: folder.path("log"))
    for _ in 0..<10 { try store.append(Append([event(3_000)], to: "s")) }
    store.close()
    let path = try copy("longer")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes += Data(count: 4_096)
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(try lacks(path))
    // A shorter one cannot be read at all.
    try bytes.prefix(bytes.count - 3 * 4_096).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: EventStoreError.self) { _ = try SQLiteEventStore(readingFrom: path).head() }
    #expect(error?.code == .corrupt)
  }

  @Test func `a backup of an open log lacks nothing and says so`() throws {
    let store = try SQLiteEventStore(path: folder.path("log"))
    for round in 0..<5 {
      for _ in 0..<300 { try store.append(Append([event(5_000)], to: "s")) }
      try store.backUp(to: folder.path("copy-\(round)"))
      #expect(try !lacks(folder.path("copy-\(round)")))
      #expect(try SQLiteEventStore(readingFrom: folder.path("copy-\(round)")).head() == store.head())
    }
  }
}
