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
    #expect(other.status == 0 && other.talk == "no row has a field zzz\n")
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

  @Test func `salvage names the first event that the list can't show, and a command that shows the rest`() throws {
    // A whole page has the event to lose, because a damaged page loses all its events.
    let title = String(repeating: "x", count: 30_000)
    let log = tool.path("long.annals")
    try tool.importLines(
      [inserted(1, "a"), inserted(2, "b", #"{"title":"\#(title)"}"#), inserted(3, "c")], to: log)
    try tool.importLines([line(4, "RecordUpdated", #"{"collection":"book","id":"b","fields":{"n":1}}"#)], to: log)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: log))
    let place = try #require(bytes.range(of: Data(title.utf8.prefix(100))))
    bytes[place.lowerBound] = UInt8(ascii: "y")
    let (bad, sound) = (tool.path("bad.annals"), tool.path("sound.annals"))
    try bytes.write(to: URL(fileURLWithPath: bad))
    let answer = tool.run("salvage", bad, sound)
    let position = tool.run("show", sound).talk.firstMatch(of: #/event (\d+)/#).map { String($0.1) }
    let first = try #require(position, "\(answer)")
    #expect(answer.status == 1)
    #expect(answer.talk.contains("\nthe list can't be shown from event \(first) on: "), "\(answer)")
    #expect(
      answer.talk.hasSuffix("`annals show \(sound) --without \(first)` leaves out the events that can't be applied\n"))
    #expect(tool.run("show", sound, "--without", first).status == 0)
    let page = tool.run("verify", bad).output.firstMatch(of: #/page (\d+) /#)?.1
    let backup = tool.run("backup", bad, tool.path("copy.annals")).talk.firstMatch(of: #/page (\d+) /#)?.1
    #expect(page == backup && backup != "0", "\(backup ?? "none")")
  }

  @Test func `a table has the same columns for every condition`() throws {
    try tool.importLines([inserted(6, "d", #"{"rare":1}"#)])
    for condition in ["price < 0", "price > 0", "rare exists", "not rare exists"] {
      let answer = tool.run("show", tool.log, "--format", "csv", "--where", condition)
      #expect(answer.output.hasPrefix("id,price,rare,shelf\r\n"), "\(answer)")
    }
    let plain = tool.run("show", tool.log, "4", "--format", "tsv", "--where", "price < 0").output
    #expect(plain == "id\tprice\tshelf\n")
    #expect(tool.run("show", tool.log, "-n0", "--format", "csv").output == "id,price,rare,shelf\r\n")
  }

  @Test func `authors are printed with the number of their events`() {
    tool.run("do", tool.log, "update", "a", "price=4", "--author", "ann")
    tool.run("do", tool.log, "update", "a", "price=5", "--author", "bob")
    tool.run("do", tool.log, "update", "a", "price=6", "--author", "ann")
    #expect(tool.run("info", tool.log).lines.contains("authors     ann 2, bob 1"))
    let json = tool.run("info", tool.log, "--json").output
    #expect(json.contains(#""authors":["ann","bob"]"#))
    #expect(json.contains(#""byAuthor":[{"name":"ann","events":2},{"name":"bob","events":1}]"#))
  }

  @Test func `erase in a log without personal values names the commands that remove a record`() {
    let answer = tool.run("erase", tool.log, "Dana", "--yes")
    #expect(answer.status == 1)
    #expect(answer.talk.contains("`annals do LOG delete ID`") && answer.talk.contains("`annals compact LOG`"))
  }

  @Test func `undo leads to a recipe that changes the rows back`() throws {
    let answer = tool.run("do", tool.log, "undo")
    #expect(answer.status == 2 && !answer.talk.contains("ReplayTool"))
    #expect(answer.talk.hasPrefix("annals: annals has no command \"undo\"; did you mean help what-if?\n"))
    #expect(tool.run("undo", tool.log).talk.contains("did you mean help what-if?"))
    let recipe = tool.run("help", "what-if").lines.filter {
      $0.hasPrefix("  show LOG ") || $0.hasPrefix("  import LOG ")
    }
    #expect(recipe.count == 2)
    for without in ["5", "1", "4..5"] {
      let expected = tool.run("show", tool.log, "--without", without).lines.dropFirst()
      var rows = ""
      for line in recipe {
        var words = line.replacing(#/ > rows.jsonl| --without 6/#, with: "").split(separator: " ").map(String.init)
        words = words.map {
          $0 == "LOG" ? tool.log : $0 == "rows.jsonl" ? tool.path("rows.jsonl") : $0
        }
        if words[0] == "show" {
          rows = tool.run(words + ["--without", without]).output
          _ = try tool.file("rows.jsonl", rows)
        } else {
          #expect(tool.run(words).status == 0)
        }
      }
      #expect(tool.run("show", tool.log).lines.dropFirst() == expected, "\(without)")
    }
  }

  @Test func `help names the forms of places and the formats of export`() {
    let places = tool.run("help", "places").output
    for word in ["2026-03-15", "march 2026", "last friday", "first moment"] { #expect(places.contains(word)) }
    #expect(tool.run("help", "log").output.contains("--format jsonl"))
    #expect(tool.run("help", "options").output.contains("CR LF"))
  }

  @Test(arguments: [
    ("show --author=x", "log LOG author:NAME"), ("log --author=x", "author:NAME after the log"),
    ("show --since=1", "log LOG A..B"), ("log --since=1", "A..B after the log"),
    ("show --as-of=1", "PLACE after the log"),
    ("show --group-by=x", "--section-by"), ("show --order-by=x", "--sort"), ("show --filter=x", "--where"),
    ("log --filter=x", "a condition after the log, such as 'price > 5'"), ("show --columns=x", "--fields"),
    ("show --csv", "--format csv"), ("show --out=x", "> FILE"), ("timeline --out=x", "--output"),
  ])
  func `an option of another program leads to a form that the subcommand takes`(words: String, form: String) {
    let words = words.split(separator: " ").map(String.init)
    let answer = tool.run([words[0], tool.log, words[1]])
    #expect(answer.status == 2 && answer.talk.contains("; did you mean \(form)?\n"), "\(answer)")
  }

  @Test func `an import that ends at a bad line names the line and the number of imported events`() throws {
    let answer = try tool.importLines([
      inserted(6, "d"), inserted(7, "e"),
      line(8, "RecordUpdated", #"{"collection":"book","id":"zzz","fields":{}}"#),
    ])
    #expect(answer.status == 3)
    #expect(
      answer.talk.hasSuffix(
        "\n2 events were imported, but not the transaction of line 3. Correct the line and import again\n"), "\(answer)"
    )
  }

  @Test func `an update without a change is noted, and why names the insertion of a deleted row`() {
    let note = "the row has these values already, so the event changes nothing\n"
    #expect(tool.run("do", tool.log, "update", "a", "price=1", "shelf=x", "--dry-run").talk == note)
    #expect(tool.run("do", tool.log, "update", "a", "price=1").talk == note)
    #expect(tool.run("do", tool.log, "update", "a", "price=2").talk.isEmpty)
    tool.run("do", tool.log, "delete", "b")
    let lines = tool.run("why", tool.log, "b", "--time", "none").lines
    #expect(lines[1] == "  deleted by   9  RecordDeleted" || lines[1] == "  deleted by   8  RecordDeleted", "\(lines)")
    #expect(lines[2] == "  inserted by  2  RecordInserted", "\(lines)")
  }

  @Test func `a condition that holds at the beginning of a range already holds`() {
    #expect(tool.run("find", tool.log, "count > 1", "3..").lines.first?.hasPrefix("3  already holds") == true)
    #expect(tool.run("find", tool.log, "count > 1").lines.first?.hasPrefix("2  holds") == true)
    #expect(tool.run("find", tool.log, "exists(b)", "1..").lines.first?.hasPrefix("2  holds") == true)
  }

  @Test func `a tree of a month has days and hours`() throws {
    let log = tool.path("month.annals")
    func event(_ number: Int, _ time: String) -> String {
      inserted(number, "m\(number)").replacing("2026-01-02T03:04:05Z", with: time)
        .replacing(#""subject""#, with: #""correlationid":"c","subject""#)
    }
    try tool.importLines([event(1, "2026-01-01T00:00:00Z"), event(2, "2026-01-25T04:30:00Z")], to: log)
    #expect(tool.run("log", log, "--tree", "c").lines.first == "c  2 events, 24 d 4 h")
    #expect(tool.run("log", log, "--tree", "1").lines.first?.hasSuffix("0.0 s") == false)
    let day = tool.path("day.annals")
    try tool.importLines([event(1, "2026-01-01T00:00:00Z"), event(2, "2026-01-01T23:59:59Z")], to: day)
    #expect(tool.run("log", day, "--tree", "c").lines.first == "c  2 events, 23 h 59 min")
  }
}
