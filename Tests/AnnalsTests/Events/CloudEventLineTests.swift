import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

@Suite struct CloudEventLineTests {
  @Test func `a line has all that an event says, in one order`() throws {
    let store = MemoryEventStore(
      environment: StoreEnvironment(now: { Date(timeIntervalSince1970: 0) }, makeID: { "i" }))
    try store.append(
      Append(
        [NewEvent(type: "Laid", schema: 2, payload: #"{"a":1}"#, tags: ["x"], metadata: ["actor": "ann"])], to: "s"))
    let event = try #require(store.events(.all, after: 0, through: nil, limit: 1).first)
    let source = JSONValue.string(store.source).text
    #expect(
      CloudEvent.line(event, transaction: "7")
        == #"{"specversion":"1.0","id":"i","source":\#(source),"type":"Laid","subject":"s","#
        + #""time":"1970-01-01T00:00:00Z","transaction":"7","position":1,"schemaversion":2,"tags":"x","#
        + #""actor":"ann","data":{"a":1}}"#)
  }

  @Test func `metadata whose value is the name of a member says nothing of that member`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "annals-line-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let environment = StoreEnvironment(makeID: { UUID().uuidString })
    let file = try SQLiteEventStore(path: folder.appending(path: "log").path, environment: environment)
    defer { file.close() }
    // What comes from a file is written from its bytes, and what comes from memory is not.
    try expectMembers(of: file)
    try expectMembers(of: MemoryEventStore(environment: environment))
  }

  private func expectMembers(of store: some EventStore) throws {
    func members(_ metadata: Metadata) throws -> [String: String] {
      let head = try store.append(Append([NewEvent(type: "Laid", payload: nil, metadata: metadata)], to: "s")).position
      var writer = CloudEventWriter()
      writer.add(try store.batch(after: Position(head.rawValue - 1), through: head, limit: 1), at: 0)
      let line = String(decoding: writer.take().dropLast(), as: UTF8.self)
      return Dictionary(uniqueKeysWithValues: try JSON.members(ofObject: line).map { ($0.name, $0.json) })
    }
    // Names and values that are in order together, and others.
    for (name, last) in [("transaction", "x"), ("transaction", "zzz"), ("type", "zzz"), ("zz", "x")] {
      let found = try members(["a": name, "zz": last])
      #expect(found["transaction"] == found["id"] && found["type"] == "\"Laid\"", "\(found)")
      #expect(found["a"] == "\"\(name)\"" && found["zz"] == "\"\(last)\"", "\(found)")
    }
  }

  @Test func `an hour that is written in another zone is the hour there`() {
    for (text, hour) in [("00:00:00Z", 0), ("02:30:00+02:30", 0), ("00:00:00-01:00", 1)] {
      #expect(RFC3339.microseconds(of: "1970-01-01T\(text)") == Int64(hour) * 3_600_000_000, "\(text)")
    }
  }

  @Test func `the last events are the last ones, however many come before them`() throws {
    let store = MemoryEventStore()
    for number in 1...25 { try store.append(Append([NewEvent(type: "T", payload: "\(number)")], to: "s")) }
    try store.read { log in
      let plain = PlainLog(log: log)
      for limit in [1, 2, 7, 12, 13, 24, 25, 26, 100] {
        let found = try plain.eventsBackwards(.all, after: 0, through: nil, limit: limit)
        #expect(found.map(\.position.rawValue) == (1...25).reversed().prefix(limit).map { $0 }, "\(limit)")
      }
    }
  }
}

/// A log that knows no shorter way than the protocol's.
private struct PlainLog: EventLog {
  let log: any EventLog

  func head() throws -> Position { try log.head() }
  func version(of stream: StreamName) throws -> Int { try log.version(of: stream) }
  func position(of id: EventID) throws -> Position? { try log.position(of: id) }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    try log.events(query, after: after, through: through, limit: limit)
  }
}
