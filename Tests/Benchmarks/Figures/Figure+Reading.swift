import Annals
import AnnalsLog
import AnnalsSQLite
import Dispatch
import Foundation

extension Figure {
  /// The cost of reading events for code that needs only events.
  static var reading: [Figure] { [followerCatchUp, unknownStream] }

  /// The follower reads, calls code that does not do anything, and saves its position once for 100 events.
  private static var followerCatchUp: Figure {
    Figure(
      "follower-catch-up", rows: 100_000, "an event that a follower with batches of 100 events handles",
      against: "reading and decoding the event", of: .processor, .speed(atLeast: 0.5)
    ) {
      let count = 100_000
      let log = try ScratchLog(durability: .process)
      try LongWareEvent.append(count, to: log.store)
      var version = 0
      return Contest {
        version += 1
        let handled = DispatchSemaphore(value: 0)
        let follower = try EventFollower(
          "index", version: version, of: LongWareEvent.self, in: log.store, startingAt: .beginning, batchSize: 100
        ) { events, _ in keep(events.count) }
        let failure = FirstFailure()
        let time = processorNanoseconds(per: count) {
          Task {
            do { try await follower.catchUp() } catch { failure.catching { throw error } }
            handled.signal()
          }
          handled.wait()
        }
        try failure.rethrow()
        return time
      } baseline: {
        try processorNanoseconds(per: count) {
          try log.store.forEachEvent(of: LongWareEvent.self) { keep($0.position) }
        }
      }
    }
  }

  /// The streams are so far apart that every name is the first of its range.
  private static var unknownStream: Figure {
    Figure(
      "unknown-stream", rows: 100_000, "reading an event of a stream whose name was not read before",
      against: "reading the event another time", of: .processor, .cost(atMost: 2)
    ) {
      let count = 100_000
      let log = try ScratchLog(durability: .process)
      try log.fill(count)
      let positions = stride(from: 300, to: count, by: 512).map { Position($0) }
      func read(_ store: SQLiteEventStore) throws {
        for position in positions {
          try store.forEachBatch(after: Position(position.rawValue - 1), through: position) { keep($0.count) }
        }
      }
      func cost(isRepeated: Bool) throws -> Double {
        let store = try SQLiteEventStore(readingFrom: log.path)
        defer { store.close() }
        try store.forEachBatch(after: 0, through: 1) { keep($0.count) }
        if isRepeated { try read(store) }
        return try processorNanoseconds(per: positions.count) { try read(store) }
      }
      return Contest {
        try cost(isRepeated: false)
      } baseline: {
        try cost(isRepeated: true)
      }
    }
  }
}
