import AnnalsLog
import AnnalsTesting
import Testing

@testable import AnnalsSQLite

/// Connections that look whether a writer has the log's write lock.
@Suite struct WriteLockTests {
  private let folder: TemporaryFolder
  private let (reader, writer): (SQLiteConnection, SQLiteConnection)

  init() throws {
    folder = try TemporaryFolder()
    let path = folder.path("log")
    writer = try SQLiteConnection(path: path, access: .create)
    try writer.execute("PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
    reader = try SQLiteConnection(path: path, access: .read)
    _ = try reader.int("SELECT count(*) FROM t")
  }

  @Test func `the lock is taken from the beginning of a transaction to its end`() throws {
    #expect(reader.isWriteLockFree == true)
    for fails in [false, true] {
      try? writer.write {
        #expect(reader.isWriteLockFree == false)
        try writer.execute("INSERT INTO t VALUES (1)")
        #expect(reader.isWriteLockFree == false)
        if fails { throw EventStoreError(.io, "") }
      }
      #expect(reader.isWriteLockFree == true)
    }
    try writer.read { #expect(reader.isWriteLockFree == true) }
  }

  @Test func `the question leaves the lock free, and needs no transaction`() throws {
    let impatient = try SQLiteConnection(path: folder.path("log"), access: .write, patience: .zero)
    for _ in 0..<100 {
      #expect(reader.isWriteLockFree == true)
      try impatient.write { try impatient.execute("INSERT INTO t VALUES (1)") }
    }
    try reader.read {
      #expect(try reader.int("SELECT count(*) FROM t") == 100)
      #expect(reader.isWriteLockFree == true)
      try impatient.write { try impatient.execute("INSERT INTO t VALUES (1)") }
      #expect(try reader.int("SELECT count(*) FROM t") == 100)
    }
    #expect(try reader.int("SELECT count(*) FROM t") == 101)
  }

  #if os(macOS) || os(Linux)
    @Test func `another process's lock is seen`() throws {
      let path = folder.path("held")
      let store = try SQLiteEventStore(path: path)
      try store.append(Append([NewEvent(type: "E", payload: nil)], to: "s"))
      let reader = try SQLiteConnection(path: path, access: .read)
      _ = try reader.int("SELECT count(*) FROM event")
      #expect(reader.isWriteLockFree == true)
      let child = try ChildProcess("hold", path, "1", "1")
      #expect(child.wait(for: "held"))
      #expect(reader.isWriteLockFree == false)
      child.kill()
      _ = child.finish()
      #expect(reader.isWriteLockFree == true)
    }
  #endif
}
