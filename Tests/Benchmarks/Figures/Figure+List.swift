import Annals
import Foundation

extension Figure {
  /// What a change of a list costs.
  static var list: [Figure] {
    [
      changeAgainstRefetch, changeAgainstArrays("100k", 100_000, atMost: 3),
      changeAgainstArrays("1m", 1_000_000, atMost: 1),
      growth("change-growth", shelves: 100), growth("change-growth-one-section", shelves: 1), batchAgainstSingles,
      snapshot,
    ]
  }

  private static var changeAgainstRefetch: Figure {
    Figure(
      "change-vs-refetch", rows: 100_000, "one event until the changes are known",
      against: "fetching the ordered rows from SQLite again, grouping, difference(from:)", .speed(atLeast: 10_000)
    ) {
      let wares = ListWorkload.wares(100_000, shelves: 100)
      let engine = ListEngine(wares)
      let refetch = try RefetchEngine(wares)
      return Contest {
        nanoseconds(per: 2_000) { for _ in 0..<2_000 { keep(engine.change().rows.count) } }
      } baseline: {
        try refetch.change()
      }
    }
  }

  private static func changeAgainstArrays(_ name: String, _ rows: Int, atMost: Double) -> Figure {
    Figure(
      "change-vs-arrays-\(name)", rows: rows, "one event until the changes are known",
      against: "binary search and insertion in one sorted array a section", .cost(atMost: atMost)
    ) {
      let wares = ListWorkload.wares(rows, shelves: 100)
      let (engine, arrays) = (ListEngine(wares), ArrayEngine(wares, shelves: 100))
      return Contest {
        nanoseconds(per: 2_000) { for _ in 0..<2_000 { keep(engine.change().rows.count) } }
      } baseline: {
        nanoseconds(per: 2_000) { for _ in 0..<2_000 { keep(arrays.change()) } }
      }
    }
  }

  private static func growth(_ name: String, shelves: Int) -> Figure {
    Figure(
      name, rows: 1_000_000, "one event until the changes are known", against: "the same with 10,000 rows",
      .cost(atMost: 4.5)
    ) {
      let many = ListEngine(ListWorkload.wares(1_000_000, shelves: shelves))
      let few = ListEngine(ListWorkload.wares(10_000, shelves: shelves))
      return Contest {
        nanoseconds(per: 2_000) { for _ in 0..<2_000 { keep(many.change().rows.count) } }
      } baseline: {
        nanoseconds(per: 2_000) { for _ in 0..<2_000 { keep(few.change().rows.count) } }
      }
    }
  }

  private static var batchAgainstSingles: Figure {
    Figure(
      "batch-vs-singles", rows: 100_000, "1,000 events in one batch", against: "1,000 batches of one event",
      .cost(atMost: 1)
    ) {
      let wares = ListWorkload.wares(100_000, shelves: 100)
      let (batch, singles) = (ListEngine(wares), ListEngine(wares))
      return Contest {
        nanoseconds(per: 10_000) { for _ in 0..<10 { keep(batch.change(1_000).rows.count) } }
      } baseline: {
        nanoseconds(per: 10_000) { for _ in 0..<10_000 { keep(singles.change().rows.count) } }
      }
    }
  }

  private static var snapshot: Figure {
    Figure(
      "snapshot-ns", rows: 1_000_000, "taking and holding a snapshot", .value(atMost: 1_000)
    ) {
      let engine = ListEngine(ListWorkload.wares(1_000_000, shelves: 100))
      return Contest {
        var held: [Results<Ware>] = []
        held.reserveCapacity(10_000)
        defer { keep(held.count) }
        return nanoseconds(per: 10_000) { for _ in 0..<10_000 { held.append(engine.results) } }
      }
    }
  }
}

extension Figure {
  /// What lists keep in memory.
  static var memory: [Figure] {
    [
      Figure(
        "row-memory", rows: 200_000, "memory for a row of two strings in a list, the row with it", unit: "bytes",
        .value(atMost: 600)
      ) {
        let wares = ListWorkload.wares(200_000, shelves: 100)
        // Kept from round to round: memory that was given back would be used again and not be counted.
        var engines: [ListEngine] = []
        return Contest {
          let before = residentBytes()
          engines.append(ListEngine(wares))
          return Double(max(residentBytes() - before, 0)) / 200_000
        }
      },
      Figure(
        "snapshot-memory", rows: 100_000, "memory that each of 10,000 kept lists adds, one event apart", unit: "bytes",
        .value(atMost: 8_000)
      ) {
        let engine = ListEngine(ListWorkload.wares(100_000, shelves: 100))
        var held: [Results<Ware>] = []
        return Contest {
          let before = residentBytes()
          for _ in 0..<10_000 {
            engine.change()
            held.append(engine.results)
          }
          let grown = Double(max(residentBytes() - before, 0))
          // The lists are kept until here at least.
          keep(held.count)
          return grown / 10_000
        }
      },
    ]
  }
}

/// The memory that the process has now, in bytes.
private func residentBytes() -> Int {
  #if canImport(Darwin)
    var info = mach_task_basic_info()
    var count = mach_msg_type_number_t(MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size)
    let status = withUnsafeMutablePointer(to: &info) {
      $0.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
        task_info(mach_task_self_, task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
      }
    }
    return status == KERN_SUCCESS ? Int(info.resident_size) : 0
  #else
    // proc(5): the second number is the resident set, in pages.
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4_096
  #endif
}
