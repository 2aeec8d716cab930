import Annals
import Testing

/// Saved lists that differ in one part of their identity.
@Suite struct ListIdentityTests {
  private let store = MemoryEventStore()

  /// A projection with its own part, which makes rows that identify it.
  fileprivate protocol Variant: Projection where Row == Item, Event == ItemEvent {
    static var mark: Int { get }
    init()
  }

  private struct Plain: Variant { static let mark = 1 }
  private struct Newer: Variant {
    static let mark = 2
    static let version = 2
  }
  private struct Skipping: Variant {
    static let mark = 3
    static let unknownEvents = UnknownEventPolicy.skip
  }
  private struct Reading: Variant {
    static let mark = 4
    static let newerEvents = NewerEventPolicy.read
  }
  private struct Related: Variant {
    static let mark = 5
    static let relations: [Relation<Item>] = [.to(Item.self, by: \.name) { _, _ in }]
  }
  private struct Renamed: Variant {
    static let mark = 6
    static let name = "Renamed"
  }

  /// The same with events of another schema.
  private struct Raised: Projection {
    static let name = "Same"
    typealias Row = Item
    enum RaisedEvent: Annals.Event {
      case put(Item)
      static let typePrefix = "Item"
      static let schema = 2
    }
    func project(_ event: RaisedEvent, into rows: inout Rows<Item>) {
      if case .put(let item) = event { rows.insert(Item(item.id, item.group, 7)) }
    }
  }

  private func list<P: Projection>(
    _ projection: P, _ request: ListRequest<Item> = .byGroup, named name: String = "Players"
  ) throws -> FetchedResultsController<Item> where P.Row == Item {
    let list = FetchedResultsController(
      store: store, projection: projection, request: request, cacheName: name)
    try list.performFetch()
    return list
  }

  @Test func `lists that differ in any part of what they are known by are different lists, and may share a name`()
    throws
  {
    for number in 0..<20 { try store.put(.put(Item("\(number)", "g\(number % 2)", number))) }
    let variants: [any Variant] = [Plain(), Newer(), Skipping(), Reading(), Related(), Renamed()]
    for isSaved in [false, true] {
      for variant in variants {
        let list = try list(variant)
        #expect((list.cacheReport.restored != nil) == isSaved, "\(variant)")
        #expect(list.fetchedObjects.allSatisfy { $0.rank == type(of: variant).mark }, "\(variant)")
        try list.saveCache()
      }
      let raised = try list(Raised())
      #expect((raised.cacheReport.restored != nil) == isSaved && raised.fetchedObjects.allSatisfy { $0.rank == 7 })
      try raised.saveCache()
      // The request's parts, with the same closures under other names.
      for request in [
        ListRequest<Item>(filter: .where("a") { _ in true }), ListRequest(filter: .where("b") { _ in true }),
        ListRequest(sort: [SortKey.ascending { $0.rank }.named("a")]),
        ListRequest(sort: [SortKey.ascending { $0.rank }.named("b")]),
        ListRequest(section: .by("a") { $0.rank }), ListRequest(section: .by("b") { $0.rank }),
      ] {
        let list = try list(Plain(), request)
        #expect((list.cacheReport.restored != nil) == isSaved)
        try list.saveCache()
      }
    }
    #expect(try list(Plain(), named: "players").cacheReport.restored == nil)
  }
}

extension ListIdentityTests.Variant {
  static var name: String { "Same" }

  func project(_ event: ItemEvent, into rows: inout Rows<Item>) {
    if case .put(let item) = event { rows.insert(Item(item.id, item.group, Self.mark)) }
  }
}
