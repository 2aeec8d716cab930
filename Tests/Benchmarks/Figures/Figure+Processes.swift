import Annals
import AnnalsSQLite
import CAnnalsSQLite
import Dispatch
import Foundation
import Synchronization

extension Figure {
  /// How late what another process commits is heard of.
  static var processes: [Figure] {
    [
      Figure(
        "other-process", rows: 200,
        "p99 from another process's commit to the delegate",
        against: "a thread that polls SQLite every millisecond",
        .value(atMost: 100_000_000), tries: 3
      ) {
        Contest {
          try latest(of: 200) { try ListeningScreen($0) }
        } baseline: {
          try latest(of: 200) { try AskingThread($0) }
        }
      }
    ]
  }

  /// Lets another process commit, and returns how many nanoseconds late the 99th of a hundred commits is heard of.
  private static func latest(of count: Int, _ listen: (ScratchLog) throws -> any Listening) throws -> Double {
    let log = try ScratchLog()
    let listener = try listen(log)
    defer { listener.end() }
    let (process, output) = (Process(), Pipe())
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["commits", log.path, "\(count)"]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let times = text.split(separator: "\n").compactMap { UInt64($0) }
    guard times.count == count else {
      throw BenchmarksTool.Usage(message: "commits: expected \(count) times, found \(times.count): \(text)")
    }
    let end = ContinuousClock.now + .seconds(5)
    while listener.heard.last?.position ?? 0 < count, ContinuousClock.now < end { usleep(1_000) }
    let heard = listener.heard
    let delays = try times.enumerated().map { index, time in
      guard let first = heard.first(where: { $0.position > index }) else {
        throw BenchmarksTool.Usage(message: "commit \(index + 1) was not heard of")
      }
      // It may be heard of before the writer knows that it is done.
      return max(0, Double(first.time) - Double(time))
    }.sorted()
    return delays[min(delays.count - 1, delays.count * 99 / 100)]
  }
}

extension BenchmarksTool.Subcommand {
  /// The other process of the figure `other-process`.
  static var commits: Self {
    Self("commits", "commits LOG COUNT: appends that often, and prints the system's time after each") { words in
      guard words.count == 2, let count = Int(words[1]) else {
        throw BenchmarksTool.Usage(message: "commits: expected LOG COUNT, found \"\(words.joined(separator: " "))\"")
      }
      let store = try SQLiteEventStore(path: words[0], durability: .process, observesExternalWriters: false)
      let event = NewEvent(type: "BenchmarkCounted", payload: "{}")
      for _ in 0..<count {
        try store.append(Append([event], to: "count"))
        print(DispatchTime.now().uptimeNanoseconds)
        usleep(UInt32.random(in: 1_000...9_000))
      }
      return 0
    }
  }
}

/// Notes which positions it hears of, and when.
private protocol Listening {
  var heard: [(position: Int, time: UInt64)] { get }
  func end()
}

private final class Times: Sendable {
  private let list = Mutex<[(position: Int, time: UInt64)]>([])

  var all: [(position: Int, time: UInt64)] { list.withLock { $0 } }

  func add(_ position: Int) { list.withLock { $0.append((position, DispatchTime.now().uptimeNanoseconds)) } }
}

/// A controller in an isolation of its own.
private struct ListeningScreen: Listening {
  private let times = Times()
  private let screen: Screen

  init(_ log: ScratchLog) throws {
    let (screen, done, failure) = (Screen(), DispatchSemaphore(value: 0), FirstFailure())
    self.screen = screen
    let (store, times) = (log.store, times)
    Task {
      do { try await screen.show(store, times) } catch { failure.catching { throw error } }
      done.signal()
    }
    done.wait()
    try failure.rethrow()
  }

  var heard: [(position: Int, time: UInt64)] { times.all }

  func end() {
    let done = DispatchSemaphore(value: 0)
    Task { [screen] in
      await screen.hide()
      done.signal()
    }
    done.wait()
  }

  private actor Screen {
    private final class Delegate: FetchedResultsControllerDelegate {
      let times: Times

      init(_ times: Times) { self.times = times }

      func controller(_ controller: FetchedResultsController<Count>, didChangeContentWith results: Results<Count>) {
        times.add(results.position.rawValue)
      }
    }

    private var controller: FetchedResultsController<Count>?
    private var delegate: Delegate?

    func show(_ store: SQLiteEventStore, _ times: Times) throws {
      let (controller, delegate) = (
        FetchedResultsController(store: store, projection: Counts()), Delegate(times)
      )
      controller.delegate = delegate
      try controller.performFetch()
      (self.controller, self.delegate) = (controller, delegate)
    }

    func hide() { (controller, delegate) = (nil, nil) }
  }
}

/// A thread that asks SQLite all the time.
private final class AskingThread: Listening, Sendable {
  private let times = Times()
  private let isEnded: Atomic<Bool>

  init(_ log: ScratchLog) throws {
    isEnded = Atomic(false)
    let (times, path, store) = (times, log.path, log.store)
    Thread.detachNewThread { [weak self] in
      var (handle, statement): (OpaquePointer?, OpaquePointer?)
      sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
      sqlite3_prepare_v3(handle, "PRAGMA data_version", -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
      var seen: Int64 = 0
      while self?.isEnded.load(ordering: .relaxed) == false {
        sqlite3_step(statement)
        let version = sqlite3_column_int64(statement, 0)
        sqlite3_reset(statement)
        if version != seen {
          seen = version
          times.add((try? store.head().rawValue) ?? 0)
        }
        usleep(1_000)
      }
      sqlite3_finalize(statement)
      sqlite3_close_v2(handle)
    }
  }

  var heard: [(position: Int, time: UInt64)] { times.all }

  func end() { isEnded.store(true, ordering: .relaxed) }
}

enum CountEvent: Event {
  case counted

  static var typePrefix: String { "Benchmark" }
}

struct Count: Row {
  let id: Int
  var count: Int
}

struct Counts: Projection {
  func project(_ event: CountEvent, into rows: inout Rows<Count>) {
    rows.insert(Count(id: 0, count: (rows[0]?.count ?? 0) + 1))
  }
}
