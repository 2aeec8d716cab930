import Annals
import AnnalsSQLite
import Foundation
import Testing

/// Logs with events that the tool cannot list.
@Suite struct StrangersTests {
  private let tool: ToolRunner

  init() throws { tool = try ToolRunner() }

  private func append(_ types: [String]) throws {
    let store = try SQLiteEventStore(path: tool.log)
    for type in types { try store.append(Append([NewEvent(type: type, payload: #"{"id":"b"}"#)], to: "shop")) }
  }

  @Test(arguments: [
    ["show"], ["show", "--json"], ["show", "0"], ["diff", "--each"], ["diff", "--each", "--check"],
    ["diff", "0..3"], ["compact", "--yes"],
    ["compact", "--dry-run"],
  ])
  func `a log of an app's own events is no empty list`(words: [String]) throws {
    try append(["BookInserted", "BookInserted", "BookRepriced", "BookInserted"])
    let answer = tool.run([words[0], tool.log] + words.dropFirst())
    #expect(answer.status == 1 && answer.output == "", "\(answer)")
    #expect(
      answer.talk.hasSuffix(
        """
        annals: \(tool.log): has 4 events that no list of annals folds: 3 of BookInserted, 1 of BookRepriced
        annals log shows them, and annals info counts them. Lists of an app's own events are shown by the app's \
        own tool, which is five lines (Docs/YourOwnTool.md)

        """), "\(answer.talk)")
  }

  @Test func `types without end are counted, and their names cannot steer a terminal`() throws {
    try append((1...12).map { "T\($0 + 10)" } + ["\u{9B}31m\u{202E}"])
    let answer = tool.run("show", tool.log)
    #expect(answer.status == 1)
    #expect(answer.talk.contains("1 of T11, 1 of T12, "), "\(answer.talk)")
    #expect(answer.talk.contains("1 of T20 and 3 other types"), "\(answer.talk)")
    try append(["\u{9B}31m\u{202E}", "\u{9B}31m\u{202E}"])
    #expect(tool.run("show", tool.log).talk.contains(#"folds: 3 of \u{9b}31m\u{202e}, 1 of T11"#))
  }

  @Test(arguments: ["--yes", "--dry-run"])
  func `of a sample's log it is not said that each event is needed`(option: String) throws {
    let log = tool.log + ".shop"
    #expect(tool.run("demo", "bookshop", log).status == 0)
    let answer = tool.run("compact", log, option)
    #expect(answer.status == 1 && answer.talk.hasPrefix("annals: nothing was cut: annals does not know"), "\(answer)")
  }

  @Test func `an empty log is an empty list`() throws {
    try SQLiteEventStore(path: tool.log).close()
    for words in [["show"], ["diff", "--each"], ["diff", "0..0"], ["compact", "--yes"]] {
      let answer = tool.run([words[0], tool.log] + words.dropFirst())
      #expect(answer.status == 0 && !answer.talk.contains("records"), "\(words) \(answer)")
    }
    #expect(tool.run("show", tool.log).output == "position 0: 0 rows\n")
  }

  @Test func `beside a list of records the tool says how many events of each type it skipped`() throws {
    try tool.importLines([
      inserted(1, "a"), line(2, "Moved", "1"), line(3, "Sold", "1"), line(4, "Sold", "1"), inserted(5, "b"),
      line(6, "Moved", "1"), line(7, "Sold", "1"),
    ])
    func words(_ count: Int, _ types: String) -> String {
      count == 1
        ? "1 event was passed over, which is no record: \(types); annals log lists them\n"
        : "\(count) events were passed over, which are no records: \(types); annals log lists them\n"
    }
    let show = tool.run("show", tool.log, "--json")
    #expect(show.status == 0 && show.output.contains(#""count":2"#))
    #expect(show.talk == words(5, "3 of Sold, 2 of Moved"))
    // Counts only the events that were read.
    #expect(tool.run("show", tool.log, "2").talk == words(1, "1 of Moved"))
    #expect(tool.run("show", tool.log, "1").talk == "")
    let replay = tool.run("diff", "--each", tool.log, "2..4")
    #expect(replay.status == 0 && replay.talk == words(3, "2 of Sold, 1 of Moved"))
    let diff = tool.run("diff", tool.log, "5..1")
    #expect(diff.status == 1 && diff.talk == words(3, "2 of Sold, 1 of Moved"))
    #expect(tool.run("compact", tool.log, "--yes").status == 0)
  }

  @Test func `follow says which events it passes over, those that come too`() throws {
    try tool.importLines([line(1, "Moved", "1")])
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(ToolProcess.tool))
    process.arguments = ["diff", "--follow", tool.log, "--json"]
    let (output, talk) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, talk)
    try process.run()
    func heard() -> String { String(decoding: talk.fileHandleForReading.availableData, as: UTF8.self) }
    #expect(
      heard() == "1 event was passed over, which is no record: 1 of Moved; annals log lists them\n")
    try append(["Sold", "Moved", "Sold"])
    #expect(heard() == "events of Sold are passed over: they are no records\n")
    let record = NewEvent(type: "RecordInserted", payload: #"{"collection":"c","id":"a","fields":{}}"#)
    try SQLiteEventStore(path: tool.log).append(Append([record], to: "c"))
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    #expect(line.hasPrefix(#"{"from":0,"to":5,"#), "\(line)")
    process.terminate()
    process.waitUntilExit()
    #expect(heard() == "")
  }
}
