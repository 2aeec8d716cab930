import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

@testable import AnnalsReplay

/// The panes, the mouse, the filter and the list that takes long to read.
@Suite struct ScrubPaneTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
  }

  /// Commits of files: rows with a path, its folder and its name, and events with a message.
  private func commit(_ count: Int = 3) throws {
    var lines: [String] = []
    func add(_ type: String, _ file: Int, _ fields: String, _ transaction: Int, _ message: String) {
      lines.append(
        #"{"specversion":"1.0","id":"\#(lines.count + 1)","source":"test","type":"\#(type)","subject":"file","#
          + #""time":"2026-01-\#(transaction + 10)T03:04:05Z","actor":"Ann Lee","transaction":"t\#(transaction)","#
          + #""message":"\#(message)","data":{"collection":"file","id":"f\#(file)","fields":{\#(fields)}}}"#)
    }
    for file in 1...count {
      add(
        "RecordInserted", file,
        #""path":"Sources/Shop/File\#(file).swift","directory":"Sources/Shop","name":"File\#(file).swift","#
          + #""changed":"2026-01-11T03:04:05Z","commits":1"#, 1, "Add files")
    }
    for file in 1...count {
      let fields = #""changed":"2026-01-12T03:04:05Z","commits":2"#
      add("RecordUpdated", file, fields, 2, "Fix a typo in the list of shelves")
    }
    let answer = try tool.importLines(lines)
    #expect(answer.status == 0, "\(answer.talk)")
  }

  private func lines(_ keys: String, _ size: String, _ options: String...) -> [String] {
    tool.run(["scrub", tool.log, "--keys", keys, "--size", size] + options).lines
  }

  private func open(_ columns: Int = 80, _ rows: Int = 24) throws -> ScrubRun {
    try ScrubTests.open(tool.log, columns, rows)
  }

  @Test(arguments: ["80x24", "120x34", "200x50"])
  func `The pane has the message, the actor and the time once, and no payload between the events`(size: String) throws {
    try commit()
    let lines = lines("", size)
    let text = lines.joined(separator: "\n")
    #expect(text.contains("Ann Lee · 2026-01-12 03:04"))
    #expect(lines.count { $0.contains("Fix a typo in the list of") } == 1)
    #expect(text.contains("RecordUpdated ×3  ~3"))
    #expect(!text.contains("{\"") && !text.contains("\"collection\""))
    // The plain line and the line of a narrow screen begin with the message.
    #expect(
      tool.run("scrub", tool.log, "--plain", "--keys", "").lines[0].contains("; Fix a typo in the list of shelves"))
    #expect(self.lines("", "60x12").contains { $0.hasPrefix("Fix a typo in the list of shelves  Ann Lee  ~3") })
  }

  @Test func `A row's small changes are first, and each new value is in sight before the old one`() throws {
    try commit()
    for size in ["80x24", "120x34"] {
      // The pane is the right column.
      let pane = lines("", size).compactMap { $0.split(separator: "│").dropFirst().first?.split(separator: " ") }
      let text = pane.joined().joined(separator: " ")
      let commits = try #require(text.firstRange(of: "commits 2 (was 1)"))
      let rest = text[commits.upperBound...]
      #expect(rest.contains("changed 2026-01-12"), "\(size)")
    }
    let changes = CellText.changes([
      ("text", .string(String(repeating: "a", count: 60)), .string(String(repeating: "b", count: 60))),
      ("n", 1, 2), ("gone", 7, .null), ("new", .null, 8),
    ])
    #expect(changes.map(\.text).joined().hasPrefix("new 8, n 2 (was 1), gone removed (was 7), text bbb"))
  }

  @Test func `A name and a folder that a path repeats are shown once`() throws {
    try commit()
    let pane = lines("", "120x34").joined(separator: "\n")
    #expect(
      pane.contains("path Sources/Shop/File3.swift") && !pane.contains("name File") && !pane.contains("directory "))
    // Below the heading with the folder, the name is enough.
    let sections = lines("", "120x34", "--section-by", "directory")
    #expect(sections.contains { $0.contains("f3") && $0.contains("  File3.swift") && !$0.contains("Shop/File3") })
    // A field that repeats another one in some rows only is shown.
    let rows = [("a", "x/b", "b"), ("c", "x/d", "e")].map { id, path, name in
      Record(id: id, fields: ["path": .string(path), "name": .string(name)])
    }
    #expect(CellText.repeated(in: [rows[0]]) == ["name"] && CellText.repeated(in: rows).isEmpty)
    // The whole row has all fields.
    #expect(lines("⏎", "120x34").contains { $0.contains("directory") })
  }

  @Test func `Dates of rows are days, or times if all are of one day`() throws {
    let (first, same, next) = ("2026-01-11T03:04:05Z", "2026-01-11T09:10:11.5+02:00", "2026-01-12T03:04:05Z")
    #expect(CellText.DateForm([first, next]).text(first) == "2026-01-11")
    #expect(CellText.DateForm([first, same]).text(same) == "09:10:11")
    #expect(CellText.DateForm([first, first]).text(first) == "2026-01-11")
    for other in ["2026-01-11", "2026-01-11T03:04", "2026-13", "x026-01-11T03:04:05Z", "2026-01-11T03:04:05 later", ""]
    {
      #expect(CellText.text(.string(other)) == TextLines.value(.string(other)))
    }
    func change(_ old: String, _ new: String, _ width: Int? = nil) -> String {
      CellText.change(.string(old), .string(new), width: width)
    }
    #expect(change(first, next) == "2026-01-11 → 2026-01-12")
    #expect(change(first, same) == "03:04:05 → 09:10:11")
    #expect(change("2026-01-11T03:04:05.1Z", "2026-01-11T03:04:05.2Z").contains("05.1Z → 2026"))
    // In a narrow cell the old value is cut first.
    #expect(change(first, next, 18) == "2026… → 2026-01-12")
    #expect(change(first, next, 13) == "→ 2026-01-12")
    try commit()
    let shown = lines("", "120x34").joined(separator: "\n")
    #expect(shown.contains("2026-01-11 → 2026-01-12") && !shown.contains("2026-01-11T"))
    // The first line and the page of the row have the time.
    #expect(lines("⏎", "120x34").contains { $0.contains("2026-01-12T03:04:05Z") && $0.contains("changed") })
  }

  @Test func `The bars have dates below them, from the first to the last`() throws {
    try commit()
    #expect(lines("", "80x24")[3].hasPrefix("│ 2026-01-11 ") && lines("", "80x24")[3].hasSuffix(" 2026-01-12 │"))
    #expect(!lines("", "80x24", "--time", "none")[3].contains("2026"))
  }

  @Test func `A click selects a row or a bar, and the wheel moves rows`() throws {
    try commit(30)
    var run = try open()
    run.settle()
    let layout = run.model.layout
    let row = try #require(
      (0..<layout.list.height).first { run.model.screen().lines[layout.list.y + $0].contains("~ f9 ") })
    run.press(.click(x: layout.list.x + 5, y: layout.list.y + row))
    #expect(run.model.selectedID == "f9" && !run.model.isChasing)
    run.press(.wheel(-1, x: 5, y: 9))
    let ids = try #require(run.model.list).records(ofSection: 0).map(\.id)
    #expect(run.model.selectedID == ids[try #require(ids.firstIndex(of: "f9")) - 3])
    run.press(.click(x: layout.curve.x + layout.curve.width / 3, y: layout.curve.y))
    #expect(run.model.position == 30)
    run.press(.click(x: layout.curve.x + layout.curve.width - 1, y: layout.curve.y + 1))
    #expect(run.model.position == 60)
    // All other places do nothing.
    let before = run.model.screen()
    for (x, y) in [(0, 0), (79, 23), (500, 2), (5, 400), (layout.list.x, layout.list.y)] {
      run.press(.click(x: x, y: y))
    }
    #expect(run.model.screen() == before)
    // In a menu a click takes the item.
    for key in KeyWords.keys("s") { run.press(key) }
    run.press(.click(x: layout.list.x, y: layout.list.y + 2))
    #expect(run.model.shown?.setting.sort == "path" && run.model.page == nil)
    run.press(.text("?"))
    run.press(.wheel(1, x: 5, y: 9))
    #expect(run.model.page?.top == 3)
  }

  @Test func `Each column of the curve leads to a position in it`() throws {
    try commit(30)
    var run = try open()
    run.settle()
    let curve = try #require(run.model.curve)
    for width in [1, 2, 7, 76, 300] {
      let places = (0..<width).map { curve.position(ofColumn: $0, width: width) }
      #expect(places == places.sorted() && places.last == 60)
      if width <= 2 { #expect(places.enumerated().allSatisfy { curve.column(of: $1, width: width) == $0 }) }
    }
  }

  @Test func `Typing narrows the rows, Enter takes one and Escape returns`() throws {
    try commit(30)
    var run = try open()
    for key in KeyWords.keys("/b⌫file1") { run.press(key) }
    let all = try #require(run.model.shown?.list?.rows)
    for text in ["file1", "FILE2", "f3", "2026-01-12", "nothing", "1", "swift"] {
      run.press(.control("u"))
      for key in text.map(Key.text) { run.press(key) }
      let wanted = all.records(ofSection: 0).filter { record in
        let values = record.members.map { TextLines.value($0.value) }
        return ([record.id] + values).contains { $0.lowercased().contains(text.lowercased()) }
      }
      let found = try #require(run.model.filtered)
      #expect(found.rowCount == wanted.count && found.text == text)
      #expect(
        (0..<found.sectionCount).flatMap { found.records(ofSection: $0).map(\.id) } == wanted.map(\.id), "\(text)")
      #expect(wanted.isEmpty || wanted.contains { $0.id == run.model.selectedID })
    }
    run.press(.control("u"))
    for key in KeyWords.keys("File2↓↓") { run.press(key) }
    let chosen = run.model.selectedID
    #expect(run.model.screen().lines.contains { $0.contains("/File2 ") && $0.contains("  11 found │") })
    run.press(.enter)
    #expect(run.model.selectedID == chosen && run.model.filtered == nil && run.model.front == nil)
    for key in KeyWords.keys("/File7⎋") { run.press(key) }
    #expect(run.model.selectedID == chosen && run.model.filtered == nil && run.model.front == nil)
    for key in KeyWords.keys("n") { run.press(key) }
    #expect(run.model.selectedID != chosen)
  }

  @Test func `A search for rows is ended by the next key`() throws {
    try commit(30)
    let run = try open()
    let rows = try #require(run.model.shown?.list?.rows)
    #expect(throws: ScrubEngine.Cancelled.self) {
      _ = try FilteredRows("x", in: rows) { throw ScrubEngine.Cancelled() }
    }
    // The response to a former text is dropped.
    var model = run.model
    _ = model.handle(.text("/"))
    _ = model.handle(.text("f"))
    model.take(.filtered(try FilteredRows("file", in: rows) {}), of: .list)
    #expect(model.filtered == nil && model.background() != nil)
  }

  @Test(arguments: [60, 80, 120]) func `The keys are wrapped to the screen`(columns: Int) throws {
    try commit()
    var run = try open(columns, 200)
    run.press(.text("?"))
    let lines = run.model.screen().lines
    #expect(!lines.contains { $0.contains("…") })
    let words = lines.flatMap { $0.split { " │".contains($0) } }
    for entry in ScrubKey.all {
      let help = entry.help.split(separator: " ")
      #expect(words.indices.contains { words[$0...].starts(with: help) }, "\(entry.label)")
    }
  }

  @Test func `Each key is of one entry, and the hints of events are whole sentences`() throws {
    for key in KeyWords.keys("←→⇧←⇧→⌥←⌥→↑↓⇞⇟↖↘⏎⎋⇥⇤gG[]{}b/fnNm'dcsSteyF +-?,.hjklHL<lt>>qxwWoM") {
      #expect(ScrubKey.all.count { $0.step(key) != nil } == 1, "\(key)")
    }
    try commit(30)
    let text = lines("", "80x24").joined()
    #expect(text.contains(" earlier  (press , for them)"))
    #expect(lines(",,,,,,,,,,", "80x24").joined().contains(" later  (press . for them)"))
    // The selected event is in sight, wherever it is.
    for keys in ["", ",", ",,,,,,,,,,,,,,,"] {
      #expect(lines(keys, "80x14").joined().contains("▸ \(60 - keys.count)  "))
    }
  }

  @Test func `The selected row has one style over its whole line`() throws {
    try commit()
    var run = try open(120, 34)
    for key in KeyWords.keys("g3⏎") { run.press(key) }
    let (screen, area) = (run.model.screen(), run.model.layout.list)
    let rows = (area.y..<area.y + area.height).map { screen.row($0).dropFirst(area.x).prefix(area.width) }
    let selected = rows.filter { $0.contains { $0.style.isReversed } }
    #expect(selected.count == 1)
    #expect(selected.first?.allSatisfy { $0.style == CellStyle(colour: .green, isReversed: true) } == true)
  }

  @Test func `The numbers of changed rows have the colours of their marks`() throws {
    try commit()
    var run = try open(120, 34)
    func styles(_ text: String) -> [CellStyle] {
      let screen = run.model.screen()
      return (0..<screen.rows).flatMap { row -> [CellStyle] in
        let cells = Array(screen.row(row))
        return cells.indices.dropLast().compactMap {
          cells[$0].text + cells[$0 + 1].text == text ? cells[$0].style : nil
        }
      }
    }
    #expect(styles("~3") == [.of(.yellow)])
    for key in KeyWords.keys("Sd⏎") { run.press(key) }
    #expect(styles("~3") == [.of(.yellow), .of(.yellow)])
    for key in KeyWords.keys("g3⏎") { run.press(key) }
    #expect(styles("+3") == [.of(.green), .of(.green)])
  }

  @Test func `The events of a position are shown before its list, and keys work meanwhile`() throws {
    try commit(30)
    let whole = try open()
    let engine = try open().engine
    engine.patience = -1
    var model = ScrubModel(whole.model.facts, columns: 80, rows: 24)
    func take(_ request: ScrubRequest) { model.take(engine.answer(request), of: request) }
    take(.open(ScrubSetting(), at: nil))
    func text() -> String { model.screen().lines.joined(separator: "\n") }
    #expect(model.shown?.list == nil && text().contains("reading the list…") && text().contains("Fix a typo"))
    #expect(text().contains("▸ 60  file 60"))
    for key in KeyWords.keys("/x⎋↓sSb⏎⎋[d,.") { model.handle(key).forEach(take) }
    #expect(model.position == 60 && model.shown?.list == nil && text().contains("Fix a typo"))
    // A key ends the reading, which is resumed from where it was.
    engine.isCancelled = { true }
    take(.list)
    #expect(model.shown?.list == nil && model.message == nil)
    engine.isCancelled = { false }
    for _ in 0..<3 { model.background().map(take) }
    #expect(model.shown?.list?.rows.rowCount == 30 && model.position == 60)
    var run = whole
    run.settle()
    #expect(run.model.list?.records(ofSection: 0).map(\.id) == model.list?.records(ofSection: 0).map(\.id))
  }

  @Test func `A list that cannot be read leads back to the last one that could`() throws {
    try commit()
    var run = try open()
    let engine = run.engine
    try SQLiteEventStore(path: tool.log).append(
      Append([NewEvent(type: "RecordUpdated", payload: #"{"collection":"file","id":"none","fields":{}}"#)], to: "s"))
    engine.patience = -1
    run.press(.end)
    #expect(run.model.position == 6 && run.model.shown?.list != nil)
    #expect(run.model.message?.isError == true && run.model.message?.text.contains("none") == true)
  }

  @Test func `A number is whole where a text is cut`() throws {
    func long(_ word: String) -> String { String(repeating: word + " ", count: 40) }
    try tool.importLines([
      inserted(1, "a", #"{"title":"\#(long("title"))","price":1234567.891,"tag":"\#(long("tag"))"}"#)
    ])
    for size in ["60x16", "80x16"] {
      let lines = lines("", size)
      #expect(lines.contains { $0.contains("…  1234567.891  ") }, "\(lines)")
    }
  }

  @Test func `A row's move is a number of rows`() throws {
    try tool.importLines([
      inserted(1, "a", #"{"n":1}"#), inserted(2, "b", #"{"n":2}"#),
      line(3, "RecordUpdated", #"{"collection":"book","id":"a","fields":{"n":3}}"#),
    ])
    let text = lines("", "80x16", "--sort", "n").joined(separator: "\n")
    #expect(text.contains("↓1 │") || text.contains("↑1 │"), "\(text)")
    #expect(!text.contains("[0"))
  }

  @Test func `A long message has several lines, and a page on a small screen has a title`() throws {
    try commit(30)
    let command = "annals show \(tool.log) 60 --section-by directory --sort=-path"
    for size in ["60x12", "80x20", "80x6"] {
      let lines = lines("y", size, "--section-by", "directory", "--sort=-path")
      let text = lines.map { $0.filter { $0 != "│" && $0 != " " } }.joined()
      #expect(text.contains(command.filter { $0 != " " }), "\(lines)")
      #expect(lines.count == Int(size.suffix(2).filter(\.isNumber)))
    }
    #expect(lines("⏎", "60x12")[0].hasPrefix("row f"))
    // A page that is longer than the screen has the numbers of its lines.
    let keys = lines("?j", "80x24")
    #expect(keys.contains { $0.contains("⎋ close  lines 2 to 17 of ") }, "\(keys)")
  }

  @Test func `A condition with a misspelled field is answered with the field's name`() throws {
    try commit()
    func last(_ keys: String) -> String { lines(keys, "80x24").suffix(2).first ?? "" }
    #expect(last("fcomits > 1⏎").contains("no row has a field comits; did you mean commits?"))
    #expect(last("fcommits > 9⏎").contains("no row begins to meet commits > 9 after this"))
    #expect(last("fzzzzzz > 9⏎").contains("no row begins to meet zzzzzz > 9 after this"))
  }

  @Test func `The title of the list has the section whose heading is above`() throws {
    try commit(30)
    let run = try open()
    func title(_ keys: String) -> String {
      lines(keys, "80x24", "--section-by", "directory").first { $0.hasPrefix("├─ list") } ?? ""
    }
    #expect(run.model.position == 60)
    #expect(title("").hasPrefix("├─ list: Sources/Shop ──"))
    #expect(title(String(repeating: "↑", count: 40)).hasPrefix("├─ list ──"))
  }
}
