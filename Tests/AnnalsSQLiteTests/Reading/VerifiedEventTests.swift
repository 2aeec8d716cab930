import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

@testable import AnnalsSQLite

/// The events that a verification passes to code that checks more than the log.
@Suite struct VerifiedEventTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("log")
  }

  /// An event with all kinds of values.
  private func event(_ number: Int) -> NewEvent {
    var event = NewEvent(
      type: "T\(number % 3)", payload: number % 5 == 0 ? nil : #"{"n":\#(number),"t":"ä\\ \#(number)"}"#)
    if number % 11 == 0 { event.tags = ["a", EventTag("b-\(number)")] }
    if number % 2 == 0 { event.metadata = ["actor": "Ann"] }
    if number % 9 == 0 { event.metadata = ["actor": "\(number)"] }
    if number % 13 == 0 { event.id = EventID(source: "x", id: "\(number)") }
    event.time = Date(timeIntervalSince1970: Double(number % 17))
    return event
  }

  private func fill(_ count: Int, _ store: SQLiteEventStore) throws {
    for start in stride(from: 0, to: count, by: 50) {
      let entries = (start..<min(start + 50, count)).map { number in
        Append.Entry(stream: StreamName("s-\(number % 7)"), event: event(number))
      }
      try store.append(Append(entries))
    }
  }

  @Test func `a verification passes each event once, in order and with all values`() throws {
    let store = try SQLiteEventStore(path: path)
    try fill(1_300, store)
    var (events, stamps): ([StoredEvent], [EventStamp]) = ([], [])
    let report = try store.verify { _ in
    } visit: { batch in
      events += batch.events
      stamps += (0..<batch.count).map(batch.stamp(at:))
    }
    let stored = try store.events(.all, after: 0, through: nil, limit: 2_000)
    #expect(report.isSound, "\(report.problems)")
    #expect(report.events == 1_300)
    #expect(events == stored)
    #expect(try stamps == store.stamps(after: 0, through: 1_300, limit: 2_000))
  }

  @Test func `no events are passed after a problem, and the report is the same as without a closure`() throws {
    do { try fill(1_300, SQLiteEventStore(path: path)) }
    do {
      let database = try TestDatabase(path)
      try database.dropTriggers()
      try database.execute("UPDATE event SET payload = '{}' WHERE position IN (700, 1200)")
    }
    let store = try SQLiteEventStore(readingFrom: path)
    var last = 0
    let report = try store.verify { _ in
    } visit: {
      last = $0.last?.rawValue ?? last
    }
    #expect(report.problems.compactMap(\.position) == [700, 1_200])
    // The missing triggers are a problem of the file, which is found before the events are read.
    #expect(last == 0)
    #expect(try report == store.verify())
  }

  @Test func `the error of a closure ends a verification`() throws {
    struct Stop: Error {}
    let store = try SQLiteEventStore(path: path)
    try fill(10, store)
    #expect(throws: Stop.self) {
      try store.verify { _ in
      } visit: { _ in
        throw Stop()
      }
    }
    #expect(try store.verify().isSound)
  }
}
