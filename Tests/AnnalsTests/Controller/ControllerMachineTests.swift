import Annals
import AnnalsTesting
import Foundation
import Testing

/// All actions of a user on a controller, in any order, compared with lists that are made from the events alone.
@Suite struct ControllerMachineTests {
  @Test(arguments: [MoveReporting.rows, [], .sections, [.rows, .sections]])
  func `a controller shows what its events, its request and its place in time say`(moves: MoveReporting) throws {
    let report = try check(ControllerMachine(moves: moves), settings: CheckSettings(examples: 60))
    #expect(isQuickLook || report.occurrences["commit(_:)"] ?? 0 > 0)
  }
}

/// What determines the list.
private struct ListModel {
  /// The rows at each position.
  var history: [Rows<Item>] = [Rows()]
  var request = 0
  /// The position of the last seek; nil for the live end.
  var place: Int?
  var isSuspended = false
  /// For each section cut: the collapsed sections, and whether all others are collapsed too.
  var collapsed: [Int: (keys: Set<SectionKey>, others: Bool)] = [:]

  private var cut: Int { [0, 0, 1, 0, 2, 0, 0][request] }

  mutating func toggle(_ key: SectionKey, to isCollapsed: Bool) {
    var (keys, others) = collapsed[cut] ?? ([], false)
    if isCollapsed != others { keys.insert(key) } else { keys.remove(key) }
    collapsed[cut] = (keys, others)
  }

  mutating func toggleAll(to isCollapsed: Bool) { collapsed[cut] = ([], isCollapsed) }

  /// The shown ids by section, without hidden rows.
  var shown: [[String]] {
    list.map { section in
      let (keys, others) = collapsed[cut] ?? ([], false)
      return keys.contains(section.key) != others ? [] : section.map(\.id)
    }
  }

  var list: Results<Item> {
    let position = place ?? history.count - 1
    return Results(ControllerSystem.requests[request], of: history[position], at: Position(position))
  }
}

/// A controller with a delegate and an observer, each with a strict table.
private final class ControllerSystem {
  static let requests: [ListRequest<Item>] = [
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.group)),
    ListRequest(sort: [.descending(\.rank)], section: .by(\.group, order: .byNumber)),
    ListRequest(sort: [.ascending(\.name), .ascending(\.rank)]),
    ListRequest(
      filter: .where { $0.rank != 1 }, sort: [.ascending(\.rank)], section: .by(\.group, order: .byTitle), limit: 5,
      offset: 1),
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.name, pinned: ["q", "never"])),
    ListRequest(sort: [.descending(\.rank)], section: .by(\.group, order: .byRows, pinned: ["c"]), limit: 8),
    ListRequest(
      sort: [.ascending(\.name, by: { $0 == $1 ? .orderedSame : $0 > $1 ? .orderedAscending : .orderedDescending })],
      section: .by(\.group, order: .byRows.descending)),
  ]

  let store = MemoryEventStore()
  let controller: FetchedResultsController<Item>
  let delegate: MirrorDelegate<Item>
  let observer: Observer
  private let observation: ChangeObservation

  /// Follows the batches of an observer.
  final class Observer {
    var table: MirrorTable<Item>
    var last: Results<Item>
    var faults: [String] = []

    init(_ results: Results<Item>) {
      table = MirrorTable(results)
      last = results
    }

    func hear(_ changes: Changes<Item>) {
      if changes.from != last.position || changes.old != last { faults.append("a batch begins elsewhere") }
      if changes.isEmpty { faults.append("an empty batch is delivered") }
      do { try table.apply(changes) } catch { faults.append("\(error)") }
      last = changes.new
    }
  }

  init(moves: MoveReporting) throws {
    controller = try AnnalsTests.controller(store, Self.requests[0])
    controller.reportedMoves = moves
    delegate = MirrorDelegate(controller.results)
    controller.delegate = delegate
    let observer = Observer(controller.results)
    self.observer = observer
    observation = controller.observe { observer.hear($0) }
  }

  func commit(_ events: [ItemEvent]) throws { try store.put(events) }
  func seek(to position: Int) throws { try controller.seek(to: Position(position)) }
  func resume() throws { try controller.returnToLive() }
  func update(to request: Int) throws { try controller.update { $0 = Self.requests[request] } }
  func suspendDelivery() { controller.suspendDelivery() }
  func resumeDelivery() { controller.resumeDelivery() }
  func collapse(_ key: String?) { controller.collapseSection(key.sectionKey) }
  func expand(_ key: String?) { controller.expandSection(key.sectionKey) }
  func collapseAll() { controller.collapsedSections = .all }
  func expandAll() { controller.collapsedSections = .none }
  func refresh() { controller.refresh() }
}

private struct ControllerMachine: Machine {
  let moves: MoveReporting

  func start() throws -> (model: ListModel, system: ControllerSystem) {
    (ListModel(), try ControllerSystem(moves: moves))
  }

  private static let key = Generator<String?>.element(of: ["a", "b", "c", "", nil, "q", "r"])

  var commands: [Command<ListModel, ControllerSystem>] {
    Command("commit(_:)", weight: 5) { _ in
      .itemTransaction
    } model: { (model: inout ListModel, events: [ItemEvent]) in
      for event in events {
        var rows = model.history[model.history.count - 1]
        try Items().project(event, into: &rows)
        model.history.append(rows)
      }
    } run: { system, events in
      try system.commit(events)
    }
    Command("seek(to:)", weight: 2) { model in
      .int(in: 0...model.history.count - 1)
    } model: { (model: inout ListModel, position: Int) in
      model.place = position
    } run: { system, position in
      try system.seek(to: position)
    }
    Command("resume()") { (model: inout ListModel) in
      model.place = nil
    } run: { system in
      try system.resume()
    }
    Command("update(to:)") { _ in
      .int(in: 0...ControllerSystem.requests.count - 1)
    } model: { (model: inout ListModel, request: Int) in
      model.request = request
    } run: { system, request in
      try system.update(to: request)
    }
    Command("suspendDelivery()") { (model: inout ListModel) in
      model.isSuspended = true
    } run: { system in
      system.suspendDelivery()
    }
    Command("resumeDelivery()") { (model: inout ListModel) in
      model.isSuspended = false
    } run: { system in
      system.resumeDelivery()
    }
    Command("collapse(_:)", weight: 2) { _ in
      Self.key
    } model: { (model: inout ListModel, key: String?) in
      model.toggle(key.sectionKey, to: true)
    } run: { system, key in
      system.collapse(key)
    }
    Command("expand(_:)", weight: 2) { _ in
      Self.key
    } model: { (model: inout ListModel, key: String?) in
      model.toggle(key.sectionKey, to: false)
    } run: { system, key in
      system.expand(key)
    }
    Command("collapseAll()") { (model: inout ListModel) in
      model.toggleAll(to: true)
    } run: { system in
      system.collapseAll()
    }
    Command("expandAll()") { (model: inout ListModel) in
      model.toggleAll(to: false)
    } run: { system in
      system.expandAll()
    }
    Command("refresh()") { (_: inout ListModel) in
    } run: { system in
      system.refresh()
    }
  }

  func invariant(_ model: ListModel, _ system: ControllerSystem) throws {
    try ensureEqual(system.controller.isDeliverySuspended, model.isSuspended)
    if !model.isSuspended {
      let (found, list) = (system.controller.results, model.list)
      try ensure(found.expanded == list, "expected \(list), found \(found.expanded)")
      try ensureEqual(found.map { $0.map(\.id) }, model.shown)
      try ensureEqual(found.map(\.title), list.map(\.title))
      try ensureEqual(system.controller.position, list.position)
    }
    try ensureEqual(system.delegate.violations, [])
    try ensureEqual(system.observer.faults, [])
    try ensure(system.delegate.table.shows(system.controller.results), "the delegate's table shows another list")
    try ensure(system.observer.table.shows(system.controller.results), "the observer's table shows another list")
  }
}
