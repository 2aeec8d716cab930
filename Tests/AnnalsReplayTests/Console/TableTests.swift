@testable import AnnalsReplay
import Annals
import Foundation
import Testing

/// One table in every format.
@Suite struct TableTests {
  private static let columns = [
    TableColumn("name"), TableColumn("bytes", title: "size", .right), TableColumn("note"),
  ]

  private func lines(
    _ format: OutputFormat, fields: [String] = [], rows: [[TableCell]]? = nil, columns: Int? = nil,
    colour: ColourChoice = .auto
  ) throws -> [String] {
    var console = Console(output: { _ in }, talk: { _ in }, input: { Data() })
    console.outputIsTerminal = columns != nil
    console.environment = ["NO_COLOR": "1"]
    console.colour = colour
    console.size = { columns.map { ($0, 24) } }
    var lines: [String] = []
    let table = try TableWriter(Self.columns, as: format, fields: fields, on: console) { lines.append($0) }
    for row in rows ?? Self.rows { try table.row(row) }
    try table.end()
    return lines
  }

  private static let rows: [[TableCell]] = [
    [.json(.string("a,\"b\"|c\\")), .shown(as: "2.1 kB", .number(2106)), .none],
    [.json(.string("漢\t\n")), .number(7), .text("x")], [.json(.null), .number(-1), .json(.string("5"))],
  ]

  @Test func `a table has columns as wide as their cells`() throws {
    for format in [OutputFormat.table, .text] {
      #expect(
        try lines(format) == [
          "name            size  note", #"a,"b"|c\      2.1 kB"#, #"漢\u{9}\u{a}       7  x"#,
          #"                  -1  "5""#,
        ])
    }
    #expect(try lines(.table, rows: []) == [])
    #expect(try lines(.table, colour: .always)[0] == "\u{1B}[1mname            size  note\u{1B}[0m")
  }

  @Test func `the formats for programs have the values as they are`() throws {
    #expect(
      try lines(.json) == [
        #"[{"name":"a,\"b\"|c\\","bytes":2106,"note":null}"#, #",{"name":"漢\t\n","bytes":7,"note":"x"}"#,
        #",{"name":null,"bytes":-1,"note":"5"}"#, "]",
      ])
    #expect(try lines(.json, rows: []) == ["[]"])
    #expect(try lines(.jsonl)[0] == #"{"name":"a,\"b\"|c\\","bytes":2106,"note":null}"#)
    #expect(try lines(.jsonl, rows: []) == [])
    #expect(
      try lines(.csv) == ["name,bytes,note\r", "\"a,\"\"b\"\"|c\\\",2106,\r", "\"漢\t\n\",7,x\r", ",-1,5\r"])
    let quoted: [[TableCell]] = [[.text("a,b"), .none, .text("a\rb")], [.text("a\nb"), .none, .text("a b;'")]]
    #expect(try lines(.csv, rows: quoted).dropFirst() == ["\"a,b\",,\"a\rb\"\r", "\"a\nb\",,a b;'\r"])
    #expect(try lines(.csv, rows: []) == ["name,bytes,note\r"])
    #expect(try lines(.tsv) == ["name\tbytes\tnote", "a,\"b\"|c\\\\\t2106\t", "漢\\t\\n\t7\tx", "\t-1\t5"])
  }

  @Test func `a Markdown table has no sign that would format or end anything`() throws {
    #expect(
      try lines(.markdown) == [
        "| name | bytes | note |", "| --- | ---: | --- |", #"| a,"b"\|c\\ | 2106 |  |"#, #"| 漢\\u{9}\\u{a} | 7 | x |"#,
        "|  | -1 | 5 |",
      ])
    let hostile: [[TableCell]] = [[.text("<img src=x>&amp;[a](b)`*_~$\u{1B}"), .none, .none]]
    #expect(try lines(.markdown, rows: hostile)[2] == #"| \<img src=x\>\&amp;\[a\](b)\`\*\_\~\$\\u{1b} |  |  |"#)
  }

  @Test func `fields are chosen and ordered by name`() throws {
    #expect(try lines(.csv, fields: ["note", "bytes"]) == ["note,bytes\r", ",2106\r", "x,7\r", "5,-1\r"])
    #expect(try lines(.jsonl, fields: ["bytes", "bytes"])[1] == #"{"bytes":7,"bytes":7}"#)
    let error = #expect(throws: ReplayError.self) { try lines(.csv, fields: ["byte"]) }
    #expect(error?.status == .usage)
    #expect(
      error?.message == "--fields: there is no column \"byte\"; did you mean bytes?\nthe columns are name, bytes, note")
  }

  @Test func `on a terminal the widest texts are cut first, and numbers last`() throws {
    let long = String(repeating: "name ", count: 20)
    let rows: [[TableCell]] = [[.text(long), .number(123_456), .text("short note")]]
    #expect(try lines(.table, rows: rows, columns: 40)[1] == "name name name name…  123456  short note")
    for columns in 1...130 {
      for line in try lines(.table, rows: rows, columns: columns) { #expect(Text.width(line) <= columns) }
    }
    #expect(try lines(.table, rows: rows)[1].hasPrefix(long))
    #expect(try lines(.table, rows: rows, columns: 130)[1].contains("name   123456  short note"))
  }

  @Test(arguments: OutputFormat.allCases) func `no format lets data steer a terminal`(format: OutputFormat) throws {
    let rows: [[TableCell]] = [[.json(.string("\u{9B}\u{1B}[2J\u{200B}")), .none, .text("\u{202E}\r")]]
    for line in try lines(format, rows: rows, columns: 80) {
      #expect(Text.safe(line.replacing("\t", with: "")) == line.replacing("\t", with: ""))
    }
  }

  @Test func `a long table is printed before its end, with the widths of its first rows`() throws {
    let rows = (0..<1_500).map { number in
      [TableCell.text("n\(number)"), .number(number), .text(number == 1_400 ? "last" : "x")]
    }
    let lines = try lines(.table, rows: rows)
    #expect(lines.count == 1_501 && lines[1] == "n0       0  x" && lines[1_401] == "n1400  1400  last")
  }

  @Test func `info has a rate from a day on, and wraps on a narrow terminal`() throws {
    let tool = try ToolRunner()
    func times(_ first: String, _ last: String) throws -> String {
      let lines = [(1, first), (2, last)].map { line($0, "T", "1").replacing("2026-01-02T03:04:05Z", with: $1) }
      try tool.importLines(lines, to: tool.path(first + last))
      return tool.run("info", tool.path(first + last)).lines[1]
    }
    let (one, other, next) = ("2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z", "2026-01-03T03:04:05Z")
    #expect(try times(one, other) == "events      2 in 2 transactions, 1.0 per transaction, 1 stream")
    #expect(try times(one, next) == "events      2 in 2 transactions, 1.0 per transaction, 1 stream, 2.0 events a day")
    tool.isTerminal = true
    (tool.size, tool.environment) = ((30, 90), ["NO_COLOR": "1"])
    let narrow = tool.run("info", "--time", "none", tool.path(one + next)).lines
    let end = try #require(narrow.firstIndex { $0.hasPrefix("events") })
    #expect(
      narrow[end...].prefix(4) == [
        "events      2 in 2", "  transactions, 1.0 per", "  transaction, 1 stream, 2.0", "  events a day",
      ], "\(narrow)")
    // The path of the log is a single word.
    #expect(narrow[end...].allSatisfy { $0.count <= 30 }, "\(narrow)")
  }

  @Test func `info prints its counts in every format`() throws {
    let tool = try ToolRunner()
    try tool.importLines([inserted(1, "b1"), line(2, "Other", "1")])
    let csv = tool.run("info", tool.log, "--format", "csv")
    #expect(
      csv.output == "by,events,payloadBytes,name\r\ntype,1,1,Other\r\ntype,1,43,RecordInserted\r\nstream,2,44,s\r\n",
      "\(csv)")
    #expect(tool.run("info", tool.log, "--format", "json").output == tool.run("info", tool.log, "--json").output)
    #expect(tool.run("info", tool.log, "--fields", "name,events").lines[0] == "name            events")
    #expect(
      tool.run("info", tool.log, "--json", "--fields", "name").lines
        == [#"[{"name":"Other"}"#, #",{"name":"RecordInserted"}"#, #",{"name":"s"}"#, "]"])
    for (words, message) in [
      (
        ["--format", "csx"], "annals: --format: expected text, table, json, jsonl, csv, tsv or markdown, found \"csx\""
      ),
      (["--json", "--format", "csv"], "annals: --json and --format csv cannot both be"),
      (["--fields", "nam"], "annals: --fields: there is no column \"nam\"; did you mean name?"),
      (["--fields", "name,,events"], "annals: --fields: there is no column \"\""),
    ] {
      let answer = tool.run(["info", tool.log] + words)
      #expect(answer.status == 2 && answer.talk.hasPrefix(message), "\(answer.talk)")
    }
  }

  @Test func `every subcommand with JSON prints the same values as a table`() throws {
    let tool = try ToolRunner()
    try tool.importLines([
      inserted(1, "b1", #"{"price":4}"#),
      line(2, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"price":5}}"#),
    ])
    for (words, member, head) in [
      (["why", tool.log, "b1"], "changes", "field,old,new,kind,event"),
      (["diff", tool.log, "1..2"], "rows", "type,id,at,newAt,from,to,contentChanged,moved,fields,old,events"),
      (["find", tool.log, "count > 0"], nil, "position,holds,count,batch"),
      (["verify", tool.log], "problems", "position,message"),
      (["help", "schema"], "schemas", "name,form,description"),
      (["backup", tool.log, tool.path("copy"), "--yes"], nil, "position,bytes,verified,sound,lacksCommits,problems"),
      (["do", tool.log, "update", "b1", "price=6", "--dry-run"], "events", "type,stream,schema,payload"),
    ] {
      let whole = try JSONValue(parsing: tool.run(words + ["--json"]).output)
      let values = member.map { whole[$0]?.array ?? [] } ?? [whole]
      let rows = try tool.run(words + ["--format", "jsonl"]).lines.map { try JSONValue(parsing: $0) }
      let names = head.split(separator: ",").map(String.init)
      #expect(
        rows.map { row in names.map { row[$0] ?? .null } } == values.map { value in names.map { value[$0] ?? .null } })
      let table = tool.run(words + ["--format", "tsv"])
      #expect(table.status < 2 && table.lines.count == values.count + 1, "\(table)")
      #expect(table.lines.first == names.joined(separator: "\t"))
    }
    #expect(tool.run("why", tool.log, "b1", "--fields", "new,field").lines == ["new  field", "5    price"])
    let counts = tool.run("diff", tool.log, "1..2", "--stat", "--fields", "from,to").lines
    #expect(counts == ["from  to", "   1   2"])
    #expect(tool.run("why", tool.log, "b1", "--json", "--fields", "new").lines == [#"[{"new":5}"#, "]"])
    let scrub = tool.run("scrub", tool.log, "--format", "csv")
    #expect(scrub.status == 2 && scrub.talk.contains("prints no JSON and no tables"))
  }
}
