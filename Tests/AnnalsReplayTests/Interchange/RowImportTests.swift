@testable import AnnalsReplay
import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// Imports of CSV and JSON rows, which are compared with a collection's rows.
@Suite struct RowImportTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
  }

  private func rows(_ file: String, _ text: String, _ words: String...) throws -> ToolRunner.Answer {
    tool.run(["import", tool.log, try tool.file(file, text), "--rows", "id"] + words)
  }

  @Test(arguments: [
    ("book.csv", "id,title,price\r\nb1,Annals,50.5\r\nb2,\"Sagas, \"\"old\"\"\",\r\n"),
    ("book.json", #" [{"id":"b1","title":"Annals","price":50.5},{"price":null,"title":"Sagas, \"old\"","id":"b2"}]"#),
    ("book.jsonl", #"{"id":"b1","title":"Annals","price":50.5}"# + "\n\n" + #"{"id":"b2","title":"Sagas, \"old\""}"#),
  ])
  func `rows of every format become records, and only their differences are imported later`(
    name: String, text: String
  ) throws {
    let first = try rows(name, text)
    #expect(
      first.talk
        == "\"book\": 2 rows inserted, 0 updated, 0 deleted, 0 unchanged. The log's last position is 2\n", "\(first)")
    let list = ["position 2: 2 rows", "  b1  title: Annals, price: 50.5", #"  b2  title: "Sagas, \"old\"""#]
    #expect(tool.run("show", tool.log).lines == list)
    // An equal row appends no event.
    let again = try rows(name, "\u{FEFF}" + text, "--json")
    #expect(
      again.output == #"{"inserted":0,"updated":0,"deleted":0,"unchanged":2,"missing":0,"position":2}"# + "\n",
      "\(again)")
    let changed = try rows("new.csv", "id,title,shelf\nb3,New,x\nb1,Annals,y\n", "--json")
    #expect(
      changed.output == #"{"inserted":1,"updated":1,"deleted":0,"unchanged":0,"missing":1,"position":4}"# + "\n",
      "\(changed)")
    let events = tool.run("log", "--json", tool.log).lines
    #expect(events[3].hasSuffix(#""data":{"collection":"book","id":"b1","fields":{"price":null,"shelf":"y"}}}"#))
    // One import is one transaction.
    let store = try SQLiteEventStore(readingFrom: tool.log)
    #expect(try store.transaction(at: 1) == store.transaction(at: 2))
    #expect(try store.transaction(at: 3) == store.transaction(at: 4))
    let deleted = try rows("new.csv", "id,title,shelf\nb3,New,x\nb1,Annals,y\n", "--delete-missing")
    #expect(deleted.talk.hasPrefix("\"book\": 0 rows inserted, 0 updated, 1 deleted, 2 unchanged."), "\(deleted)")
    #expect(
      tool.run("show", tool.log).lines == [
        "position 5: 2 rows", "  b1  title: Annals, shelf: y", "  b3  title: New, shelf: x",
      ])
  }

  @Test func `standard input, a chosen column and a chosen collection`() throws {
    tool.input = Data("isbn,n\n007,1\n8,true\n".utf8)
    let none = tool.run("import", tool.log, "-", "--rows", "isbn")
    #expect(none.status == 2 && none.talk.contains("name one with --list"), "\(none)")
    #expect(!FileManager.default.fileExists(atPath: tool.log))
    #expect(tool.run("import", tool.log, "-", "--rows", "isbn", "--list", "book").status == 0)
    #expect(tool.run("show", tool.log).lines == ["position 2: 2 rows", "  007  n: 1", "  8  n: true"])
    // Rows whose number is the id.
    tool.input = Data(#"[{"isbn":8,"n":true}]"#.utf8)
    let same = tool.run("import", tool.log, "-", "--rows", "isbn", "--json")
    #expect(same.output.hasPrefix(#"{"inserted":0,"updated":0,"deleted":0,"unchanged":1,"missing":1,"#), "\(same)")
    tool.input = Data(#"[{"isbn":8,"n":true}]"#.utf8)
    #expect(tool.run("import", tool.log, "-", "--rows", "isbn", "--list", "other").status == 0)
    #expect(tool.run("show", tool.log, "--list", "other").lines.count == 2)
  }

  @Test func `a personal value keeps its subject, and an erased value stays erased`() throws {
    try tool.importLines([
      inserted(1, "b1", #"{"name":{"$personal":"ann","value":"Ann"},"mail":{"$personal":"bob","value":"b@x"}}"#)
    ])
    #expect(try rows("a.csv", "id,name,mail\nb1,Ann,b@x\n").talk.contains("0 updated, 0 deleted, 1 unchanged"))
    #expect(tool.run("erase", tool.log, "bob", "--yes").status == 0)
    #expect(try rows("a.csv", "id,name,mail\nb1,Anna,b@x\n").talk.contains("1 updated"))
    let last = try #require(tool.run("log", "--json", tool.log).lines.last)
    #expect(last.hasSuffix(#""fields":{"name":{"$personal":"ann","value":"Anna"}}}}"#), "\(last)")
  }

  @Test(arguments: [
    ("id,a\nb1,1\nb1,2\n", 3, "line 3: the id \"b1\" is also the id of line 2"),
    ("id,a\nb1\n", 3, "line 2: expected 2 cells, found 1"), ("id,a\n,1\n", 3, "line 2: id: expected an id, found \"\""),
    ("id,a\nb1,\"x\ny\n", 3, "line 2: expected a closing quote"),
    ("id,a\nb1,x\"y\n", 3, "line 2: expected a cell in quotes"),
    ("id,a\nb1,\"x\"y\n", 3, "line 2: expected a comma or the end of the line"),
    ("id,a\n\"b\n1\",2\nb2\n", 3, "line 4: expected 2 cells"),
    ("id,a,a\nb1,1,2\n", 3, "two columns have the same name"), ("id,,a\n", 3, "line 1: a column has no name"),
    ("ids,a\nb1,1\n", 2, "--rows: expected a column of "),
    ("[{\"id\":\"a\"},5]", 3, "row 2: expected a row as a JSON object"),
    ("{\"id\":\"a\"}\n{\"ID\":\"a\"}\n", 3, "line 2: expected the field \"id\" that --rows names, found ID"),
    ("{\"id\":true}", 3, "line 1: id: expected a string or a number, found true"), ("[{\"id\":\"a\"}", 3, "expected"),
    ("{\"id\":\"a\",", 3, "line 1: "),
  ])
  func `a row that can't be read is named, and no row is imported`(
    text: String, status: Int32, message: String
  ) throws {
    let answer = try rows("book", text)
    #expect(answer.status == status && answer.talk.contains(message), "\(answer)")
    #expect(!FileManager.default.fileExists(atPath: tool.log))
  }

  @Test func `rows without --rows, and --rows with another source, are errors that name the kinds`() throws {
    let csv = try tool.file("book.csv", "id,title\nb1,x\n")
    let plain = tool.run("import", tool.log, csv)
    #expect(plain.status == 3 && plain.talk.contains("With --rows ID, it can be a CSV file or JSON rows"), "\(plain)")
    let array = tool.run("import", tool.log, try tool.file("book.json", #"[{"id":"a"}]"#))
    #expect(array.status == 3 && array.talk.contains("With --rows ID, it can be"), "\(array)")
    let object = tool.run("import", tool.log, try tool.file("book.jsonl", #"{"id":"a"}"#))
    #expect(object.status == 3 && object.talk.contains("plain rows need --rows ID"), "\(object)")
    for (words, message) in [
      (["--delete-missing"], "--delete-missing needs --rows ID"),
      (["--list", "c"], "--list needs --rows ID"),
      (["--rows", ""], "--rows: expected the name"),
      (["--rows", "id", "--list", ""], "--list: expected a name"),
    ] {
      let answer = tool.run(["import", tool.log, csv] + words)
      #expect(answer.status == 2 && answer.talk.contains(message), "\(answer)")
    }
    let folder = tool.run("import", tool.log, tool.folder.path, "--rows", "id")
    #expect(folder.status == 2 && folder.talk.contains("expected a file of rows, found a folder"), "\(folder)")
    let url = tool.run("import", tool.log, "far://x", "--rows", "id")
    #expect(url.status == 2 && url.talk.contains("found a URL"), "\(url)")
    let log = tool.path("other.annals")
    try tool.importLines([inserted(1, "a")], to: log)
    #expect(tool.run("import", tool.log, log, "--rows", "id").status == 3)
    #expect(!FileManager.default.fileExists(atPath: tool.log))
    // A log of an app's own events takes no rows.
    tool.tool = ToolRunner.wares
    try tool.makeWares()
    let wares = tool.run("import", tool.log, csv, "--rows", "id")
    #expect(wares.status == 1 && wares.talk.contains("Import the rows into a new log"), "\(wares)")
  }

  @Test func `more than ten thousand rows are several transactions`() throws {
    let text = "id,n\n" + (1...10_001).map { "b\($0),\($0)\n" }.joined()
    #expect(try rows("book.csv", text, "--json").output.hasPrefix(#"{"inserted":10001,"#))
    let store = try SQLiteEventStore(readingFrom: tool.log)
    #expect(try store.transaction(at: 10_000) == 1 && store.transaction(at: 10_001) == 2)
  }

  /// After an import with deletions, the collection has exactly the source's rows, and the counts are those of a model.
  @Test(arguments: 0..<40) func `any rows replace any other rows`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func table() -> [String: [String: String]] {
      var table: [String: [String: String]] = [:]
      for number in 0..<Int.random(in: 0...6, using: &random) where Bool.random(using: &random) {
        var fields: [String: String] = [:]
        for name in ["a", "b", "c,\"d"] where Bool.random(using: &random) {
          fields[name] = ["1", "\"x\"", "\"y\\nz, \\\"q\\\"\"", "true"].randomElement(using: &random)
        }
        table["b\(number)"] = fields
      }
      return table
    }
    func lines(_ table: [String: [String: String]]) -> String {
      table.sorted { $0.key < $1.key }.map { id, fields in
        "{\"id\":\"\(id)\"" + fields.map { ",\(JSONValue.quoted($0.key)):\($0.value)" }.joined() + "}\n"
      }.joined()
    }
    let (old, new, deletes) = (table(), table(), Bool.random(using: &random))
    #expect(try rows("c.jsonl", lines(old), "--list", "c").status == 0)
    let answer = try rows("c.jsonl", lines(new), "--list", "c", "--json", deletes ? "--delete-missing" : "-q")
    let (inserted, gone) = (new.filter { old[$0.key] == nil }.count, old.filter { new[$0.key] == nil }.count)
    let updated = new.filter { old[$0.key] != nil && old[$0.key] != $0.value }.count
    let words =
      "{\"inserted\":\(inserted),\"updated\":\(updated),\"deleted\":\(deletes ? gone : 0),"
      + "\"unchanged\":\(new.count - inserted - updated),\"missing\":\(deletes ? 0 : gone),"
    #expect(answer.output.hasPrefix(words), "\(old) \(new) \(answer)")
    let expected = deletes ? new : old.merging(new) { $1 }
    let store = try SQLiteEventStore(path: tool.log)
    defer { store.close() }
    let found = try RecordCollections.all(of: store).records.rows[ExactString("c")]?.all ?? []
    let values = found.map { row in (row.id, row.members.map { ($0.name, $0.value.text) }) }
    #expect(
      Dictionary(uniqueKeysWithValues: values.map { ($0, Dictionary(uniqueKeysWithValues: $1)) }) == expected,
      "\(old) \(new)")
  }

  /// The reader reads what a writer of RFC 4180 writes.
  @Test(arguments: ["\n", "\r\n"]) func `any cells are read as they were written`(end: String) throws {
    var random = SplitMix64(seed: UInt64(end.utf8.count))
    for _ in 0..<200 {
      let columns = Int.random(in: 1...3, using: &random)
      let table = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        (0..<columns).map { _ in
          (0..<Int.random(in: 0...4, using: &random)).map { _ in
            ["a", "\"", ",", "\n", "\r\n", "\r", " ", "é"].randomElement(using: &random) ?? ""
          }.joined()
        }
      }.filter { $0 != [""] }
      let text = table.map { $0.map(DelimitedText.csv).joined(separator: ",") + end }.joined()
      var (reader, found, line) = (CSVReader(text), [[String]](), 1)
      while let row = try reader.next() {
        #expect(row.line == line, "\(text.debugDescription)")
        found.append(row.cells)
        line += row.cells.joined().utf8.filter { $0 == 0x0A }.count + 1
      }
      #expect(found == table, "\(text.debugDescription)")
    }
  }
}
