import Foundation
import Synchronization

extension Figure {
  /// The processor time of the tool's questions about a log of 1,000,000 events that has an index.
  static var questions: [Figure] {
    let times = Question.all.filter { !$0.isLong }.map { question in
      Figure(
        "question-\(question.name)", rows: 1_000_000, "\(question.command), with an index", of: .processor,
        .value(atMost: 300_000_000)
      ) {
        let log = try QuestionedLog.shared.log()
        // The first question makes the index.
        _ = try log.cost(of: question)
        return Contest { try log.cost(of: question).processor }
      }
    }
    let memory = Figure(
      "question-why-memory", rows: 1_000_000, "peak memory of annals why of a place that makes its index",
      of: .memory, .value(atMost: 150_000_000)
    ) {
      let log = try QuestionedLog.shared.log()
      return Contest { try log.cost(of: .why, caches: log.newCaches()).peak }
    }
    return times + [memory]
  }
}

extension BenchmarksTool.Subcommand {
  /// The table of all questions.
  static var questions: Self {
    Self("questions", "a table of the tool's questions about 1,000,000 events, the first one and the next one") {
      words in
      guard words.isEmpty else {
        throw BenchmarksTool.Usage(message: "questions: expected no words, found \"\(words.joined(separator: " "))\"")
      }
      let log = try QuestionedLog()
      print("| question | first | processor | memory | next | processor | memory |\n|---|---|---|---|---|---|---|")
      for question in Question.all {
        let caches = log.newCaches()
        let costs = try (1...2).map { _ in try log.cost(of: question, caches: caches).text }
        print("| `\(question.command)` | \(costs.joined(separator: " | ")) |")
      }
      return 0
    }
  }

  /// A question in a separate process, because released memory would not count here.
  static var ask: Self {
    Self("ask", "ask CACHES COMMAND…: runs the tool, and prints its processor time and its peak memory") { words in
      guard words.count > 1 else {
        throw BenchmarksTool.Usage(message: "ask: expected CACHES COMMAND…, found \"\(words.joined(separator: " "))\"")
      }
      try RecordLines.run(Array(words.dropFirst()), caches: words[0])
      print(Int(processorNanoseconds()), peakBytes())
      return 0
    }
  }
}

/// A question to the tool about a log of ``RecordLines``.
private struct Question {
  let name: String
  /// The subcommand, and the words after the log.
  let words: [String]
  /// True if the question reads the whole log each time, so that it is only in the table.
  let isLong: Bool

  init(_ name: String, _ words: String..., isLong: Bool = false) {
    (self.name, self.words, self.isLong) = (name, words, isLong)
  }

  var command: String { "annals \(words.joined(separator: " "))" }

  static let why = Question("why", "why", "ware-7", "--section-by", "shelf", "--sort", "price")
  static let all = [
    Question("info", "info", isLong: true), Question("event", "log", "700000"), Question("last", "log", "-n", "-20"),
    Question("tree", "log", "--tree", "event-5000"), Question("show", "show", "-n", "5"),
    Question("show-place", "show", "500000", "-n", "5"),
    Question("show-sorted", "show", "-n", "5", "--section-by", "shelf", "--sort", "price"), why,
    Question("find", "find", "count > 100000"), Question("find-row", "find", "row(ware-7).price > 1", "--each"),
    Question("diff", "diff", "-100.."), Question("scrub", "scrub", "--keys", "<Down>"),
    Question("timeline", "timeline", "-10000..", "--limit", "1000", "-o", "PAGE", isLong: true),
    Question("verify", "verify", isLong: true),
  ]
}

/// A log of 1,000,000 events with its indexes.
private final class QuestionedLog: Sendable {
  /// The log that all figures share.
  static let shared = Mutex<QuestionedLog?>(nil)

  private let lines: RecordLines

  init() throws {
    lines = try RecordLines(1_000_000)
    try RecordLines.run(["import", lines.file("log"), lines.path])
  }

  /// The path of a folder without indexes.
  func newCaches() -> String { lines.file(UUID().uuidString) }

  /// Runs a question in a separate process.
  func cost(of question: Question, caches: String? = nil) throws -> AnswerCost {
    let rest = question.words.dropFirst().map { $0 == "PAGE" ? lines.file(UUID().uuidString + ".html") : $0 }
    return try AnswerCost(of: [question.words[0], lines.file("log")] + rest, caches: caches ?? lines.file("caches"))
  }
}

extension Mutex<QuestionedLog?> {
  fileprivate func log() throws -> QuestionedLog {
    try withLock { known in
      let log = try known ?? QuestionedLog()
      known = log
      return log
    }
  }
}

/// The time and the memory that the tool needed for an answer.
struct AnswerCost {
  /// The nanoseconds from the start of the process to its end.
  let wall: Double
  /// The nanoseconds of processor time, all threads together.
  let processor: Double
  /// The most memory, in bytes.
  let peak: Double

  /// Runs a command of the tool in a separate process.
  ///
  /// - Parameters:
  ///   - words: The command.
  ///   - caches: The folder of indexes.
  /// - Throws: `BenchmarksTool.Usage` if the command fails.
  init(of words: [String], caches: String) throws {
    var text = ""
    wall = try nanoseconds { text = try Figure.output(of: ["ask", caches] + words) }
    let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard numbers.count == 2 else {
      throw BenchmarksTool.Usage(
        message: "\(words.joined(separator: " ")): expected two numbers, found \"\(text)\"; see its message above")
    }
    (processor, peak) = (numbers[0], numbers[1])
  }

  /// The cells of a table.
  fileprivate var text: String { String(format: "%.2f s | %.2f s | %.0f MB", wall / 1e9, processor / 1e9, peak / 1e6) }
}
