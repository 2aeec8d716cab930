import Annals
import Foundation
import Testing

@testable import AnnalsReplay

/// Commands that a newcomer types, with names that don't exist, numbers and abbreviations.
@Suite struct StumbleTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    try tool.importLines([
      inserted(1, "a", #"{"price":1,"shelf":"x"}"#), inserted(2, "b", #"{"price":2,"shelf":"x"}"#),
      inserted(3, "c", #"{"price":3,"shelf":"y"}"#),
      line(4, "RecordUpdated", #"{"collection":"book","id":"c","fields":{"price":0}}"#),
      line(5, "RecordUpdated", #"{"collection":"book","id":"b","fields":{"price":9}}"#),
    ])
  }

  @Test func `an order by a field that no row of the log has is an error before any output`() throws {
    for words in [
      ["show", tool.log, "--sort=-prise"], ["show", tool.log, "--section-by", "prise"],
      ["diff", tool.log, "1..3", "--sort", "prise"], ["why", tool.log, "a", "--sort", "prise"],
      ["find", tool.log, "count > 1", "--sort", "prise", "--each"],
      ["timeline", tool.log, "-o", tool.path("p.html"), "--sort", "prise"],
    ] {
      let answer = tool.run(words)
      #expect(answer.status == 2, "\(words) \(answer)")
      #expect(answer.talk == "annals: no row has a field prise; did you mean price?\n", "\(words)")
      if words[0] != "find" { #expect(answer.output.isEmpty, "\(words)") }
    }
    #expect(!FileManager.default.fileExists(atPath: tool.path("p.html")))
    let other = tool.run("show", tool.log, "--sort", "zzz")
    #expect(other.status == 2 && other.talk == "annals: no row has a field zzz\n" && other.output.isEmpty)
    #expect(tool.run("show", tool.log, "--section-by", "zzz").status == 2)
    let descending = tool.run("show", tool.log, "--sort", "price:desc")
    #expect(descending.status == 2 && descending.talk.hasSuffix("; for a descending order write --sort=-price\n"))
    // A later row has the field, also where the search ends before it.
    try tool.importLines([inserted(6, "d", #"{"rare":1}"#)])
    for words in [
      ["show", tool.log, "3", "--sort", "rare"], ["show", tool.log, "--sort", "rare"],
      ["show", tool.log, "3", "--where", "rare = 1"], ["find", tool.log, "count > 1", "--where", "not rare = 7"],
    ] {
      let answer = tool.run(words)
      #expect(answer.status == 0 && answer.talk.isEmpty, "\(words) \(answer)")
    }
  }

  @Test func `a change of a field that no row had is noted`() {
    let note = "no row of book had a field prise; did you mean price?\n"
    #expect(tool.run("do", tool.log, "update", "a", "prise=4", "--dry-run").talk == note)
    let changed = tool.run("do", tool.log, "update", "a", "prise=4")
    #expect(changed.status == 0 && changed.talk == note)
    #expect(tool.run("do", tool.log, "update", "a", "prise=5", "price=6").talk.isEmpty)
    #expect(tool.run("do", tool.log, "insert", "z", "title=Z", "--list", "other").talk.isEmpty)
  }

  @Test func `a negative number is the number of the last events`() {
    func positions(_ words: String...) -> [String] {
      tool.run(["log", tool.log] + words).lines.map { String($0.prefix { $0 != " " }) }
    }
    #expect(positions("-2") == ["4", "5"])
    #expect(positions("-2", "type:RecordInserted") == ["2", "3"])
    #expect(positions("-9") == ["1", "2", "3", "4", "5"])
    #expect(positions("-2..") == ["3", "4", "5"])
    #expect(tool.run("log", tool.log, "-2", "--json").lines.count == 2)
    #expect(tool.run("log", tool.log, "last").lines.first == "5  RecordUpdated")
    let both = tool.run("log", tool.log, "-2", "--limit", "3")
    #expect(both.status == 2 && both.talk == "annals: --limit and -2 cannot be given together\n")
  }

  @Test func `two logs with equal lists and other events differ`() throws {
    let other = try ToolRunner()
    try other.importLines(Array(tool.run("log", tool.log, "--json").lines.dropLast()))
    for (id, price) in [(5, 8), (6, 9)] {
      try other.importLines([
        line(id, "RecordUpdated", #"{"collection":"book","id":"b","fields":{"price":\#(price)}}"#)
      ])
    }
    let answer = tool.run("diff", tool.log, other.log)
    #expect(answer.status == 1 && answer.output.isEmpty, "\(answer)")
    #expect(answer.talk.hasPrefix("the lists are equal, but the events are not\nthe logs are equal up to 4\n"))
  }

  @Test func `dates of an app's rows are dates`() throws {
    let log = tool.path("staff.annals")
    #expect(tool.run("demo", "staff", log).status == 0)
    for form in ["json", "csv"] {
      let shown = tool.run("show", log, "--format", form).output
      #expect(shown.contains("1997-05-26T20:24:00Z") && !shown.contains("-49"), "\(shown)")
    }
    let answer = tool.run("why", log, "e3.birthday")
    #expect(answer.output.contains("1997-05-26T20:24:00Z"), "\(answer)")
  }

  @Test(.enabled(if: ToolProcess.tool != nil))
  func `a table that follows a log has a row before the next batch`() throws {
    let answer = try ToolProcess.shell(
      "timeout 60 \"$TOOL\" diff -f '\(tool.log)' 0.. --format table 2> /dev/null | head -n 2", in: tool.folder)
    let lines = answer.output.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("type") && lines[1].hasPrefix("insert"), "\(answer)")
    let events = try ToolProcess.shell(
      "timeout 60 \"$TOOL\" log -f '\(tool.log)' 5.. --format table 2> /dev/null | head -n 2", in: tool.folder)
    #expect(events.output.split(separator: "\n").map { $0.contains("RecordUpdated") } == [false, true], "\(events)")
  }

  @Test func `a missing list is an error before an event is printed`() {
    let answer = tool.run("log", tool.log, "2", "--list", "books")
    #expect(answer.status == 2 && answer.output.isEmpty)
    #expect(answer.talk.hasPrefix("annals: the log has no list or collection \"books\". It has \"book\""))
  }

  @Test func `the reason for a place names the field that moved a row`() {
    func reason(_ id: String, _ place: String) -> String? {
      tool.run("why", tool.log, id, place, "--sort", "price").lines.first { $0.contains("because") }
    }
    #expect(reason("c", "4") == "  because      it moved by price: 0 (was 3)")
    #expect(reason("a", "4") == "  because      c moved before it by price: 0 (was 3)")
    #expect(tool.run("why", tool.log, "b").output.contains("a came in before it") == false)
  }

  @Test func `two logs that differ in a long payload are compared at the difference`() throws {
    let other = try ToolRunner()
    let start = String(repeating: "x", count: 100)
    try other.importLines(tool.run("log", tool.log, "--json").lines)
    for (runner, end) in [(tool, "one"), (other, "two")] {
      try runner.importLines([inserted(6, "d", #"{"title":"\#(start)\#(end)"}"#)])
    }
    let answer = tool.run("diff", tool.log, other.log)
    let lines = answer.talk.split(separator: "\n").suffix(2)
    #expect(lines.map { $0.contains("xone") } == [true, false] && lines.map { $0.contains("xtwo") } == [false, true])
    #expect(answer.status == 1)
  }

  @Test func `a choice of a field or of a beginning of a name suggests the name`() throws {
    func talk(_ words: String...) -> String {
      let answer = tool.run(["log", tool.log] + words)
      return answer.status == 2 ? answer.talk : "status \(answer.status)"
    }
    #expect(talk("prise > 3") == "annals: no event of the log has a field prise; did you mean price?\n")
    #expect(talk("1..2", "type:RecordInserted", "prise > 3").hasSuffix("did you mean price?\n"))
    #expect(talk("price > 100") == "status 1")
    #expect(talk("type:RecordUp") == "annals: no event of the log has the type RecordUp; did you mean RecordUpdated?\n")
    #expect(
      tool.run("find", tool.log, "rows > 9").talk == "annals: no row ever had a field rows; did you mean count?\n")
  }

  @Test func `short options are joined, and a tree begins at any place`() {
    #expect(tool.run("show", tool.log, "-qn2").lines.first == "position 5: 2 of 3 rows")
    #expect(tool.run("show", tool.log, "-q2").status == 2)
    #expect(tool.run("show", tool.log, "-qx").talk.contains("unknown option -x"))
    let (last, fifth) = (tool.run("log", tool.log, "--tree", "last"), tool.run("log", tool.log, "--tree", "5"))
    #expect(last.lines.dropFirst() == fifth.lines.dropFirst() && last.lines.count == 2)
  }

  @Test func `hiding personal values of a log without them is an error before any output`() {
    let page = tool.path("p.html")
    for words in [["log", tool.log, "--json"], ["log", tool.log, "1..2"], ["timeline", tool.log, "-o", page]] {
      let answer = tool.run(words + ["--redact", "personal"])
      #expect(answer.status == 2 && answer.output.isEmpty, "\(words) \(answer)")
      #expect(
        answer.talk.hasPrefix("annals: --redact personal: the log has no personal fields, so nothing would be hidden."),
        "\(answer)")
    }
    #expect(!FileManager.default.fileExists(atPath: page))
  }

  @Test func `personal values are hidden in a range that has none, and after their erasure`() throws {
    try tool.importLines([inserted(6, "p", #"{"name":{"$personal":"ann","value":"Ann"}}"#)])
    #expect(tool.run("log", tool.log, "1..2", "--redact", "personal").status == 0)
    #expect(tool.run("erase", tool.log, "ann", "--yes").status == 0)
    let answer = tool.run("log", tool.log, "--redact", "personal")
    #expect(answer.status == 0 && !answer.output.contains("Ann"), "\(answer)")
  }

  @Test func `a regular expression after an exclamation mark leaves out the matching events`() {
    func positions(_ choice: String...) -> [String] {
      tool.run(["log", tool.log] + choice).lines.map { String($0.prefix { $0 != " " }) }
    }
    #expect(positions("grep:\"id\":\"c\"") == ["3", "4"])
    #expect(positions("grep:!\"id\":\"c\"") == ["1", "2", "5"])
    #expect(positions("grep:shelf", "grep:!\"c\"") == ["1", "2"])
    #expect(positions("grep:[!]c").isEmpty)
  }

  @Test func `a batch has a correlation if all its events have it`() throws {
    for (number, visit) in [(6, "v1"), (7, "v2"), (8, "v1"), (9, "v1")] {
      let event = inserted(number, "r\(number)")
      try tool.importLines([event.dropLast() + #","correlationid":"\#(visit)"}"#])
    }
    func header(_ range: String) -> String? { tool.run("diff", tool.log, range, "--stat").lines.first }
    #expect(header("5..8")?.contains("  of ") == false)
    #expect(header("7..9")?.hasSuffix("  of v1") == true)
  }

  @Test func `an overview counts the transactions that still have events`() {
    #expect(tool.run("info", tool.log).output.contains("5 in 5 transactions, 1.0 per"))
    #expect(tool.run("compact", tool.log, "--yes").status == 0)
    #expect(tool.run("info", tool.log).output.contains("3 in 3 transactions, 1.0 per"))
    #expect(tool.run("info", tool.log, "--json").output.contains(#""transactions":3"#))
  }

  @Test func `a what-if is compared with the list of the whole log`() {
    let answer = tool.run("diff", tool.log, "--without", "4,5")
    #expect(answer.status == 1, "\(answer)")
    #expect(
      answer.lines == [
        "position 5 → without 4,5", "  ~ b  price: 2 (was 9)", "  ~ c  price: 3 (was 0)",
      ], "\(answer)")
    #expect(
      tool.run("diff", tool.log, "--instead", #"5={"collection":"book","id":"b","fields":{"price":7}}"#)
        .lines.dropFirst() == ["  ~ b  price: 7 (was 9)"])
    let json = tool.run("diff", tool.log, "--without", "4", "--json")
    #expect(json.status == 1 && json.output.contains(#""without":["4"]"#) && json.lines.count == 1, "\(json)")
    let same = tool.run("diff", tool.log, "--without", "4", "--where", "id = a")
    #expect(same.status == 0 && same.output.isEmpty && same.talk.hasSuffix("no difference\n"), "\(same)")
    let empty = tool.run("diff", tool.log, "5..5")
    #expect(empty.status == 0 && empty.talk == "no difference\n")
    #expect(tool.run("diff", tool.log, "5..5", "--json").talk.isEmpty)
  }

  @Test func `two places without dots are an error with the range`() {
    for subcommand in ["diff", "log"] {
      let answer = tool.run(subcommand, tool.log, "2", "4")
      #expect(answer.status == 2 && answer.talk == "annals: between two places write 2..4\n", "\(answer)")
    }
    #expect(tool.run("log", tool.log, "2", "days", "ago", "last").talk.contains("write 2 days ago..last"))
  }

  @Test func `a name without its key is an error with the key`() throws {
    try tool.importLines([inserted(6, "d").dropLast() + #","correlationid":"sync","actor":"ann"}"#])
    let diff = tool.run("diff", tool.log, "tx:sync")
    #expect(diff.status == 1, "\(diff)")
    let sentence = #""sync" is a correlation: correlation:sync"#
    #expect(diff.talk == #"annals: PLACE: the log has no transaction with the label "sync". \#(sentence)\#n"#)
    let show = tool.run("show", tool.log, "--without", "sync")
    #expect(show.status == 2 && show.talk == "annals: --without: \(sentence)\n", "\(show)")
    #expect(tool.run("show", tool.log, "--without", "ann").talk.contains(#""ann" is an author: author:ann"#))
    #expect(tool.run("show", tool.log, "--without", "nobody").talk.contains("--without: expected positions"))
  }
}
