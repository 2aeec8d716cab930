import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import Testing

/// Imports of many transactions, which are committed together.
@Suite struct GroupedImportTests {
  private let tool: ToolRunner

  init() throws { tool = try ToolRunner() }

  private func lines(_ count: Int) -> [String] {
    (0..<count).map { number in
      number % 5 == 0
        ? inserted(number, "r\(number / 5)", transaction: "t\(number / 5)")
        : line(
          number, "RecordUpdated", #"{"collection":"book","id":"r\#(number / 5)","fields":{"n":\#(number)}}"#,
          transaction: "t\(number / 5)")
    }
  }

  @Test(.enabled(if: ToolProcess.tool != nil, "the executable is not there"))
  func `an import that is killed has whole transactions, and another run adds the rest`() throws {
    let all = lines(60_000)
    _ = try tool.file("in.jsonl", all.map { $0 + "\n" }.joined())
    for wait in ["0.3", "0.8", "1.5"] {
      let script = "rm -f log*; \"$TOOL\" import log in.jsonl & tool=$!; sleep \(wait); kill -9 $tool; wait $tool"
      _ = try ToolProcess.shell(script, in: tool.folder)
      guard FileManager.default.fileExists(atPath: tool.path("log")) else { continue }
      let events = tool.run("log", "--json", tool.path("log")).lines.count
      #expect(events % 5 == 0, "\(events) after \(wait) s")
    }
    let answer = try ToolProcess.shell("\"$TOOL\" import log in.jsonl --json", in: tool.folder)
    #expect(answer.status == 0 && answer.output.hasSuffix(#""position":60000}"# + "\n"), "\(answer)")
    let store = try SQLiteEventStore(readingFrom: tool.path("log"))
    #expect(try store.transaction(at: 60_000) == 12_000 && store.verify().isSound)
  }

  @Test func `a bad line after many transactions leaves them all in the log, and nothing of its own`() throws {
    var all = lines(40_000)
    all[33_333] = "{"
    let answer = try tool.importLines(all)
    #expect(answer.status == 3)
    #expect(answer.talk.contains("line 33334: ") && answer.talk.contains("33330 events were imported"))
    #expect(try SQLiteEventStore(readingFrom: tool.log).head() == 33_330)
  }

  @Test(arguments: [(2, 4), (1_500, 1_502), (1_023, 9_000), (9_000, 9_001)])
  func `of a bad line and bytes that are no text the first is named`(bad: Int, noText: Int) throws {
    for isBadFirst in [true, false] {
      let all = lines(10_000)
      var bytes = Data()
      for (index, line) in all.enumerated() {
        switch index {
        case isBadFirst ? bad : noText: bytes.append(contentsOf: Array("{\n".utf8))
        case isBadFirst ? noText : bad: bytes.append(contentsOf: [0x7B, 0xFF, 0x0A])
        default: bytes.append(contentsOf: Array((line + "\n").utf8))
        }
      }
      let path = tool.path("in-\(isBadFirst)")
      try bytes.write(to: URL(fileURLWithPath: path))
      let log = tool.path("log-\(isBadFirst)")
      let answer = tool.run("import", log, path)
      // It may belong to the transaction before it.
      let whole = (bad - 1) / 5 * 5
      #expect(answer.status == 3 && answer.talk.contains("line \(bad + 1): "), "\(answer.talk)")
      #expect(answer.talk.contains("UTF-8") == !isBadFirst && answer.talk.contains("\(whole) events were imported"))
      let head = FileManager.default.fileExists(atPath: log) ? try SQLiteEventStore(readingFrom: log).head() : 0
      #expect(head.rawValue == whole)
    }
  }

  @Test func `a file that has everything twice is imported once`() throws {
    let all = lines(20_000)
    let answer = try tool.importLines(all + all + all.prefix(7))
    #expect(
      answer.talk
        == "20000 events imported in 4000 transactions, 20007 skipped that the log had; its last position is 20000\n")
  }

  @Test func `what has come is in the log before the import waits for more`() throws {
    var (reads, seen) = (0, -1)
    let all = lines(20).map { $0 + "\n" }
    tool.inputIsReady = { false }
    tool.onInput = {
      reads += 1
      switch reads {
      case 1: return Data(all.prefix(12).joined().utf8)
      case 2:
        // Two transactions are whole; the third may go on.
        seen = (try? SQLiteEventStore(readingFrom: self.tool.log).head().rawValue) ?? -1
        return Data(all.dropFirst(12).joined().utf8)
      default: return Data()
      }
    }
    let answer = tool.run("import", tool.log, "-", "--json")
    #expect(answer.output == #"{"events":20,"transactions":4,"skipped":0,"position":20}"# + "\n", "\(answer)")
    #expect(seen == 10)
  }

  @Test(arguments: [
    ([0xFF, 0xD8, 0xFF, 0xE0] as [UInt8], "found a JPEG image"),
    ([0x1F, 0x8B, 8], "found a file that gzip compressed; unpack it: gzip -dc"),
    ([0xFF, 0xFE, 0x7B, 0], "found text in UTF-16; convert it: iconv"), ([0x50, 0x4B, 3, 4], "found a ZIP archive"),
  ])
  func `a file that is no text is named`(bytes: [UInt8], message: String) throws {
    let path = tool.path("in")
    try Data(bytes + Array(repeating: 7, count: 300)).write(to: URL(fileURLWithPath: path))
    let answer = tool.run("import", tool.log, path)
    #expect(
      answer.status == 3 && answer.talk.contains("in: expected lines of CloudEvents, \(message)"), "\(answer.talk)")
    #expect(answer.talk.contains(message) && !FileManager.default.fileExists(atPath: tool.log))
  }
}
