import Annals
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Filters whose predicates throw for some rows: such rows have no result, and a list shows the rows with true.
@Suite struct FilterVerdictTests {
  /// A filter as a value, to compare with the filter that is made of it.
  private indirect enum Naive: Sendable {
    case closure(Int)
    /// Throws for rows without a group.
    case predicate(String)
    /// Throws for all rows whose rank is not even.
    case even
    case not(Naive)
    case both(Naive, Naive)
    case either(Naive, Naive)

    var filter: RowFilter<Item> {
      switch self {
      case .closure(let limit): .where("rank < \(limit)") { $0.rank < limit }
      case .predicate(let group): .matching(#Predicate { $0.group! == group }, named: "in \(group)")
      case .even:
        .matching(#Predicate { $0.rank % 2 == 0 ? true : $0.group! == "none" && $0.name.isEmpty }, named: "even")
      case .not(let filter): !filter.filter
      case .both(let left, let right): left.filter && right.filter
      case .either(let left, let right): left.filter || right.filter
      }
    }

    /// The result by the rule of SQL.
    func result(_ item: Item) -> Bool? {
      switch self {
      case .closure(let limit): return item.rank < limit
      case .predicate(let group): return item.group.map { $0 == group }
      case .even: return item.rank % 2 == 0 ? true : item.group.map { $0 == "none" && item.name.isEmpty }
      case .not(let filter): return filter.result(item).map { !$0 }
      case .both(let left, let right):
        let results = [left.result(item), right.result(item)]
        return results.contains(false) ? false : results.contains(nil) ? nil : true
      case .either(let left, let right):
        let results = [left.result(item), right.result(item)]
        return results.contains(true) ? true : results.contains(nil) ? nil : false
      }
    }
  }

  private static let filter = Generator<Naive>.recursive(
    .oneOf(
      Generator.int(in: 0...4).map { .closure($0) }, Generator.element(of: ["a", "b"]).map { .predicate($0) },
      .constant(.even))
  ) { inner in
    .oneOf(inner.map { .not($0) }, zip(inner, inner).map { .both($0, $1) }, zip(inner, inner).map { .either($0, $1) })
  }

  private static let items = Generator<[Item]>.array(
    of: zip(.int(in: 0...9), Generator.element(of: ["a", "b"]).optional(), .int(in: 0...5)).map {
      Item("\($0)", $1, $2)
    }, count: 0...8)

  @Test func `a row without a result is left out by a filter and by its negation, in all combinations`() throws {
    try check(Self.filter, Self.items, Self.items, .bool, settings: CheckSettings(examples: 200)) {
      naive, items, later, isSaved in
      let reports = Mutex<[FailureReport]>([])
      let store = MemoryEventStore(
        environment: StoreEnvironment(report: { report in reports.withLock { $0.append(report) } }))
      try store.put(items.map { .put($0) })
      let filter = naive.filter
      let list = try controller(store, ListRequest(filter: filter, sort: [.ascending(\.rank)]))
      var rows: [String: Item] = [:]
      func ensureShown() throws {
        let wanted = Set(rows.values.filter { naive.result($0) == true }.map(\.id))
        try ensureEqual(Set(list.fetchedObjects.map(\.id)), wanted)
        let fresh = try store.list(of: Items(), ListRequest(filter: filter))
        try ensureEqual(Set(fresh.rows.map(\.id)), wanted)
        let negated = try store.list(of: Items(), ListRequest(filter: !filter))
        try ensureEqual(
          Set(negated.rows.map(\.id)), Set(rows.values.filter { naive.result($0) == false }.map(\.id)))
      }
      for item in items { rows[item.id] = item }
      try ensureShown()
      // Changes one by one, and an existing list that becomes narrower.
      for item in later {
        try store.put(.put(item))
        rows[item.id] = item
        try ensureShown()
      }
      try list.update { $0.filter = filter && .where("low") { $0.rank < 3 } }
      try ensureEqual(
        Set(list.fetchedObjects.map(\.id)),
        Set(rows.values.filter { naive.result($0) == true && $0.rank < 3 }.map(\.id)))
      try list.update { $0.filter = filter }
      try ensureShown()
      // A predicate reports at most once, and only if it throws for a row.
      let all = reports.withLock { $0 }
      try ensure(all.allSatisfy { $0.kind == .filter }, "\(all)")
    }
  }

  @Test func `the first row for which a predicate throws is reported, once a filter`() throws {
    let reports = Mutex<[FailureReport]>([])
    let store = MemoryEventStore(
      source: "urn:test", environment: StoreEnvironment(report: { report in reports.withLock { $0.append(report) } }))
    try store.put([.put(Item("1", "a", 1)), .put(Item("2", "b", 2))])
    let inside = RowFilter<Item>.matching(#Predicate { $0.group! == "a" }, named: "in a")
    let list = try controller(store, ListRequest(filter: !inside, sort: [.ascending(\.rank)]))
    #expect(reports.withLock { $0.isEmpty })
    try store.put(.put(Item("3", nil, 3)))
    #expect(list.fetchedObjects.map(\.id) == ["2"])
    let found = reports.withLock { $0 }
    #expect(found.count == 1 && found.first?.kind == .filter && found.first?.name == "in a")
    #expect(found.first?.error is PredicateError)
    let message = found.first?.message ?? ""
    #expect(message.contains(#"the filter "in a" of Item omits the row 3"#), "\(message)")
    #expect(message.contains("urn:test") && message.contains("PredicateError"), "\(message)")
    try store.put(.put(Item("4", nil, 3)), .put(Item("5", nil, 3)))
    try list.update { $0.filter = inside }
    #expect(list.fetchedObjects.map(\.id) == ["1"])
    #expect(reports.withLock { $0.count } == 1)
    // Another filter is another report, also of a list that is made once.
    let other = RowFilter<Item>.matching(#Predicate { $0.group! == "b" })
    #expect(try store.list(of: Items(), ListRequest(filter: other)).rows.map(\.id) == ["2"])
    #expect(try store.list(of: Items(), ListRequest(filter: !other), at: 3).rows.map(\.id) == ["1"])
    #expect(reports.withLock { $0.map(\.name) } == ["in a", "Item"])
  }

  @Test func `a saved list shows the rows of one that is not saved, also if its predicate throws`() throws {
    let store = FragileStore()
    try store.put((0..<40).map { .put(Item("\($0)", $0 % 3 == 0 ? nil : "g\($0 % 3)", $0)) })
    let inside = RowFilter<Item>.matching(#Predicate { $0.group! == "g1" }, named: "in g1")
    for filter in [inside, !inside, !(!inside), inside || .where("low") { $0.rank < 9 }] {
      func list(_ name: String?) throws -> FetchedResultsController<Item> {
        let list = FetchedResultsController(
          store: store, projection: Items(), request: ListRequest(filter: filter, sort: [.ascending(\.rank)]),
          cacheName: name)
        try list.performFetch()
        return list
      }
      try list("saved").saveCache()
      let again = try list("saved")
      #expect(again.cacheReport.restored != nil)
      #expect(try again.fetchedObjects == list(nil).fetchedObjects)
    }
  }
}
