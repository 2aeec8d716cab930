import Annals
import AnnalsTesting
import Testing

/// Aggregates after all actions of a user, in any order, beside a pass over all rows.
@Suite struct AggregateMachineTests {
  @Test func `aggregates equal a computation from all rows, and changes name exactly the changed aggregates`() throws {
    let report = try check(AggregateMachine(), settings: CheckSettings(examples: 150))
    #expect(isQuickLook || report.occurrences["commit(_:)"] ?? 0 > 0)
  }
}

/// Numbers whose sum depends on their order where it is rounded at each step.
private let numbers = [1e16, 1, -1e16, 0.1, -1, 1e-300]
private let weight = Aggregate<Item>.sum { numbers[$0.rank] }
private let long = Aggregate<Item>.maximum { $0.rank > 2 ? $0.name : nil }

private let requests: [ListRequest<Item>] = {
  let all: [Aggregate<Item>] = [
    .count, .sum(\.rank), .minimum(\.rank), .maximum(\.name), .distinct(\.name), .distinct(\.group), weight, long,
  ]
  return [
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.group), aggregates: all),
    ListRequest(sort: [.descending(\.rank)], section: .by(\.group, order: .byNumber), aggregates: all),
    ListRequest(sort: [.ascending(\.name), .ascending(\.rank)], aggregates: [.count, weight]),
    ListRequest(
      filter: .where { $0.rank != 1 }, sort: [.ascending(\.rank)], section: .by(\.group, order: .byTitle), limit: 5,
      offset: 1, aggregates: all),
    ListRequest(
      sort: [.ascending(\.rank)], section: .by(\.name, pinned: ["q", "never"]), aggregates: [.minimum(\.rank)]),
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.group)),
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.group), limit: 3, aggregates: [.maximum(\.rank)]),
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.group), limit: 3, aggregates: [.minimum(\.rank)]),
  ]
}()

/// What the aggregates are, whatever the list asks for.
private struct Header: Equatable {
  var (count, ranks, names, groups) = (0, 0, 0, 0)
  var (smallest, last, long): (Int?, String?, String?)
  var weight = 0.0

  /// By a pass over rows.
  init(_ items: [Item]) {
    (count, ranks) = (items.count, items.map(\.rank).reduce(0, +))
    (names, groups) = (Set(items.map(\.name)).count, Set(items.compactMap(\.group)).count)
    (smallest, last) = (items.map(\.rank).min(), items.map(\.name).max())
    long = items.filter { $0.rank > 2 }.map(\.name).max()
    weight = exactSum(items.map { numbers[$0.rank] })
  }

  /// By what a list answers.
  init(_ ask: Asked) {
    switch ask {
    case .list(let list):
      (count, ranks, names, groups) = (
        list[.count], list[.sum(\.rank)], list[.distinct(\.name)], list[.distinct(\.group)]
      )
      (smallest, last, long, weight) = (
        list[.minimum(\.rank)], list[.maximum(\.name)], list[AnnalsTests.long], list[AnnalsTests.weight]
      )
    case .section(let list):
      (count, ranks, names, groups) = (
        list[.count], list[.sum(\.rank)], list[.distinct(\.name)], list[.distinct(\.group)]
      )
      (smallest, last, long, weight) = (
        list[.minimum(\.rank)], list[.maximum(\.name)], list[AnnalsTests.long], list[AnnalsTests.weight]
      )
    }
  }

  enum Asked {
    case list(Results<Item>)
    case section(ResultsSection<Item>)
  }

  /// What a request's headers show of it.
  func shown(by request: Int) -> String {
    switch request {
    case 2: "\(count) \(weight)"
    case 4, 7: "\(smallest as Int?)"
    case 5: ""
    case 6: ""
    default: "\(self)"
    }
  }
}

/// The largest rank, which only one request shows.
private func top(_ section: ResultsSection<Item>, _ request: Int) -> String {
  request == 6 ? "\(section[.maximum(\.rank)] as Int?)" : ""
}

private func top(_ list: Results<Item>, _ request: Int) -> String {
  request == 6 ? "\(list[.maximum(\.rank)] as Int?)" : ""
}

private struct AggregateModel {
  var history: [Rows<Item>] = [Rows()]
  var request = 0
  var place: Int?

  /// The rows that the filter lets through.
  var items: [Item] {
    let all = Results(ListRequest<Item>(), of: history[place ?? history.count - 1], at: 0).rows
    return all.filter { request == 3 ? $0.rank != 1 : true }
  }

  func items(of key: SectionKey) -> [Item] {
    switch request {
    case 2: items
    case 4: items.filter { $0.name.sectionKey == key }
    default: items.filter { $0.group.sectionKey == key }
    }
  }
}

/// A screen that draws a header where the changes say so, and nowhere else.
private final class AggregateSystem {
  let store = MemoryEventStore()
  let controller: FetchedResultsController<Item>
  let delegate: MirrorDelegate<Item>
  var request = 0
  private(set) var headers: [SectionKey: String] = [:]
  private(set) var total = ""
  private(set) var faults: [String] = []
  private(set) var totals: [Bool] = []
  private var observation: ChangeObservation?

  init() throws {
    controller = try AnnalsTests.controller(store, requests[0])
    delegate = MirrorDelegate(controller.results)
    controller.delegate = delegate
    total = draw(controller.results)
    observation = controller.observe { [unowned self] in hear($0) }
  }

  func draw(_ list: Results<Item>) -> String { Header(.list(list)).shown(by: request) + top(list, request) }

  func draw(_ section: ResultsSection<Item>) -> String {
    Header(.section(section)).shown(by: request) + top(section, request)
  }

  private func hear(_ changes: Changes<Item>) {
    // The delegate hears of a section that moves as of one that is new.
    let reported = changes.reporting(controller.reportedMoves)
    if !reported.aggregates.isEmpty { totals.append(reported.aggregates.isTotalChanged) }
    for case .delete(_, let key) in changes.sections { headers[key] = nil }
    for case .insert(let index, let key, _) in changes.sections { headers[key] = draw(changes.new[index]) }
    let isOne = !changes.cause.contains(.request)
    for section in changes.aggregates.sections {
      let (before, after) = (changes.old[section.index], changes.new[section.newIndex])
      if before.key != section.key || after.key != section.key { faults.append("\(section) is another section") }
      if isOne, draw(before) == draw(after) { faults.append("\(section.key) is drawn again for nothing") }
      if changes.sections.contains(where: { if case .insert(section.newIndex, _, _) = $0 { true } else { false } }) {
        faults.append("\(section.key) is new, and named as another")
      }
      headers[section.key] = draw(after)
    }
    if changes.aggregates.isTotalChanged {
      if isOne, draw(changes.old) == draw(changes.new) { faults.append("the total is drawn again for nothing") }
      total = draw(changes.new)
    }
    let back = changes.inverted.aggregates
    if back.isTotalChanged != changes.aggregates.isTotalChanged { faults.append("the way back has another total") }
  }
}

private struct AggregateMachine: Machine {
  func start() throws -> (model: AggregateModel, system: AggregateSystem) { (AggregateModel(), try AggregateSystem()) }

  private static let key = Generator<String?>.element(of: ["a", "b", "c", "", nil, "q", "r"])

  var commands: [Command<AggregateModel, AggregateSystem>] {
    Command("commit(_:)", weight: 6) { _ in
      .itemTransaction
    } model: { (model: inout AggregateModel, events: [ItemEvent]) in
      for event in events {
        var rows = model.history[model.history.count - 1]
        try Items().project(event, into: &rows)
        model.history.append(rows)
      }
    } run: { system, events in
      _ = try system.store.put(events)
    }
    Command("seek(to:)") { model in
      .int(in: 0...model.history.count - 1)
    } model: { (model: inout AggregateModel, position: Int) in
      model.place = position
    } run: { system, position in
      try system.controller.seek(to: Position(position))
    }
    Command("resume()") { (model: inout AggregateModel) in
      model.place = nil
    } run: { system in
      try system.controller.returnToLive()
    }
    Command("update(to:)", weight: 2) { _ in
      .int(in: 0...requests.count - 1)
    } model: { (model: inout AggregateModel, request: Int) in
      model.request = request
    } run: { system, request in
      system.request = request
      try system.controller.update { $0 = requests[request] }
    }
    Command("aggregates(of:)") { _ in
      .int(in: 6...7)
    } model: { (model: inout AggregateModel, request: Int) in
      if model.request > 5 { model.request = request }
    } run: { system, request in
      guard system.request > 5 else { return }
      system.request = request
      try system.controller.update { $0.aggregates = requests[request].aggregates }
    }
    Command("collapse(_:)", weight: 2) { _ in
      Self.key
    } model: { (_: inout AggregateModel, _: String?) in
    } run: { system, key in
      system.controller.collapseSection(key.sectionKey)
    }
    Command("expandAll()") { (_: inout AggregateModel) in
    } run: { system in
      system.controller.collapsedSections = .none
    }
  }

  func invariant(_ model: AggregateModel, _ system: AggregateSystem) throws {
    let list = system.controller.results
    try ensureEqual(Header(.list(list)), Header(model.items))
    for section in list {
      try ensureEqual(Header(.section(section)), Header(model.items(of: section.key)))
      try ensureEqual(section[.maximum(\.rank)], model.items(of: section.key).map(\.rank).max())
      try ensureEqual(system.headers[section.key], system.draw(section))
    }
    try ensureEqual(Set(system.headers.keys), Set(list.map(\.key)))
    try ensureEqual(system.total, system.draw(list))
    try ensureEqual(system.faults, [])
    try ensureEqual(system.delegate.violations, [])
    try ensureEqual(system.delegate.aggregateChanges.map(\.isTotalChanged), system.totals)
  }
}

/// The exact sum, rounded once: Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997, as Python's fsum.
func exactSum(_ numbers: [Double]) -> Double {
  var partials: [Double] = []
  for number in numbers {
    var (x, kept): (Double, [Double]) = (number, [])
    for partial in partials {
      let (large, small) = abs(x) < abs(partial) ? (partial, x) : (x, partial)
      let high = large + small
      let low = small - (high - large)
      if low != 0 { kept.append(low) }
      x = high
    }
    partials = kept + [x]
  }
  guard var high = partials.popLast() else { return 0 }
  var low = 0.0
  while let next = partials.popLast() {
    let before = high
    high = before + next
    low = next - (high - before)
    if low != 0 { break }
  }
  // Half of a last place, and more of the same sign below it.
  if let more = partials.last, low < 0 && more < 0 || low > 0 && more > 0 {
    let double = low * 2
    if double == (high + double) - high { high += double }
  }
  return high == 0 ? 0 : high
}
