import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation

extension Figure {
  /// The cost of one change on the whole way: the command, the log, the list and its delegate.
  static var delivery: [Figure] { delivery(rows: 100_000) }

  /// The same for a list of another length.
  static func delivery(rows: Int) -> [Figure] {
    [deliveryAlone(rows), commandByHand(rows), commandCached(rows), commandTail(rows), commandStop(rows)]
  }

  private static func deliveryAlone(_ rows: Int) -> Figure {
    Figure(
      "delivery", rows: rows, "an event from its commit to the delegate, minus the append",
      against: "the list's own work", of: .processor, .cost(atMost: 4)
    ) {
      let wares = ListWorkload.wares(rows, shelves: 100)
      let (watched, quiet) = (try DeliveredWares(wares), try DeliveredWares(wares, isShown: false))
      let engine = ListEngine(wares)
      return Contest {
        try watched.reprice(1_000) - quiet.reprice(1_000)
      } baseline: {
        processorNanoseconds(per: 1_000) { for _ in 0..<1_000 { keep(engine.change().rows.count) } }
      }
    }
  }

  private static func commandByHand(_ rows: Int) -> Figure {
    Figure(
      "command-by-hand", rows: rows, "a command until the delegate was notified, durability .process",
      against: "hand-written code: C API, Foundation's coders, a sorted array per section", .cost(atMost: 2.5)
    ) {
      let wares = ListWorkload.wares(rows, shelves: 100)
      let (ours, byHand) = (try DeliveredWares(wares), try CommandByHand(wares))
      return Contest {
        median(try ours.commandTimes(1_000))
      } baseline: {
        median(try byHand.times(1_000))
      }
    }
  }

  /// The commands change other rows all the time, so most of them need pages that are not in memory.
  ///
  /// A round has 4,000 commands, so that the list is saved in it. With 1,000 commands, the median round has no save.
  private static func commandCached(_ rows: Int) -> Figure {
    Figure(
      "command-cached", rows: rows, "a command with a saved list, including the saves",
      against: "a command with a list in memory", of: .processor, .cost(atMost: 1.3)
    ) {
      let wares = ListWorkload.wares(rows, shelves: 100)
      let (ours, uncached) = (try DeliveredWares(wares, cacheName: WareLog.cacheName), try DeliveredWares(wares))
      func cost(_ wares: DeliveredWares) throws -> Double {
        try processorNanoseconds(per: 4_000) { _ = try wares.commandTimes(4_000) }
      }
      return Contest {
        try cost(ours)
      } baseline: {
        try cost(uncached)
      }
    }
  }

  /// In the processor time of the thread that executes, because the scheduler would decide about the time that passes.
  private static func commandTail(_ rows: Int) -> Figure {
    slowest(
      20, of: 2_000, "command-tail", rows, "the p99 of these commands, on the thread that executes them",
      of: .processor, atMost: 3)
  }

  /// There are two checkpoints in 600 commands.
  private static func commandStop(_ rows: Int) -> Figure {
    slowest(
      2, of: 600, "command-stop", rows, "the second slowest of 600 such commands, one every 8 ms",
      pausing: 8_000, of: .time, atMost: 10)
  }

  /// How long the slow ones of some commands take, beside the median of the commands.
  private static func slowest(
    _ rank: Int, of count: Int, _ name: String, _ rows: Int, _ text: String, pausing pause: UInt32 = 0,
    of resource: Resource, atMost limit: Double
  ) -> Figure {
    Figure(name, rows: rows, text, against: "the median of the commands", of: resource, .cost(atMost: limit)) {
      let ours = try DeliveredWares(ListWorkload.wares(rows, shelves: 100))
      var middle = 0.0
      return Contest {
        let times = try ours.commandTimes(count, pausing: pause, of: resource).sorted()
        middle = median(times)
        return times[count - rank]
      } baseline: {
        middle
      }
    }
  }
}

/// Wares in a log in a file, with a list of them and its delegate.
private final class DeliveredWares {
  private let log: ScratchLog
  private let controller: FetchedResultsController<Ware>?
  private let delegate = CountingDelegate<Ware>()
  private let count: Int
  private var chance = Chance(seed: 11)

  init(_ wares: [Ware], isShown: Bool = true, cacheName: String? = nil) throws {
    log = try ScratchLog(durability: .process)
    count = wares.count
    let coder = try EventCoder<WareEvent>()
    for start in stride(from: 0, to: count, by: 10_000) {
      let entries = try wares[start..<min(start + 10_000, count)].map { ware in
        Append.Entry(
          stream: WareDesk.stream(ware.id),
          event: try coder.encode(.added(id: ware.id, title: ware.title, price: ware.price, shelf: ware.shelf)))
      }
      try log.store.append(Append(entries))
    }
    controller =
      isShown
      ? FetchedResultsController(
        store: log.store, projection: WareShelves(), request: ListWorkload.request, cacheName: cacheName) : nil
    try controller?.performFetch()
    controller?.delegate = delegate
    if cacheName != nil { try controller?.saveCache() }
  }

  /// Appends events, and returns the processor time for each.
  func reprice(_ times: Int) throws -> Double {
    let before = delegate.count
    let time = try processorNanoseconds(per: times) {
      for _ in 0..<times {
        let id = ListWorkload.id(chance.next(upTo: count))
        try log.store.append([WareEvent.repriced(id: id, to: chance.price())], to: WareDesk.stream(id))
      }
    }
    if controller != nil, delegate.count < before + times { throw WideFailure(message: "the delegate missed changes") }
    return time
  }

  /// The time of each of some commands on streams that were not used before, or not lately.
  ///
  /// - Parameters:
  ///   - times: How many commands.
  ///   - pause: Microseconds before each of them.
  ///   - resource: The time that passes, or the processor time of the calling thread.
  /// - Returns: Nanoseconds for each.
  /// - Throws: What a command throws; ``WideFailure`` if the delegate heard of nothing.
  func commandTimes(
    _ times: Int, pausing pause: UInt32 = 0, of resource: Figure.Resource = .time
  ) throws -> [Double] {
    try (0..<times).map { _ in
      if pause > 0 { usleep(pause) }
      let (id, before) = (ListWorkload.id(chance.next(upTo: count)), delegate.count)
      let price = chance.price()
      let work = { _ = try self.log.store.execute(.reprice(to: price), on: WareDesk[id]) }
      let time = try resource == .time ? nanoseconds(work) : threadNanoseconds(work)
      if delegate.count == before { throw WideFailure(message: "the delegate heard of nothing") }
      return time
    }
  }
}

/// Decides on a ware's price.
private struct WareDesk: Decider {
  enum Command: Sendable { case reprice(to: Double) }

  static var category: String { "Ware" }
  private var id: String?
  private var price: Double?

  func decide(_ command: Command) -> [WareEvent] {
    switch command {
    case .reprice(let new): id.map { new == price ? [] : [.repriced(id: $0, to: new)] } ?? []
    }
  }

  mutating func evolve(_ event: WareEvent) {
    switch event {
    case .added(let id, _, let price, _): (self.id, self.price) = (id, price)
    case .repriced(_, let price): self.price = price
    case .renamed, .removed: break
    }
  }
}
