import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// The file for a copy of a log.
@Suite struct BackupNameTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func store(_ events: Int) throws -> SQLiteEventStore {
    let store = try SQLiteEventStore(path: folder.path("log"))
    for number in 0..<events {
      try store.append(
        Append([NewEvent(type: "T", payload: "\"\(number)\(String(repeating: "x", count: 2_000))\"")], to: "s"))
    }
    return store
  }

  @Test func `of several copies to one path at once one is made, and it is whole`() throws {
    let store = try store(300)
    for round in 0..<5 {
      let path = folder.path("copy-\(round)")
      let done = Atomic<Int>(0)
      let refused = Mutex<[String]>([])
      onThreads(4) { _ in
        do {
          try store.backUp(to: path)
          done.add(1, ordering: .relaxed)
        } catch {
          refused.withLock { $0.append("\(error)") }
        }
      }
      #expect(done.load(ordering: .relaxed) == 1)
      #expect(refused.withLock { $0 }.allSatisfy { $0.contains("expected no such file, found one") })
      let copy = try SQLiteEventStore(readingFrom: path)
      #expect(try copy.verify().isSound && copy.head() == 300)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("")).filter { !$0.hasPrefix("log") }
    #expect(names.sorted() == (0..<5).map { "copy-\($0)" })
  }

  @Test(arguments: [0o600, 0o640, 0o444])
  func `a copy may be read and written by those who may read and write the log`(_ mode: Int) throws {
    let store = try store(3)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path("log"))
    try store.backUp(to: folder.path("copy")) { _ in
      // Also while the copy is made.
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path("")) where name.hasPrefix("copy") {
        let found = try FileManager.default.attributesOfItem(atPath: folder.path(name))[.posixPermissions] as? Int
        #expect(found.map { $0 & 0o077 & ~mode } == 0, "\(name) \(found ?? 0)")
      }
    }
    let found = try FileManager.default.attributesOfItem(atPath: folder.path("copy"))[.posixPermissions] as? Int
    #expect(found == mode)
  }

  @Test func `a copy that is ended leaves nothing`() throws {
    struct End: Error {}
    let store = try store(300)
    #expect(throws: End.self) { try store.backUp(to: folder.path("copy")) { _ in throw End() } }
    let error = #expect(throws: EventStoreError.self) { try store.backUp(to: folder.path("no/such/folder/copy")) }
    #expect(error?.code == .io)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).allSatisfy { $0.hasPrefix("log") })
  }
}
