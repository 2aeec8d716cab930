import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// Lines that are written from a store's bytes, beside those that are written from values.
@Suite struct LineBytesTests {
  /// What is in an id, a name or a value: plain text, and all that is written otherwise somewhere.
  private static let words = [
    "a", "b'", "\u{8}\u{1F}", "\"\\/", "é", "e\u{301}", "🍎 und mehr", "", "a line\nand one\r",
  ]
  private static let names = [
    "actor", "zone", "transaction", "time", "tags", "schemaversion", "id", "data", "position", "metadatadata", "é",
    "a\"",
  ]

  private func event(_ number: Int, _ generator: inout SplitMix64) -> NewEvent {
    func word() -> String { Self.words.randomElement(using: &generator) ?? "" }
    var metadata: Metadata = [:]
    for _ in 0..<Int.random(in: 0...3, using: &generator) where Bool.random(using: &generator) {
      metadata[Self.names.randomElement(using: &generator) ?? ""] =
        ["2026-01-01T12:00:00.5Z", "1", "t\(number / 7)", word()].randomElement(using: &generator)
    }
    let payloads = [nil, "{}", "{\"a\":\n \"\\n\",\r\n\"b\": [1, 2.50]}", #"{"text":"🍎"}"#, "null"]
    return NewEvent(
      type: "T" + word(), schema: Int.random(in: 1...2, using: &generator),
      payload: payloads.randomElement(using: &generator) ?? nil,
      tags: Bool.random(using: &generator) ? [] : [EventTag("x" + word()), "y z%"], metadata: metadata,
      id: EventID(source: "s\(number % 2)", id: "\(number / 2)" + word()),
      time: Date(timeIntervalSince1970: Double(Int.random(in: -5_000_000_000...5_000_000_000, using: &generator)) / 8))
  }

  @Test(arguments: 1...12) func `lines of bytes are lines of values`(_ seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let folder = try TemporaryFolder()
    let store = try SQLiteEventStore(path: folder.path("log"), durability: .process)
    var number = 0
    for _ in 0..<40 {
      let events = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        number += 1
        return event(number, &generator)
      }
      try store.append(Append(events, to: "stream \(Self.words.randomElement(using: &generator) ?? "")"))
    }
    var (expected, labels) = ("", TransactionLabels())
    try store.forEachEvent { event in
      expected += CloudEvent.line(event, transaction: labels.label(of: event)) + "\n"
    }
    for size in [1, 7, 512] {
      var (lines, found) = (CloudEventWriter(), Data())
      try store.forEachBatch(batchSize: size) { batch in
        for index in 0..<batch.count { lines.add(batch, at: index) }
        found.append(lines.take())
      }
      #expect(String(decoding: found, as: UTF8.self) == expected)
      #expect(found.count == expected.utf8.count && lines.byteCount == 0)
    }
  }

  @Test func `two transactions of one first id are two in the lines`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteEventStore(path: folder.path("log"))
    // The label of the first was written with an escape, as an import may keep it.
    var escaped: Metadata = [:]
    escaped.set("transaction", json: #""\u0061""#)
    try store.append(Append([NewEvent(type: "T", payload: nil, metadata: escaped)], to: "s"))
    for source in ["x", "y", "z"] {
      try store.append(
        Append([NewEvent(type: "T", payload: nil, id: EventID(source: source, id: "a"))], to: "s"))
    }
    var lines = CloudEventWriter()
    try store.forEachBatch { batch in for index in 0..<batch.count { lines.add(batch, at: index) } }
    let labels = try String(decoding: lines.take(), as: UTF8.self).split(separator: "\n").map {
      try CloudEvent(line: String($0)).transaction
    }
    #expect(labels == ["a", "a'", "a", "a'"])
  }
}
