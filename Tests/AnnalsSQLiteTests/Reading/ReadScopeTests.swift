import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation
import Testing

/// Reads of one moment, and short reads through the connection that writes, beside another store of the same file.
@Suite struct ReadScopeTests {
  private let folder: TemporaryFolder
  private let mine: SQLiteEventStore
  private let other: SQLiteEventStore

  init() throws {
    folder = try TemporaryFolder()
    mine = try SQLiteEventStore(path: folder.path("log"))
    other = try SQLiteEventStore(path: folder.path("log"))
  }

  private static func event(_ text: String = "1") -> NewEvent {
    NewEvent(type: "T", payload: #"{"$personal":"ann","value":\#(text)}"#)
  }

  @Test func `a log that is used after the body has returned says so`() throws {
    try mine.append(Append([Self.event()], to: "s"))
    let log = try mine.read { $0 }
    for ask in [
      { _ = try log.head() }, { _ = try log.events(.all, after: 0, through: nil, limit: 1) },
      { _ = try log.tail(of: "s", after: 0) }, { _ = try log.revision() },
    ] as [() throws -> Void] {
      let error = #expect(throws: EventStoreError.self) { try ask() }
      #expect(
        error?.code == .closed && error?.message.contains("used after the closure of read(_:) had returned") == true)
    }
    #expect(try mine.read { try $0.head() } == 1)
  }

  @Test func `short tails are of the log as it is, whichever store appended or erased last`() throws {
    var erasures = 0
    for round in 0..<6 {
      for (number, store) in [mine, other, mine, mine, other].enumerated() {
        try store.append(Append([Self.event("\(round)")], to: StreamName("s\(number % 2)")))
        for reader in [mine, other] {
          let head = Position(5 * round + number + 1)
          let tail = try reader.tail(after: Position(head.rawValue - 1), through: nil, limit: 9)
          #expect(tail.head == head && tail.revision == LogRevision(erasures: erasures))
          #expect(tail.batch.events.map(\.payload) == [#"{"$personal":"ann","value":\#(round)}"#])
          let stream = try reader.tail(of: StreamName("s\(number % 2)"), after: 0)
          #expect(stream.version == stream.events.count && stream.events.last?.position == head)
          #expect(stream.revision == LogRevision(erasures: erasures))
        }
      }
      try (round % 2 == 0 ? other : mine).erase(subject: "ann")
      erasures += 1
      for reader in [mine, other] {
        #expect(try reader.tail(after: 0, through: nil, limit: 9).revision == LogRevision(erasures: erasures))
        let stream = try reader.tail(of: "s0", after: 0)
        #expect(stream.revision == LogRevision(erasures: erasures))
        #expect(stream.events.allSatisfy { $0.payload == #"{"$personal":"ann"}"# })
      }
    }
  }

  @Test func `a body may read and append by the store, and a read inside it is of its own moment`() throws {
    try mine.append(Append([Self.event()], to: "s"))
    try mine.read { log in
      try mine.append(Append([Self.event()], to: "s"))
      try mine.read { inner in
        try other.append(Append([Self.event()], to: "s"))
        #expect(try (log.head(), inner.head(), mine.head()) == (1, 2, 3))
        #expect(try mine.tail(after: 2, through: nil, limit: 9).head == 3)
      }
      #expect(try log.events(.stream("s"), after: 0, through: nil, limit: 9).count == 1)
    }
  }
}
