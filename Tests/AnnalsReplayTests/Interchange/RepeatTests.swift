import Annals
import AnnalsReplay
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// Lines of an import whose identities were used before.
@Suite struct RepeatTests {
  private let tool: ToolRunner

  init() throws { tool = try ToolRunner() }

  private static let base: [(name: String, json: String)] = [
    ("specversion", #""1.0""#), ("id", #""1""#), ("source", #""old""#), ("type", #""T""#), ("subject", #""s""#),
    ("time", #""2026-01-02T03:04:05Z""#), ("tags", #""a b""#), ("schemaversion", "2"), ("actor", #""ann""#),
    ("data", #"{"a":1,"b":[true,{"c":"x"}]}"#),
  ]

  /// A line like `base`, with other members, and without the members that are nil.
  private static func line(_ changes: [String: String?] = [:]) -> String {
    var members = base
    for (name, json) in changes.sorted(by: { $0.key < $1.key }) {
      members.removeAll { $0.name == name }
      if let json { members.append((name, json)) }
    }
    return "{" + members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",") + "}"
  }

  private static let others: [(changes: [String: String?], names: String)] = [
    (["type": #""U""#], "type"), (["subject": #""t""#], "subject"), (["subject": #""S""#], "subject"),
    (["time": #""2026-01-02T03:04:05.000001Z""#], "time"), (["tags": #""a""#], "tags"), (["tags": nil], "tags"),
    (["schemaversion": nil], "schemaversion"), (["actor": #""bob""#], "actor"), (["actor": nil], "actor"),
    (["more": "1"], "more"), (["data": #"{"a":2,"b":[true,{"c":"x"}]}"#], "data"), (["data": nil], "data"),
    (["data": #"{"a":1,"b":[{"c":"x"},true]}"#], "data"), (["data": #"{"a":1,"b":[true,{"c":"X"}]}"#], "data"),
    (["subject": #""t""#, "type": #""U""#, "data": "7"], "type, subject and data"),
  ]

  private static let equals: [[String: String?]] = [
    [:], ["time": nil], ["time": #""2026-01-02T04:04:05.000+01:00""#], ["tags": #""a b""#], ["schemaversion": "2"],
    ["data": #"{ "b" : [true, {"c":"\u0078"}],"a":1.0 }"#], ["data": #"{"a":10e-1,"b":[true,{"c":"x"}],"n":null}"#],
    ["transaction": #""t""#], ["position": "7"], ["more": "null"],
  ]

  /// The places in which the first event with the identity can be when the second one arrives.
  enum Place: CaseIterable { case sameTransaction, sameInput, log, input }

  /// Imports two lines, the first one at a place, with `count` other lines between them.
  private func importTwo(_ first: String, _ second: String, at place: Place, count: Int = 0, _ words: [String] = [])
    throws -> ToolRunner.Answer
  {
    let log = tool.path("log-\(UUID().uuidString)")
    let between = (0..<count).map { Self.line(["id": "\"between \($0)\""]) }
    switch place {
    case .sameTransaction:
      let label = #","transaction":"one"}"#
      return tool.run(["import", log, try file([first, second].map { $0.dropLast() + label })] + words)
    case .sameInput: return tool.run(["import", log, try file([first] + between + [second])] + words)
    case .log:
      tool.run("import", log, try file([first] + between))
      return tool.run(["import", log, try file([second])] + words)
    case .input:
      tool.input = Data(([first] + between + [second]).map { $0 + "\n" }.joined().utf8)
      return tool.run(["import", log, "-"] + words)
    }
  }

  private func file(_ lines: [String]) throws -> String {
    try tool.file("in-\(UUID().uuidString)", lines.map { $0 + "\n" }.joined())
  }

  @Test(arguments: Place.allCases) func `another event under a used identity ends the import`(_ place: Place) throws {
    for (changes, names) in Self.others {
      let answer = try importTwo(Self.line(), Self.line(changes), at: place, ["--json"])
      #expect(answer.status == 3, "\(changes): \(answer)")
      let other = place == .log ? "position 1 of the log" : "line 1"
      #expect(
        answer.talk.contains(
          #"line \#(place == .log ? 1 : 2): the id "1" of the source "old" belongs to another event: expected the "#
            + "event at \(other), found other values of \(names); "), "\(answer.talk)")
      let events = place == .sameInput || place == .input ? 1 : 0
      #expect(answer.talk.contains("\(events) event\(events == 1 ? " was" : "s were") imported"), "\(answer.talk)")
      let json = try JSONValue(parsing: answer.output)
      #expect("\(json)".contains("conflict") && answer.output.contains(#""source":"old","id":"1","other"#))
    }
  }

  @Test(arguments: Place.allCases) func `an equal event is counted as a repeat`(_ place: Place) throws {
    for changes in Self.equals where place != .sameTransaction || changes["transaction"] == nil {
      let answer = try importTwo(Self.line(), Self.line(changes), at: place, ["--json"])
      #expect(answer.status == 0 && answer.output.contains(#""skipped":1,"position":1}"#), "\(changes): \(answer)")
    }
  }

  @Test func `a repeat is found long after its event was written`() throws {
    for count in [1_100, 40_000] {
      let equal = try importTwo(Self.line(), Self.line(), at: .sameInput, count: count, ["--json"])
      #expect(equal.output.contains("\"events\":\(count + 1),") && equal.output.contains("\"skipped\":1,"), "\(equal)")
      let other = try importTwo(Self.line(), Self.line(["type": #""U""#]), at: .sameInput, count: count)
      #expect(other.status == 3 && other.talk.contains("line \(count + 2): the id \"1\""), "\(other)")
      #expect(other.talk.contains("\n\(count + 1) events were imported"), "\(other)")
    }
  }

  @Test func `records that come twice are imported once, in an input of any length`() throws {
    let lines = (0..<34_000).map { inserted($0, "r\($0)") }
    let answer = try tool.importLines(lines + lines.prefix(3), to: tool.log)
    #expect(answer.talk.hasPrefix("34000 events imported in 34000 transactions, 3 skipped"), "\(answer)")
  }

  @Test func `an erased value equals the value of the same person, and stays erased`() throws {
    let first = inserted(1, "b", #"{"name":{"$personal":"ann","value":{"a":[1]}},"n":1}"#)
    try tool.importLines([first])
    #expect(tool.run("erase", tool.log, "ann", "--yes").status == 0)
    #expect(try tool.importLines([first]).talk.contains("1 skipped"))
    #expect(!tool.run("log", "--json", tool.log).output.contains("value"))
    let changed = first.replacing(#""n":1"#, with: #""n":2"#)
    #expect(try tool.importLines([changed]).talk.contains("found other values of data"))
    let bob = first.replacing("ann", with: "bob")
    #expect(try tool.importLines([bob]).talk.contains("found other values of data"))
    // The other way around: the line has no value.
    let log = tool.path("whole")
    try tool.importLines([first], to: log)
    let without = tool.run("log", "--json", log, "--redact", "personal").lines
    #expect(try tool.importLines(without, to: log).talk.contains("1 skipped"))
    #expect(tool.run("log", "--json", log).output.contains(#""value":{"a":[1]}"#))
    // A value can change only into none.
    #expect(try tool.importLines([first.replacing("[1]", with: "[2]")], to: log).status == 3)
  }

  @Test func `an event that a compaction cut is compared by its identity`() throws {
    let updates = (2...6).map { number in
      AnnalsReplayTests.line(
        number, "RecordUpdated", #"{"collection":"book","id":"b","fields":{"n":\#(number)}}"#)
    }
    let lines = [inserted(1, "b", #"{"n":1}"#)] + updates
    try tool.importLines(lines)
    #expect(tool.run("compact", tool.log, "--yes").status == 0)
    let answer = try tool.importLines(lines)
    let json = tool.run("import", tool.log, tool.path("in.jsonl"), "--json")
    #expect(answer.status == 0 && answer.talk.contains("6 skipped that the log had (6 of them by the identity alone"))
    #expect(json.output.contains(#""skipped":6,"cut":6,"#), "\(json)")
  }

  @Test func `an export of an app's log repeats all of its events`() throws {
    let store = try SQLiteEventStore(path: tool.log)
    let metadata: Metadata = ["position": "p", "time": "noon", "tags": "a b", "specversion": "9", "transaction": "t"]
    for number in 1...3 {
      try store.append(
        Append(
          [
            NewEvent(
              type: "A", payload: "{\n\"a\":\r\(number)}", tags: ["x y", "z"], metadata: number == 2 ? [:] : metadata),
            NewEvent(type: "B", schema: 3, payload: nil, metadata: ["actor": "ann"]),
          ], to: "s"))
    }
    let lines = tool.run("log", "--json", tool.log).lines
    #expect(try tool.importLines(lines).talk.hasPrefix("0 events imported in 0 transactions, 6 skipped"))
    #expect(try tool.importLines(lines.shuffled()).talk.hasPrefix("0 events imported in 0 transactions, 6 skipped"))
  }

  /// A line of a random input: an identity, one of three contents, a spelling of it, and the label of its transaction.
  private struct Drawn: Hashable {
    let id: Int
    let content: Int
    let spelling: Int
    let label: Int

    var line: String {
      let data = [#"{"a":1,"b":"x"}"#, #"{ "b":"\u0078", "a":1.0 }"#][spelling]
      return RepeatTests.line([
        "id": "\"\(id)\"", "type": content == 1 ? #""U""# : #""T""#, "data": content == 2 ? "2" : data,
        "transaction": label == 0 ? nil : "\"t\(label)\"",
      ])
    }
  }

  @Test func `imports with colliding identities write what a model says`() throws {
    let lines = Generator.array(
      of: zip(.int(in: 0...9), .element(of: [0, 0, 0, 0, 0, 1, 2]), .int(in: 0...1), .int(in: 0...2))
        .map { Drawn(id: $0, content: $1, spelling: $2, label: $3) }, count: 0...25)
    try check(zip(lines, .int(in: 0...25), .int(in: 0...25)), settings: CheckSettings(examples: 150)) {
      drawn, cut, pause in
      let tool = try ToolRunner()
      var model: [Int: Int] = [:]
      var written: [Int] = []
      // Two runs of the tool. In the second one a pause commits everything that is whole.
      for (number, part) in [Array(drawn.prefix(cut)), drawn].enumerated() {
        let conflict = Self.apply(part, to: &model, &written)
        let text = part.map { $0.line + "\n" }
        var reads = 0
        tool.inputIsReady = { number == 0 }
        tool.onInput = {
          reads += 1
          let some = reads == 1 ? text.prefix(pause)[...] : reads == 2 ? text.dropFirst(pause)[...] : []
          return Data((some.isEmpty && reads < 2 ? "\n" : some.joined()).utf8)
        }
        let answer = tool.run("import", tool.log, "-", "--json")
        try ensure(answer.status == (conflict == nil ? 0 : 3), answer.talk)
        // The first read has a blank line if it has no other.
        if let conflict = conflict.map({ $0 + (text.isEmpty || pause == 0 ? 1 : 0) }) {
          try ensure(answer.talk.contains("line \(conflict + 1): the id "), "\(conflict): \(answer.talk)")
          try ensure(answer.output.contains("\"conflict\":{\"line\":\(conflict + 1),"), answer.output)
        }
        var ids: [String] = []
        if FileManager.default.fileExists(atPath: tool.log) {
          let store = try SQLiteEventStore(readingFrom: tool.log)
          ids = try store.events(.all, after: 0, through: nil, limit: 99).map(\.id.id)
        }
        try ensureEqual(ids, written.map { "\($0)" })
      }
    }
  }

  /// Applies lines to the contents by identity, one transaction after the other.
  ///
  /// - Returns: The index of the first line that conflicts.
  private static func apply(_ lines: [Drawn], to model: inout [Int: Int], _ written: inout [Int]) -> Int? {
    var (pending, label): ([(id: Int, content: Int)], Int) = ([], 0)
    for (index, line) in lines.enumerated() {
      if line.label == 0 || line.label != label {
        for event in pending { (model[event.id], written) = (event.content, written + [event.id]) }
        pending = []
      }
      label = line.label
      if let content = pending.first(where: { $0.id == line.id })?.content ?? model[line.id] {
        if content != line.content { return index }
      } else {
        pending.append((line.id, line.content))
      }
    }
    for event in pending { (model[event.id], written) = (event.content, written + [event.id]) }
    return nil
  }
}
