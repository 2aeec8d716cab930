import Annals
import AnnalsTesting
import Disks
import Dispatch
import Foundation

extension Figure {
  /// The cost of commands that are awaited.
  static var async: [Figure] { [asyncExecute] }

  /// Each commit waits for its sync: only tasks that wait at the same time can share one.
  private static var asyncExecute: Figure {
    Figure(
      "async-execute", rows: 400,
      "awaited commands of 8 tasks, FULL, on a disk whose syncs take 1 ms more",
      against: "the same commands of one task, on the same disk", .speed(atLeast: 4), tries: 3
    ) {
      let disk = SlowDisk()
      let (many, one) = (try ScratchLog(on: disk), try ScratchLog(on: disk))
      try many.fill()
      try one.fill()
      let count = 400
      // A price that a book has already is not changed, and nothing would be committed.
      var (price, priceOfOne) = (1_000.0, 1_000.0)
      return Contest {
        price += 1
        return try nanoseconds(per: count) { try execute(count, of: 8, at: price, on: many) }
      } baseline: {
        priceOfOne += 1
        return try nanoseconds(per: count) { try execute(count, of: 1, at: priceOfOne, on: one) }
      }
    }
  }

  /// Executes commands on streams of a log, shared by some tasks, and waits for them.
  private static func execute(_ count: Int, of tasks: Int, at price: Double, on log: ScratchLog) throws {
    let failure = FirstFailure()
    let done = DispatchSemaphore(value: 0)
    Task {
      await withTaskGroup(of: Void.self) { group in
        for lane in 0..<tasks {
          group.addTask {
            do {
              for number in lane * count / tasks..<(lane + 1) * count / tasks {
                try await log.store.execute(
                  .reprice(to: price), on: BenchmarkBook["\(number &* 7_919 % ScratchLog.streams)"])
              }
            } catch {
              failure.catching { throw error }
            }
          }
        }
      }
      done.signal()
    }
    done.wait()
    try failure.rethrow()
  }
}
