import Annals
import AnnalsLog
import AnnalsSQLite
import Dispatch
import Foundation
import TeamApp
import TeamPlain

extension Figure {
  /// How long the main actor is held by what another actor imports.
  static var mainActor: [Figure] {
    [
      held("main-actor-import", perCommit: 1_000), held("main-actor-import-100", perCommit: 100),
      held("main-actor-import-1", perCommit: 1), held("main-actor-import-50000", perCommit: MainActorProcess.events),
      slice("search-letter", "three letters are typed into a search"),
      slice("burst", "another actor changes all rows in one commit"),
    ]
  }

  /// The longest hold by something that is prepared on another thread.
  private static func slice(_ name: String, _ what: String) -> Figure {
    Figure(
      name, rows: 100_000, "the longest time the main actor is blocked: \(what)",
      against: "the longest in an idle second", .value(atMost: 4_000_000), tries: 3
    ) {
      Contest {
        try MainActorProcess.longestHold(["holds", name])
      } baseline: {
        try MainActorProcess.longestHold(["holds", "nothing"])
      }
    }
  }

  private static func held(_ name: String, perCommit: Int) -> Figure {
    Figure(
      name, rows: MainActorProcess.events,
      "the longest time the main actor is blocked: ten lists, an import with \(perCommit) events per commit",
      against: "the same without lists",
      .value(atMost: 16_000_000), tries: 3
    ) {
      Contest {
        try MainActorProcess.longestHold(perCommit: perCommit, lists: true)
      } baseline: {
        try MainActorProcess.longestHold(perCommit: perCommit, lists: false)
      }
    }
  }
}

extension BenchmarksTool.Subcommand {
  /// The process of the figures `main-actor-import`, which has a main actor that no figure occupies.
  static var imports: Self {
    Self("imports", "imports LOG PER-COMMIT LISTS: imports beside ten lists or 0, and prints the main actor's holds") {
      words in
      guard words.count == 3, let perCommit = Int(words[1]), perCommit > 0 else {
        throw BenchmarksTool.Usage(
          message: "imports: expected LOG PER-COMMIT LISTS, found \"\(words.joined(separator: " "))\"")
      }
      MainActorProcess.run(words[0], perCommit: perCommit, lists: words[2] != "0")
    }
  }
}

extension BenchmarksTool.Subcommand {
  /// The process of the figures `search-letter` and `burst`.
  static var holds: Self {
    Self("holds", "holds search-letter|burst|nothing: prints the main actor's longest hold in milliseconds") { words in
      guard words.count == 1, let work = HeldList.Work(rawValue: words[0]) else {
        throw BenchmarksTool.Usage(
          message: "holds: expected search-letter, burst or nothing, found \"\(words.joined(separator: " "))\"")
      }
      MainActorProcess.end { try await HeldList(100_000).hold(work) }
    }
  }
}

/// A list of all rows, which an observer hears of.
@MainActor private final class HeldList {
  enum Work: String {
    case search = "search-letter"
    case burst, nothing
  }

  private let store = MemoryEventStore()
  private let list: FetchedResultsController<Ware>
  private let count: Int
  private var batches = 0
  private var observation: ChangeObservation?

  init(_ count: Int) throws {
    self.count = count
    list = FetchedResultsController(store: store, projection: WareShelves(), request: ListWorkload.request)
    let coder = try EventCoder<WareEvent>()
    try store.append(
      Append(
        ListWorkload.wares(count, shelves: 100).map {
          try coder.encode(.added(id: $0.id, title: $0.title, price: $0.price, shelf: $0.shelf))
        }, to: "wares"))
    try list.performFetch()
    observation = list.observe { [weak self] changes in self?.batches += changes.isEmpty ? 0 : 1 }
  }

  /// Does the work, and prints the longest hold meanwhile.
  func hold(_ work: Work) async throws {
    let ids = list.results.rows.map(\.id)
    let changes = try await Task.detached { [count] in
      let coder = try EventCoder<WareEvent>()
      return Append(try ids.map { try coder.encode(.repriced(id: $0, to: Double(count))) }, to: "wares")
    }.value
    let probe = MainActorProbe()
    probe.begin()
    switch work {
    case .nothing: try await Task.sleep(for: .seconds(1))
    case .search:
      for text in ["7", "77", "777"] {
        try await list.update { $0.filter = .where { $0.title.contains(text) } }
      }
      guard batches == 3 else { throw BenchmarksTool.Usage(message: "holds: expected 3 batches, found \(batches)") }
    case .burst:
      try await Task.detached { [store] in _ = try await store.append(changes) }.value
      while list.results.position.rawValue < 2 * count { try await Task.sleep(for: .milliseconds(1)) }
      guard batches == 1 else { throw BenchmarksTool.Usage(message: "holds: expected 1 batch, found \(batches)") }
    }
    // What is let go of afterwards may hold it too.
    try await Task.sleep(for: .milliseconds(200))
    let holds = await probe.end()
    print(String(format: "%.3f", holds.max() ?? 0), holds.count { $0 > 4 })
  }
}

/// A process whose main actor shows ten lists while another actor imports.
enum MainActorProcess {
  /// How many events are imported.
  static let events = 50_000

  /// Runs the process, and returns the longest hold in nanoseconds.
  static func longestHold(perCommit: Int, lists: Bool) throws -> Double {
    let log = try ScratchLog()
    return try longestHold(["imports", log.path, "\(perCommit)", lists ? "10" : "0"])
  }

  /// Runs a process that prints the longest hold first, in milliseconds.
  static func longestHold(_ arguments: [String]) throws -> Double {
    let (process, output) = (Process(), Pipe())
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let longest = text.split(separator: " ").first.flatMap({ Double($0) }) else {
      throw BenchmarksTool.Usage(message: "\(arguments[0]): expected the longest hold, found \(text)")
    }
    return longest * 1e6
  }

  /// Imports, prints the holds, and ends the process.
  static func run(_ path: String, perCommit: Int, lists: Bool) -> Never {
    end { try await work(path, perCommit: perCommit, lists: lists) }
  }

  /// Does what a process is for in its main actor, and ends it.
  static func end(_ work: @escaping @Sendable @MainActor () async throws -> Void) -> Never {
    Task { @MainActor in
      do {
        try await work()
        exit(0)
      } catch {
        FileHandle.standardError.write(Data("benchmarks: \(error)\n".utf8))
        exit(1)
      }
    }
    dispatchMain()
  }

  @MainActor private static func work(_ path: String, perCommit: Int, lists: Bool) async throws {
    let team = try Team(path: path)
    let shown = lists ? TeamLists(team.store, isSaved: false) : nil
    try shown?.show()
    let lines = try await Task.detached { try ExportedLines.text(events) }.value
    let probe = MainActorProbe()
    probe.begin()
    let start = ContinuousClock.now
    try await TeamImporter(team.store).run(lines, perCommit: perCommit)
    let imported = ContinuousClock.now - start
    while let shown, shown.people.position.rawValue < events { try await Task.sleep(for: .milliseconds(1)) }
    let all = ContinuousClock.now - start
    let holds = await probe.end().sorted()
    func number(_ value: Double) -> String { String(format: "%.3f", value) }
    func seconds(_ duration: Duration) -> String {
      number(Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18)
    }
    // The longest, the 99th of a hundred, the median, how many there are, and the seconds of the import and of all.
    print(
      number(holds.last ?? 0), number(holds[holds.count * 99 / 100]), number(holds[holds.count / 2]), holds.count,
      holds.count { $0 > 16 }, seconds(imported), seconds(all))
  }
}
