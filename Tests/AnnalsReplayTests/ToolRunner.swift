import AnnalsReplay
import AnnalsTesting
import Foundation

/// A folder with a log, and the tool, run inside the test's process.
final class ToolRunner {
  struct Answer: Sendable {
    let status: Int32
    let output: String
    let talk: String

    var lines: [String] { output.split(separator: "\n").map(String.init) }

    /// True if a condition was refused, because no value of the rows is of its kind.
    ///
    /// Random histories have rows whose only value of a field is true, an array or a string, and conditions compare
    /// the field with a number, or search a part of it.
    var refusesKind: Bool {
      status == 2 && talk.contains(#/character \d+: expected [a-zA-Z ]+ (?:for|after) .+, found /#)
    }
  }

  let folder: URL
  var input = Data()
  /// Returns the input's next bytes, instead of `input`.
  var onInput: (() -> Data)?
  var isTerminal = false
  /// The tool that is run.
  var tool = ReplayTool.annals
  var inputIsTerminal = false
  var inputIsReady = { true }
  /// True once the reader of the output is gone.
  var outputIsGone = { false }
  var environment: [String: String] = [:]
  /// The terminal's size, if it knows it.
  var size: (columns: Int, rows: Int)?
  /// The program that shows long output page by page.
  var pager: (String, [String: String]) -> Pager? = { _, _ in nil }
  /// The clock, or nil for the process's own.
  var clock: (() -> Double)?
  /// The number of events from which logs get indexes, or `nil` for no index.
  var indexFrom: Int?
  /// The size in bytes of the largest page.
  var largestPage = 20_000_000
  /// The folder of indexes.
  var indexes: URL { folder.appending(path: "cache/annals") }
  /// The moment that relative times count from, or nil for now.
  var now: Date?
  /// The zone of times without one, or nil for the process's own.
  var zone: TimeZone? = .gmt

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  var log: String { path("log.annals") }

  /// Writes a file and returns its path.
  func file(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: folder.appending(path: name))
    return path(name)
  }

  @discardableResult
  func run(_ words: String...) -> Answer { run(words) }

  @discardableResult
  func run(_ words: [String]) -> Answer {
    var output = Data()
    var talk = ""
    var rest = input
    var console = Console(
      output: { output.append($0) }, talk: { talk += $0 },
      input: {
        if let onInput = self.onInput { return onInput() }
        defer { rest = Data() }
        return rest
      })
    console.inputIsTerminal = inputIsTerminal
    console.inputIsReady = inputIsReady
    console.outputIsGone = outputIsGone
    console.outputIsTerminal = isTerminal
    console.talkIsTerminal = isTerminal
    console.environment = environment
    if let indexFrom {
      console.environment["XDG_CACHE_HOME"] = path("cache")
      console.indexFrom = indexFrom
    }
    console.largestPage = largestPage
    console.size = { self.size }
    console.pager = pager
    if let clock { console.clock = clock }
    if let now { console.now = { now } }
    if let zone { console.zone = zone }
    console.temporaryFolder = folder
    let status = tool.run(words, on: console)
    return Answer(status: status, output: String(decoding: output, as: UTF8.self), talk: talk)
  }

  /// Imports lines into the log.
  @discardableResult
  func importLines(_ lines: [String], to log: String? = nil) throws -> Answer {
    run("import", log ?? self.log, try file("in.jsonl", lines.map { $0 + "\n" }.joined()))
  }
}

/// A line with a record event.
func line(_ id: Int, _ type: String, _ data: String, transaction: String? = nil) -> String {
  #"{"specversion":"1.0","id":"\#(id)","source":"test","type":"\#(type)","subject":"s","time":"2026-01-02T03:04:05Z""#
    + (transaction.map { #","transaction":"\#($0)""# } ?? "") + #","data":\#(data)}"#
}

func inserted(_ number: Int, _ id: String, _ fields: String = "{}", transaction: String? = nil) -> String {
  line(
    number, "RecordInserted", #"{"collection":"book","id":"\#(id)","fields":\#(fields)}"#, transaction: transaction)
}
