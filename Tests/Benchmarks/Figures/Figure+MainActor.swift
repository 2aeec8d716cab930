import Annals
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
    ]
  }

  private static func held(_ name: String, perCommit: Int) -> Figure {
    Figure(
      name, rows: MainActorProcess.events,
      "longest hold of the main actor, with ten live lists, while another actor imports \(perCommit) at a time",
      against: "the longest with no lists: what the probe and the import themselves cost", unit: "ms",
      .value(atMost: 16), tries: 3
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

/// A process whose main actor shows ten lists while another actor imports.
enum MainActorProcess {
  /// How many events are imported.
  static let events = 50_000

  /// Runs the process, and returns the longest hold in milliseconds.
  static func longestHold(perCommit: Int, lists: Bool) throws -> Double {
    let log = try ScratchLog()
    let (process, output) = (Process(), Pipe())
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["imports", log.path, "\(perCommit)", lists ? "10" : "0"]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let longest = text.split(separator: " ").first.flatMap({ Double($0) }) else {
      throw BenchmarksTool.Usage(message: "imports: expected the longest hold, found \(text)")
    }
    return longest
  }

  /// Imports, prints the holds, and ends the process.
  static func run(_ path: String, perCommit: Int, lists: Bool) -> Never {
    Task { @MainActor in
      do {
        try await work(path, perCommit: perCommit, lists: lists)
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

/// Asks the main actor for a moment each millisecond, and notes for how many milliseconds it has to wait.
private final class MainActorProbe: Sendable {
  private let isEnded = DispatchSemaphore(value: 0)
  private let task = FirstValue<[Double]>()

  func begin() {
    let (isEnded, task) = (isEnded, task)
    Thread.detachNewThread {
      var holds: [Double] = []
      let isServed = DispatchSemaphore(value: 0)
      // Between two questions a hold shorter than this is not seen, and a longer one by this much shorter.
      while isEnded.wait(timeout: .now() + .microseconds(500)) == .timedOut {
        let start = DispatchTime.now().uptimeNanoseconds
        DispatchQueue.main.async { isServed.signal() }
        isServed.wait()
        holds.append(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6)
      }
      task.set(holds)
    }
  }

  /// Ends asking, and returns all waits in milliseconds.
  func end() async -> [Double] {
    isEnded.signal()
    return await task.value
  }
}

/// A value that a thread gives and a task waits for.
private final class FirstValue<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func set(_ value: Value) { continuation.yield(value) }

  var value: Value {
    get async {
      for await value in stream { return value }
      preconditionFailure("the stream never ends")
    }
  }
}
