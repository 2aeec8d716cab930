import Annals
import AnnalsSQLite
import Dispatch
import Foundation

extension Figure {
  /// The work of an app's other threads while its user does little, which costs battery.
  static var idles: [Figure] {
    [
      Figure(
        "idle", rows: 1, "wake-ups of other threads per second: a log with a list, and no commits",
        against: "without notifications of other processes' commits", of: .switches, .value(atMost: 1)
      ) { try idle(.switches, "idle") },
      Figure(
        "idle-processor", rows: 1, "the processor time of these threads per second",
        against: "without notifications of other processes' commits", of: .processor, .value(atMost: 100_000)
      ) { try idle(.processor, "idle") },
      Figure(
        "idle-after-command", rows: 1, "wake-ups of other threads in two seconds after a command",
        against: "without notifications of other processes' commits", of: .switches, .value(atMost: 8)
      ) { try idle(.switches, "command") },
      Figure(
        "idle-after-command-processor", rows: 1, "the processor time of these threads",
        against: "without notifications of other processes' commits", of: .processor, .value(atMost: 300_000)
      ) { try idle(.processor, "command") },
    ]
  }

  private static func idle(_ resource: Resource, _ work: String) throws -> Contest {
    let log = try ScratchLog()
    func measured(_ store: String) throws -> Double {
      try number(of: ["rest", log.path, store, work, resource.rawValue])
    }
    return Contest {
      try measured("informed")
    } baseline: {
      try measured("alone")
    }
  }
}

extension BenchmarksTool.Subcommand {
  /// The work of a process at rest, measured once.
  static var rest: Self {
    Self(
      "rest",
      "the work of other threads at rest, for figures: LOG informed|alone idle|command switches|processor"
    ) { words in
      guard words.count == 4, ["informed", "alone"].contains(words[1]), ["idle", "command"].contains(words[2]),
        let resource = Figure.Resource(rawValue: words[3])
      else { throw BenchmarksTool.Usage(message: "rest: found \"\(words.joined(separator: " "))\"") }
      let store = try SQLiteEventStore(
        path: words[0], durability: .process, observesExternalWriters: words[1] == "informed")
      let list = try RestingList(store)
      defer { list.end() }
      func command() throws {
        try store.append(Append([NewEvent(type: "BenchmarkCounted", payload: "{}")], to: "count"))
      }
      // The observer checks the log after its start. Its first command also proves that the system reports writes.
      Thread.sleep(forTimeInterval: 2)
      try command()
      Thread.sleep(forTimeInterval: 3)
      let before = OtherThreads()
      if words[2] == "command" { try command() }
      let seconds = words[2] == "command" ? 2.0 : 5
      Thread.sleep(forTimeInterval: seconds)
      let after = OtherThreads()
      let work =
        resource == .switches
        ? Double(after.switches - before.switches) : after.nanoseconds - before.nanoseconds
      print(words[2] == "command" ? work : work / seconds)
      return 0
    }
  }
}

/// The work of all threads but the calling one since the process started.
private struct OtherThreads {
  /// The processor time in nanoseconds.
  let nanoseconds: Double
  /// The number of times that a thread has waited, and was woken.
  let switches: Int

  init() {
    var all = rusage()
    #if canImport(Darwin)
      // The system counts the switches of a process only, so the waits of the calling thread are counted too.
      getrusage(RUSAGE_SELF, &all)
      switches = Int(all.ru_nvcsw)
    #else
      var own = rusage()
      getrusage(RUSAGE_SELF.rawValue, &all)
      // RUSAGE_THREAD, which Swift doesn't import, because it's an extension of Linux.
      getrusage(1, &own)
      switches = Int(all.ru_nvcsw - own.ru_nvcsw)
    #endif
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    nanoseconds = processorNanoseconds() - Double(time.tv_sec) * 1e9 - Double(time.tv_nsec)
  }
}

/// A list in an isolation that no other work uses.
private final class RestingList: Sendable {
  private let screen = Screen()

  init(_ store: SQLiteEventStore) throws {
    let failure = FirstFailure()
    Self.wait { [screen] in
      do { try await screen.show(store) } catch { failure.catching { throw error } }
    }
    try failure.rethrow()
  }

  func end() { Self.wait { [screen] in await screen.hide() } }

  private static func wait(_ body: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
      await body()
      done.signal()
    }
    done.wait()
  }

  private actor Screen {
    private var controller: FetchedResultsController<Count>?

    func show(_ store: SQLiteEventStore) throws {
      let controller = FetchedResultsController(store: store, projection: Counts())
      try controller.performFetch()
      self.controller = controller
    }

    func hide() { controller = nil }
  }
}
