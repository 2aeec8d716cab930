import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// The same rows as in the child process.
struct ChildVolume: Row {
  let id: String
  let shelf: Int
  let place: Int
}

enum ChildVolumeEvent: Event {
  static var typePrefix: String { "Volume" }
  case put(ChildVolume)
  case removed(id: String)
}

struct ChildVolumes: Projection {
  func project(_ event: ChildVolumeEvent, into rows: inout Rows<ChildVolume>) {
    switch event {
    case .put(let volume): rows.insert(volume)
    case .removed(let id): rows[id] = nil
    }
  }
}

extension CompactionReceipt {
  /// The numbers of cut, replaced and remaining events.
  var counts: [Int] { [cut, replaced, remaining] }
}

extension LogReport {
  /// True if the log is sound and has this number of events.
  func isSound(events: Int) -> Bool { isSound && self.events == events }
}

/// Records the failures that a controller reports.
final class FailureNote: FetchedResultsControllerDelegate {
  typealias Row = Part
  var errors: [any Error] = []

  func controller(_ controller: FetchedResultsController<Part>, didFailWith error: any Error) { errors.append(error) }
}

struct Part: Row, Hashable {
  let id: Int
  var shelf: Int
  var count = 0
}

enum PartEvent: Event, Hashable {
  case put(Part)
  case counted(id: Int, count: Int)
  case removed(id: Int)
  case shelfNamed(shelf: Int, title: String)

  static func shelfNamed(shelf: Int, _ title: String) -> PartEvent { .shelfNamed(shelf: shelf, title: title) }
}

struct Parts: Projection {
  /// The tests append random events, which needn't match the rows.
  static let toleratedEvents: Set<String> = ["PartCounted", "PartRemoved"]

  static let request = ListRequest<Part>(sort: [.descending(\.count)], section: .by(\.shelf))

  func project(_ event: PartEvent, into rows: inout Rows<Part>) {
    switch event {
    case .put(let part): rows.insert(part)
    case .counted(let id, let count): rows[id]?.count = count
    case .removed(let id): rows[id] = nil
    case .shelfNamed(let shelf, let title): rows.renameSection(shelf, of: \.shelf, to: title)
    }
  }

  /// Keeps one insertion of each existing part, with its count, and the last title of each shelf.
  static let rule: @Sendable (StreamName, [Compaction.Candidate<PartEvent>]) -> [Compaction.Candidate<PartEvent>] = {
    _, events in
    var parts: [Int: (place: Compaction.Candidate<PartEvent>, part: Part)] = [:]
    var titles: [Int: Compaction.Candidate<PartEvent>] = [:]
    for event in events {
      switch event.event {
      case .put(let part): parts[part.id] = (event, part)
      case .counted(let id, let count): parts[id]?.part.count = count
      case .removed(let id): parts[id] = nil
      case .shelfNamed(let shelf, _): titles[shelf] = event
      }
    }
    let puts = parts.values.map { place, part in place.replaced(by: .put(part)) }
    return (puts + titles.values).sorted { $0.recorded.position < $1.recorded.position }
  }

  static func compaction(through end: Position? = nil) -> Compaction {
    var compaction = Compaction(through: end)
    compaction.rewrite(PartEvent.self, rule)
    compaction.prove(Parts(), request: request)
    compaction.prove(PartShelf.self)
    return compaction
  }
}

/// Parts that you must insert before you count them.
struct StrictParts: Projection {
  struct Missing: Error {}
  static let request = ListRequest<Part>(sort: [.ascending(\.count)], section: .by(\.shelf, order: .byFirstAppearance))

  func project(_ event: PartEvent, into rows: inout Rows<Part>) throws {
    if case .counted(let id, _) = event, rows[id] == nil { throw Missing() }
    Parts().project(event, into: &rows)
  }
}

/// Parts in a log that has other events too.
struct LenientParts: Projection {
  static var unknownEvents: UnknownEventPolicy { .skip }

  func project(_ event: PartEvent, into rows: inout Rows<Part>) { Parts().project(event, into: &rows) }
}

/// Counts the events about each part.
struct Counting: Projection {
  func project(_ event: PartEvent, into rows: inout Rows<Part>) {
    switch event {
    case .put(let part): rows.insert(Part(id: part.id, shelf: 0, count: 1))
    case .counted(let id, _): rows[id]?.count += 1
    default: break
    }
  }
}

struct Stopping: Projection {
  struct Refusal: Error {}

  func project(_ event: PartEvent, into rows: inout Rows<Part>) throws { throw Refusal() }
}

enum StrangeEvent: Event {
  case met(id: Int)
}

struct Strangers: Projection {
  func project(_ event: StrangeEvent, into rows: inout Rows<Part>) {}
}

enum PartCommand {
  case put(id: Int), count(id: Int, Int), remove(id: Int)
}

struct PartShelf: Decider, Equatable {
  static var category: String { "PartShelf" }

  var counts: [Int: Int] = [:]

  func decide(_ command: PartCommand) -> [PartEvent] {
    switch command {
    case .put(let id): [.put(Part(id: id, shelf: 0))]
    case .count(let id, let count): [.counted(id: id, count: count)]
    case .remove(let id): [.removed(id: id)]
    }
  }

  mutating func evolve(_ event: PartEvent) {
    switch event {
    case .put(let part): counts[part.id] = part.count
    case .counted(let id, let count): if counts[id] != nil { counts[id] = count }
    case .removed(let id): counts[id] = nil
    case .shelfNamed: break
    }
  }
}

/// The same with a state that is saved every few events.
struct KeptShelf: SnapshotDecider, Equatable {
  static var category: String { PartShelf.category }
  static var snapshotInterval: Int { 5 }
  var shelf: [Int: Int] = [:]

  func decide(_ command: PartCommand) -> [PartEvent] { PartShelf(counts: shelf).decide(command) }

  mutating func evolve(_ event: PartEvent) {
    var state = PartShelf(counts: shelf)
    state.evolve(event)
    shelf = state.counts
  }
}

/// The counts of all shelves.
struct AllCounts: BoundaryDecider, Equatable {
  var counts: [Int: Int] = [:]

  static func boundary(for command: Void) -> EventQuery { .types("PartPut", "PartCounted", "PartRemoved") }

  func decide(_ command: Void) -> [PartEvent] { [] }

  mutating func evolve(_ event: PartEvent) {
    var shelf = PartShelf(counts: counts)
    shelf.evolve(event)
    counts = shelf.counts
  }
}

struct Human: Row {
  let id: Int
  var name: Personal<String>
}

enum PersonEvent: Event {
  case named(id: Int, name: Personal<String>)
}

enum Person {
  static func stream(_ id: String) -> StreamName { StreamName("Person-\(id)") }
}

struct People: Projection {
  func project(_ event: PersonEvent, into rows: inout Rows<Human>) {
    if case .named(let id, let name) = event { rows.insert(Human(id: id, name: name)) }
  }
}
