import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import Testing

/// Lists of a log as it would be without some events, or with other payloads.
@Suite struct WithoutTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    tool.tool = ToolRunner.wares
    try tool.makeWares()
  }

  private func show(_ words: String...) -> ToolRunner.Answer { tool.run(["show", tool.log] + words) }

  @Test func `show leaves an event out, and what cannot be folded without it, and says so`() {
    let answer = show("--without", "2")
    #expect(
      answer.lines == [
        "position 10 without 2: 3 rows in 2 sections", "Left  1", "  a  price: 4, shelf: x", "y  2",
        "  c  price: 6, shelf: y", "  b  price: 8, shelf: y",
      ])
    #expect(
      answer.talk == """
        without 2: the log isn't changed. Later commands could have had other results
        3 events could not apply without it:
          5 WareBundled: notThere("b")
          8 WareRepriced b: notThere("b")
          9 WareDeleted b: notThere("b")
        WareShop would have refused 8 WareRepriced of WareShop-main: notThere("b")

        """)
    #expect(answer.status == 0)
  }

  @Test func `an event that was refused after it changed some rows leaves no half of its change`() {
    // Event 5 reprices a to 5, and then finds that b is missing.
    let answer = show("--without", "2", "5")
    #expect(
      answer.lines == [
        "position 5 without 2: 2 rows in 2 sections", "x  1", "  a  price: 4, shelf: x", "y  1",
        "  c  price: 3, shelf: y",
      ])
    #expect(show("5").output.contains("a  price: 5"))
  }

  @Test func `JSON says what was left out and what could not be folded`() {
    #expect(
      show("--without", "2", "6", "--json", "--where", "price > 3.5").output
        == #"""
        {"position":6,"count":1,"sections":[{"key":"x","title":"Left","indexTitle":"L","rows":[\#
        {"id":"a","fields":{"price":4,"shelf":"x"}}]}],"without":["2"],"dropped":[\#
        {"position":5,"reason":"notThere(\"b\")"}]}

        """#)
    #expect(
      tool.run("diff", tool.log, "6..8", "--without", "7,2", "--json").output.isEmpty)
    let replay = tool.run("diff", "--each", tool.log, "--without", "2", "--json").lines
    #expect(replay.filter { $0.contains(#""without":["2"]"#) }.count == replay.count && replay.count == 5)
    #expect(replay[2].contains(#""to":6"#) && replay[2].contains(#""dropped":[{"position":5,"#), "\(replay[2])")
    #expect(replay[3].contains(#""to":7"#) && replay[3].contains(#""dropped":[]"#))
    #expect(replay[4].contains(#"{"position":8,"#) && replay[4].contains(#"{"position":9,"#))
  }

  @Test func `each way to name events leaves out those, and what is not there is an error`() {
    func rows(_ what: String) -> Int? {
      show("--without", what, "--json").output.firstMatch(of: #/"count":(\d+)/#).flatMap { Int($0.1) }
    }
    #expect(rows("1") == 2 && rows("1,3") == 1 && rows("1..3") == 1 && rows("type:WareInserted") == 0)
    #expect(rows("author:bo*") == 1 && rows("cmd:c1") == 2 && rows("correlation:c1") == 2 && rows("-0") == 2)
    #expect(rows("1..10") == 0 && rows("first") == 2 && rows("last") == 2 && rows("type:*") == 0)
    let cases: [(String, Int32, String)] = [
      ("11", 2, "--without 11 is past the end: the log's last position is 10"),
      ("0", 2, "expected a position from 1 to 10, found 0"), ("9..2", 2, "--without 9..2: 9 is after 2"),
      ("", 2, "expected positions (6 or 6,9), A..B"), ("2,", 2, "expected positions"), ("3..", 2, "expected positions"),
      ("yesterday", 2, "expected positions"), ("tx:nope", 1, "no transaction with the label \"nope\""),
      ("cmd:nope", 1, "no command with the id \"nope\""), ("id:nope", 1, "no event with the id \"nope\""),
      ("type:WareRepriced2", 2, "no event of the log has the type WareRepriced2; did you mean WareRepriced?"),
      ("author:cy", 2, "no event of the log has the author cy"),
      ("correlation:x", 2, "no event of the log has the correlation x"),
    ]
    for (what, status, message) in cases {
      let answer = show("--without", what)
      #expect(answer.status == status && answer.talk.contains(message), "\(what): \(answer.talk)")
      #expect(answer.output == "")
    }
  }

  @Test func `an event in the middle of a transaction, a whole transaction and a title can be left out`() throws {
    #expect(show("--without", "4", "6").output.contains("a  price: 5"))
    #expect(show("--without", "6", "6").lines[1] == "x  2")
    #expect(show("6").lines[1] == "Left  2")
    let label = try #require(
      tool.run("log", "--json", tool.log).lines[4].firstMatch(of: #/"transaction":"([^"]+)"/#)?.1)
    #expect(
      Array(show("--without", "tx:\(label)", "6").lines[1...3])
        == ["x  2", "  a  price: 1, shelf: x", "  b  price: 2, shelf: x"])
  }

  @Test func `an event before all that is left out stops the list as ever`() throws {
    let store = try SQLiteEventStore(path: tool.log)
    try store.append(Append([NewEvent(type: "WareDeleted", payload: #"{"id":"zz"}"#)], to: "WareShop-main"))
    try store.append(Append([NewEvent(type: "WareDeleted", payload: #"{"id":"a"}"#)], to: "WareShop-main"))
    #expect(show().status == 3)
    let later = show("--without", "12")
    #expect(later.status == 3 && later.talk.contains("Wares stopped before event 11"), "\(later.talk)")
    let itself = show("--without", "11")
    #expect(itself.status == 0 && itself.lines[0] == "position 12 without 11: 2 rows in 1 section")
    #expect(!itself.talk.contains("could not apply"))
  }

  @Test func `instead gives an event another payload, which must be JSON that it can have`() {
    let answer = show("--instead", #"8={"id":"c","to":0.5}"#, "--instead", #"cmd:c1={"id":"q","price":9,"shelf":"z"}"#)
    #expect(answer.status == 0 && answer.lines[0] == "position 10 with another 1, 8: 3 rows in 2 sections")
    #expect(answer.talk.contains("2 events could not apply then:\n  4 WareRepriced a: "))
    let json = show("--instead", "8={\"id\":\"c\",\n\"to\":0.5}", "--json").lines
    #expect(json.count == 1)
    #expect(json[0].contains(#""without":[],"instead":[{"position":8,"payload":{"id":"c", "to":0.5}}],"dropped":[]}"#))
    let cases = [
      ("8=5", "--instead 8: expected a payload of WareRepriced, found 5"), ("8=", "expected JSON, found \"\""),
      ("8={\"id\":\"c\"}", "expected a payload of WareRepriced"), ("8", "expected PLACE=JSON"),
      ("={}", "expected PLACE=JSON"), ("11={}", "is past the end"), ("x={}", "expected a position (120)"),
      ("8={} x", "expected JSON"),
    ]
    for (text, message) in cases {
      let answer = show("--instead", text)
      #expect(answer.status == 2 && answer.talk.contains(message), "\(text): \(answer.talk)")
    }
    #expect(show("--instead", "8={}", "--instead", "cmd:c8={}").talk.contains("is given two payloads"))
    #expect(show("--instead", "8={}", "--without", "7..9").talk.contains("cannot be left out and have another"))
    // Before the event its payload is not looked at.
    #expect(show("--instead", "8=5", "7").status == 0)
  }

  @Test func `records are left out too, and a payload that is none is an error`() throws {
    tool.tool = .annals
    let log = tool.path("records")
    try tool.importLines(
      [
        inserted(1, "b1", #"{"n":1}"#), inserted(2, "b2", #"{"n":2}"#),
        line(3, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"n":3}}"#),
        line(4, "RecordDeleted", #"{"collection":"book","id":"b1"}"#),
      ], to: log)
    let answer = tool.run("show", log, "--without", "id:1")
    #expect(answer.lines == ["position 4 without id:1: 1 row", "  b2  n: 2"])
    #expect(
      answer.talk.hasSuffix(
        """
        2 events could not apply without them:
          3 RecordUpdated b1: updates the id "b1", which "book" does not have
          4 RecordDeleted b1: deletes the id "b1", which "book" does not have

        """), "\(answer.talk)")
    #expect(tool.run("show", log, "--without", "1..4").lines == ["position 4 without 1..4: 0 rows"])
    #expect(tool.run("show", log, "--without", "1..4", "--list", "book").status == 0)
    let wrong = tool.run("show", log, "--instead", "2=5")
    #expect(wrong.status == 2 && wrong.talk.contains("--instead 2: expected a payload of RecordInserted, found 5"))
  }

  @Test func `why, find and replay with a table take it, and count an event once however they go`() {
    let found = tool.run("find", tool.log, "exists(b)", "--without", "2", "--json")
    #expect(found.status == 0 && found.output.hasPrefix(#"{"position":10,"#), "\(found.output)")
    #expect(tool.run("why", tool.log, "b", "9", "--without", "2").status == 1)
    let fields = tool.run("why", tool.log, "a", "--without", "4,5")
    #expect(fields.lines.contains { $0.hasPrefix("  .price  1  1  ") }, "\(fields.output)")
    let replay = tool.run("diff", "--each", tool.log, "--without", "2", "--check")
    #expect(replay.status == 0 && replay.talk.contains("a table view takes all 5 batches"), "\(replay.talk)")
    #expect(replay.talk.contains("3 events could not apply"))
    let back = tool.run("diff", tool.log, "10..3", "--without", "2")
    #expect(back.status == 1 && back.talk.contains("3 events could not apply"))
  }

  @Test func `a batch names no event that was left out as its cause`() {
    let batch = tool.run("diff", tool.log, "3..6", "--without", "2", "--json").output
    #expect(batch.contains(#""eventCount":2,"events":[{"position":4,"#) && !batch.contains(#"{"position":5,"time"#))
  }

  @Test func `nothing is written, not even a saved list`() throws {
    func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: tool.log)) }
    let before = try bytes()
    _ = show("--without", "2")
    _ = show("--instead", #"8={"id":"c","to":0.5}"#)
    #expect(try bytes() == before)
  }

  @Test func `an inserted ware whose every later event drops is ten lines and a count`() throws {
    let store = try SQLiteEventStore(path: tool.log)
    let updates = (1...500).map { NewEvent(type: "WareRepriced", payload: #"{"id":"a","to":\#($0)}"#) }
    try store.append(Append(updates, to: "WareShop-main"))
    let answer = show("--without", "1")
    #expect(answer.lines[0] == "position 510 without 1: 2 rows in 1 section")
    #expect(
      answer.talk.contains(
        "502 events could not apply without it:\n  4 WareRepriced a: notThere(\"a\")\n  5 WareBundled: "))
    #expect(answer.talk.contains("\n  and 492 more, which --json prints\n"))
    #expect(answer.talk.split(separator: "\n").count == 14)
  }
}

extension WithoutTests {
  @Test func `scrub and timeline take it too, and name it in their headings`() throws {
    let page = tool.path("page.html")
    let answer = tool.run("timeline", tool.log, "-o", page, "--without", "cmd:c1")
    #expect(answer.status == 0 && answer.talk.contains("2 events could not apply"), "\(answer.talk)")
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(html.contains("<title>log.annals without cmd:c1") && !html.contains(#""c1""#))
    let screen = tool.run("scrub", tool.log, "--keys", "q", "--size", "100x24", "--without", "1")
    #expect(screen.output.contains("Wares without 1"), "\(screen.output)\(screen.talk)")
  }

  @Test func `follow leaves out what is appended later and is meant`() throws {
    tool.tool = .annals
    try tool.importLines([inserted(1, "b1", #"{"n":1}"#)], to: tool.path("records"))
    let script = """
      "$TOOL" diff --follow records 0.. --json --without type:RecordUpdated > out 2> err & pid=$!
      for i in $(seq 200); do [ -s err ] && break; sleep 0.05; done
      "$TOOL" do records update b1 n=2 > /dev/null && "$TOOL" do records insert b2 n=3 --list book > /dev/null
      for i in $(seq 400); do grep -q b2 out && break; sleep 0.05; done
      kill $pid; wait $pid; cat out
      """
    let lines = try ToolProcess.shell(script, in: tool.folder).output.split(separator: "\n")
    #expect(lines.count == 2 && !lines.contains { $0.contains(#""n":2"#) }, "\(lines)")
    #expect(lines.last?.hasPrefix(#"{"from":1,"to":3,"#) ?? false)
    #expect(lines.allSatisfy { $0.hasSuffix(#","without":["type:RecordUpdated"],"dropped":[]}"#) }, "\(lines)")
  }
}
