@testable import AnnalsReplay
@testable import AnnalsSQLite
import Annals
import Foundation
import Testing

/// Input that would take all memory, time or stack.
@Suite struct HostileInputTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    let text = String(repeating: "a", count: 60) + "b"
    try tool.importLines((0..<20).map { inserted($0, "r\($0)", #"{"t":"\#(text)","n":\#($0)}"#) })
  }

  private func show(_ condition: String) -> ToolRunner.Answer { tool.run("show", tool.log, "--where", condition) }

  @Test func `a condition of thousands of terms is read, and holds as a few do`() {
    for count in [1, 10, 700] {
      let any = (0..<count).map { "n = \($0)" }.joined(separator: " or ")
      #expect(show(any).output.hasPrefix("position 20: \(min(count, 20)) row"), "\(count)")
      let all = (0..<count).map { "n != \($0)" }.joined(separator: " and ")
      #expect(show(all).output.hasPrefix("position 20: \(max(0, 20 - count)) row"), "\(count)")
    }
    let long = show(Array(repeating: "n = 1", count: 8_000).joined(separator: " or "))
    #expect(long.status == 2 && long.talk.contains("at most 10000 characters"), "\(long.talk.prefix(200))")
  }

  @Test func `many nots are as many negations, and too many brackets an error`() {
    for count in [1, 2, 3, 40, 41, 2_000] {
      let nots = String(repeating: "not ", count: count) + "n = 1"
      let (shown, found) = (show(nots), tool.run("find", tool.log, nots))
      if count <= 40 {
        #expect(shown.output.hasPrefix("position 20: \(count % 2 == 0 ? 1 : 19) row"), "\(count)")
        #expect(found.status == 0, "\(found)")
      } else {
        for answer in [shown, found] {
          #expect(answer.status == 2 && answer.talk.contains("at most 40 nested terms"), "\(answer)")
        }
      }
    }
    for (open, close) in [("(", ")"), ("not (", ")"), ("not(", ")")] {
      for count in [1, 20, 2_000] {
        let text = String(repeating: open, count: count) + "n = 1" + String(repeating: close, count: count)
        for answer in [show(text), tool.run("find", tool.log, text), tool.run("log", tool.log, text)] {
          #expect(count > 100 ? answer.status == 2 : answer.status < 2, "\(count) of \(open): \(answer)")
        }
      }
    }
    let lists = "n in " + String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000)
    #expect(show(lists).status == 0 || show(lists).status == 2)
  }

  @Test(arguments: ["(a+)+$", "(a|aa)+$", "(a*)*!", "(?:a|a)*$", "(([a-z])+.)+[A-Z]([a-z])+$"])
  func `a regular expression that would not end is an error that names it`(expression: String) {
    for words in [
      ["log", tool.log, "grep:\(expression)"], ["show", tool.log, "--where", "t matches \"\(expression)\""],
      ["find", tool.log, "t matches \"\(expression)\""], ["log", tool.log, "--limit", "-10", "grep:\(expression)"],
      ["log", tool.log, "fields.t matches \"\(expression)\""],
      ["diff", "--each", tool.log, "--where", "not t matches \"\(expression)\""],
    ] {
      let answer = tool.run(words)
      #expect(answer.status == 2, "\(words): \(answer)")
      #expect(answer.talk.contains("the regular expression \"\(expression)\" needs too much work"), "\(answer.talk)")
      #expect(answer.output == "", "\(answer.output)")
    }
  }

  @Test func `a pattern does the work that long texts need, and shares what is beyond it`() throws {
    let long = try TextPattern("b+c", budget: 0)
    #expect(!long.matches(String(repeating: "ab", count: 1_000_000)) && long.problem == nil)
    #expect(long.matches(String(repeating: "ab", count: 1_000_000) + "bc") && long.problem == nil)
    // Searches that need a part of the budget use it up together.
    let slow = try TextPattern("(a+)+$", budget: 300)
    var count = 0
    while slow.problem == nil, count < 1_000 {
      _ = slow.matches(String(repeating: "a", count: 18) + "b")
      count += 1
    }
    #expect(count > 1 && count < 1_000 && !slow.matches("a"), "\(count)")
  }

  @Test func `numbers that no log can have are reported, and end no process`() throws {
    let (huge, most) = ("9223372036854775807", "9007199254740992")
    let updates = (0..<5).map { number in
      line(100 + number, "RecordUpdated", #"{"collection":"book","id":"r1","fields":{"n":\#(number)}}"#)
    }
    try tool.importLines(updates)
    for (cut, replaced, count) in [(huge, "0", 2), ("0", huge, 2), (most, most, 1_100), ("-1", "0", 1)] {
      let log = tool.path("log-\(UUID().uuidString)")
      try FileManager.default.copyItem(atPath: tool.log, toPath: log)
      #expect(tool.run("compact", log, "--yes").status == 0)
      let connection = try SQLiteConnection(path: log, access: .write)
      for _ in 0..<count {
        try connection.execute(
          "INSERT INTO compaction (position, \"transaction\", time, cut, replaced, identities, complete) "
            + "SELECT position, \"transaction\", \(huge), \(cut), \(replaced), \(huge), 1 FROM compaction LIMIT 1")
      }
      try connection.execute(
        "INSERT INTO erasure (subject, position, time, fields, complete) VALUES ('x', 1, \(huge), \(huge), 1), "
          + "('x', 1, -\(huge), \(huge), 1)")
      connection.close()
      for name in ["info", "erase", "verify", "followers", "show", "log"] {
        for form in [[], ["--json"]] where name != "export" || form.isEmpty {
          let answer = tool.run([name, log] + form)
          #expect(answer.status == 0 || answer.status == 1 || answer.status == 3, "\(name): \(answer)")
        }
      }
      #expect(tool.run("verify", log).status != 0)
      tool.run("compact", log, "--yes")
    }
  }

  @Test func `a checkpoint at the largest number is reported, and can be forgotten`() throws {
    let store = try SQLiteEventStore(path: tool.log)
    _ = try store.checkpoints?.setCheckpoint(named: "far", to: Position(.max), from: nil)
    store.close()
    for words in [["followers"], ["info"], ["verify"], ["followers", "far", "1", "--yes"]] {
      let answer = tool.run([words[0], tool.log] + words.dropFirst())
      #expect((answer.output + answer.talk).contains("9223372036854775807"), "\(answer)")
    }
    #expect(tool.run("followers", tool.log, "far", "0", "--yes").status == 0)
  }
}
