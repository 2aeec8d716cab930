import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation

extension Figure {
  /// The cost of events that a list does not read.
  static var foreign: [Figure] { [foreignEvents(1_000_000)] }

  /// The same among another number of events of others.
  static func foreignEvents(_ others: Int) -> Figure {
    Figure(
      "foreign-events", rows: others, "opening a list of 10 events in a log with other events",
      against: "the same in a log without other events", .cost(atMost: 3)
    ) {
      let (log, alone) = (try ForeignLog(others: others), try ForeignLog(others: 0))
      return Contest {
        try nanoseconds(per: 1) { try log.open() }
      } baseline: {
        try nanoseconds(per: 1) { try alone.open() }
      }
    }
  }
}

/// A log with ten events of a list, and many of others between them.
final class ForeignLog {
  private struct NotTen: Error {}

  private let log: ScratchLog

  init(others: Int) throws {
    log = try ScratchLog()
    let coder = try EventCoder<JarEvent>()
    for number in 0..<10 {
      var entries: [Append.Entry] = []
      for other in 0..<others / 10 {
        // Three types, as unlike in their numbers as those of an app.
        let type = "Book\(["Inserted", "Repriced", "Moved"][min(2, (other % 10) / 4)])"
        entries.append(
          .init(
            stream: ScratchLog.stream(other), event: NewEvent(type: type, payload: ScratchLog.payload)))
        if entries.count == 1_000 {
          try log.store.append(Append(entries))
          entries = []
        }
      }
      try log.store.append(Append(try entries.map(\.event) + [coder.encode(.filled(id: "\(number)"))], to: "jars"))
    }
    log.store.close()
  }

  /// Opens the log, and makes the list of what is in it.
  func open() throws {
    let store = try SQLiteEventStore(path: log.path)
    let list = FetchedResultsController(
      store: store, projection: Jars(), request: ListRequest(sort: [.ascending(\.id)]))
    try list.performFetch()
    guard list.results.rows.count == 10 else { throw NotTen() }
  }
}

private struct Jar: Row {
  var id: String
}

private enum JarEvent: Event {
  case filled(id: String)
}

private struct Jars: Projection {
  func project(_ event: JarEvent, into rows: inout Rows<Jar>) {
    if case .filled(let id) = event { rows.insert(Jar(id: id)) }
  }
}
