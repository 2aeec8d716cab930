@testable import AnnalsReplay
import Annals
import AnnalsSQLite
import Foundation
import Testing

/// Output that is longer than the screen.
@Suite struct PagerTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    tool.isTerminal = true
    tool.size = (80, 24)
    tool.environment = ["NO_COLOR": "1", "ANNALS_PAGER": "/bin/sh"]
    try tool.importLines((1...50).map { inserted($0, "b\($0)") })
  }

  /// What a pager got.
  private final class Reader {
    var text = ""
    var starts: [(command: String, environment: [String: String])] = []
    var ends = 0
    /// How many bytes it reads before it ends.
    var most = Int.max
  }

  private func reader() -> Reader {
    let reader = Reader()
    tool.pager = { command, environment in
      reader.starts.append((command, environment))
      return Pager(
        write: {
          if reader.text.utf8.count >= reader.most { throw Pager.Quit() }
          reader.text += String(decoding: $0, as: UTF8.self)
        }, end: { reader.ends += 1 })
    }
    return reader
  }

  @Test func `what is longer than the screen goes to the pager, with messages in their order`() {
    let reader = reader()
    let answer = tool.run("show", tool.log)
    #expect(answer.status == 0 && answer.output == "" && answer.talk == "")
    #expect(reader.text.split(separator: "\n").count == 51 && reader.ends == 1)
    #expect(reader.starts.map(\.command) == ["/bin/sh"])
    #expect(reader.starts.first?.environment["LESS"] == "FRX")
    #expect(reader.starts.first?.environment["NO_COLOR"] == "1")
    #expect(
      tool.run("diff", "--each", tool.log, "--check").talk == "" && reader.text.hasSuffix("takes all 50 batches\n"))
  }

  @Test func `what fits on the screen needs no pager`() {
    let reader = reader()
    let short = tool.run("show", tool.log, "--limit", "22")
    #expect(short.lines.count == 23 && reader.starts.isEmpty)
    // A message stays one, and comes after the data.
    let checked = tool.run("diff", "--each", tool.log, "--check", "..1")
    #expect(checked.talk.hasPrefix("a table view takes") && !checked.output.contains("table view"), "\(checked)")
    _ = tool.run("show", tool.log, "--limit", "23")
    #expect(reader.starts.count == 1)
    // A line that is wider than the terminal takes several rows of it.
    #expect(tool.run("show", tool.log, "--json", "--limit", "1").lines.count == 1)
    #expect(reader.starts.count == 1)
    tool.size = (40, 24)
    _ = tool.run("show", tool.log, "--json")
    #expect(reader.starts.count == 2)
  }

  @Test func `if you end the pager, the tool ends silently`() {
    let reader = reader()
    reader.most = 1
    tool.size = (80, 2)
    let answer = tool.run("log", tool.log, "--json")
    #expect(answer.status == 0 && answer.output == "" && answer.talk == "" && reader.ends == 1)
  }

  @Test func `an error is printed after the pager`() throws {
    let reader = reader()
    tool.size = (80, 1)
    let answer = tool.run("diff", tool.log, "0..99")
    #expect(answer.status == 2 && answer.talk.hasPrefix("annals: B 99 is past the end") && reader.starts.isEmpty)
    let store = try SQLiteEventStore(path: tool.log)
    let second = #"{"collection":"book","id":"b1","fields":{}}"#
    try store.append(Append([NewEvent(type: "RecordInserted", payload: second)], to: "s"))
    store.close()
    let broken = tool.run("diff", "--each", tool.log)
    #expect(broken.status == 3 && broken.talk.hasPrefix("annals: event 51") && reader.ends == 1, "\(broken)")
    #expect(reader.text.contains("49 → 50"))
  }

  @Test func `no pager is used where it is not wanted or cannot be had`() {
    let reader = reader()
    for (words, environment, isTerminal) in [
      (["show", tool.log], [:], false), (["show", tool.log], ["TERM": "dumb"], true),
      (["show", tool.log], ["ANNALS_PAGER": ""], true), (["show", tool.log], ["ANNALS_PAGER": "cat"], true),
      (["show", tool.log], ["ANNALS_PAGER": "no-such-program-1"], true), (["demo", "bookshop"], [:], true),
    ] as [([String], [String: String], Bool)] {
      tool.isTerminal = isTerminal
      tool.environment = ["ANNALS_PAGER": "/bin/sh"].merging(environment) { $1 }
      #expect(tool.run(words).lines.count > 50 && reader.starts.isEmpty, "\(words) \(environment)")
    }
    // One that cannot be started is as none.
    tool.environment = ["ANNALS_PAGER": "/bin/sh"]
    tool.isTerminal = true
    tool.pager = { _, _ in nil }
    #expect(tool.run("show", tool.log).lines.count == 51)
  }

  @Test func `the pager is named by one of two variables`() {
    let path = ["PATH": "/bin:/usr/bin"]
    #expect(Pager.command(path.merging(["PAGER": "sh -c cat"]) { $1 }) == "sh -c cat")
    #expect(Pager.command(path.merging(["PAGER": "sh", "ANNALS_PAGER": "ls"]) { $1 }) == "ls")
    #expect(Pager.command(path.merging(["PAGER": "LESS=R $X"]) { $1 }) == "LESS=R $X")
    #expect(Pager.command(["PATH": "/nowhere"]) == nil)
    #expect(Pager.environment(["LESS": "i"])["LESS"] == "i")
  }
}
