import Annals
import AnnalsSQLite
import Foundation

/// Work whose processor time is measured with different sizes of its data.
private struct Growth {
  /// The work, and the number that grows.
  let work: String
  let sizes: [Int]
  /// Prepares data of a size, and returns the work, which returns its time in nanoseconds.
  let prepare: (_ size: Int) throws -> () throws -> Double

  init(_ work: String, _ sizes: [Int], prepare: @escaping (_ size: Int) throws -> () throws -> Double) {
    (self.work, self.sizes, self.prepare) = (work, sizes, prepare)
  }

  /// The row of the table: the times with all sizes, and the growth from the first to the last size.
  func line(columns: Int) throws -> String {
    let times = try sizes.map { size in
      let round = try prepare(size)
      _ = try round()
      return median(try (0..<5).map { _ in try round() })
    }
    let cells = zip(sizes, times).map {
      "\(FigureTable.whole($0)): \(FigureTable.quantity($1, Figure.Resource.processor.unit))"
    }
    let blanks = Array(repeating: "", count: columns - cells.count)
    let growth = sizes[0] == 0 ? "" : String(format: "%.1f", times[times.count - 1] / times[0])
    return "| \(work) | \((cells + blanks).joined(separator: " | ")) | \(growth) |"
  }
}

extension BenchmarksTool.Subcommand {
  /// The table of growth.
  static var growth: Self {
    Self("growth", "a table of processor times with more and more rows, events, sections, lists and commands") {
      words in
      guard words.isEmpty else {
        throw BenchmarksTool.Usage(message: "growth: expected no words, found \"\(words.joined(separator: " "))\"")
      }
      let all = Growth.lists + Growth.logs + Growth.drafts
      let columns = all.map(\.sizes.count).max() ?? 0
      print("| work | \(Array(repeating: "size: time", count: columns).joined(separator: " | ")) | last / first |")
      print("|---|\(String(repeating: "---|", count: columns + 1))")
      for growth in all { print(try growth.line(columns: columns)) }
      return 0
    }
  }
}

extension Growth {
  /// Lists, with more rows, changes, sections and equal lists.
  fileprivate static var lists: [Growth] {
    [
      Growth("a change until the delegate is notified, by rows", [1_000, 10_000, 100_000, 1_000_000]) { rows in
        let list = try WideList(ListWorkload.wares(rows, shelves: 100))
        var chance = Chance(seed: 11)
        return {
          try average(200) { try list.reprice(1, of: rows, &chance) }
        }
      },
      // A new store for every round, because a second list of a store shares the rows of the first one.
      Growth("a row of a list that is built from events, by rows", [1_000, 10_000, 100_000, 1_000_000]) { rows in
        let log = try WareLog(rows)
        return {
          try processorNanoseconds(per: rows) {
            let list = try WareLog.list(SQLiteEventStore(path: log.path), cacheName: nil)
            keep(list.results.count)
          }
        }
      },
      Growth("a changed row, by changes in a commit (100,000 rows)", [1, 10, 100, 1_000, 10_000, 100_000]) { count in
        let rows = 100_000
        let list = try WideList(ListWorkload.wares(rows, shelves: 100))
        var chance = Chance(seed: 11)
        return {
          try average(max(1, 1_000 / count)) { try list.reprice(count, of: rows, &chance) / Double(count) }
        }
      },
      Growth("a change, by sections (100,000 rows)", [1, 100, 1_000, 10_000, 100_000]) { sections in
        let list = try WideList(ListWorkload.wares(100_000, shelves: sections))
        var chance = Chance(seed: 11)
        return {
          try average(200) { try list.reprice(1, of: 100_000, &chance) }
        }
      },
      Growth("a change, by equal lists (10,000 rows)", [1, 10, 100]) { count in
        let lists = try EqualLists(rows: 10_000, lists: count)
        return { try lists.change() }
      },
    ]
  }

  /// Logs, with more events and streams.
  fileprivate static var logs: [Growth] {
    [
      Growth("opening a log and reading its end, by events", [1_000, 10_000, 100_000, 1_000_000]) { events in
        let log = try ScratchLog(durability: .process)
        try log.fill(events: events)
        log.store.close()
        return {
          try average(20) {
            try processorNanoseconds {
              let store = try SQLiteEventStore(path: log.path)
              keep(try store.head())
              store.close()
            }
          }
        }
      },
      Growth("an event in `verify()`, by events", [1_000, 10_000, 100_000, 1_000_000]) { events in
        let log = try ScratchLog(durability: .process)
        try log.fill(events: events)
        return { try processorNanoseconds(per: events) { keep(try log.store.verify().isSound) } }
      },
      Growth("an appended event in a batch of 1,000, by streams", [10, 1_000, 10_000, 100_000]) { streams in
        let log = try ScratchLog(durability: .process)
        try log.fill(streams)
        var next = 0
        return {
          try processorNanoseconds(per: 10_000) {
            for _ in 0..<10 { try log.append(1_000, streams: streams, &next) }
          }
        }
      },
      Growth("a command on a stream, by events in the stream", [10, 1_000, 100_000]) { events in
        let log = try TallyLog()
        try log.fill("counts", events)
        return { try processorNanoseconds(per: TallyLog.count) { keep(try log.time("counts")) } }
      },
      Growth("opening a saved list, by later events (100,000 rows)", [0, 10, 100, 1_000]) { events in
        let log = try WareLog(100_000)
        try log.list(cacheName: WareLog.cacheName).saveCache()
        var chance = Chance(seed: 5)
        return {
          for _ in 0..<events { try log.reprice(chance.next(upTo: 100_000), to: chance.price()) }
          var list: FetchedResultsController<Ware>?
          let time = try processorNanoseconds { list = try Figure.showFirst(log.path, cacheName: WareLog.cacheName) }
          try list?.saveCache()
          return time
        }
      },
    ]
  }

  /// Drafts, with more commands.
  fileprivate static var drafts: [Growth] {
    [
      Growth("the next command of a draft, by commands", [100, 1_000, 4_000, 10_000]) { count in
        let draft = try GrowingDraft(on: BranchedLog(rows: 10_000), commands: count)
        return { try draft.addCommands(20) }
      },
      Growth("a redecided command of a draft, by commands", [100, 1_000, 4_000, 10_000]) { count in
        let draft = try GrowingDraft(on: BranchedLog(rows: 10_000), commands: count)
        return { try draft.decideAgain() }
      },
    ]
  }
}

extension ScratchLog {
  /// Appends events to few streams, 10,000 in a commit.
  fileprivate func fill(events: Int) throws {
    var next = 0
    for _ in 0..<max(1, events / 10_000) { try append(min(events, 10_000), streams: ScratchLog.streams, &next) }
  }
}
