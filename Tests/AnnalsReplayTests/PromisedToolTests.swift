import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation
import Testing
@testable import AnnalsReplay

/// Single sentences of `Docs/ToolReference.md`, tested with all subcommands and collections.
@Suite struct PromisedToolTests {
  private let tool: ToolRunner

  init() throws { tool = try ToolRunner() }

  @Test func `every help page has at most 25 lines and 80 columns`() {
    for subcommand in ReplayTool.subcommands {
      let page = tool.run("help", subcommand.name)
      let count = page.output.count { $0 == "\n" }
      #expect(count > 5 && count <= 25, "\(subcommand.name) has \(count) lines\n\(page.output)")
      #expect(page.lines.allSatisfy { $0.count <= 80 }, "\(subcommand.name)")
    }
  }

  @Test func `the help of each subcommand has each of its options, and examples that it takes`() throws {
    #expect(Set(ReplayTool.subcommands.map(\.name)).count == ReplayTool.subcommands.count)
    for subcommand in ReplayTool.subcommands {
      let page = tool.run("help", subcommand.name)
      #expect(page.status == 0)
      let seeAlso = try #require(page.lines.last?.split(separator: ":"))
      #expect(seeAlso[0] == "see also", "\(subcommand.name)")
      let topics = seeAlso[1].split(separator: ",").map { $0.split(separator: " ").map(String.init) }
      let lines = page.lines + topics.flatMap { tool.run($0).lines }
      for option in subcommand.allOptions {
        let head = "  " + option.head
        #expect(lines.contains { $0 == head || $0.hasPrefix(head + " ") }, "\(subcommand.name) \(option.name)")
        // An option is documented on one page.
        if let topic = option.topic {
          #expect(topics.contains(["help", topic.rawValue]), "\(subcommand.name) \(option.name)")
          #expect(!page.lines.contains { $0 == head || $0.hasPrefix(head + " ") }, "\(subcommand.name) \(option.name)")
        }
      }
      #expect(!subcommand.examples.isEmpty)
      for example in subcommand.examples {
        // Splits the line as a shell does: the words of one program of a pipe, and quoted words as one. An example may
        // show another subcommand that you run afterwards.
        let command = try #require(example.split(separator: "|").last { $0.contains("annals ") })
        let words = command.split(separator: ">")[0].split(separator: "'", omittingEmptySubsequences: false)
          .enumerated()
          .flatMap { $0.offset % 2 == 1 ? [String($0.element)] : $0.element.split(separator: " ").map(String.init) }
        let other = try #require(ReplayTool.subcommands.first { $0.name == words.dropFirst().first }, "\(example)")
        #expect(throws: Never.self, "\(example)") {
          try Arguments(Array(words.dropFirst(2)), of: other, tool: "annals")
        }
      }
    }
  }

  @Test func `no option may be abbreviated in any subcommand, and two hyphens end them`() throws {
    for subcommand in ReplayTool.subcommands {
      let names = Set(subcommand.allOptions.map(\.name))
      for name in names {
        for count in 3..<name.count where !names.contains(String(name.prefix(count))) {
          for word in [String(name.prefix(count)), name.prefix(count) + "=1"] {
            let answer = tool.run(subcommand.name, "x", word)
            #expect(answer.status == 2 && answer.talk.contains("unknown option --"), "\(subcommand.name) \(word)")
          }
        }
      }
    }
    #expect(tool.run("do", tool.log, "insert", "--list", "book", "--", "--json", "n=1").status == 0)
    #expect(tool.run("show", tool.log).lines.last == "  --json  n: 1")
    #expect(tool.run("show", tool.log, "--", "--json").status == 2)
  }

  @Test func `a subject is not known any more after a compaction cut the events that said something of it`() throws {
    try tool.importLines([
      inserted(1, "b1", #"{"name":{"$personal":"ann","value":"Ann"}}"#), inserted(2, "b2", #"{"n":1}"#),
      line(3, "RecordDeleted", #"{"collection":"book","id":"b1"}"#),
    ])
    #expect(tool.run("erase", tool.log, "ann", "--yes").status == 0)
    #expect(tool.run("erase", tool.log, "ann", "--yes").talk == "0 values of ann erased: all were erased before\n")
    #expect(tool.run("compact", tool.log, "--yes").talk.hasPrefix("2 events cut, 0 replaced, 1 left"))
    let answer = tool.run("erase", tool.log, "ann", "--yes")
    #expect(answer.status == 1 && answer.talk.contains("the log has no personal values."), "\(answer.talk)")
  }

  @Test func `any JSON, or none, is data that comes back as the text that it was`() throws {
    let texts = [
      "null", "true", "-0", "1e5", "1.50", "9007199254740993", #""""#, #""\u0000\u00e9\ud83d\ude00\/""#, "[]",
      "[ 1 , [ ] ]", "{}",
      #"{ "b" : 1 , "a" : { "":null } }"#, #"{"a":1,"b":{"$personal":"p","value":[1, 2]}}"#,
      String(repeating: "[", count: 60) + String(repeating: "]", count: 60),
    ]
    let head = #"{"specversion":"1.0","source":"s","type":"T","subject":"s","time":"2026-01-02T03:04:05Z""#
    let lines = texts.enumerated().map { head + #","id":"\#($0.offset)","data":\#($0.element)}"# }
    #expect(try tool.importLines(lines + [head + #","id":"none"}"#]).status == 0)
    let export = tool.run("log", "--json", tool.log).lines
    #expect(export.count == texts.count + 1 && export.last?.contains(#""data""#) == false)
    for (line, text) in zip(export, texts) { #expect(line.hasSuffix(#","data":\#(text)}"#), "\(line)") }
    let copy = tool.path("copy")
    try tool.importLines(export, to: copy)
    #expect(tool.run("log", "--json", copy).lines == export)
  }

  @Test func `values of different kinds compare with no operator but not equal`() throws {
    let values = ["null", "true", "10", #""10""#, "[10]", #"{"a":10}"#]
    try tool.importLines(values.enumerated().map { inserted($0.offset, "\($0.offset)", #"{"v":\#($0.element)}"#) })
    for (index, value) in values.enumerated() {
      for operation in ["=", "!=", "<", "<=", ">", ">=", " contains "] {
        let answer = tool.run("show", tool.log, "--json", "--where", "v\(operation)\(value)")
        let ids = try JSONList(answer.output).sections.flatMap { $0.rows.map(\.id) }
        let others = ids.filter { $0 != "\(index)" }
        // An array contains its elements.
        var expected = operation == "!=" ? 5 : operation == " contains " && value == "10" ? 1 : 0
        // A value without quotes is also a string, as in an app with such a field.
        switch (operation, value) {
        case ("<=", "10"), (" contains ", "10"), ("=", "10"), (">=", "10"): expected += 1
        case ("!=", "10"): expected -= 1
        case ("<", "null"), ("<=", "null"), ("<", "true"), ("<=", "true"): expected += 1
        default: break
        }
        #expect(others.count == expected, "v\(operation)\(value): \(ids)")
      }
    }
  }

  /// Cuts one event, whatever its content.
  private struct Cut: CompactionRule {
    let position: Position

    func plan(_ log: any CompactionTransaction, through end: Position, into plan: inout CompactionPlan) throws {
      try log.forEachEvent(RecordEvent.query, through: end) { event in
        if event.position == position { try plan.add(.cut, to: event) }
      }
    }
  }

  @Test func `a compaction that changes a record, a field or a title of whatever collection does nothing`() throws {
    try tool.importLines([
      inserted(1, "b1", #"{"n":1}"#), line(2, "RecordInserted", #"{"collection":"other","id":"o","fields":{"n":1}}"#),
      line(3, "RecordUpdated", #"{"collection":"other","id":"o","fields":{"n":2}}"#),
      line(4, "SectionRenamed", #"{"collection":"other","section":"x","title":"X"}"#),
      line(5, "RecordInserted", #"{"collection":"third","id":"o","fields":{}}"#),
      line(6, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"n":1}}"#),
    ])
    let before = tool.run("log", "--json", tool.log).output
    // Each event but the last changes something in the records.
    for position in 1...6 {
      let store = try SQLiteEventStore(path: tool.log)
      var compaction = Compaction()
      compaction.rewrite(with: Cut(position: Position(position)))
      compaction.prove(with: RecordProof())
      if position < 6 {
        let error = #expect(throws: (any Error).self, "\(position)") { try store.compact(compaction) }
        // The row that would be another one is named, with what it would be.
        if position == 3 {
          let difference = error as? CompactionError
          #expect(difference?.row == "o" && difference?.after == #"the row {"n":1}"#)
          #expect(difference?.name == #"the collection "other""# && difference?.before == "a row with other fields")
        }
        #expect(tool.run("log", "--json", tool.log).output == before)
      } else {
        #expect(try store.compact(compaction).cut == 1)
      }
      store.close()
    }
  }
}
