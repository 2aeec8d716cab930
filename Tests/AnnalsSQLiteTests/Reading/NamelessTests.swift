import Annals
import Testing

@testable import AnnalsSQLite

@Suite struct NamelessTests {
  private let folder: TemporaryFolder
  private let store: SQLiteEventStore

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteEventStore(path: folder.path("log"))
    for stream in ["a", "b", "c"] {
      try store.append(Append([NewEvent(type: "T", payload: "{}")], to: StreamName(stream)))
    }
  }

  @Test func `a stream without a name among others with names is damage, and no crash`() throws {
    try store.writer?.use { connection in try connection.execute("DELETE FROM stream WHERE name = 'b'") }
    let path = folder.path("log")
    store.close()
    let found = try SQLiteEventStore(path: path)
    for _ in 0..<2 {
      let error = #expect(throws: EventStoreError.self) { try found.batch(after: 0, through: 3, limit: 10) }
      #expect(error?.code == .corrupt)
    }
    #expect(try found.batch(after: 0, through: 1, limit: 10).count == 1)
  }

  @Test func `a batch without a limit has all events`() throws {
    #expect(try store.batch(after: 0, through: 3, limit: .max).count == 3)
    #expect(try store.batch(after: 1, through: 2, limit: .max).count == 1)
  }
}
