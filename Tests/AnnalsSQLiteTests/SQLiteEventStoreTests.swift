import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation
import Testing

@Suite struct SQLiteEventStoreTests {
  private func withLog(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("annals-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.appendingPathComponent("log.annals").path)
  }

  @Test func `the file gives back what the memory store gives back`() throws {
    try withLog { path in
      let environment = StoreEnvironment(
        now: { Date(timeIntervalSince1970: 1_700_000_000.123_456) }, makeID: { "made" })
      let memory = MemoryEventStore(source: "here", environment: environment)
      let file = try SQLiteEventStore(path: path, environment: environment)
      var metadata: Metadata = ["actor": "Ann\u{301}"]
      metadata.set("weight", json: "1.50")
      let appends = [
        Append(
          [
            NewEvent(
              type: "A", payload: "{\"a\": 1.0}", tags: ["x", "y"], metadata: metadata,
              id: EventID(source: "s", id: "1"))
          ], to: "one"),
        Append(
          [
            NewEvent(type: "B", schema: 3, payload: nil, id: EventID(source: "s", id: "2")),
            NewEvent(type: "A", payload: "[]", tags: ["x"], id: EventID(source: "t", id: "2")),
          ], to: "caf\u{e9}", expecting: .doesNotExist),
        Append(
          [NewEvent(type: "C", payload: "\"\u{1F600}\"", id: EventID(source: "s", id: "3"))], to: "cafe\u{301}",
          expecting: .exact(0)),
        Append([NewEvent(type: "C", payload: nil, id: EventID(source: "s", id: "3"))], to: "one"),
        Append([NewEvent(type: "C", payload: nil, id: EventID(source: "s", id: "4"))], to: "one", expecting: .exact(9)),
        Append(
          [.init(stream: "one", event: NewEvent(type: "D", payload: nil, id: EventID(source: "s", id: "5")))],
          conditions: [.init(noneMatching: .tagged("x", "y"), after: 0)]),
        Append(
          [.init(stream: "one", event: NewEvent(type: "D", payload: nil, id: EventID(source: "s", id: "6")))],
          conditions: [.init(noneMatching: .tagged("x", "y"), after: 1)]),
      ]
      for append in appends {
        let expected = Result { try memory.append(append) }
        let found = Result { try file.append(append) }
        switch (expected, found) {
        case (.success(let one), .success(let other)): #expect(one == other)
        case (.failure(let one), .failure(let other)): #expect("\(one)" == "\(other)")
        default: Issue.record("memory: \(expected), file: \(found)")
        }
      }
      let queries: [EventQuery] = [
        .all, .types("A"), .tagged("x"), .stream("one"), .types("B") || .tagged("y"), EventQuery([]),
      ]
      for query in queries {
        for after in [0, 1, 3] as [Position] {
          let expected = memory.events(query, after: after, through: 4, limit: 2)
          #expect(try file.events(query, after: after, through: 4, limit: 2) == expected)
        }
      }
      #expect(try file.head() == memory.head())
      #expect(try file.position(of: EventID(source: "t", id: "2")) == 3)
      #expect(try file.version(of: "cafe\u{301}") == 1)
      let reopened = try SQLiteEventStore(path: path)
      #expect(reopened.source == file.source)
      #expect(
        try reopened.events(.all, after: 0, through: nil, limit: 99)
          == memory.events(.all, after: 0, through: nil, limit: 99))
    }
  }

  @Test func `a file that is no log is refused and stays as it is`() throws {
    try withLog { path in
      let noise = Data((0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      for content in [Data("hello".utf8), noise] {
        try content.write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: EventStoreError.self) { try SQLiteEventStore(path: path) }
        #expect(error?.code == .notALog)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == content)
      }
      let folder = #expect(throws: EventStoreError.self) { try SQLiteEventStore(path: NSTemporaryDirectory()) }
      #expect(folder?.code == .io)
    }
  }

  @Test func `a changed payload is found by its checksum`() throws {
    try withLog { path in
      do {
        let store = try SQLiteEventStore(path: path)
        for _ in 0..<3 { try store.append(Append([NewEvent(type: "A", payload: "\"needle-in-a-haystack\"")], to: "s")) }
      }
      var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      let range = try #require(bytes.range(of: Data("needle-in".utf8)))
      bytes[range.lowerBound] ^= 1
      try bytes.write(to: URL(fileURLWithPath: path))
      let store = try SQLiteEventStore(path: path)
      let error = #expect(throws: EventStoreError.self) { try store.events(.all, after: 0, through: nil, limit: 9) }
      #expect(error?.code == .corrupt)
    }
  }

  @Test func `versions, transactions and keys go on after the log is opened again`() throws {
    try withLog { path in
      do {
        let store = try SQLiteEventStore(path: path)
        let entries = ["a", "b", "a", "caf\u{e9}", "cafe\u{301}"].map {
          Append.Entry(stream: StreamName($0), event: NewEvent(type: "T" + $0, payload: nil))
        }
        let receipt = try store.append(Append(entries))
        #expect(receipt.versions == ["a": 2, "b": 1, "caf\u{e9}": 1, "cafe\u{301}": 1])
        // An append that fails halfway undoes its streams and names.
        let twice = EventID(source: "x", id: "1")
        #expect(throws: EventStoreError.self) {
          try store.append(
            Append([
              .init(stream: "new", event: NewEvent(type: "New", payload: nil, id: twice)),
              .init(stream: "a", event: NewEvent(type: "New", payload: nil, id: twice)),
            ]))
        }
        #expect(try store.version(of: "new") == 0 && store.version(of: "a") == 2)
      }
      let store = try SQLiteEventStore(path: path)
      let receipt = try store.append(
        Append([.init(stream: "a", event: NewEvent(type: "Ta", payload: nil))], expectations: ["b": .exact(1)]))
      #expect(receipt.position == 6 && receipt.transaction == 2 && receipt.versions == ["a": 3, "b": 1])
      let stored = try store.events(.all, after: 0, through: nil, limit: 9)
      #expect(stored.map(\.version) == [1, 1, 2, 1, 1, 3])
      #expect(stored.map(\.type) == ["Ta", "Tb", "Ta", "Tcaf\u{e9}", "Tcafe\u{301}", "Ta"])
      #expect(stored.map { Array($0.stream.text.utf8).count } == [1, 1, 1, 5, 6, 1])
    }
  }
}
