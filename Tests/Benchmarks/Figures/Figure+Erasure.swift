import Annals
import AnnalsSQLite
import Foundation

extension Figure {
  /// Lists after an erasure.
  static var erasures: [Figure] { [erasureRefold] }

  /// A subject whose first event is in the last hundredth is erased, until a list shows it; the erasure itself, which
  /// rewrites the file, is not counted.
  private static var erasureRefold: Figure {
    Figure(
      "erasure-refold", rows: 100_000, "updating a list after the erasure of a subject in the last 1%",
      against: "building the list from all events", .cost(atMost: 0.05)
    ) {
      let log = try VisitLog(rows: 100_000)
      let request = ListRequest<VisitRow>(sort: [.ascending(\.name), .ascending(\.id)], section: .by(\.table))
      let list = FetchedResultsController(store: log.store, projection: VisitRows(), request: request)
      try list.performFetch()
      var heard = 0
      let observation = list.observe { heard += $0.rows.count }
      return Contest {
        try log.eraseNext()
        let before = heard
        let time = nanoseconds(per: 1) { list.refresh() }
        precondition(heard == before + 1, "the list heard of another change than the erasure")
        return withExtendedLifetime(observation) { time }
      } baseline: {
        // Another store, whose lists have no rows yet.
        let fresh = FetchedResultsController(store: try log.again(), projection: VisitRows(), request: request)
        return try nanoseconds(per: 1) { try fresh.performFetch() }
      }
    }
  }
}

/// Visits of guests who may ask to be forgotten, one each, in a file.
private final class VisitLog {
  let store: any EventStore
  private let file: SQLiteEventStore
  private let folder: URL
  private var next: Int

  init(rows: Int) throws {
    next = rows - rows / 100
    folder = FileManager.default.temporaryDirectory.appending(path: "annals-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    file = try SQLiteEventStore(path: folder.appending(path: "log").path, durability: .process)
    store = file
    for start in stride(from: 0, to: rows, by: 100) {
      let entries = (start..<min(rows, start + 100)).map { row in
        Append.Entry(
          stream: "visits",
          event: NewEvent(
            type: "VisitBooked",
            payload: #"{"id":\#(row),"name":{"$personal":"g\#(row)","value":"Guest \#(row * 7_919 % rows)"}}"#))
      }
      try store.append(Append(entries))
    }
  }

  deinit {
    file.close()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Another store on the log.
  func again() throws -> any EventStore {
    try SQLiteEventStore(path: folder.appending(path: "log").path, durability: .process)
  }

  /// Erases a guest of the last hundredth, and tells no list.
  func eraseNext() throws {
    _ = try file.erasing?.commitErasure(of: "g\(next)")
    next += 1
  }
}

private enum VisitEvent: Event {
  case booked(id: Int, name: Personal<String>)

  static var typePrefix: String { "Visit" }
}

private struct VisitRow: Row {
  var id: Int
  var name: String
  var table: Int { id % 20 }
}

private struct VisitRows: Projection {
  func project(_ event: VisitEvent, into rows: inout Rows<VisitRow>) {
    switch event {
    case .booked(let id, let name): rows[id] = VisitRow(id: id, name: name.value ?? "")
    }
  }
}
