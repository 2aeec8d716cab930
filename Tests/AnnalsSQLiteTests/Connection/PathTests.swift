import Annals
import Foundation
import Testing

@testable import AnnalsSQLite

/// Paths that a log is opened by.
@Suite struct PathTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  #if os(macOS) || os(Linux)
    @Test func `a log that was opened by a relative path is kept when the working folder changes`() throws {
      // The working folder is the whole process's, so another process changes it.
      let child = try ChildProcess("moves", folder.path(""), "1", "1")
      let (lines, talk, status) = child.finish()
      #expect(talk == "" && status == 0 && lines.first == "right", "\(talk)")
    }
  #endif

  @Test func `a path that names no file is a clear error`() throws {
    let opens: [(String) throws -> Void] = [
      { _ = try SQLiteEventStore(path: $0) }, { _ = try SQLiteEventStore(readingFrom: $0) },
    ]
    for open in opens {
      let empty = #expect(throws: EventStoreError.self) { try open("") }
      #expect(
        empty?.code == .io
          && empty?.message.contains("expected a file path, found an empty string") == true)
      let zero = #expect(throws: EventStoreError.self) { try open(folder.path("log") + "\u{0}more") }
      #expect(zero?.code == .io && zero?.message.contains("zero byte") == true)
    }
    let store = try SQLiteEventStore(path: folder.path("log"))
    for target in ["", folder.path("copy") + "\u{0}"] {
      #expect(throws: EventStoreError.self) { try store.backUp(to: target) }
    }
    store.close()
    #expect(throws: EventStoreError.self) { _ = try SQLiteEventStore.salvage("", to: folder.path("copy")) }
    #expect(throws: EventStoreError.self) { _ = try SQLiteEventStore.salvage(folder.path("log"), to: "") }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["log"])
  }

  @Test(arguments: [":memory:", "file::memory:?cache=shared", "file:log?mode=memory", "~", "a b#c%20?d"])
  func `a name that means something to SQLite or a shell is a file's name`(_ name: String) throws {
    let path = folder.path(name)
    do {
      let store = try SQLiteEventStore(path: path)
      try store.append(Append([NewEvent(type: "T", payload: nil)], to: "s"))
      store.close()
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == [name])
    #expect(try SQLiteEventStore(readingFrom: path).head() == 1)
  }
}
