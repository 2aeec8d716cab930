import Annals
import AnnalsLog
@testable import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// Queries for categories in a file, next to a filter of all events.
@Suite struct CategoryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A log that is longer than the positions that a query always scans, with a rare and a frequent category.
  private func log() throws -> (SQLiteEventStore, [StoredEvent]) {
    let store = try SQLiteEventStore(path: folder.path("log"))
    let count = 20 * EventReader.scanned
    let entries = (0..<count).map { number in
      let stream: StreamName =
        switch number {
        case _ where number % 997 == 0 || number < 3: "Rare-\(number % 7)"
        case _ where number % 3 == 0: "Often-\(number % 11)"
        // Names next to the range of names.
        case _ where number % 997 == 1: number % 2 == 0 ? "Rare.1" : "Rare"
        default: "Other-\(number % 5)"
        }
      return Append.Entry(stream: stream, event: NewEvent(type: "T\(number % 4)", payload: "1"))
    }
    try store.append(Append(entries))
    return (store, try store.events(.all, after: 0, through: nil, limit: count))
  }

  @Test func `pages of rare and frequent categories in a long log contain the same events as a filter`() throws {
    let (store, all) = try log()
    let queries: [EventQuery] = [
      .category("Rare"), .category("Often"), .category("None"), .category("Rare") && .types("T0"),
      .category("Rare") || .stream("Often-3"), .category("Rare") || .category("Often"),
    ]
    let place = Generator<Int>.frequency(
      (1, .constant(0)), (2, .int(in: 0...all.count)), (1, .int(in: all.count - 9...all.count)))
    let limit = Generator<Int>.frequency((3, .int(in: 1...40)), (1, .int(in: 500...5_000)), (1, .constant(.max)))
    try check(
      .element(of: queries), place, place.optional(), limit, settings: CheckSettings(examples: 60, environment: [:])
    ) { query, after, through, limit in
      let expected = all.filter {
        $0.position > Position(after) && $0.position <= Position(through ?? .max) && query.matches($0)
      }.map(\.position)
      let end = through.map { Position($0) }
      let found = try store.events(query, after: Position(after), through: end, limit: limit)
      try ensureEqual(found.map(\.position), Array(expected.prefix(limit)))
      let backwards = try store.eventsBackwards(query, after: Position(after), through: end, limit: limit)
      try ensureEqual(backwards.map(\.position), Array(expected.reversed().prefix(limit)))
      sometimes(expected.count > limit, "a full page")
    }
  }

  @Test func `a category is found through the range of names and the index of streams`() throws {
    let (store, _) = try log()
    store.close()
    let connection = try SQLiteConnection(path: folder.path("log"), access: .write, patience: .zero)
    for (search, words) in [
      (QueryPlan.CategorySearch.streams, ["SEARCH stream USING COVERING INDEX", "(name>? AND name<?)", "(stream=?"]),
      (.scan, ["SEARCH event USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"]),
    ] {
      let plan = try #require(
        try QueryPlan(.category("Rare"), after: 0, through: nil, categories: search, connection))
      var steps: [String] = []
      try connection.statement("EXPLAIN QUERY PLAN " + plan.positions).run { steps.append($0.text(3) ?? "") }
      for word in words { #expect(steps.contains { $0.contains(word) }, "\(word) in \(steps)") }
      #expect(!steps.contains { $0.hasPrefix("SCAN event") || $0.hasPrefix("SCAN stream") }, "\(steps)")
    }
  }

  private func orders() throws -> SQLiteEventStore {
    let store = try SQLiteEventStore(path: folder.path("log"))
    for stream in ["Orders-1", "OrdersX-1", "Orders-2"] as [StreamName] {
      try store.append(
        Append(
          [NewEvent(type: "OrderCancelled", schema: 2, payload: #"{"id":"a","currency":"c","time":1}"#)], to: stream))
    }
    return store
  }

  @Test func `events of a type and a subscription read a category`() async throws {
    let store = try orders()
    let read = try await store.events(of: OrderEvent.self, .category(Orders.category))
    #expect(read.map(\.stream) == ["Orders-1", "Orders-2"])
    for try await batch in store.subscription(to: .category("Orders"), after: 0) {
      #expect(batch.events.map(\.position) == [1, 3])
      break
    }
  }

  @Test func `a decider's boundary is a category, also for the events of its transaction`() throws {
    let store = try orders()
    for store in [store as any EventStore, try store.branch()] {
      try store.transaction { transaction in
        // The second command's boundary contains the event of the first command.
        for id in ["x", "y"] { try transaction.execute(id, on: .boundary(CategoryCount.self)) }
      }
      let ids = try store.events(of: OrderEvent.self, .stream("Orders-x")).map(\.event)
      #expect(ids == [2, 3].map { .paid(id: "\($0)", stream: "", author: "") })
    }
  }
}

/// A decider that counts the events of the category Orders.
private struct CategoryCount: BoundaryDecider {
  private var count = 0

  static func boundary(for command: String) -> EventQuery { .category("Orders") }
  static func stream(for command: String) -> StreamName { "Orders-x" }
  func decide(_ command: String) -> [OrderEvent] { [.paid(id: "\(count)", stream: "", author: "")] }
  mutating func evolve(_ event: OrderEvent) { count += 1 }
}
