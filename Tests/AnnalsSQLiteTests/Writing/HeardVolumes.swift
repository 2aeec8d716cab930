import Annals
import AnnalsLog
import AnnalsSQLite
import Dispatch
import Synchronization

/// The events that the child process `shelve` appends.
enum HeardEvent: Event {
  static var typePrefix: String { "Volume" }

  case put(HeardVolume)
  case removed(id: String)
}

struct HeardVolume: Row {
  let id: String
  let shelf: Int
  let place: Int
}

struct HeardVolumes: Projection {
  func project(_ event: HeardEvent, into rows: inout Rows<HeardVolume>) {
    switch event {
    case .put(let volume): rows.insert(volume)
    case .removed(let id): rows[id] = nil
    }
  }

  static let request = ListRequest<HeardVolume>(sort: [.ascending(\.place)], section: .by(\.shelf))
}

/// A delegate that notes which positions it heard of, and when.
final class HeardDelegate: FetchedResultsControllerDelegate {
  private(set) var heard: [(position: Int, time: UInt64)] = []
  private(set) var failures: [String] = []

  func controller(
    _ controller: FetchedResultsController<HeardVolume>, didChangeContentWith results: Results<HeardVolume>
  ) {
    heard.append((results.position.rawValue, DispatchTime.now().uptimeNanoseconds))
  }

  func controller(_ controller: FetchedResultsController<HeardVolume>, didFailWith error: any Error) {
    failures.append("\(error)")
  }
}

/// A screen in an isolation of its own.
actor HeardScreen {
  /// The list that the observer was left with.
  private final class Table {
    var list: Results<HeardVolume>
    /// True if a batch did not begin where the one before ended.
    var hasGap = false

    init(_ list: Results<HeardVolume>) { self.list = list }
  }

  private let store: SQLiteEventStore
  private var controller: FetchedResultsController<HeardVolume>?
  private var observation: ChangeObservation?
  private let delegate = HeardDelegate()
  private var tables: [Table] = []

  init(_ store: SQLiteEventStore) { self.store = store }

  func show() throws {
    let controller = FetchedResultsController(store: store, projection: HeardVolumes(), request: HeardVolumes.request)
    controller.delegate = delegate
    try controller.performFetch()
    let table = Table(controller.results)
    tables.append(table)
    observation = controller.observe { changes in
      if changes.old != table.list { table.hasGap = true }
      table.list = changes.new
    }
    self.controller = controller
  }

  func hide() { (controller, observation) = (nil, nil) }

  func append(_ events: [HeardEvent]) throws {
    let coder = try EventCoder<HeardEvent>()
    try store.append(Append(try events.map { try coder.encode($0) }, to: "volumes"))
  }

  func refresh() { controller?.refresh() }

  var results: Results<HeardVolume>? { controller?.results }
  var failures: [String] { delegate.failures }
  var hasGap: Bool { tables.contains { $0.hasGap } }
  var hasFailure: Bool { controller?.failure != nil }

  /// Waits, without asking for anything, until the list shows a position; false if that takes too long.
  func wait(for position: Position, seconds: Int = 10) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      if let controller, controller.position >= position { return true }
      try await Task.sleep(for: .milliseconds(2))
    }
    return false
  }
}

/// The list of all events, made by folding the log once.
func foldedVolumes(_ store: SQLiteEventStore) throws -> Results<HeardVolume> {
  let controller = FetchedResultsController(
    store: store, projection: HeardVolumes(), request: HeardVolumes.request, isolation: nil)
  try controller.performFetch()
  return controller.results
}
