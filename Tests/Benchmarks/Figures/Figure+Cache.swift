import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation

extension Figure {
  /// The cost of a saved list at the start, compared with the events that it is made from.
  static var cache: [Figure] { [coldStart, save, faultingMemory, scrolledMemory, builtMemory] }

  private static var coldStart: Figure {
    Figure(
      "cold-start", rows: 1_000_000, "opening a saved list, and reading its first thirty rows",
      against: "opening the log, and building the list from all events", .speed(atLeast: 100)
    ) {
      let log = try WareLog(1_000_000)
      try log.list(cacheName: WareLog.cacheName).saveCache()
      return Contest {
        try nanoseconds(per: 1) { try log.start(cacheName: WareLog.cacheName) }
      } baseline: {
        try nanoseconds(per: 1) { try log.start(cacheName: nil) }
      }
    }
  }

  private static var save: Figure {
    Figure(
      "save-change", rows: 100_000, "saving a list with one changed row",
      against: "saving all rows", .speed(atLeast: 100)
    ) {
      let log = try WareLog(100_000)
      let list = try log.list(cacheName: WareLog.cacheName)
      try list.saveCache()
      var number = 0
      return Contest {
        number += 1
        try log.reprice(number, to: Double(number))
        list.refresh()
        return try nanoseconds(per: 1) { try list.saveCache() }
      } baseline: {
        try log.store.deleteCache(withName: nil)
        let fresh = try log.list(cacheName: WareLog.cacheName)
        let time = try nanoseconds(per: 1) { try fresh.saveCache() }
        // The continued list's pages belong to another cache now.
        try log.reprice(0, to: Double(number))
        list.refresh()
        try list.saveCache()
        return time
      }
    }
  }

  private static var faultingMemory: Figure {
    Figure(
      "faulting-memory", rows: 1_000_000, "memory of a saved list after some screens were shown",
      against: "memory of the list with all rows", of: .memory, .cost(atMost: 0.1)
    ) {
      let log = try WareLog(1_000_000)
      try log.list(cacheName: WareLog.cacheName).saveCache()
      return Contest {
        try bytes("saved-list", log.path)
      } baseline: {
        try bytes("whole-list", log.path)
      }
    }
  }
}

extension Figure {
  private static var scrolledMemory: Figure {
    Figure(
      "scrolled-memory", rows: 1_000_000, "memory of a saved list after a scroll through all rows",
      against: "memory of the list with all rows", of: .memory, .cost(atMost: 0.1)
    ) {
      let log = try WareLog(1_000_000)
      try log.list(cacheName: WareLog.cacheName).saveCache()
      return Contest {
        try bytes("scrolled-list", log.path)
      } baseline: {
        try bytes("whole-list", log.path)
      }
    }
  }

  private static var builtMemory: Figure {
    Figure(
      "built-memory", rows: 200_000, "memory of a list that was built from events and saved",
      against: "memory of the list with all rows", of: .memory, .cost(atMost: 0.5)
    ) {
      let log = try WareLog(200_000)
      return Contest {
        try bytes("built-list", log.path)
      } baseline: {
        try bytes("whole-list", log.path)
      }
    }
  }
}

/// A log of wares on shelves.
final class WareLog {
  static let cacheName = "wares"

  private let log: ScratchLog
  var store: SQLiteEventStore { log.store }
  var path: String { log.path }

  init(_ count: Int) throws {
    log = try ScratchLog()
    let coder = try EventCoder<ShelvedEvent>()
    let wares = ListWorkload.wares(count, shelves: 100)
    for start in stride(from: 0, to: count, by: 10_000) {
      let events = try wares[start..<min(start + 10_000, count)].map { try coder.encode(.put($0)) }
      try log.store.append(Append(events, to: "wares"))
    }
  }

  func reprice(_ number: Int, to price: Double) throws {
    let event = try EventCoder<ShelvedEvent>().encode(.repriced(id: ListWorkload.id(number), to: price))
    try store.append(Append([event], to: "wares"))
  }

  func list(cacheName: String?) throws -> FetchedResultsController<Ware> {
    try Self.list(store, cacheName: cacheName)
  }

  static func list(_ store: SQLiteEventStore, cacheName: String?) throws -> FetchedResultsController<Ware> {
    var request = ListWorkload.request
    request.fetchBatchSize = 20
    let list = FetchedResultsController(store: store, projection: Wares(), request: request, cacheName: cacheName)
    try list.performFetch()
    return list
  }

  /// A list that was made of the events and saved, or that is saved, after someone scrolled through some of it or all.
  ///
  /// It has no isolation, so that it lets go of rows when it is asked for more of them, and not by a job.
  static func shown(_ path: String, isBuilt: Bool) throws -> FetchedResultsController<Ware> {
    let made = Made()
    let thread = Thread {
      made.list = Result {
        let store = try SQLiteEventStore(path: path)
        if isBuilt { try store.deleteCache(withName: nil) }
        let list = try list(store, cacheName: cacheName)
        if isBuilt { try list.saveCache() }
        let count = list.results.count
        for section in 0..<count {
          let rows = list.results[section].count
          for row in stride(from: 0, to: rows, by: isBuilt ? 500 : 1) { keep(list.results[section][row]) }
        }
        return list
      }
      made.isDone.signal()
    }
    thread.start()
    made.isDone.wait()
    return try made.list.get()
  }

  /// `@unchecked Sendable`: the list is written before the signal, and read after it.
  private final class Made: @unchecked Sendable {
    let isDone = DispatchSemaphore(value: 0)
    var list: Result<FetchedResultsController<Ware>, any Error> = .failure(CancellationError())
  }

  /// Opens the log again, and shows a screen.
  func start(cacheName: String?) throws { try Self.start(path, cacheName: cacheName) }

  @discardableResult
  static func start(_ path: String, cacheName: String?) throws -> FetchedResultsController<Ware> {
    let list = try list(SQLiteEventStore(path: path), cacheName: cacheName)
    for row in 0..<30 { keep(list.results[0][row]) }
    return list
  }
}

enum ShelvedEvent: Event {
  case put(Ware)
  case repriced(id: String, to: Double)
}

struct Wares: Projection {
  func project(_ event: ShelvedEvent, into rows: inout Rows<Ware>) {
    switch event {
    case .put(let ware): rows.insert(ware)
    case .repriced(let id, let price): rows.update(id) { $0.price = price }
    }
  }
}
