import Annals
import Synchronization
import Testing

private struct Bird: Row {
  let id: String
  var count = 0
}

private enum BirdEvent: Event {
  case arrived(String)
  case counted(id: String, to: Int)
  case ringed(String)
  case left(String)
  case returned(String)
}

private struct Birds: Projection {
  func project(_ event: BirdEvent, into rows: inout Rows<Bird>) {
    switch event {
    case .arrived(let id): rows.insert(Bird(id: id))
    case .counted(let id, let count): rows[id]?.count = count
    case .ringed(let id): rows.update(id) { $0.count += 1 }
    case .left(let id): rows[id] = nil
    case .returned(let id): rows[id] = Bird(id: id, count: (rows[id]?.count ?? 0) + 1)
    }
  }
}

private struct TolerantBirds: Projection {
  static var toleratedEvents: Set<String> { ["BirdLeft", "BirdArrived"] }

  func project(_ event: BirdEvent, into rows: inout Rows<Bird>) { Birds().project(event, into: &rows) }
}

private struct StrictBirds: Projection {
  func project(_ event: BirdEvent, into rows: inout Rows<Bird>) throws {
    switch event {
    case .arrived(let id): try rows.add(Bird(id: id))
    case .counted(let id, let count): try rows.change(id) { $0.count = count }
    default: break
    }
  }
}

/// Projections that are wrong about the existence of a row.
@Suite struct MistakenRowTests {
  private final class Reports: Sendable {
    let all = Mutex<[FailureReport]>([])
    var text: [String] { all.withLock { $0.map { "\($0.name) \($0.position ?? 0) \($0.kind)" } } }
  }

  private let reports = Reports()
  private let store: MemoryEventStore

  init() {
    store = MemoryEventStore(
      source: "urn:birds",
      environment: StoreEnvironment(report: { [reports] report in reports.all.withLock { $0.append(report) } }))
  }

  private func append(_ events: BirdEvent...) throws { try store.append(events, to: "birds") }

  #if DEBUG
    @Test
    func `if events of a type change missing rows or insert existing rows, a debug build reports the first of them`()
      throws
    {
      let list = FetchedResultsController(store: store, projection: Birds())
      try append(.arrived("a"), .counted(id: "a", to: 1), .ringed("a"), .left("a"), .returned("a"), .returned("a"))
      try list.performFetch()
      #expect(reports.text == [])
      try append(.arrived("a"), .arrived("a"), .counted(id: "b", to: 1))
      try append(.ringed("b"), .left("b"), .left("b"), .counted(id: "b", to: 2))
      #expect(
        reports.text == [7, 9, 10, 11].map { "Birds \($0) projection" })
      let first = try #require(reports.all.withLock { $0.first })
      #expect(
        first.message
          == "in the log urn:birds, at event 7 (BirdArrived), the projection Birds inserted a row that existed "
          + "already, so the former row was replaced. Correct the projection, or the decider that accepted the "
          + "command. If this is intended, add \"BirdArrived\" to `Birds.toleratedEvents`. Only debug builds report "
          + "this, once per type of event")
      #expect("\(first.error)".hasPrefix("a row of the type Bird with the id a exists already"))
      let messages = reports.all.withLock { $0.map(\.message) }
      #expect(
        messages[1].contains("changed or deleted a row that doesn't exist, so this change had no "))
      #expect(!messages.contains { $0.contains("id ") })
      // Another list of the same projection doesn't repeat the reports, but another store does.
      try FetchedResultsController(store: store, projection: Birds()).performFetch()
      try list.seek(to: 3)
      #expect(reports.text.count == 4)
      #expect(list.failure == nil)
    }

    @Test func `a rebuild of many events reports a mistake`() throws {
      try store.append((0..<600).map { BirdEvent.arrived("\($0 % 599)") }, to: "birds")
      try FetchedResultsController(store: store, projection: Birds()).performFetch()
      #expect(reports.text == ["Birds 600 projection"])
    }
  #else
    @Test func `a release build reports no mistakes of projections`() throws {
      try append(.arrived("a"), .arrived("a"), .counted(id: "b", to: 1))
      try FetchedResultsController(store: store, projection: Birds()).performFetch()
      #expect(reports.text == [])
    }
  #endif

  @Test func `events that the projection tolerates aren't reported`() throws {
    try append(.arrived("a"), .arrived("a"), .left("b"))
    try FetchedResultsController(store: store, projection: TolerantBirds()).performFetch()
    #expect(reports.text == [])
  }

  @Test func `a strict change or insertion stops the list, and the failure names the row`() throws {
    let list = FetchedResultsController(store: store, projection: StrictBirds())
    try list.performFetch()
    try append(.arrived("a"), .counted(id: "a", to: 4))
    #expect(list.results.rows.map(\.count) == [4])
    try append(.counted(id: "b", to: 4))
    #expect("\(try #require(list.failure))".contains("no row of the type Bird has the id b, so it can't be changed"))
    #expect(reports.text == ["StrictBirds 3 list"])
  }
}
