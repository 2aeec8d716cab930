import Annals
import AnnalsLog
import AnnalsMirror
import Foundation

extension Subcommand {
  static let test = Subcommand(
    name: "test", operands: ["LOG"], rest: "A..B",
    summary: "Write a Swift test of some events, and of the list that they lead to.",
    details: [
      "The test is for Swift Testing and AnnalsTesting. It folds the events from A to B",
      "alone, with the app's own projection, and expects the rows that this tool's",
      "projection makes of them, by id. If an event of the log cannot be folded, the",
      "test fails as the log does. A log of records has no test, because records have no",
      "projection of an app.",
    ],
    options: [
      Option("--output", short: "-o", "FILE", "Write the test to a new file; by default it is printed."),
      Option("--list", "NAME", "The list; by default the only one that the log has events of."),
    ],
    examples: [
      "annals test shop.annals 1..23 -o ShelvesTests.swift", "annals test shop.annals 19..last --list Shelves",
    ],
    output: .init(.object, "The Swift test that was written.", [testForm.schema]),
    run: { try $0.runTest() })
}

extension Session {
  fileprivate func runTest() throws -> ReplayError.Status {
    let log = try LogExtent(openStore())
    guard let words = try onlyRange() else { throw ReplayError.usage("\(tool) test needs A..B, as in 1..23") }
    let (from, to) = try events(of: words, in: log)
    if from > to { throw ReplayError.usage("A..B: the event \(from) is after \(to)") }
    let range = from.rawValue...to.rawValue
    let lines = try lines(range, of: log)
    var options = ListOptions()
    options.list = arguments.value("--list")
    guard let source = try source(options, in: log) as? any SliceTestSource & ListSource else {
      throw ReplayError.usage(
        "a test is of an app's projection, and records have none: use the tool of the app, or --list with one of "
          + catalog.lists.filter { $0 is any SliceTestSource }.map(\.name).joined(separator: ", "))
    }
    let test = try source.sliceTest(StoredLines(lines.joined(separator: "\n")))
    if let problem = test.problem { try check(problem, source, log, range) }
    let name = URL(fileURLWithPath: arguments.operands[0]).lastPathComponent
    let code = test.file(lines, range, log: name, tool: tool)
    try write(code, test, range)
    tell(test, lines, range)
    return .done
  }

  /// Says what you should know before you commit the test.
  private func tell(_ test: SliceTest, _ lines: [String], _ range: ClosedRange<Int>) {
    if let problem = test.problem {
      say(Text.safe("the test fails, as the log does: \(problem.description)"))
    } else if range.lowerBound > 1 {
      say("the list is that of these events alone, without those before \(range.lowerBound)")
    }
    if lines.contains(where: { $0.contains("\"$personal\"") }) {
      say("the test holds personal values: look at it before you commit it")
    }
  }

  /// Throws if the log can be folded where the events alone cannot.
  private func check(
    _ problem: StoredLines.Problem, _ source: any ListSource, _ log: LogExtent, _ range: ClosedRange<Int>
  ) throws {
    let progress = Progress(console)
    defer { progress.end() }
    let found = try source.problem(in: log.store) { progress.step($0.rawValue, of: log.end.rawValue, "events") }
    if let found, found.position.rawValue == problem.position { return }
    throw ReplayError(
      .negative,
      "the events do not fold without those before them: \(problem.description)\ntake more of the log, such as "
        + "1..\(range.upperBound)")
  }

  private func write(_ code: String, _ test: SliceTest, _ range: ClosedRange<Int>) throws {
    if let path = arguments.value("--output") {
      if path.isEmpty { throw ReplayError.usage("-o: expected a file's name, found \"\"") }
      do {
        try Data(code.utf8).write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
      } catch {
        let why = Platform.file(path) == nil ? error.localizedDescription : "it is there already"
        throw ReplayError(.inputOutput, "-o: \(path) cannot be written: \(why)")
      }
    }
    if isData {
      try print((range, test.problem == nil, arguments.value("--output"), code), as: testForm)
    } else if !arguments.has("--output") {
      try printData(String(code.dropLast()))
    }
  }

  /// The events as `log --json` prints them.
  private func lines(_ range: ClosedRange<Int>, of log: LogExtent) throws -> [String] {
    let printer = EventPrinter(self, log)
    var lines: [String] = []
    try forEachEvent(of: log.store, after: Position(range.lowerBound - 1), through: Position(range.upperBound)) {
      lines.append(StoredLines.visible(CloudEvent.line($0, transaction: try printer.label(of: $0))))
    }
    if lines.isEmpty { throw ReplayError(.negative, "no event is left at these positions: a compaction cut them") }
    return lines
  }
}

private let testForm = JSONForm<(range: ClosedRange<Int>, folds: Bool, file: String?, code: String)>([
  "from": .of { Position($0.range.lowerBound) }, "to": .of { Position($0.range.upperBound) }, "folds": .of { $0.folds },
  "file": .some { $0.file }, "code": .of { $0.code },
])
