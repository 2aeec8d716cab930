import Annals
import AnnalsLog
import AnnalsTesting
import Synchronization

enum SharedPartEvent: Event {
  case put(id: String, group: String, rank: Int, name: Personal<String>)
  case removed(id: String)
  case refused(reason: Int)
}

struct Part: Row, Codable {
  let id: String
  var group: String
  var rank: Int
  var name: String
}

/// What better code will fold.
final class PartsGate: Sendable {
  private let allowed = Mutex<Set<Int>>([])

  func allow(_ reasons: Set<Int>) { allowed.withLock { $0.formUnion(reasons) } }
  func allows(_ reason: Int) -> Bool { allowed.withLock { $0.contains(reason) } }
}

struct Parts: Projection, Equatable {
  let gate: PartsGate
  var identity: String? { "parts" }

  static func == (left: Parts, right: Parts) -> Bool { left.gate === right.gate }

  func project(_ event: SharedPartEvent, into rows: inout Rows<Part>) throws {
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
struct PlainPartsRequest: Sendable {
  let request: ListRequest<Part>
  var includes: @Sendable (Part) -> Bool = { _ in true }
  var isBefore: @Sendable (Part, Part) -> Bool? = { $0.rank == $1.rank ? nil : $0.rank < $1.rank }
  var section: @Sendable (Part) -> String = { $0.group }
  var isByAppearance = false

  private static let byNameDown: @Sendable (Part, Part) -> Bool? = { left, right in
    if left.name != right.name { return left.name > right.name }
    return left.rank == right.rank ? nil : left.rank < right.rank
  }

  static let all: [PlainPartsRequest] = [
    PlainPartsRequest(request: ListRequest(sort: [.ascending(\.rank)], section: .by(\.group))),
    PlainPartsRequest(
      request: ListRequest(
        filter: .where("even") { $0.rank % 2 == 0 }, sort: [.descending(\.name), .ascending(\.rank)]),
      includes: { $0.rank % 2 == 0 },
      isBefore: byNameDown,
      section: { _ in "" }),
    PlainPartsRequest(
      request: ListRequest(filter: .where("a") { $0.group == "a" }, sort: [.descending(\.rank)], section: .by(\.name)),
      includes: { $0.group == "a" }, isBefore: { $0.rank == $1.rank ? nil : $0.rank > $1.rank }, section: { $0.name }),
    PlainPartsRequest(
      request: ListRequest(filter: .where("b") { $0.group == "b" }, sort: [.ascending(\.rank)], section: .by(\.name)),
      includes: { $0.group == "b" }, section: { $0.name }),
    PlainPartsRequest(request: ListRequest(section: .by(\.name)), isBefore: { _, _ in nil }, section: { $0.name }),
    PlainPartsRequest(
      request: ListRequest(
        filter: .where("low") { $0.rank < 4 }, sort: [.ascending(\.rank)],
        section: .by(\.group, order: .byFirstAppearance)),
      includes: { $0.rank < 4 }, isByAppearance: true),
    PlainPartsRequest(
      request: ListRequest(sort: [.ascending(\.rank)], section: .by(\.group), limit: 4, offset: 1)),
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

struct PartSlot {
  var request: Int
  var place: Int?
  var isSuspended = false
}

struct PartsModel {
  var events: [(event: SharedPartEvent, transaction: Int)] = []
  var slots: [Int: PartSlot] = [:]
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

  /// True if a transaction ends at a position.
  func isWhole(_ position: Int) -> Bool {
    position == 0 || position == events.count
      || position < events.count && events[position - 1].transaction != events[position].transaction
  }

  mutating func commit(_ new: [SharedPartEvent]) {
    let transaction = (events.last?.transaction ?? 0) + 1
    events += new.map { ($0, transaction) }
  }

  mutating func erase(_ id: String) {
    events = events.map { event, transaction in
      guard case .put(id, let group, let rank, _) = event else { return (event, transaction) }
      return (.put(id: id, group: group, rank: rank, name: Personal(erasedOf: "subject \(id)")), transaction)
    }
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

  private func apply(_ event: SharedPartEvent, _ rows: inout [String: Part]) {
    switch event {
    case .put(let id, let group, let rank, let name):
      rows[id] = Part(id: id, group: group, rank: rank, name: name.value ?? "erased")
    case .removed(let id): rows[id] = nil
    case .refused: break
    }
  }

  /// What a list shows at its place, or at a position where it follows the log.
  func shown(_ slot: PartSlot, through position: Int? = nil) -> [[Part]] {
    var rows: [String: Part] = [:]
    var appearances: [String] = []
    let plain = PlainPartsRequest.all[slot.request]
    for (event, _) in events.prefix(slot.place ?? position ?? end) {
      apply(event, &rows)
      guard plain.isByAppearance, case .put(let id, _, _, _) = event, let row = rows[id], plain.includes(row) else {
        continue
      }
      if !appearances.contains(row.group) { appearances.append(row.group) }
    }
    return plain.list(Array(rows.values), appearances: appearances)
  }
}

extension SharedPartEvent {
  static let event: Generator<SharedPartEvent> = {
    let ids = Generator<Int>.int(in: 0...11).map { "\($0)" }
    let put = zip(
      ids, Generator<String>.element(of: ["a", "b", "c"]), .int(in: 0...5), .element(of: ["p", "q", "r"])
    ).map { id, group, rank, name in
      SharedPartEvent.put(id: id, group: group, rank: rank, name: Personal(name, of: "subject \(id)"))
    }
    return .frequency((5, put), (1, ids.map { .removed(id: $0) }))
  }()
}

extension SharedPartEvent {
  /// The events as a store takes them, those of a part in one stream.
  static func append(_ events: [SharedPartEvent]) throws -> Append {
    let coder = try EventCoder<SharedPartEvent>()
    return Append(
      try events.map { event in
        let stream: StreamName =
          switch event {
          case .put(let id, _, _, _), .removed(let id): StreamName("part-\(id)")
          case .refused: "refused"
          }
        return Append.Entry(stream: stream, event: try coder.encode(event))
      })
  }
}

/// A controller with what hears of its changes.
final class PartScreen {
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

  var isSuspended: Bool { controller.isDeliverySuspended }

  var faults: [String] {
    var faults = delegate.violations.map { "\($0)" } + heard.faults
    if !delegate.table.shows(controller.results) { faults.append("the delegate's table shows another list") }
    if !heard.table.shows(controller.results) { faults.append("the observer's table shows another list") }
    return faults
  }
}
