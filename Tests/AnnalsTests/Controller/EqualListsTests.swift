@testable import Annals
import AnnalsLists
import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

/// Controllers with equal requests, which share one list, compared with controllers that share no list.
@MainActor
@Suite struct EqualListsTests {
  @Test func `equal controllers show and report the same as controllers that share no list`() async throws {
    let report = try await check(EqualListsMachine(), settings: CheckSettings(examples: 120))
    for name in ["open(_:)", "commit(_:)", "seek(_:to:)", "update(_:to:)", "suspend(_:)", "close(_:)"] {
      #expect(isQuickLook || report.occurrences[name] ?? 0 > 0, "\(name)")
    }
  }

  private let store = MemoryEventStore(environment: .quiet)

  private func fill(_ numbers: Range<Int>) throws {
    try store.put(numbers.map { .put(Item("item \($0)", "g\($0 % 5)", $0 % 7, "\($0 % 3)")) })
  }

  private func open(_ request: ListRequest<Item>) throws -> FetchedResultsController<Item> {
    let controller = FetchedResultsController(store: store, projection: Items(), request: request)
    try controller.performFetch()
    return controller
  }

  @Test func `a new controller takes the list of an equal controller`() async throws {
    try fill(0..<40)
    let lists = try (0..<3).map { _ in try open(.fresh) }
    let storage = lists[0].results.storage
    #expect(lists.allSatisfy { $0.results.storage === storage })
    let late = FetchedResultsController(store: store, projection: Items(), request: .fresh)
    try await late.performFetch { _ in }
    #expect(late.results.storage === storage)
    let other = try open(ListRequest(sort: [.descending(\.rank)], section: .by(\.group)))
    try await other.update { $0 = .fresh }
    #expect(other.results.storage === storage && other.request.sort.count == 1)
    try fill(40..<41)
    let next = other.results.storage
    #expect(next !== storage && (lists + [late]).allSatisfy { $0.results.storage === next })
  }

  @Test func `a controller that is suspended, in the past or has another request keeps its own list`() throws {
    try fill(0..<40)
    let lists = try (0..<4).map { _ in try open(.fresh) }
    let before = lists[0].results
    lists[1].suspendDelivery()
    try lists[2].seek(to: 20)
    try lists[3].update { $0.limit = 3 }
    try fill(40..<45)
    #expect(lists[0].results.rows.count == 45 && lists[3].results.rows.count == 3)
    #expect(lists[1].results == before && lists[2].results.rows.count == 20)
    lists[1].resumeDelivery()
    try lists[2].returnToLive()
    try lists[3].update { $0 = .fresh }
    #expect(lists.allSatisfy { $0.results.storage === lists[0].results.storage })
  }

  @Test func `the last controller to go lets the list go`() throws {
    try fill(0..<40)
    var lists = try (0..<3).map { _ in try open(.fresh) }
    let other = try open(ListRequest(sort: [.ascending(\.name)]))
    weak let storage: ListStorage? = lists[0].results.storage
    lists.removeFirst()
    #expect(storage != nil)
    lists.removeAll()
    #expect(storage == nil)
    try fill(40..<41)
    #expect(other.results.rows.count == 41)
    #expect(try open(.fresh).results.rows.count == 41)
  }

  @Test func `observers of equal controllers are notified in the order of the controllers`() throws {
    let lists = try (0..<3).map { _ in try open(.fresh) }
    var heard: [String] = []
    let observations = lists.enumerated().map { number, list in
      list.observe { heard.append("\(number): \($0.rows.count) of \($0.new.rows.count)") }
    }
    try fill(0..<2)
    #expect(heard == ["0: 2 of 2", "1: 2 of 2", "2: 2 of 2"])
    withExtendedLifetime(observations) {}
  }

  @Test func `equal controllers without an observer or with several of them get the same list`() throws {
    try fill(0..<10)
    let lists = try (0..<4).map { _ in try open(.fresh) }
    var heard: [String] = []
    var second: ChangeObservation?
    let first = lists[1].observe { changes in
      heard.append("first: \(changes.rows.count)")
      second?.cancel()
    }
    second = lists[1].observe { _ in heard.append("second") }
    let last = lists[3].observe { changes in heard.append("last: \(changes.from) to \(changes.to)") }
    try fill(10..<11)
    // An event that changes no row takes all lists to its position.
    try store.put(.removed(id: "item 99"))
    try fill(11..<13)
    #expect(heard == ["first: 1", "last: 10 to 11", "first: 2", "last: 11 to 14"])
    #expect(lists.allSatisfy { $0.results.storage === lists[0].results.storage && $0.position == 14 })
    withExtendedLifetime((first, last)) {}
  }

  @Test func `a closure of an equal controller can commit, and change the other controllers`() throws {
    let lists = try (0..<3).map { _ in try open(.fresh) }
    var heard: [String] = []
    let observations = lists.enumerated().map { number, list in
      list.observe { [store] in
        heard.append("\(number): \($0.new.rows.count)")
        if number == 0, $0.new.rows.count == 1 {
          lists[1].suspendDelivery()
          _ = try? store.put(.put(Item("item 1", "g1", 1)))
        }
      }
    }
    try fill(0..<1)
    #expect(heard == ["0: 1", "2: 1", "0: 2", "2: 2"])
    lists[1].resumeDelivery()
    #expect(heard.last == "1: 2" && lists.allSatisfy { $0.results.rows.count == 2 })
    withExtendedLifetime(observations) {}
  }

  @Test func `an equal controller appears and disappears between deliveries`() throws {
    let first = try open(.fresh)
    var heard: [String] = []
    let observation = first.observe { heard.append("\($0.rows.count) of \($0.new.rows.count)") }
    try fill(0..<10)
    #expect(!first.presentation.prepared.isShared)
    for round in 1...3 {
      var second: FetchedResultsController<Item>? = try open(.fresh)
      #expect(first.presentation.prepared.isShared)
      try fill(round * 10..<round * 10 + 1)
      #expect(second?.results.storage === first.results.storage)
      try second?.update { $0.limit = 3 }
      #expect(!first.presentation.prepared.isShared)
      try fill(round * 10 + 1..<round * 10 + 2)
      #expect(second?.results.rows.count == 3)
      try second?.update { $0 = first.request }
      #expect(first.presentation.prepared.isShared)
      try fill(round * 10 + 2..<round * 10 + 4)
      #expect(second?.results.storage === first.results.storage)
      second = nil
      #expect(!first.presentation.prepared.isShared)
      try fill(round * 10 + 4..<round * 10 + 10)
    }
    #expect(first.results.rows.count == 40)
    #expect(heard.first == "10 of 10" && heard.count == 13 && heard.last == "6 of 40")
    // A closure is equal to itself, so copies of one request share a list.
    let request = ListRequest<Item>(filter: .where { $0.rank > 1 }, sort: [.ascending(\.name)])
    let copies = try [open(request), open(request)]
    #expect(copies.allSatisfy { $0.presentation.prepared.isShared })
    withExtendedLifetime(observation) {}
  }

  @Test func `requests are equal by properties and by the same closures`() {
    let closure = RowFilter<Item>.where { $0.rank > 1 }
    let search = TextSearch<Item>(.anywhere, in: \.name)
    let custom = SortKey<Item>.ascending(\.name) { $0.compare($1) }
    let equal: [@Sendable () -> ListRequest<Item>] = [
      { ListRequest() },
      { .fresh },
      { ListRequest(sort: [.descending(\.rank), .ascending(\.name)], section: .by(\.name, order: .byTitle)) },
      { ListRequest(filter: closure, sort: [.ascending(\.rank)]) },
      { ListRequest(filter: closure && search.filter("a b"), limit: 3, offset: 2) },
      { ListRequest(sort: [.ascending(\.rank).named("rank")], section: .by(\.group, pinned: ["a"])) },
      { ListRequest(aggregates: [.sum(\.rank)]) },
    ]
    for (number, one) in equal.enumerated() {
      for (other, two) in equal.enumerated() {
        var request = two()
        let isEqual = request.adopt(PreparedRequest(one()))
        #expect(isEqual == (number == other), "\(number) and \(other)")
      }
      #expect(PreparedRequest(one()).sharingHash == PreparedRequest(one()).sharingHash)
    }
    let unequal: [@Sendable () -> ListRequest<Item>] = [
      { ListRequest(filter: .where("the same name") { $0.rank > 1 }) },
      { ListRequest(filter: !closure) },
      { ListRequest(sort: [custom]) },
      { ListRequest(sort: [.ascending { $0.rank }]) },
      { ListRequest(section: .by("the same name") { $0.rank }) },
      { ListRequest(section: .by(\.group, order: .byFirstAppearance)) },
    ]
    for (number, one) in unequal.enumerated() {
      var request = one()
      let isEqual = request.adopt(PreparedRequest(one()))
      #expect(!isEqual, "\(number)")
    }
    for change: @Sendable (inout ListRequest<Item>) -> Void in [
      { $0.limit = 9 }, { $0.offset = 1 }, { $0.fetchBatchSize = 5 }, { $0.filter = closure },
      { $0.aggregates = [.count] }, { $0.searchIndex = search }, { $0.section = nil },
      { $0.section = .by(\.group, order: .byKey.descending) }, { $0.section = .by(\.group, pinned: ["a"]) },
      { $0.sort = [.ascending(\.rank), .ascending(\.name)] },
    ] {
      var request = ListRequest<Item>.fresh
      change(&request)
      let isEqual = request.adopt(PreparedRequest(ListRequest<Item>.fresh))
      #expect(!isEqual)
    }
  }
}

extension ListRequest<Item> {
  /// A request that shares no object with another one.
  fileprivate static var fresh: ListRequest { ListRequest(sort: [.ascending(\.rank)], section: .by(\.group)) }
}

private let byRank = RowFilter<Item>.where { $0.rank != 1 }

/// The requests, made anew for every controller.
private let requests: [@Sendable () -> ListRequest<Item>] = [
  { .fresh },
  { ListRequest(filter: byRank, sort: [.descending(\.rank), .ascending(\.name)]) },
  { ListRequest(sort: [.ascending(\.name)], section: .by(\.group, order: .byTitle), limit: 4, offset: 1) },
  { ListRequest(sort: [.ascending(\.rank)], section: .by(\.group), aggregates: [.sum(\.rank)]) },
]

/// A controller that may share its list, and one with a closure in its request, which shares none.
@MainActor private final class EqualPair {
  private(set) var request: Int
  let shared: FetchedResultsController<Item>
  let alone: FetchedResultsController<Item>
  let delegate: MirrorDelegate<Item>
  private let heard = (shared: Heard(), alone: Heard())
  private var observations: [ChangeObservation] = []

  final class Heard { var batches: [String] = [] }

  init(_ store: MemoryEventStore, _ request: Int) throws {
    self.request = request
    shared = FetchedResultsController(store: store, projection: Items(), request: requests[request]())
    alone = FetchedResultsController(store: store, projection: Items(), request: Self.unshared(request))
    for controller in [shared, alone] { try controller.performFetch() }
    delegate = MirrorDelegate(shared.results)
    shared.delegate = delegate
    for (controller, heard) in [(shared, heard.shared), (alone, heard.alone)] {
      observations.append(
        controller.observe { changes in
          heard.batches.append(
            "\(changes.from) to \(changes.to) because of \(changes.cause): \(changes.rows), \(changes.sections), "
              + "\(changes.aggregates)")
        })
    }
  }

  static func unshared(_ number: Int) -> ListRequest<Item> {
    var request = requests[number]()
    let all = RowFilter<Item>.where { _ in true }
    request.filter = request.filter.map { $0 && all } ?? all
    return request
  }

  func update(to request: Int) throws {
    self.request = request
    try shared.update { $0 = requests[request]() }
    try alone.update { $0 = Self.unshared(request) }
  }

  func both(_ body: (FetchedResultsController<Item>) throws -> Void) rethrows {
    try body(shared)
    try body(alone)
  }

  func ensureSame() throws {
    try ensure(shared.results == alone.results, "expected \(alone.results), found \(shared.results)")
    try ensureEqual(shared.position, alone.position)
    try ensureEqual(heard.shared.batches, heard.alone.batches)
    try ensureEqual(delegate.violations, [])
    try ensure(delegate.table.shows(shared.results), "the delegate's table shows another list")
  }

  /// True if the list must be the list of other controllers with the request.
  var mustShare: Bool {
    !shared.isDeliverySuspended && !shared.isSeeking && shared.results.collapsedSections == .none
  }
}

@MainActor private final class EqualListsSystem {
  let store = MemoryEventStore(environment: .quiet)
  var pairs: [Int: EqualPair] = [:]

  init() {}

  func open(_ slot: Int, _ request: Int) throws { pairs[slot] = try EqualPair(store, request) }
}

private struct EqualListsModel {
  var slots: Set<Int> = []
  var end = 0
}

private struct EqualListsMachine: AsyncMachine {
  nonisolated(nonsending) func start() async throws -> (model: EqualListsModel, system: EqualListsSystem) {
    (EqualListsModel(), await EqualListsSystem())
  }

  private func slot(_ model: EqualListsModel) -> Generator<Int> { .element(of: model.slots.sorted()) }

  private static let request = Generator<Int>.int(in: 0...requests.count - 1)

  var commands: [Command<EqualListsModel, EqualListsSystem>] {
    Command("open(_:)", weight: 5) { _ in
      zip(.int(in: 0...4), Self.request).map { [$0, $1] }
    } model: { (model: inout EqualListsModel, opening: [Int]) in
      model.slots.insert(opening[0])
    } run: { system, opening in
      try await system.open(opening[0], opening[1])
    }
    Command("close(_:)") { model in
      slot(model)
    } model: { (model: inout EqualListsModel, slot: Int) in
      model.slots.remove(slot)
    } run: { system, slot in
      await MainActor.run { system.pairs[slot] = nil }
    }
    Command("commit(_:)", weight: 8) { _ in
      .itemTransaction
    } model: { (model: inout EqualListsModel, events: [ItemEvent]) in
      model.end += events.count
    } run: { system, events in
      try await MainActor.run { _ = try system.store.put(events) }
    }
    Command("seek(_:to:)", weight: 2) { model in
      zip(slot(model), .int(in: 0...model.end)).map { [$0, $1] }
    } model: { (_: inout EqualListsModel, _: [Int]) in
    } run: { system, place in
      try await MainActor.run { try system.pairs[place[0]]?.both { try $0.seek(to: Position(place[1])) } }
    }
    Command("resume(_:)", weight: 2) { model in
      slot(model)
    } model: { (_: inout EqualListsModel, _: Int) in
    } run: { system, slot in
      try await MainActor.run { try system.pairs[slot]?.both { try $0.returnToLive() } }
    }
    Command("update(_:to:)", weight: 3) { model in
      zip(slot(model), Self.request).map { [$0, $1] }
    } model: { (_: inout EqualListsModel, _: [Int]) in
    } run: { system, change in
      try await MainActor.run { try system.pairs[change[0]]?.update(to: change[1]) }
    }
    Command("suspend(_:)") { model in
      slot(model)
    } model: { (_: inout EqualListsModel, _: Int) in
    } run: { system, slot in
      await MainActor.run { system.pairs[slot]?.both { $0.suspendDelivery() } }
    }
    Command("goOn(_:)", weight: 2) { model in
      slot(model)
    } model: { (_: inout EqualListsModel, _: Int) in
    } run: { system, slot in
      await MainActor.run { system.pairs[slot]?.both { $0.resumeDelivery() } }
    }
    Command("collapse(_:)") { model in
      slot(model)
    } model: { (_: inout EqualListsModel, _: Int) in
    } run: { system, slot in
      await MainActor.run { system.pairs[slot]?.both { $0.collapseSection(("a" as String?).sectionKey) } }
    }
    Command("expand(_:)", weight: 2) { model in
      slot(model)
    } model: { (_: inout EqualListsModel, _: Int) in
    } run: { system, slot in
      await MainActor.run { system.pairs[slot]?.both { $0.collapsedSections = .none } }
    }
  }

  nonisolated(nonsending) func invariant(_ model: EqualListsModel, _ system: EqualListsSystem) async throws {
    try await MainActor.run {
      try ensureEqual(Set(system.pairs.keys), model.slots)
      for pair in system.pairs.values { try pair.ensureSame() }
      for request in requests.indices {
        let equal = system.pairs.values.filter { $0.request == request && $0.mustShare }
        let lists = Set(equal.map { ObjectIdentifier($0.shared.results.storage) })
        try ensure(lists.count <= 1, "\(equal.count) equal controllers have \(lists.count) lists")
      }
    }
  }
}
