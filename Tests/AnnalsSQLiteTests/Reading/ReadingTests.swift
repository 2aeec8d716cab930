import Annals
import AnnalsSQLite
import Foundation
import Testing

/// Stores that are opened for reading only.
@Suite struct ReadingTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func event(_ number: Int) -> Append {
    Append([NewEvent(type: "T", payload: "\(number)")], to: "s")
  }

  @Test func `a stream of any length is read as it is, by any store and after an append by any store`() throws {
    let path = folder.path("streams")
    let (one, other) = (try SQLiteEventStore(path: path), try SQLiteEventStore(path: path))
    for number in 1...70 {
      let writer = number % 3 == 0 ? other : one
      for stream in ["s", "\u{E9}", "e\u{301}"] as [StreamName] {
        try writer.append(Append([NewEvent(type: "T", payload: "\(number)", tags: ["t"])], to: stream))
        for reader in [one, other] {
          for limit in [1, 31, 32, 33, 64, 512] where limit < 3 || number > 28 && number < 36 || number > 62 {
            let found = try reader.events(.stream(stream), after: 0, through: nil, limit: limit)
            #expect(found.map(\.version) == Array(1...min(number, limit)))
            #expect(found.allSatisfy { $0.stream == stream && $0.payload == "\($0.version)" && $0.tags == ["t"] })
          }
        }
      }
    }
    // A store that never wrote to the stream does not know its length.
    let third = try SQLiteEventStore(path: path)
    #expect(try third.events(.stream("s"), after: 0, through: nil, limit: 512).count == 70)
    #expect(try one.events(.stream("nobody's"), after: 0, through: nil, limit: 5).isEmpty)
    one.close()
    #expect(throws: EventStoreError.self) { try one.events(.stream("s"), after: 0, through: nil, limit: 5) }
  }

  @Test func `a missing file is not created, and an empty one is no log`() throws {
    let missing = #expect(throws: EventStoreError.self) { try SQLiteEventStore(readingFrom: folder.path("none")) }
    #expect(missing?.code == .notFound)
    #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
    try Data().write(to: URL(fileURLWithPath: folder.path("empty")))
    let empty = #expect(throws: EventStoreError.self) { try SQLiteEventStore(readingFrom: folder.path("empty")) }
    #expect(empty?.code == .notALog)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("empty"))).isEmpty)
  }

  @Test(arguments: ["log.annals", "a?b#c%20d & é", "file:x"])
  func `a reader sees what a writer appends, and cannot write`(name: String) throws {
    let path = folder.path(name)
    let writer = try SQLiteEventStore(path: path)
    try writer.append(event(1))
    let reader = try SQLiteEventStore(readingFrom: path)
    #expect(reader.source == writer.source)
    #expect(try reader.head() == 1)
    try writer.append(event(2))
    #expect(try reader.events(.all, after: 0, through: nil, limit: 9).map(\.payload) == ["1", "2"])
    let error = #expect(throws: EventStoreError.self) { try reader.append(event(3)) }
    #expect(error?.code == .readOnly)
    #expect(try writer.head() == 2)
  }

  @Test func `a log that was closed is read without a change of its bytes, and nothing is left beside it`() throws {
    let path = folder.path("log")
    do {
      let writer = try SQLiteEventStore(path: path)
      for number in 0..<20 { try writer.append(event(number)) }
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    for _ in 0..<2 { #expect(try SQLiteEventStore(readingFrom: path).head() == 20) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    let names = try FileManager.default.contentsOfDirectory(
      atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path)
    #expect(names == ["log"])
  }

  @Test func `a reader that goes takes nothing from a writer that came after it`() throws {
    let path = folder.path("log")
    do { try SQLiteEventStore(path: path).append(event(1)) }
    for hasWritten in [true, false] {
      var reader: SQLiteEventStore? = try SQLiteEventStore(readingFrom: path)
      let start = try #require(try reader?.head().rawValue)
      let writer = try SQLiteEventStore(path: path)
      #expect(try writer.head().rawValue == start)
      if hasWritten { try writer.append(event(2)) }
      reader = nil
      try writer.append(event(3))
      let end = Position(start + (hasWritten ? 2 : 1))
      #expect(try SQLiteEventStore(readingFrom: path).head() == end)
      #expect(try writer.events(.all, after: 0, through: nil, limit: 9).last?.position == end)
    }
  }
}
