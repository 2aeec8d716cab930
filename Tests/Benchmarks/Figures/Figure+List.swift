import Annals

extension Figure {
  /// The cost of changing a list.
  static var list: [Figure] {
    [
      changeAgainstRefetch(), changeAgainstArrays("100k", 100_000, atMost: 3),
      changeAgainstArrays("1m", 1_000_000, atMost: 1),
      growth("change-growth", shelves: 100), growth("change-growth-one-section", shelves: 1), batchAgainstSingles(),
      aggregateChange(), aggregateChangeOfValues(), snapshot(),
    ]
  }

  /// The cost of a change in a list of another length, for `--rows`.
  package static func list(rows: Int) -> [Figure] {
    [
      changeAgainstRefetch(rows), changeAgainstArrays("", rows, atMost: 3), growth("change-growth", shelves: 100, rows),
      batchAgainstSingles(rows), aggregateChange(rows), snapshot(rows), listsShare(rows), foreignEvents(rows),
    ] + delivery(rows: rows)
  }

  private static func changeAgainstRefetch(_ rows: Int = 100_000) -> Figure {
    Figure(
      "change-vs-refetch", rows: rows, "one event until the changes are known",
      against: "fetching the rows from SQLite, grouping, difference(from:)", .speed(atLeast: 10_000)
    ) {
      let wares = ListWorkload.wares(rows, shelves: 100)
      let engine = ListEngine(wares)
      let refetch = try RefetchEngine(wares)
      return Contest {
        nanoseconds(per: 2_000) { for _ in 0..<2_000 { keep(engine.change().rows.count) } }
      } baseline: {
        try refetch.change()
      }
    }
  }

  static func changeAgainstArrays(_ name: String, _ rows: Int, atMost: Double) -> Figure {
    Figure(
      "change-vs-arrays" + (name.isEmpty ? "" : "-\(name)"), rows: rows, "one event until the changes are known",
      against: "binary search and insertion in a sorted array per section", .cost(atMost: atMost)
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

  private static func growth(_ name: String, shelves: Int, _ rows: Int = 1_000_000) -> Figure {
    Figure(
      name, rows: rows, "one event until the changes are known", against: "the same with 10,000 rows",
      .cost(atMost: 4.5)
    ) {
      let many = ListEngine(ListWorkload.wares(rows, shelves: shelves))
      let few = ListEngine(ListWorkload.wares(10_000, shelves: shelves))
      return Contest {
        nanoseconds(per: 2_000) { for _ in 0..<2_000 { keep(many.change().rows.count) } }
      } baseline: {
        nanoseconds(per: 2_000) { for _ in 0..<2_000 { keep(few.change().rows.count) } }
      }
    }
  }

  private static func batchAgainstSingles(_ rows: Int = 100_000) -> Figure {
    Figure(
      "batch-vs-singles", rows: rows, "1,000 events in one batch", against: "1,000 batches of one event",
      .cost(atMost: 1)
    ) {
      let wares = ListWorkload.wares(rows, shelves: 100)
      let (batch, singles) = (ListEngine(wares), ListEngine(wares))
      return Contest {
        nanoseconds(per: 10_000) { for _ in 0..<10 { keep(batch.change(1_000).rows.count) } }
      } baseline: {
        nanoseconds(per: 10_000) { for _ in 0..<10_000 { keep(singles.change().rows.count) } }
      }
    }
  }

  private static func aggregateChange(_ rows: Int = 100_000) -> Figure {
    aggregateChange("aggregate-change", "count and sum", rows, [.count, .sum(\.price)])
  }

  /// The kinds whose different values are kept in trees.
  private static func aggregateChangeOfValues(_ rows: Int = 100_000) -> Figure {
    aggregateChange(
      "aggregate-change-values", "all five kinds", rows,
      [.count, .sum(\.price), .minimum(\.price), .maximum(\.price), .distinct(\.price)])
  }

  private static func aggregateChange(
    _ name: String, _ kinds: String, _ rows: Int, _ aggregates: [Aggregate<Ware>]
  ) -> Figure {
    Figure(
      name, rows: rows, "one event until the changes are known, with \(kinds) of the section and the list",
      against: "the same without aggregates", .cost(atMost: 1.5)
    ) {
      let wares = ListWorkload.wares(rows, shelves: 100)
      var request = ListWorkload.request
      request.aggregates = aggregates
      let (with, without) = (ListEngine(wares, request), ListEngine(wares))
      return Contest {
        nanoseconds(per: 2_000) { for _ in 0..<2_000 { keep(with.change().aggregates.sections.count) } }
      } baseline: {
        nanoseconds(per: 2_000) { for _ in 0..<2_000 { keep(without.change().rows.count) } }
      }
    }
  }

  private static func snapshot(_ rows: Int = 1_000_000) -> Figure {
    Figure(
      "snapshot-ns", rows: rows, "taking and holding a snapshot", .value(atMost: 1_000)
    ) {
      let engine = ListEngine(ListWorkload.wares(rows, shelves: 100))
      return Contest {
        var held: [Results<Ware>] = []
        held.reserveCapacity(10_000)
        defer { keep(held.count) }
        return nanoseconds(per: 10_000) { for _ in 0..<10_000 { held.append(engine.results) } }
      }
    }
  }
}
