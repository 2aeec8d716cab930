import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

@testable import AnnalsReplay

/// The full-screen view, by the keys that are pressed.
@Suite struct ScrubTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
  }

  private static func event(_ number: Int, _ type: String, _ data: String, _ transaction: String, by actor: String)
    -> String
  {
    #"{"specversion":"1.0","id":"\#(number)","source":"test","type":"\#(type)","subject":"shop-\#(number % 2)","#
      + #""time":"2026-01-02T03:04:\#(number + 10)Z","actor":"\#(actor)","transaction":"\#(transaction)","#
      + #""data":\#(data)}"#
  }

  /// Six transactions: three books, two prices, a shelf's title, a deletion.
  private func fill() throws {
    func insert(_ id: String, _ fields: String) -> String {
      #"{"collection":"book","id":"\#(id)","fields":\#(fields)}"#
    }
    try tool.importLines([
      Self.event(1, "RecordInserted", insert("b1", #"{"title":"Annals","price":50.5,"shelf":"a"}"#), "t1", by: "ann"),
      Self.event(2, "RecordInserted", insert("b2", #"{"title":"Sagas","price":9,"shelf":"b"}"#), "t1", by: "ann"),
      Self.event(3, "RecordInserted", insert("b3", #"{"title":"史記","price":7,"shelf":"b"}"#), "t2", by: "ann"),
      Self.event(4, "RecordUpdated", insert("b1", #"{"price":60.5}"#), "t3", by: "bob"),
      Self.event(5, "SectionRenamed", #"{"collection":"book","section":"a","title":"Classics"}"#, "t4", by: "bob"),
      Self.event(6, "RecordUpdated", insert("b3", #"{"price":99,"shelf":"a"}"#), "t5", by: "bob"),
      Self.event(7, "RecordDeleted", #"{"collection":"book","id":"b2"}"#, "t6", by: "cleo"),
    ])
  }

  private func screen(_ keys: String, _ size: String = "80x24", _ options: String...) -> [String] {
    let answer = tool.run(["scrub", tool.log, "--keys", keys, "--size", size] + options)
    #expect(answer.status == 0, "\(answer.talk)")
    return answer.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  private func has(_ text: String, _ keys: String, _ options: String..., at: SourceLocation = #_sourceLocation) {
    let lines = tool.run(["scrub", tool.log, "--keys", keys, "--size", "110x30"] + options).output
    // A line with the log's path is wrapped if the path of the temporary folder is long.
    let joined = lines.replacing(#/ *│\n│ /#, with: " ")
    #expect(lines.contains(text) || joined.contains(text), "\(lines)", sourceLocation: at)
  }

  /// The position that the first line names.
  private func position(_ keys: String, at: SourceLocation = #_sourceLocation) -> String {
    let line = tool.run(["scrub", tool.log, "--keys", keys, "--size", "50x8"]).output.prefix { $0 != "\n" }
    return line.split(separator: " ").dropLast(2).last.map(String.init) ?? ""
  }

  private var by: [String] { ["--section-by", "shelf", "--sort", "-price"] }

  @Test func `Steps go by transactions, by events and by a hundred transactions`() throws {
    try fill()
    #expect(position("") == "7")
    #expect(position("←") == "6")
    #expect(position("←←←←←") == "2")
    #expect(position("←←←←←←") == "0")
    #expect(position("←←←←←⇧←") == "1")
    #expect(position("←←←←←⇧←→") == "2")
    #expect(position("gg→→⇧→") == "4")
    #expect(position("gg→⇧←⇧←⇧←") == "0")
    #expect(position("⌥←") == "0")
    #expect(position("gg⌥→") == "7")
    #expect(position("gg→→→→→→→→→") == "7")
    #expect(position("<Home><End>") == "7")
    #expect(position("hhLLH") == "6")
  }

  @Test func `Any place can be gone to, and errors are said at the bottom`() throws {
    try fill()
    #expect(position("g3⏎") == "3")
    #expect(position("gfirst⏎") == "1")
    #expect(position("g-2⏎") == "5")
    #expect(position("gtx:t4⏎") == "5")
    #expect(position("gid:6⏎") == "6")
    #expect(position("g1⌫3⏎") == "3")
    #expect(position("g3⎋") == "7")
    has("go to 99 is past the end", "g99⏎")
    has("go to: 12", "g12")
  }

  @Test func `The row under the cursor stays under it, and its changes can be gone to`() throws {
    try fill()
    #expect(position("/b1⏎[") == "4")
    #expect(position("/b1⏎[[") == "2")
    #expect(position("/b1⏎[[]") == "4")
    has("b1 does not change before this", "/b1⏎[[[")
    has("b1 does not change after this", "/b1⏎]")
    has("not in the list here", "/b1⏎gg")
    #expect(position("g3⏎/Sagas⏎]") == "7")
    has("deleted  cleo", "g3⏎/Sagas⏎]")
  }

  @Test func `The field under the cursor leads to what set it`() throws {
    try fill()
    #expect(position("/b3⏎<Tab><Tab>b") == "6")
    #expect(position("/b3⏎<Tab><Tab>bb") == "3")
    has("event 6 set price of b3: 7 → 99", "/b3⏎<Tab><Tab>b")
    has("event 3 set price of b3: (none) → 7", "/b3⏎<Tab><Tab>bb")
    #expect(position("g6⏎/b3⏎<Tab><Tab>←→b") == "3")
    has("event 6 set shelf of b3: b → a", "/b3⏎<Tab><Tab><Tab>b")
  }

  @Test func `Streams, events and rows are found`() throws {
    try fill()
    // The streams are the numbers' parity.
    #expect(position("{") == "5")
    #expect(position("{{}") == "5")
    #expect(position("ggftype:RecordUpdated⏎") == "4")
    #expect(position("ggftype:RecordUpdated⏎n") == "6")
    #expect(position("ggftype:RecordUpdated⏎nN") == "4")
    #expect(position("ggfauthor:bob type:Section*⏎") == "5")
    #expect(position("ggfprice > 60⏎") == "4")
    #expect(position("ggfprice > 60⏎n") == "6")
    #expect(position("fprice > 60⏎N") == "6")
    has("no event after this is author:zoe", "ggfauthor:zoe⏎")
    has("no row begins to meet price > 1000", "ggfprice > 1000⏎")
    has("expected a value for price", "fprice >⏎")
  }

  @Test func `The search goes around the list`() throws {
    try fill()
    has("row b3", "g3⏎/史⏎")
    has("row b2", "g3⏎/b⏎nn")
    has("row b2", "g3⏎/B2⏎")
    has("no row has \"zz\" here", "/zz⏎")
  }

  @Test func `Marks are set, gone to and compared with`() throws {
    try fill()
    #expect(position("g2⏎mg6⏎'") == "2")
    has("what changed since 2", "g2⏎mg6⏎d")
    has("▼", "g2⏎mg6⏎")
    has("~ b1", "g2⏎mg6⏎d")
    has("+ b3", "g2⏎mg6⏎d")
    has("what did it", "g2⏎mg6⏎dd")
    has("there is no mark to compare with", "d")
    has("the mark at 7 is gone", "mm")
  }

  @Test func `Sorting and sections are chosen from the rows' fields`() throws {
    try fill()
    has("Classics  2", "Ss⏎")
    has("log.annals  book by shelf", "Ss⏎")
    // The first item leads back to the list's own sections.
    #expect(!screen("Ss⏎Skkkkkkkk⏎").contains { $0.contains("book by shelf") })
    let sorted = screen("sp⏎").filter { $0.contains("│   b") || $0.contains("│ > b") || $0.contains("│ ~ b") }
    #expect(sorted.map { String($0.dropFirst(4).prefix(2)) } == ["b1", "b3"])
    let turned = screen("sp⏎s⏎").filter { $0.contains("│   b") }
    #expect(turned.map { String($0.dropFirst(4).prefix(2)) } == ["b3", "b1"])
  }

  @Test func `The equivalent command prints the same list`() throws {
    try fill()
    has("annals show \(tool.log) 6 --section-by shelf", "←y", "--section-by", "shelf")
    let line = screen("g2⏎mg6⏎sp⏎dy", "200x24").first { $0.contains("annals diff") } ?? ""
    #expect(line.contains(" 2..6 ") && line.contains("--sort price"))
  }

  @Test func `Pages show all of an event, a row, and the keys`() throws {
    try fill()
    has("time         2026-01-02T03:04:16Z", "g6⏎e")
    has(#"    "price": 99,"#, "g6⏎e")
    // After a transaction's last event there is no further one, and one back is the one before it.
    has(#""id": "b2""#, "g2⏎...e")
    has(#""id": "b1""#, "g2⏎...,e")
    has("actor        bob", "g6⏎e")
    has("6  shelf a (was b), price 99 (was 7)  bob", "/b3⏎⏎")
    has("mark this position", "?")
    has("what did it", "?q")
  }

  @Test func `Playing goes on by itself and ends at the end`() throws {
    try fill()
    var run = try open()
    for key in KeyWords.keys("gg ") { run.press(key) }
    #expect(run.model.tickInterval == 0.5)
    run.press(.text("+"))
    #expect(run.model.tickInterval == 0.5 || run.model.tickInterval == 0.2)
    var seen: [Int] = []
    while run.model.motion == .playing {
      run.tick()
      seen.append(run.model.position.rawValue)
    }
    #expect(seen == [2, 3, 4, 5, 6, 7, 7])
    run.press(.text(" "))
    run.press(.left(.none))
    #expect(run.model.motion != .playing)
  }

  @Test func `Following goes to what is appended`() throws {
    try fill()
    var run = try open()
    run.press(.text("F"))
    try tool.importLines([
      Self.event(8, "RecordInserted", #"{"collection":"book","id":"b9","fields":{"title":"New"}}"#, "t9", by: "ann")
    ])
    run.tick()
    #expect(run.model.position == 8 && run.model.shown?.end == 8)
    #expect(run.model.screen().lines.contains { $0.contains("+ b9") })
    run.press(.left(.none))
    #expect(run.model.position == 7 && run.model.motion != .following)
  }

  @Test func `A compacted log is gone through from its horizon, and from nothing`() throws {
    try fill()
    let answer = tool.run("compact", tool.log, "5", "--yes")
    #expect(answer.status == 0, "\(answer.talk)")
    #expect(position("⌥←") == "0")
    #expect(position("⌥←→") == "4")
    #expect(position("g5⏎←←") == "0")
    #expect(position("g5⏎⇧←⇧←") == "0")
    has("cannot be shown", "g2⏎")
  }

  @Test func `While the log is read it says so, and beside an error it does not`() {
    let facts = ScrubFacts(tool: "annals", log: "log", options: [], times: TimeStyle())
    var model = ScrubModel(facts, columns: 80, rows: 24)
    func isReading() -> Bool { model.screen().lines.contains { $0.contains("reading the log…") } }
    #expect(isReading())
    model.say("stopped")
    #expect(isReading())
    model.message = ScrubMessage(text: "it cannot be read", isError: true)
    #expect(!isReading())
  }

  @Test func `An empty log and an empty list are shown`() throws {
    try fill()
    has("nothing has happened yet", "gg")
    has("the list is empty", "", "--where", "price > 1000")
  }

  @Test func `A line a step is printed for screen readers`() throws {
    try fill()
    let answer = tool.run("scrub", tool.log, "--plain", "3", "--keys", "→←q")
    #expect(
      answer.lines == [
        "3 of 7, 2026-01-02T03:04:13Z; RecordInserted  ann  +1; + [0, 2] b3  title: 史記, price: 7, shelf: b; 3 rows",
        "4 of 7, 2026-01-02T03:04:14Z; RecordUpdated  bob  ~1; ~ b1 price 50.5 → 60.5; 3 rows",
        "3 of 7, 2026-01-02T03:04:13Z; RecordInserted  ann  +1; + [0, 2] b3  title: 史記, price: 7, shelf: b; 3 rows",
      ])
    tool.input = Data("\ng2\n/Sagas\nq\n".utf8)
    let typed = tool.run("scrub", tool.log, "--plain", "3").lines
    #expect(typed.map { String($0.prefix(6)) } == ["3 of 7", "4 of 7", "2 of 7", "2 of 7"])
  }

  @Test func `Without a terminal it says what to use`() throws {
    try fill()
    let answer = tool.run("scrub", tool.log)
    #expect(answer.status == 2 && answer.talk.contains("use annals diff --each"))
    tool.isTerminal = true
    tool.environment["TERM"] = "dumb"
    #expect(tool.run("scrub", tool.log).status == 2)
    #expect(tool.run("scrub", tool.log, "--json", "--keys", "").status == 2)
    #expect(tool.run("scrub", tool.log, "--keys", "", "--size", "80").status == 2)
    #expect(tool.run("scrub", tool.log, "--size", "80x24").status == 2)
    #expect(tool.run("scrub", tool.path("none"), "--keys", "").status == 4)
    #expect(tool.run("scrub", tool.log, "--keys", "", "99").status == 2)
  }

  @Test func `An event is left out while you look, and had back`() throws {
    try fill()
    has("without 6", "g6⏎x")
    has("× 6  RecordUpdated", "g6⏎x")
    has("changes no row here", "g6⏎x")
    has("row b3", "g6⏎/b3⏎x")
    // What the row has is what it would have.
    has("title 史記  price 7  shelf b", "/b3⏎g6⏎x")
    has("the list as the log has it", "g6⏎xx")
    has("b3  史記    7 → 99", "/b3⏎g6⏎xx", "--section-by", "shelf")
    #expect(position("g4⏎x") == "4")
    #expect(position("g4⏎x→→") == "6")
    // Two are left out, one comes back.
    has("--without 4 --without 6", "g4⏎xg6⏎xy")
    has("show \(tool.log) 6 --without 4", "g4⏎xg6⏎xxy")
    has("no event is shown", "ggx")
  }

  @Test func `If what was left out is compacted away, the list has all its events again`() throws {
    try fill()
    var run = try open(120, 30)
    for key in KeyWords.keys("g4⏎x") { run.press(key) }
    #expect(run.model.list?.position == 4)
    let answer = tool.run("compact", tool.log, "--yes")
    #expect(answer.status == 0, "\(answer)")
    // The next key opens the log as it is now, and the ones after it go on.
    for key in KeyWords.keys("→G") { run.press(key) }
    let list = try #require(run.model.list)
    #expect(list.position == 7)
    let asked = tool.run("show", tool.log).output
    let rows = (0..<list.sectionCount).flatMap { list.records(ofSection: $0).map(TextLines.row) }
    #expect(asked.split(separator: "\n").dropFirst().map { $0.drop { $0 == " " } } == rows.map { $0[...] })
  }

  @Test func `Without an event, those that need it are counted and listed`() throws {
    try fill()
    has("without 1: 1 event could not apply up to here; W lists them", "g2⏎,xg4⏎w1⏎")
    has("! 4  RecordUpdated", "g2⏎,xG g4⏎")
    has("could not apply: ", "g2⏎,xg4⏎")
    has("4 RecordUpdated b1: updates the id \"b1\", which \"book\" does not have", "w1⏎W")
    has("0 events could not apply up to 2", "w1⏎g2⏎W")
    has("nothing is left out", "W")
  }

  @Test func `What is left out may be said in all ways that --without takes`() throws {
    try fill()
    for (what, at) in [("author:bob", "4"), ("type:*Updated", "6"), ("tx:t3", "4"), ("4..6", "5"), ("1,4", "4")] {
      has("× \(at)  ", "w\(what)⏎g\(at)⏎")
      let asked = tool.run("show", tool.log, "--without", what).output
      var run = try open(120, 30)
      for key in KeyWords.keys("w\(what)⏎") { run.press(key) }
      let list = try #require(run.model.list)
      let rows = (0..<list.sectionCount).flatMap { list.records(ofSection: $0).map(TextLines.row) }
      #expect(asked.split(separator: "\n").dropFirst().map { $0.drop { $0 == " " } } == rows.map { $0[...] }, "\(what)")
    }
    has("is left out by author:bob; w changes that", "wauthor:bob⏎g4⏎x")
    has("the list as the log has it", "wauthor:bob⏎w⏎")
    has("without author:bob type:Section*: ", "wauthor:bob type:Section*⏎")
    has("expected positions", "wnonsense⏎")
    has("b3  史記", "wnonsense⏎")
    has("no event of the log has the author zoe", "wauthor:zoe⏎")
    // The command line's own are where it begins.
    has("without 6", "", "--without", "6")
    has("the list as the log has it", "g6⏎x", "--without", "6")
    has("is left out by 4,6; w changes that", "g6⏎x", "--without", "4,6")
  }

  @Test func `What is left out stays out of another order, and beside a mark`() throws {
    try fill()
    has(" 7 --sort price --without 6", "w6⏎sp⏎y")
    has("what changed since 2", "g2⏎mg6⏎dx")
    has(" 2..6 --without 6", "g2⏎mg6⏎dxy")
    // The event alone stays what is shown.
    #expect(position("g2⏎⇧←x→") == "2")
  }

  @Test func `A list's condition is found as the subcommand finds it`() throws {
    try fill()
    for condition in [
      "count > 2", "count = 2", "exists(b2)", "not exists(b2)", "row(b3).price > 50", "changed(b3)",
      "changed(b3.shelf) and count > 2", "count(price > 50) > 1", "index(b1) = [0, 0] or changed(b2)", "count = 0",
      "not price > 60",
    ] {
      let found = tool.run("find", tool.log, condition, "--each", "--json").lines.compactMap { line -> Int? in
        let json = try? JSONValue(parsing: line)
        return json?["holds"] == .bool(true) ? json?["position"]?.int : nil
      }
      var (run, seen) = (try open(), [Int]())
      for key in KeyWords.keys("ggf\(condition)⏎") { run.press(key) }
      while run.model.position.rawValue > seen.last ?? 0 {
        seen.append(run.model.position.rawValue)
        run.press(.text("n"))
      }
      #expect(seen == found.filter { $0 > 0 }, "\(condition)")
      run.press(.end)
      var back = [Int]()
      while true {
        let place = run.model.position.rawValue
        run.press(.text("N"))
        if run.model.position.rawValue == place { break }
        back.append(run.model.position.rawValue)
      }
      #expect(back == found.filter { $0 < 7 }.reversed(), "\(condition)")
    }
    has("the list does not begin to meet count > 9 after this", "ggfcount > 9⏎")
    has("expected a whole number", "fcount > x⏎")
    has("expected `.` and a field", "frow(b1)⏎")
  }

  @Test func `Events are found by their payload, and by names with spaces`() throws {
    try fill()
    #expect(position("ggfwhere:fields.price > 60⏎") == "4")
    #expect(position("ggftype:RecordUpdated where:fields.price > 90⏎") == "6")
    #expect(position("ggfauthor:\"bob\" type:\"Section*\"⏎") == "5")
    has("no event after this is author:\"b ob\"", "ggfauthor:\"b ob\"⏎")
  }

  @Test func `A page of what lies between a mark and here is written, as timeline writes it`() throws {
    try fill()
    let (page, other) = (tool.path("page.html"), tool.path("other.html"))
    has("1 batch by 1 event", "g3⏎mg5⏎o\(page)⏎", "--sort", "price")
    tool.run("timeline", tool.log, "-o", other, "3..5", "--sort", "price")
    func data(_ file: String) throws -> Substring {
      let text = try String(contentsOfFile: file, encoding: .utf8)
      // The number of the script after the data is random.
      let start = try #require(text.firstRange(of: "\"lists\":")?.lowerBound)
      return try #require(text[start...].firstRange(of: "</script>").map { text[start..<$0.lowerBound] })
    }
    #expect(try data(page) == data(other))
    has("there is such a file; give another name", "o\(page)⏎")
    has("there is no folder", "o\(tool.path("none/page.html"))⏎")
    has("page of 3 to 5 in: ", "g3⏎mg5⏎o")
    has("page of 3 to 5 in: ", "g5⏎mg3⏎o")
    has("page of 0 to 7 in: ", "g3⏎o")
    has("by default log-0-7.html", "o")
    let without = tool.path("without.html")
    has("without.html: ", "w6⏎o\(without)⏎")
    #expect(try String(contentsOfFile: without, encoding: .utf8).contains("without 6"))
  }

  @Test func `An event that stops the list can be left out, and had back`() throws {
    try fill()
    try SQLiteEventStore(path: tool.log).append(
      Append([NewEvent(type: "RecordUpdated", payload: #"{"collection":"book","id":"none","fields":{}}"#)], to: "s"))
    let words = ["scrub", tool.log, "--size", "110x30", "7", "--keys"]
    #expect(tool.run(words + ["→"]).output.contains("which \"book\" does not have"))
    let mended = tool.run(words + ["w8⏎G"]).output
    #expect(mended.contains("8 / 8") && mended.contains("× 8  RecordUpdated"), "\(mended)")
    // It cannot be had back where the list cannot be shown with it, so that it stays as it was.
    let back = tool.run(words + ["w8⏎Gxy"]).output
    #expect(back.contains("--without 8"), "\(back)")
  }

  private func open(_ columns: Int = 80, _ rows: Int = 24, _ options: [String] = []) throws -> ScrubRun {
    try Self.open(tool.log, columns, rows, options)
  }

  static func open(_ log: String, _ columns: Int, _ rows: Int, _ options: [String] = []) throws -> ScrubRun {
    let console = Console(output: { _ in }, talk: { _ in }, input: { Data() })
    var catalog = ReplayCatalog()
    catalog.register(ReplayRecords())
    let session = Session(
      tool: "annals", catalog: catalog, console: console,
      arguments: try Arguments([log] + options, of: .scrub, tool: "annals"), output: LineWriter(console))
    let facts = ScrubFacts(tool: "annals", log: log, options: [], times: TimeStyle())
    return try ScrubRun(
      ScrubEngine(session, timeline: .timeline), ScrubModel(facts, columns: columns, rows: rows), at: nil)
  }
}
