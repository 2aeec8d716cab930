import Annals
import AnnalsTesting
import Foundation
import Testing

@testable import AnnalsSQLite

/// Logs whose texts hold bytes that are no UTF-8, with checksums that fit: a hostile program wrote them.
@Suite struct ForeignBytesTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("log")
    let store = try SQLiteEventStore(path: path)
    for number in 1...3 {
      let event = NewEvent(
        type: "Said", payload: #"{"text":"words \#(number)"}"#, tags: ["a"], metadata: ["actor": "Ann"],
        id: EventID(source: "s", id: "id \(number)"))
      try store.append(Append([.init(stream: "Talk-1", event: event)]))
    }
    store.close()
  }

  /// Changes a text of the second event into one with a foreign byte after its fifth, and gives it a checksum.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - isOfBytes: True if the checksum is that of the bytes, false if it is that of the text as it is repaired.
  /// - Throws: Why it cannot be done.
  private func harm(_ column: String, isOfBytes: Bool) throws {
    // A byte that no UTF-8 has, before the last two of the text: between quotes, where JSON has any character.
    try change(column, isOfBytes: isOfBytes) { $0.insert(0xFF, at: $0.count - 2) }
  }

  /// Changes a text of the second event, and gives it a checksum.
  private func change(_ column: String, isOfBytes: Bool = true, _ change: (inout [UInt8]) -> Void) throws {
    let database = try TestDatabase(path)
    try database.dropTriggers()
    let row = try #require(
      database.rows(
        """
        SELECT position, "transaction", stream.name, version, type.name, schema, source.name, id, time, tags, payload,
          \(TestDatabase.metadataSQL) FROM event JOIN stream ON stream.key = stream JOIN type ON type.key = type
          JOIN source ON source.key = source WHERE position = 2
        """
      ).first)
    var texts = row.map { Array(($0 ?? "").utf8) }
    let index = try #require(["id": 7, "tags": 9, "payload": 10, "metadata": 11][column])
    change(&texts[index])
    var sum = CRC32()
    for text in texts {
      let bytes = isOfBytes ? text : Array(String(decoding: text, as: UTF8.self).utf8)
      (bytes + [0x1F]).withUnsafeBytes { sum.add($0) }
    }
    let hex = texts[index].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    try database.execute(
      "UPDATE event SET \(column) = CAST(x'\(hex)' AS TEXT), checksum = \(sum.value) WHERE position = 2")
  }

  @Test(arguments: [
    ("payload", #"{"a":1,"a":2}"#, "its payload isn't JSON: the member \"a\" appears twice"),
    ("payload", "{", "its payload isn't JSON: expected"), ("payload", #"{"a":1e9999999999}"#, "its payload isn't JSON"),
    ("metadata", #"{"a":1,"a":2}"#, "the event's metadata isn't JSON"), ("metadata", "[]", "metadata isn't JSON"),
    ("tags", "{}", "the event's tags aren't JSON"), ("tags", #"["b"]"#, "tag \"b\" is missing from the table of tags"),
  ])
  func `a text that no writer of events accepts is found, although its checksum fits`(
    _ column: String, _ text: String, _ problem: String
  ) throws {
    try change(column) { $0 = Array(text.utf8) }
    let report = try SQLiteEventStore(readingFrom: path).verify()
    #expect(report.problems.contains { $0.position == 2 && $0.message.contains(problem) }, "\(report.problems)")
  }

  private static let places = ["id": 3, "tags": 4, "payload": 17, "metadata": 14]

  @Test(arguments: ["id", "tags", "payload", "metadata"], [true, false])
  func `a text that is no UTF-8 is never read as another text`(_ column: String, _ isOfBytes: Bool) throws {
    try harm(column, isOfBytes: isOfBytes)
    let store = try SQLiteEventStore(readingFrom: path)
    let reads: [(name: String, body: () throws -> Void)] = [
      ("events", { _ = try store.events(.all, after: 0, through: nil, limit: 10) }),
      ("backwards", { _ = try store.eventsBackwards(.all, after: 0, through: 3, limit: 10) }),
      ("of a stream", { _ = try store.events(.stream("Talk-1"), after: 0, through: nil, limit: 10) }),
      ("of a type", { _ = try store.events(.types(["Said"]), after: 0, through: nil, limit: 10) }),
      ("batches", { try store.forEachBatch(.all, after: 0, through: 3) { _ in } }),
      ("batches of a type", { try store.forEachBatch(.types(["Said"]), after: 0, through: 3) { _ in } }),
    ]
    for (name, read) in reads {
      let error = #expect(throws: EventStoreError.self, "\(name)") { try read() }
      #expect(error?.code == .corrupt, "\(name)")
      let message = error?.message ?? ""
      #expect(message.contains("event 2 is damaged") && message.contains("restore the log from a copy"), "\(message)")
      // Where the checksum is of another text than is stored, a reader of bytes finds that first.
      if isOfBytes || !name.hasPrefix("batches") {
        let place = try #require(Self.places[column])
        #expect(
          message.contains("byte \(place) of the event's \(column) is 0xff, which is not valid UTF-8"),
          "\(name): \(message)")
      }
    }
    let report = try store.verify()
    #expect(!report.isSound && report.problems.contains { $0.position == 2 })
    // What is sound before it can be read.
    #expect(try store.events(.all, after: 0, through: 1, limit: 10).count == 1)
  }

  @Test func `bytes are UTF-8 where a text can be made of them, wherever the first other byte is`() throws {
    let samples: [[UInt8]] = [
      [], Array("plain".utf8), Array("plain text of more than eight bytes".utf8), Array("史記 é 👩‍👩‍👧".utf8),
      Array("12345678é".utf8), [0x80], [0xC3], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xC0, 0xAF], [0xE2, 0x82], [0xF0, 0x9F, 0x91],
    ]
    for sample in samples {
      for length in 0...17 {
        let bytes = Array(repeating: UInt8(ascii: "a"), count: length) + sample
        let isText = String(validating: bytes, as: UTF8.self) != nil
        bytes.withUnsafeBytes {
          #expect(UTF8Check.holds($0) == isText, "\(bytes)")
          #expect((UTF8Check.count(before: $0) == nil) == isText, "\(bytes)")
          if !isText { #expect(UTF8Check.count(before: $0) == length, "\(bytes)") }
        }
      }
    }
  }
}
