import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import Testing

/// The sentences of `Docs/Interchange.md` that an ordinary file does not test.
@Suite struct InterchangeTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
  }

  private func position(_ log: String? = nil) -> String {
    tool.run("show", log ?? tool.log, "--json").output.split(separator: ",").first.map(String.init) ?? ""
  }

  private func transactions(_ log: String? = nil) throws -> [Int] {
    try SQLiteEventStore(readingFrom: log ?? tool.log).events(.all, after: 0, through: nil, limit: 99).map(
      \.transaction)
  }

  /// Exports a log, imports the result into a second log, and compares the two exports, byte for byte.
  private func checkExport() throws -> [String] {
    let first = tool.run("log", "--json", tool.log)
    let (second, file) = (tool.path("second.annals"), try tool.file("export.jsonl", first.output))
    let answer = tool.run("import", second, file)
    #expect(answer.status == 0, "\(answer.talk)")
    #expect(tool.run("log", "--json", second).output == first.output)
    return first.lines
  }

  @Test func `a line without a transaction is whole before a line that is no JSON`() throws {
    let answer = try tool.importLines([inserted(1, "a"), "nonsense"])
    #expect(answer.status == 3 && answer.talk.contains("line 2: expected an object"))
    #expect(answer.talk.contains("1 event was imported, but not the transaction of line"))
    #expect(position() == "{\"position\":1")
  }

  @Test(arguments: [
    (#","id":"2\u0000""#, "id: the value contains a NUL character; remove it"),
    (#","id":"2","subject":"s\u0000""#, "subject: the value contains a NUL character; remove it"),
  ])
  func `a name that no log can keep is found on its own line`(members: String, message: String) throws {
    let bad = #"{"specversion":"1.0","source":"s","type":"T","transaction":"t""# + members + "}"
    let lines = [
      line(1, "T", "1", transaction: "t"), bad.contains("subject") ? bad : bad.dropLast() + #","subject":"s"}"#,
    ]
    let answer = try tool.importLines(lines)
    #expect(answer.status == 3 && answer.talk.contains("line 2: \(message)"), "\(answer.talk)")
    #expect(!FileManager.default.fileExists(atPath: tool.log))
  }

  @Test func `transactions are compared by their value, not by how it is written`() throws {
    let one = line(1, "T", "1", transaction: "t")
    let other = line(2, "T", "1", transaction: #"\u0074"#)
    try tool.importLines([
      one, other, line(3, "T", "1", transaction: "e\u{301}"), line(4, "T", "1", transaction: "\u{e9}"),
    ])
    #expect(try transactions() == [1, 1, 2, 3])
    #expect(try checkExport()[1].contains(#""transaction":"\u0074""#))
  }

  @Test func `neighbouring appends without a label stay two appends in an export`() throws {
    let lines = ["s1", "s2", "s3"].map { line(1, "T", "1").replacing(#""source":"test""#, with: #""source":"\#($0)""#) }
    try tool.importLines(lines)
    let exported = try checkExport()
    for (line, label) in zip(exported, ["1", "1'", "1"]) { #expect(line.contains(#""transaction":"\#(label)""#)) }
    #expect(try transactions(tool.path("second.annals")) == [1, 2, 3])
    let some = tool.run("log", tool.log, "--json", "2..2")
    #expect(some.lines == [exported[1]])
  }

  @Test func `metadata with an attribute's name are kept, each under a name of its own, and in order`() throws {
    let store = try SQLiteEventStore(path: tool.log)
    let metadata: Metadata = [
      "position": "p", "metadataposition": "q", "time": "noon", "nnn": "n", "tags": "a b", "specversion": "9",
      "zzz": "z",
    ]
    try store.append(
      Append([NewEvent(type: "A", payload: "1", metadata: metadata, id: EventID(source: "me", id: "1"))], to: "s"))
    let exported = try checkExport()
    let stored = try SQLiteEventStore(readingFrom: tool.path("second.annals"))
      .events(.all, after: 0, through: nil, limit: 9)
    #expect(stored[0].tags.isEmpty)
    for value in ["p", "q", "noon", "n", "a b", "9", "z"] { #expect(exported[0].contains(":\"\(value)\"")) }
  }

  @Test func `numbers, tags and times that are written oddly are exported the same again`() throws {
    let odd = [
      #","tags":"a  b","zz":1,"actor":"x""#, #","schemaversion":0,"actor":"x""#, #","schemaversion":2.0,"tags":"b a""#,
      #","schemaversion":"7","tags":["a"],"data_base64":"aGk=","datacontenttype":"x/y","dataschema":null"#,
      #","tags":"%00 x""#, #","tags":"""#, #","tags":"a%20b c""#, #","transaction":7"#, #","transaction":null"#,
      #","transaction":{"a":[1]}"#, #","Ünï":1e400"#,
    ]
    let answer = try tool.importLines(
      odd.enumerated().map {
        #"{"specversion":"1.0","id":"\#($0.offset)","source":"s","type":"T","subject":"s"\#($0.element)}"#
      })
    #expect(answer.status == 0, "\(answer.talk)")
    #expect(try checkExport().count == odd.count)
  }

  /// Imports lines while another import runs: it appends the first `count` lines when this one has read two and
  /// appended none.
  private func race(_ lines: [String], count: Int) throws -> ToolRunner.Answer {
    let log = tool.path("log\(UUID().uuidString)")
    let other = try tool.file("other.jsonl", lines.prefix(count).map { $0 + "\n" }.joined())
    var reads = 0
    tool.onInput = {
      reads += 1
      switch reads {
      case 1: return Data((lines[0] + "\n" + lines[1] + "\n").utf8)
      case 2:
        self.tool.run("import", log, other)
        return Data((lines[2] + "\n").utf8)
      default: return Data()
      }
    }
    return tool.run("import", log, "-", "--json")
  }

  @Test(arguments: [
    (2, #"{"events":1,"transactions":1,"skipped":2,"position":3}"#),
    (3, #"{"events":0,"transactions":0,"skipped":3,"position":3}"#),
  ])
  func `what another process imports meanwhile is skipped, not refused`(count: Int, summary: String) throws {
    let records = [
      inserted(1, "a", transaction: "t"), inserted(2, "b", transaction: "t"), line(3, "T", "1", transaction: "u"),
    ]
    let others = (1...3).map { line($0, "T", "1", transaction: $0 < 3 ? "t" : "u") }
    for lines in [records, others] {
      let answer = try race(lines, count: count)
      #expect(answer.status == 0 && answer.output == summary + "\n", "\(answer.talk)\(answer.output)")
    }
  }

  @Test func `what another process inserted meanwhile is held against what comes after`() throws {
    let lines = [inserted(1, "a", transaction: "t"), line(2, "T", "1", transaction: "t"), line(3, "T", "1")]
    let log = tool.path("log")
    var reads = 0
    tool.onInput = {
      reads += 1
      if reads == 2 { self.tool.run("do", log, "insert", "a", "--list", "book") }
      return Data((reads == 1 ? lines.prefix(2).map { $0 + "\n" }.joined() : reads == 2 ? lines[2] : "").utf8)
    }
    let answer = tool.run("import", log, "-")
    #expect(answer.status == 3 && answer.talk.contains("line 1: inserts the id \"a\", which \"book\" has"))
    #expect(position(log) == "{\"position\":1")
  }

  @Test func `an import that was cut short anywhere is finished by running it again`() throws {
    let lines = (0..<40).map { number in
      number % 3 == 2
        ? line(number, "T", "1", transaction: "t\(number / 4)")
        : inserted(number, "r\(number)", transaction: "t\(number / 4)")
    }
    try tool.importLines(lines)
    let whole = tool.run("log", "--json", tool.log).output
    for cut in [1, 5, 17, 39] {
      let log = tool.path("cut\(cut)")
      // A killed process has appended only whole transactions.
      try tool.importLines(Array(lines.prefix(cut / 4 * 4)), to: log)
      #expect(try tool.importLines(lines, to: log).status == 0)
      #expect(tool.run("log", "--json", log).output == whole)
    }
  }
}
