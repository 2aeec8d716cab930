import Annals
import AnnalsTesting
import Synchronization
import Testing

/// Controllers of one projection that share its rows, in any order of what users do, beside lists made by plain code.
@Suite struct SharedRowsMachineTests {
  @MainActor
  @Test func `controllers that share rows show each what its request and its place in time say`() throws {
    let report = try check(SharedRowsMachine(), settings: CheckSettings(examples: 150))
    for name in ["open(_:_:isSaved:)", "close(_:)", "refuse(_:)", "allow()", "erase(_:)", "compact()", "save(_:)"] {
      #expect(report.occurrences[name] ?? 0 > 10, "\(name)")
    }
  }
}

private enum PartEvent: Event {
  case put(id: String, group: String, rank: Int, name: Personal<String>)
  case removed(id: String)
  case refused(reason: Int)
}

private struct Part: Row, Codable {
  let id: String
  var group: String
  var rank: Int
  var name: String
}

/// What better code will fold.
private final class Gate: Sendable {
  private let allowed = Mutex<Set<Int>>([])

  func allow(_ reasons: Set<Int>) { allowed.withLock { $0.formUnion(reasons) } }
  func allows(_ reason: Int) -> Bool { allowed.withLock { $0.contains(reason) } }
}

private struct Parts: Projection, Equatable {
  let gate: Gate
  var identity: String? { "parts" }

  static func == (left: Parts, right: Parts) -> Bool { left.gate === right.gate }

  func project(_ event: PartEvent, into rows: inout Rows<Part>) throws {
    switch event {
    case .put(let id, let group, let rank, let name):
      rows.insert(Part(id: id, group: group, rank: rank, name: name.value ?? "erased"))
    case .removed(let id): rows[id] = nil
    case .refused(let reason):
      rows.insert(Part(id: "half done", group: "", rank: 0, name: ""))
      guard gate.allows(reason) else { throw Refusal(reason: "\(reason)") }
      rows["half done"] = nil
    }
  }
}

/// A request, and the plain code that does the same.
private struct PlainRequest: Sendable {
  let request: FetchRequest<Part>
  var includes: @Sendable (Part) -> Bool = { _ in true }
  var isBefore: @Sendable (Part, Part) -> Bool? = { $0.rank == $1.rank ? nil : $0.rank < $1.rank }
  var section: @Sendable (Part) -> String = { $0.group }
  var isByAppearance = false

  private static let byNameDown: @Sendable (Part, Part) -> Bool? = { left, right in
    if left.name != right.name { return left.name > right.name }
    return left.rank == right.rank ? nil : left.rank < right.rank
  }

  static let all: [PlainRequest] = [
    PlainRequest(request: FetchRequest(sort: [.ascending(\.rank)], section: .by(\.group))),
    PlainRequest(
      request: FetchRequest(
        filter: .where("even") { $0.rank % 2 == 0 }, sort: [.descending(\.name), .ascending(\.rank)]),
      includes: { $0.rank % 2 == 0 },
      isBefore: byNameDown,
      section: { _ in "" }),
    PlainRequest(
      request: FetchRequest(filter: .where("a") { $0.group == "a" }, sort: [.descending(\.rank)], section: .by(\.name)),
      includes: { $0.group == "a" }, isBefore: { $0.rank == $1.rank ? nil : $0.rank > $1.rank }, section: { $0.name }),
    PlainRequest(
      request: FetchRequest(filter: .where("b") { $0.group == "b" }, sort: [.ascending(\.rank)], section: .by(\.name)),
      includes: { $0.group == "b" }, section: { $0.name }),
    PlainRequest(request: FetchRequest(section: .by(\.name)), isBefore: { _, _ in nil }, section: { $0.name }),
    PlainRequest(
      request: FetchRequest(
        filter: .where("low") { $0.rank < 4 }, sort: [.ascending(\.rank)],
        section: .by(\.group, order: .byFirstAppearance)),
      includes: { $0.rank < 4 }, isByAppearance: true),
    PlainRequest(
      request: FetchRequest(sort: [.ascending(\.rank)], section: .by(\.group), limit: 4, offset: 1)),
  ]

  /// The rows by section, each section with its title.
  func list(_ rows: [Part], appearances: [String]) -> [[Part]] {
    var sections: [String: [Part]] = [:]
    for row in rows where includes(row) { sections[section(row), default: []].append(row) }
    let keys =
      isByAppearance ? appearances.filter { sections[$0] != nil } : sections.keys.sorted()
    let lists = keys.map { key in
      (sections[key] ?? []).sorted { isBefore($0, $1) ?? ($0.id < $1.id) }
    }
    var (skipped, left) = (request.offset, request.limit ?? .max)
    return lists.compactMap { list in
      let start = min(skipped, list.count)
      skipped -= start
      let cut = Array(list[start...].prefix(left))
      left -= cut.count
      return cut.isEmpty ? nil : cut
    }
  }
}

private struct Slot {
  var request: Int
  var place: Int?
  var isSuspended = false
}

private struct SharedModel {
  var events: [(event: PartEvent, transaction: Int)] = []
  var slots: [Int: Slot] = [:]
  var allowed: Set<Int> = []
  /// Up to here there is no history.
  var horizon = 0
  var nextReason = 0

  var isStopped: Bool { end < events.count }

  /// Where a list ends that keeps itself current.
  var end: Int {
    for (event, transaction) in events {
      if case .refused(let reason) = event, !allowed.contains(reason) {
        return events.firstIndex { $0.transaction == transaction } ?? 0
      }
    }
    return events.count
  }

  mutating func commit(_ new: [PartEvent]) {
    let transaction = (events.last?.transaction ?? 0) + 1
    events += new.map { ($0, transaction) }
  }

  /// Leaves the last event of each part.
  mutating func compact() {
    var last: [String: Int] = [:]
    for (index, (event, _)) in events.enumerated() {
      switch event {
      case .put(let id, _, _, _), .removed(let id): last[id] = index
      case .refused: break
      }
    }
    let kept = Set(last.values)
    var isOther = false
    for index in events.indices where !kept.contains(index) {
      if case .refused = events[index].event { continue }
      isOther = true
      events[index].event = .refused(reason: -1)
    }
    guard isOther else { return }
    allowed.insert(-1)
    horizon = events.count
    for slot in slots.keys {
      if let place = slots[slot]?.place, place > 0, place < horizon { slots[slot]?.place = nil }
    }
  }

  private func apply(_ event: PartEvent, _ rows: inout [String: Part]) {
    switch event {
    case .put(let id, let group, let rank, let name):
      rows[id] = Part(id: id, group: group, rank: rank, name: name.value ?? "erased")
    case .removed(let id): rows[id] = nil
    case .refused: break
    }
  }

  func shown(_ slot: Slot) -> [[Part]] {
    var rows: [String: Part] = [:]
    var appearances: [String] = []
    let plain = PlainRequest.all[slot.request]
    for (event, _) in events.prefix(slot.place ?? end) {
      apply(event, &rows)
      guard plain.isByAppearance, case .put(let id, _, _, _) = event, let row = rows[id], plain.includes(row) else {
        continue
      }
      if !appearances.contains(row.group) { appearances.append(row.group) }
    }
    return plain.list(Array(rows.values), appearances: appearances)
  }
}

private final class SharedSystem {
  final class Screen {
    let controller: FetchedResultsController<Part>
    let delegate: MirrorDelegate<Part>
    private let observation: ChangeObservation
    private let heard: Heard

    final class Heard {
      var table: MirrorTable<Part>
      var faults: [String] = []

      init(_ results: Results<Part>) { table = MirrorTable(results) }

      func hear(_ changes: Changes<Part>) {
        if changes.isEmpty { faults.append("an empty batch is delivered") }
        do { try table.apply(changes) } catch { faults.append("\(error)") }
      }
    }

    init(_ controller: FetchedResultsController<Part>) {
      self.controller = controller
      delegate = MirrorDelegate(controller.results)
      controller.delegate = delegate
      let heard = Heard(controller.results)
      self.heard = heard
      observation = controller.observe { heard.hear($0) }
    }

    var faults: [String] {
      var faults = delegate.violations.map { "\($0)" } + heard.faults
      if !delegate.table.shows(controller.results) { faults.append("the delegate's table shows another list") }
      if !heard.table.shows(controller.results) { faults.append("the observer's table shows another list") }
      return faults
    }
  }

  let store = MemoryEventStore(environment: .quiet)
  let gate = Gate()
  var screens: [Int: Screen] = [:]

  func open(_ slot: Int, _ request: Int, isSaved: Bool) throws {
    let controller = FetchedResultsController(
      store: store, projection: Parts(gate: gate), request: PlainRequest.all[request].request,
      cacheName: isSaved ? "parts" : nil)
    do { try controller.performFetch() } catch is ProjectionError {}
    screens[slot] = Screen(controller)
  }

  func commit(_ events: [PartEvent]) throws {
    let coder = try EventCoder<PartEvent>()
    try store.append(
      Append(
        events.map { event in
          let stream: StreamName =
            switch event {
            case .put(let id, _, _, _), .removed(let id): StreamName("part-\(id)")
            case .refused: "refused"
            }
          return Append.Entry(stream: stream, event: try coder.encode(event))
        }))
  }

  func allow(_ reasons: Set<Int>) {
    gate.allow(reasons)
    for (_, screen) in screens.sorted(by: { $0.key < $1.key }) { screen.controller.refresh() }
  }

  func compact() throws {
    var compaction = Compaction()
    compaction.rewrite(PartEvent.self) { stream, events in
      stream == "refused" ? events : events.suffix(1)
    }
    compaction.prove(Parts(gate: gate))
    try store.compact(compaction)
  }
}

/// A list that is opened in a slot.
private struct Opening {
  let slot: Int
  let request: Int
  let isSaved: Bool
}

/// Where the list of a slot goes, or which request it gets.
private struct Step {
  let slot: Int
  let to: Int
}

private struct SharedRowsMachine: Machine {
  func start() throws -> (model: SharedModel, system: SharedSystem) { (SharedModel(), SharedSystem()) }

  private static let event: Generator<PartEvent> = {
    let ids = Generator<Int>.int(in: 0...11).map { "\($0)" }
    let put = zip(
      ids, Generator<String>.element(of: ["a", "b", "c"]), .int(in: 0...5), .element(of: ["p", "q", "r"])
    ).map { id, group, rank, name in
      PartEvent.put(id: id, group: group, rank: rank, name: Personal(name, of: "subject \(id)"))
    }
    return .frequency((5, put), (1, ids.map { .removed(id: $0) }))
  }()

  private func slot(_ model: SharedModel) -> Generator<Int> { .element(of: model.slots.keys.sorted()) }

  var commands: [Command<SharedModel, SharedSystem>] {
    Command("open(_:_:isSaved:)", weight: 4) { _ in
      zip(.int(in: 0...3), .int(in: 0...PlainRequest.all.count - 1), .bool).map { slot, request, isSaved in
        Opening(slot: slot, request: request, isSaved: isSaved)
      }
    } model: { (model: inout SharedModel, opening: Opening) in
      model.slots[opening.slot] = Slot(request: opening.request)
    } run: { system, opening in
      try system.open(opening.slot, opening.request, isSaved: opening.isSaved)
    }
    Command("close(_:)") { model in
      slot(model)
    } model: { (model: inout SharedModel, slot: Int) in
      model.slots[slot] = nil
    } run: { system, slot in
      system.screens[slot] = nil
    }
    Command("commit(_:)", weight: 8) { _ in
      Generator<[PartEvent]>.array(of: Self.event, count: 1...5)
    } model: { (model: inout SharedModel, events: [PartEvent]) in
      model.commit(events)
    } run: { system, events in
      try system.commit(events)
    }
    Command("refuse(_:)") { model in
      Self.event.map { [reason = model.nextReason] event in [event, .refused(reason: reason)] }
    } model: { (model: inout SharedModel, events: [PartEvent]) in
      model.nextReason += 1
      model.commit(events)
    } run: { system, events in
      try system.commit(events)
    }
    Command("allow()", weight: 2) { model in
      .constant(Set(0..<model.nextReason))
    } model: { (model: inout SharedModel, reasons: Set<Int>) in
      model.allowed.formUnion(reasons)
    } run: { system, reasons in
      system.allow(reasons)
    }
    Command("seek(_:to:)", weight: 3) { model in
      let places = model.horizon > 0 ? [0] + Array(model.horizon...max(model.horizon, model.end)) : Array(0...model.end)
      return zip(slot(model), .element(of: places)).map { Step(slot: $0, to: $1) }
    } model: { (model: inout SharedModel, step: Step) in
      model.slots[step.slot]?.place = step.to
    } run: { system, step in
      try system.screens[step.slot]?.controller.seek(to: Position(step.to))
    }
    Command("resume(_:)", weight: 2) { model in
      slot(model)
    } model: { (model: inout SharedModel, slot: Int) in
      model.slots[slot]?.place = nil
    } run: { system, slot in
      do { try system.screens[slot]?.controller.returnToLive() } catch is ProjectionError {
        // The list stands before an event that is refused.
      } catch is SeekError {
        // A suspended list does not know yet that the history is gone, to which it went.
      }
    }
    Command("update(_:to:)", weight: 3) { model in
      zip(slot(model), .int(in: 0...PlainRequest.all.count - 1)).map { Step(slot: $0, to: $1) }
    } model: { (model: inout SharedModel, step: Step) in
      model.slots[step.slot]?.request = step.to
    } run: { system, step in
      try system.screens[step.slot]?.controller.update { $0 = PlainRequest.all[step.to].request }
    }
    Command("suspend(_:)") { model in
      slot(model)
    } model: { (model: inout SharedModel, slot: Int) in
      model.slots[slot]?.isSuspended = true
    } run: { system, slot in
      system.screens[slot]?.controller.suspendDelivery()
    }
    Command("goOn(_:)", weight: 2) { model in
      slot(model)
    } model: { (model: inout SharedModel, slot: Int) in
      model.slots[slot]?.isSuspended = false
    } run: { system, slot in
      system.screens[slot]?.controller.resumeDelivery()
    }
    Command("save(_:)") { model in
      slot(model)
    } model: { (_: inout SharedModel, _: Int) in
    } run: { system, slot in
      try system.screens[slot]?.controller.saveCache()
    }
    Command("erase(_:)") { _ in
      Generator<Int>.int(in: 0...11).map { "\($0)" }
    } model: { (model: inout SharedModel, id: String) in
      model.events = model.events.map { event, transaction in
        guard case .put(id, let group, let rank, _) = event else { return (event, transaction) }
        return (.put(id: id, group: group, rank: rank, name: Personal(erasedOf: "subject \(id)")), transaction)
      }
    } run: { system, id in
      _ = try system.store.erase(subject: "subject \(id)")
    }
    Command("compact()", when: { !$0.isStopped && !$0.events.isEmpty }) { (model: inout SharedModel) in
      model.compact()
    } run: { system in
      try system.compact()
    }
  }

  func invariant(_ model: SharedModel, _ system: SharedSystem) throws {
    for (number, slot) in model.slots {
      guard let screen = system.screens[number] else { return try ensure(false, "there is no screen \(number)") }
      try ensureEqual(screen.faults, [])
      if slot.isSuspended { continue }
      let list = screen.controller.results
      // A list that is not cut into sections has one also without rows.
      try ensureEqual(list.map { Array($0) }.filter { !$0.isEmpty }, model.shown(slot))
      try ensureEqual(list.position.rawValue, slot.place ?? model.end)
      for row in list.rows { try ensure(list.row(forID: row.id) == row, "\(row) is not found by its id") }
    }
  }
}
