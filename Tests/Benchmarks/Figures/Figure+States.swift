import Annals
import AnnalsSQLite
import Foundation

extension Figure {
  /// The cost of commands whose decider's state is in memory, by how many events it was folded from.
  static var states: [Figure] {
    [commandWarm(10_000), commandWarm(100_000), commandWarm(1_000_000), boundaryWarm, boundaryBatch]
  }

  private static func commandWarm(_ events: Int) -> Figure {
    Figure(
      events == 1_000_000 ? "command-warm" : "command-warm-\(events / 1_000)k", rows: events,
      "a command on a long stream, its state in memory, not synced",
      against: "a command on a stream of 10 events", .cost(atMost: 1.2), tries: 3
    ) {
      let log = try TallyLog()
      try log.fill("long", events)
      try log.fill("short", 10)
      return Contest {
        try log.time("long")
      } baseline: {
        try log.time("short")
      }
    }
  }

  private static var boundaryWarm: Figure {
    Figure(
      "boundary-warm", rows: 16_000, "a command on a boundary of 16,000 events, not synced",
      against: "a command on a boundary of 16 events", .cost(atMost: 1.2), tries: 3
    ) {
      let log = try TallyLog()
      try log.fill("wide", 16_000)
      try log.fill("narrow", 16)
      return Contest {
        try log.timeInside("wide")
      } baseline: {
        try log.timeInside("narrow")
      }
    }
  }

  private static var boundaryBatch: Figure {
    Figure(
      "boundary-batch", rows: 4_000, "4,000 commands on one boundary in one transaction",
      against: "1,000 commands in one transaction", .cost(atMost: 5), tries: 3
    ) {
      let log = try TallyLog()
      try log.fill("batch", 16_000)
      return Contest {
        try nanoseconds { try log.batch("batch", 4_000) }
      } baseline: {
        try nanoseconds { try log.batch("batch", 1_000) }
      }
    }
  }
}

/// A log of counts, each with a stream and a tag of one name.
final class TallyLog {
  private let store: SQLiteEventStore
  private let folder: URL
  /// The commands of a measurement.
  static let count = 1_000

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "annals-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    store = try SQLiteEventStore(path: folder.appending(path: "log").path, durability: .process)
  }

  deinit {
    store.close()
    try? FileManager.default.removeItem(at: folder)
  }

  func fill(_ name: String, _ events: Int) throws {
    for start in stride(from: 0, to: events, by: 10_000) {
      let new = (start..<min(events, start + 10_000)).map {
        NewEvent(type: "TallyCounted", payload: #"{"name":"\#(name)","number":\#($0)}"#, tags: [EventTag(name)])
      }
      try store.append(Append(new, to: Tally.stream(name)))
    }
  }

  /// The time of a command on a stream.
  func time(_ name: String) throws -> Double {
    try nanoseconds(per: Self.count) {
      for number in 0..<Self.count { try store.execute(.count(name, number), on: Tally[name]) }
    }
  }

  /// The time of a command on a boundary.
  func timeInside(_ name: String) throws -> Double {
    try nanoseconds(per: Self.count) {
      for number in 0..<Self.count { try store.execute(.count(name, number), on: .boundary(TallyInside.self)) }
    }
  }

  /// Executes commands on a boundary in one transaction.
  func batch(_ name: String, _ count: Int) throws {
    try store.transaction { transaction in
      for number in 0..<count { try transaction.execute(.count(name, number), on: .boundary(TallyInside.self)) }
    }
  }
}

private enum TallyCommand {
  case count(String, Int)
}

private enum TallyEvent: Event {
  case counted(name: String, number: Int)

  var tags: Set<EventTag> {
    switch self {
    case .counted(let name, _): [EventTag(name)]
    }
  }
}

/// A state with a table of a thousand counts: a copy of it would show.
private struct Tally: Decider {
  private var total = 0
  private var counts: [Int: Int] = [:]

  func decide(_ command: TallyCommand) -> [TallyEvent] {
    switch command {
    case .count(let name, let number): [.counted(name: name, number: number)]
    }
  }

  mutating func evolve(_ event: TallyEvent) {
    switch event {
    case .counted(_, let number):
      total += 1
      counts[number % 1_000, default: 0] += 1
    }
  }
}

/// The same, inside the boundary of a name.
private struct TallyInside: BoundaryDecider {
  private var tally = Tally()

  static func boundary(for command: TallyCommand) -> EventQuery {
    switch command {
    case .count(let name, _): .tagged(EventTag(name))
    }
  }

  func decide(_ command: TallyCommand) -> [TallyEvent] { tally.decide(command) }
  mutating func evolve(_ event: TallyEvent) { tally.evolve(event) }
}
