import Annals
import AnnalsSQLite
import AnnalsTesting
import Disks
import Foundation

extension Figure {
  /// The cost of appends to a log, compared with SQLite alone on the same tables with the same sync.
  static var append: [Figure] {
    [
      appendFull, appendThreads, appendThreadsOnSlowDisk(1), appendThreadsOnSlowDisk(4), appendThreadsOnSlowDisk(16),
      appendBatch, appendStreams,
    ]
  }

  private static var appendFull: Figure {
    Figure(
      "append-full", rows: 1_000,
      "a command, decided, encoded and appended in a separate transaction, FULL",
      against: "prepared inserts into the same tables, one per transaction, FULL", .speed(atLeast: 0.85), tries: 3
    ) {
      try commandsBesideLoop { try nanoseconds(per: $0, $1) }
    }
  }

  /// A thousand commands on short streams, one a transaction, beside the bare loop.
  ///
  /// - Parameter measure: Measures work that does something so many times, in nanoseconds each.
  /// - Returns: The contest.
  /// - Throws: Why there are no logs.
  static func commandsBesideLoop(_ measure: @escaping (Int, () throws -> Void) throws -> Double) throws -> Contest {
    let (ours, bare) = (try ScratchLog(), try ScratchLog())
    try ours.fill()
    try bare.fill()
    let loop = try BareLoop(bare)
    let count = 1_000
    var (next, nextBare) = (0, 0)
    return Contest {
      try measure(count) {
        for _ in 0..<count {
          next += 1
          try ours.store.execute(
            .reprice(to: Double(next)), on: BenchmarkBook["\(next &* 7_919 % ScratchLog.streams)"])
        }
      }
    } baseline: {
      try measure(count) {
        for _ in 0..<count {
          nextBare += 1
          try loop.append(1, stream: nextBare &* 7_919 % ScratchLog.streams)
        }
      }
    }
  }

  private static var appendThreads: Figure {
    Figure(
      "append-threads", rows: 4_000, "appends by 8 threads, FULL", against: "appends by one thread, FULL",
      .speed(atLeast: 2.5), tries: 3
    ) { try threads(count: 4_000, on: nil) }
  }

  private static func appendThreadsOnSlowDisk(_ milliseconds: Int) -> Figure {
    let count = 400 / milliseconds
    return Figure(
      milliseconds == 1 ? "append-threads-slow-disk" : "append-threads-\(milliseconds)ms", rows: count,
      "appends by 8 threads, FULL, on a disk whose syncs take \(milliseconds) ms more",
      against: "appends by one thread, on the same disk", .speed(atLeast: 5), tries: 3
    ) { try threads(count: count, on: SlowDisk(milliseconds: milliseconds)) }
  }

  private static func threads(count: Int, on disk: SlowDisk?) throws -> Contest {
    let (many, one) = (try ScratchLog(on: disk), try ScratchLog(on: disk))
    try many.fill()
    try one.fill()
    @Sendable func append(_ log: ScratchLog, _ range: Range<Int>) throws {
      for number in range {
        try log.store.append(Append([ScratchLog.event(number)], to: ScratchLog.stream(number)))
      }
    }
    return Contest {
      let failure = FirstFailure()
      let time = nanoseconds(per: count) {
        onThreads(8) { lane in
          failure.catching { try append(many, lane * count / 8..<(lane + 1) * count / 8) }
        }
      }
      try failure.rethrow()
      return time
    } baseline: {
      try nanoseconds(per: count) { try append(one, 0..<count) }
    }
  }

  private static var appendBatch: Figure {
    Figure(
      "append-batch", rows: 1_000, "1,000 events in one transaction, FULL",
      against: "prepared inserts into the same tables, 1,000 per transaction, FULL", .speed(atLeast: 0.7),
      tries: 3
    ) { try batches(streams: ScratchLog.streams) }
  }

  private static var appendStreams: Figure {
    Figure(
      "append-streams", rows: 1_000, "1,000 events in one transaction, on 100,000 streams in turn, FULL",
      against: "prepared inserts into the same tables, on 100,000 streams", .cost(atMost: 1.25)
    ) { try batches(streams: 100_000) }
  }

  private static func batches(streams: Int) throws -> Contest {
    let (ours, bare) = (try ScratchLog(), try ScratchLog())
    try ours.fill(streams)
    try bare.fill(streams)
    let loop = try BareLoop(bare, streams: streams)
    let (count, batches) = (1_000, 10)
    var next = 0
    return Contest {
      try nanoseconds(per: count * batches) {
        for _ in 0..<batches { try ours.append(count, streams: streams, &next) }
      }
    } baseline: {
      try nanoseconds(per: count * batches) { for _ in 0..<batches { try loop.append(count, stream: nil) } }
    }
  }
}
