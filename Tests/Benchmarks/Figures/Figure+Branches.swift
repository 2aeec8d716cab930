import Annals
import AnnalsSQLite
import Foundation

extension Figure {
  /// Drafts on a log of many rows.
  static var branches: [Figure] {
    [branchOpen, branchRebase(100_000), planPreview(100_000), branchMemory] + branchGrowth
  }

  /// Drafts with many commands, compared with a draft with few commands.
  private static var branchGrowth: [Figure] {
    [
      growth("branch-growth", "the next command of a draft with 4,000 commands", "of a draft with 100 commands") {
        try $0.addCommands(20)
      },
      growth("branch-growth-rebase", "redeciding a command of a draft with 4,000", "of a draft with 100 commands") {
        try $0.decideAgain()
      },
    ]
  }

  private static func growth(
    _ name: String, _ work: String, _ baseline: String, _ measure: @escaping @Sendable (GrowingDraft) throws -> Double
  ) -> Figure {
    Figure(name, rows: 10_000, work, against: baseline, of: .processor, .cost(atMost: 1.3)) {
      let log = try BranchedLog(rows: 10_000)
      let (large, small) = (try GrowingDraft(on: log, commands: 4_000), try GrowingDraft(on: log, commands: 100))
      return Contest {
        try measure(large)
      } baseline: {
        // As many commands as the large draft, because a clock that is read more often counts more.
        try average(40) { try measure(small) }
      }
    }
  }

  private static var branchOpen: Figure {
    Figure("branch-open", rows: 1_000_000, "creating a branch without a command", .value(atMost: 100_000)) {
      let log = try BranchedLog(rows: 1_000_000)
      return Contest {
        try nanoseconds(per: 1_000) { for _ in 0..<1_000 { _ = try log.store.branch(floating: true) } }
      }
    }
  }

  /// A draft of ten commands, and ten events that come on the base in one transaction, until the draft's list is shown.
  private static func branchRebase(_ rows: Int) -> Figure {
    Figure(
      "branch-rebase", rows: rows,
      "redeciding a draft's 10 commands after 10 new events, minus the time without a draft",
      .value(atMost: 1_000_000)
    ) {
      let log = try BranchedLog(rows: rows)
      let draft = try log.store.branch(floating: true)
      let list = FetchedResultsController(
        store: draft, projection: BranchedWares(), request: ListRequest(sort: [.ascending(\.price), .ascending(\.id)]))
      try list.performFetch()
      var heard = 0
      let observation = list.observe { heard += $0.rows.count }
      for row in 0..<10 { try draft.execute(.reprice(5), on: BranchedWare["\(row)"]) }
      // The same changes on a log with a list and no draft.
      let plain = try BranchedLog(rows: rows)
      let other = FetchedResultsController(
        store: plain.store, projection: BranchedWares(),
        request: ListRequest(sort: [.ascending(\.price), .ascending(\.id)]))
      try other.performFetch()
      let otherObservation = other.observe { heard += $0.rows.count }
      return Contest {
        defer { precondition(heard > 0 && draft.conflicts.isEmpty, "the draft's list heard of nothing") }
        // A list without isolation is delivered to by its last caller.
        list.refresh()
        other.refresh()
        return try withExtendedLifetime((observation, otherObservation)) {
          let with = try nanoseconds(per: 50) { for _ in 0..<50 { try log.change() } }
          return with - (try nanoseconds(per: 50) { for _ in 0..<50 { try plain.change() } })
        }
      }
    }
  }

  /// A plan of five commands, from the new branch to the branch's list.
  private static func planPreview(_ rows: Int) -> Figure {
    Figure(
      "plan-preview", rows: rows, "5 commands proposed to a new branch, and the branch's list",
      .value(atMost: 10_000_000)
    ) {
      let log = try BranchedLog(rows: rows)
      let request = ListRequest<BranchedRow>(sort: [.ascending(\.price), .ascending(\.id)])
      // The app shows the list of the log itself.
      let shown = FetchedResultsController(store: log.store, projection: BranchedWares(), request: request)
      try shown.performFetch()
      return Contest {
        try withExtendedLifetime(shown) {
          try nanoseconds(per: 5) {
            for _ in 0..<5 {
              let plan = try log.store.branch(floating: true)
              for row in 0..<5 { try plan.propose(.reprice(5), on: BranchedWare["\(row)"]) }
              let preview = try plan.list(of: BranchedWares(), request)
              precondition(preview.rows.count == rows && plan.conflicts.isEmpty, "the preview isn't the plan")
            }
          }
        }
      }
    }
  }

  private static var branchMemory: Figure {
    Figure(
      "branch-memory", rows: 1_000_000, "memory of a draft with one command, without a list", of: .memory,
      .value(atMost: 10_240)
    ) {
      let log = try BranchedLog(rows: 1_000_000)
      return Contest {
        let before = residentBytes()
        for row in 0..<20_000 {
          let draft = try log.store.branch(floating: true)
          try draft.execute(.reprice(5), on: BranchedWare["\(row)"])
          log.drafts.append(draft)
        }
        return Double(residentBytes() - before) / 20_000
      }
    }
  }
}

/// A draft that keeps its number of commands.
final class GrowingDraft {
  private let log: BranchedLog
  private let count: Int
  private var draft: Branch
  private var next = 0

  init(on log: BranchedLog, commands count: Int) throws {
    (self.log, self.count) = (log, count)
    draft = try log.store.branch()
    for _ in 0..<count { try addCommand() }
  }

  private func addCommand() throws {
    // Ten commands for every stream, whatever the number of commands.
    try draft.execute(.reprice(5), on: BranchedWare["\(next % (count / 10))"])
    next += 1
  }

  /// Executes some more commands, and returns the time of one.
  ///
  /// The draft is then rebuilt, so that it doesn't grow from round to round.
  func addCommands(_ more: Int) throws -> Double {
    // The first command after a rebuild copies the arrays that the former draft still has.
    try addCommand()
    let time = try processorNanoseconds(per: more) { for _ in 0..<more { try addCommand() } }
    draft = try draft.rebased(Array(draft.commands.prefix(count))).branch
    return time
  }

  /// Re-decides all commands, and returns the time of one.
  func decideAgain() throws -> Double { try processorNanoseconds(per: count) { _ = try draft.rebase() } }
}

/// Wares in streams of their own, in a file.
final class BranchedLog {
  let store: any EventStore
  /// Drafts that stay open: what a former round has freed would be used again, and cost nothing.
  var drafts: [Branch] = []
  private let file: SQLiteEventStore
  private let folder: URL
  private let rows: Int
  private var next = 20

  init(rows: Int) throws {
    self.rows = rows
    folder = FileManager.default.temporaryDirectory.appending(path: "annals-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    file = try SQLiteEventStore(path: folder.appending(path: "log").path, durability: .process)
    store = file
    for start in stride(from: 0, to: rows, by: 10_000) {
      let entries = (start..<min(rows, start + 10_000)).map { row in
        Append.Entry(
          stream: BranchedWare.stream("\(row)"),
          event: NewEvent(type: "BranchedWarePriced", payload: #"{"id":\#(row),"price":\#(row % 1_000)}"#))
      }
      try store.append(Append(entries))
    }
  }

  deinit {
    file.close()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Ten wares get another price, in one transaction.
  func change() throws {
    try store.transaction { transaction in
      for _ in 0..<10 {
        next = next % (rows - 20) + 20
        try transaction.execute(.reprice(next % 1_000), on: BranchedWare["\(next)"])
        next += 1
      }
    }
  }
}

private enum BranchedWareEvent: Event {
  case priced(id: Int, price: Int)

  static var typePrefix: String { "BranchedWare" }
}

private enum BranchedWareCommand: Sendable { case reprice(Int) }

private struct BranchedWare: Decider {
  private var (id, price) = (0, 0)

  func decide(_ command: BranchedWareCommand) -> [BranchedWareEvent] {
    switch command {
    case .reprice(let other): [.priced(id: id, price: price + other)]
    }
  }

  mutating func evolve(_ event: BranchedWareEvent) {
    switch event {
    case .priced(let id, let price): (self.id, self.price) = (id, price)
    }
  }
}

private struct BranchedRow: Row {
  var id: Int
  var price: Int
}

private struct BranchedWares: Projection {
  func project(_ event: BranchedWareEvent, into rows: inout Rows<BranchedRow>) {
    switch event {
    case .priced(let id, let price): rows[id] = BranchedRow(id: id, price: price)
    }
  }
}
