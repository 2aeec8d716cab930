import Annals
import AnnalsMirror
import AnnalsTesting
import Foundation
import Testing

/// Rows that are not equal to themselves, because a number is NaN: their content is the output of their coding.
@Suite struct UnequalRowTests {
  private static let events = Generator<[ItemEvent]>.array(
    of: .frequency(
      (
        4,
        zip(.element(of: ["1", "2", "3"]), .element(of: ["a", "b"]), .int(in: 0...3)).map {
          .put(Item($0, $1, $2))
        }
      ),
      (1, Generator.element(of: ["1", "2", "3"]).map { .removed(id: $0) })), count: 0...8)

  private static let requests: [ListRequest<Mean>] = [
    ListRequest(sort: [.ascending(\.mean)]), ListRequest(sort: [.descending(\.count)], section: .by(\.kind)),
    ListRequest(
      sort: [.ascending(\.count)], section: .by(\.mean), aggregates: [.count, .sum(\.mean), .minimum(\.mean)]),
    ListRequest(filter: .where("all") { _ in true }, sort: [.ascending(\.limits.low)], limit: 2),
  ]

  @Test func `an event that changes nothing of a row with NaN is no change`() throws {
    let store = MemoryEventStore()
    try store.put([.put(Item("1", "a", 0)), .put(Item("2", "a", 3))])
    for request in Self.requests {
      let list = FetchedResultsController(store: store, projection: Means(), request: request)
      try list.performFetch()
      var batches: [Changes<Mean>] = []
      let observation = list.observe { batches.append($0) }
      for event in [ItemEvent.put(Item("1", "a", 0)), .put(Item("2", "a", 3)), .renamed(group: "none", title: "x")] {
        try store.put(event)
      }
      #expect(batches.isEmpty, "\(batches.map(\.rows))")
      // A new order moves rows, and changes none.
      try list.update { $0.sort = [.descending(\.id)] }
      #expect(
        batches.allSatisfy { batch in
          batch.rows.allSatisfy { change in
            switch change {
            case .update, .move(_, _, _, contentChanged: true): false
            default: true
            }
          }
        }, "\(batches.map(\.rows))")
      batches = []
      // A real change is an update.
      try store.put(.put(Item("1", "a", 2)))
      #expect(batches.count == 1)
      try store.put(.put(Item("1", "a", 0)))
      #expect(batches.count == 2)
      withExtendedLifetime(observation) {}
    }
  }

  @Test func `the laws of lists and changes hold of rows with NaN`() throws {
    for request in Self.requests {
      try check(Self.events, settings: CheckSettings(examples: 40)) { events in
        try Means().ensureAllLaws(events, in: request)
      }
    }
  }

  @Test func `a row with any NaN is saved with its list, and read as the same`() throws {
    let store = FragileStore()
    try store.put((0..<60).map { .put(Item("\($0)", "a", $0 % 5)) })
    func list(_ name: String?) throws -> FetchedResultsController<Mean> {
      let list = FetchedResultsController(
        store: store, projection: Means(), request: ListRequest(sort: [.ascending(\.mean)]), cacheName: name)
      try list.performFetch()
      return list
    }
    try list("means").saveCache()
    let again = try list("means")
    #expect(again.cacheReport.restored == 60, "\(again.cacheReport)")
    var table = MirrorTable(try list(nil).results)
    #expect(table.shows(again.results))
    let changes = Changes(from: try list(nil).results, to: again.results)
    #expect(changes.rows.isEmpty)
    try table.apply(changes)
  }

  @Test func `a row that is not equal to itself and writes something else each time is named when it is saved`() throws
  {
    let store = FragileStore()
    try store.put(.put(Item("1", "a", 0)))
    let list = FetchedResultsController(
      store: store, projection: Restless.Rows(), request: ListRequest(sort: []), cacheName: "restless")
    try list.performFetch()
    let error = #expect(throws: (any Error).self) { try list.saveCache() }
    #expect("\(error.map { "\($0)" } ?? "")".contains("Use nil instead of NaN"), "\(error.map { "\($0)" } ?? "")")
  }
}

/// A mean of no values is NaN: of either sign, with its own payload, and in a part.
private struct Mean: Row {
  struct Limits: Codable, Equatable {
    var low: Double
    var all: [Double]
  }

  let id: String
  var kind: String
  var count: Int
  var mean: Double
  var limits: Limits
}

private struct Means: Projection {
  func project(_ event: ItemEvent, into rows: inout Rows<Mean>) {
    switch event {
    case .put(let item):
      let count = Double(item.rank)
      // On most machines a division makes another NaN than the constant.
      let mean = item.rank == 1 ? Double(nan: 7, signaling: false) : item.rank == 2 ? -Double.nan : (count * 3) / count
      rows.insert(
        Mean(
          id: item.id, kind: item.group ?? "", count: item.rank, mean: mean,
          limits: .init(low: mean, all: [mean, .infinity, .nan])))
    case .removed(let id): rows[id] = nil
    default: for id in ["1", "2", "3"] where rows[id] != nil { rows[id]?.kind += "" }
    }
  }
}

private struct Restless: Row {
  struct Rows: Projection {
    func project(_ event: ItemEvent, into rows: inout Annals.Rows<Restless>) { rows.insert(Restless(id: "1")) }
  }

  let id: String

  init(id: String) { self.id = id }

  init(from decoder: any Decoder) throws { id = try decoder.singleValueContainer().decode([String].self)[0] }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode([id, UUID().uuidString])
  }

  static func == (left: Restless, right: Restless) -> Bool { false }
}
