import Annals
import Foundation
import Testing

/// Random record histories against a plain model of the list, for every batching.
@Suite struct RandomHistoryTests {
  /// Values of every kind; several spellings of one number; strings that are only canonically equal.
  static let values = [
    "null", "false", "true", "0", "-0", "3", "3.0", "0.3e1", "10", "1e1", "\"10\"", "-2.5", "-25e-1", "1e2", "0.001",
    "9007199254740993", "9007199254740992", "-7", "\"\"", "\"a\"", "\"b\"", "\"A\"", "\"\\u00e9\"", "\"e\\u0301\"",
    "\"\u{1F600}\"", "\"\\uffff\"", "\"z\\u0000\"", "\"z\"", "[]", "[1, 2]", "[1.0,2]", "[true]", "{}",
    "{\"b\":1,\"a\":null}", "{\"b\":1.0}", "{\"a\":[{}]}",
  ]
  static let ids = ["1", "2", "10", "a", "é", "e\u{301}", "", "Z", "x y", "\u{1F600}", "\"q\"", "~"]
  static let fields = ["kind", "rank", "é", "e\u{301}"]

  struct History {
    var lines: [String] = []
    /// The model after each event; the first is empty.
    var states: [NaiveModel] = [NaiveModel()]
    /// The positions at which transactions end.
    var ends: [Int] = []
    private var random: Random

    init(seed: UInt64, transactions: Int) {
      random = Random(seed: seed)
      for number in 0..<transactions {
        let size = random.below(12) == 0 ? random.below(400) + 1 : random.below(6) + 1
        for _ in 0..<size { addEvent(transaction: "t\(number)") }
        ends.append(lines.count)
      }
    }

    private mutating func value() -> String { RandomHistoryTests.values[random.below(RandomHistoryTests.values.count)] }

    private mutating func someFields() -> [(name: String, json: String)] {
      RandomHistoryTests.fields.filter { _ in random.below(2) == 0 }.map { ($0, value()) }
    }

    private mutating func addEvent(transaction: String) {
      var model = states[states.count - 1]
      let id = RandomHistoryTests.ids[random.below(RandomHistoryTests.ids.count)]
      let isThere = model.rows.contains { Array($0.id.utf8) == Array(id.utf8) }
      let quoted = JSONValue.quoted(id)
      let type: String
      var data: String
      switch random.below(10) {
      case 0:
        let key = value()
        let title = ["A", "B", "", "é", "e\u{301}"][random.below(5)]
        type = "SectionRenamed"
        let section = key == "null" && random.below(2) == 0 ? "" : ",\"section\":\(key)"
        data = "{\"collection\":\"c\"\(section),\"title\":\(JSONValue.quoted(title))}"
        model.rename(parsed(key), title)
      case 1...2 where isThere:
        type = "RecordDeleted"
        data = "{\"id\":\(quoted),\"collection\":\"c\",\"extra\":[1]}"
        model.delete(id)
      default:
        type = isThere ? "RecordUpdated" : "RecordInserted"
        let new = someFields()
        let json = new.map { "\(JSONValue.quoted($0.name)): \($0.json)" }.joined(separator: ", ")
        data = "{\"collection\": \"c\", \"id\": \(quoted), \"fields\": {\(json)}}"
        let values = new.map { (name: $0.name, value: parsed($0.json)) }
        if isThere { model.update(id, values) } else { model.insert(id, values) }
      }
      lines.append(line(lines.count + 1, type, data, transaction: transaction))
      states.append(model)
    }

    private func parsed(_ json: String) -> JSONValue { (try? JSONValue(parsing: json)) ?? .null }

    mutating func options() -> NaiveModel.Options {
      var options = NaiveModel.Options()
      let names = RandomHistoryTests.fields
      if random.below(4) > 0 { options.section = names[random.below(4)] }
      for _ in 0..<random.below(3) { options.sort.append((names[random.below(4)], random.below(2) == 0)) }
      for _ in 0..<random.below(6) / 4 {
        let comparison = ["=", "!=", "<", "<=", ">", ">=", "contains"][random.below(7)]
        options.conditions.append((names[random.below(2)], comparison, parsed(value())))
      }
      if random.below(3) == 0 { options.limit = random.below(6) }
      if random.below(4) == 0 { options.offset = random.below(4) }
      return options
    }

    mutating func below(_ bound: Int) -> Int { random.below(bound) }
  }

  struct Random {
    private var state: UInt64
    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }
    mutating func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(bound))
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `replay and show say what a plain model says, for every batching`(seed: UInt64) throws {
    let tool = try ToolRunner()
    var history = History(seed: seed, transactions: 20)
    let answer = try tool.importLines(history.lines)
    try #require(answer.status == 0, "\(answer.talk)")
    for _ in 0..<4 {
      let options = history.options()
      let end = history.lines.count
      for position in [0, history.below(end + 1), end] {
        let show = try JSONList(tool.run(["show", tool.log, "--json", "--at", "\(position)"] + options.words).output)
        let want = history.states[position].list(options)
        try #require(show.sections == want, "at \(position) with \(options.words)")
        try #require(show.position == position)
      }
      for batch in ["transaction", "event", "\(history.below(9) + 2)", "100000"] {
        let from = history.below(3) == 0 ? history.below(end + 1) : 0
        let words = ["replay", tool.log, "--json", "--batch", batch, "--from", "\(from)"] + options.words
        let replay = tool.run(words)
        var list = JSONList()
        var last = 0
        for line in replay.lines {
          let (start, stop) = try list.apply(line)
          try #require(start == last && stop > start, "\(words): \(line)")
          let want = history.states[stop].list(options)
          try #require(list.sections == want, "at \(stop) of \(words)")
          try checkEnd(stop, batch, from: from, history)
          last = stop
        }
        let want = history.states[end].list(options)
        let isEmpty = want.allSatisfy { $0.rows.isEmpty } && list.sections.isEmpty
        try #require(isEmpty || list.sections == want, "at the end of \(words)")
      }
      try checkDiff(tool, &history, options)
    }
  }

  /// A batch ends where its kind says.
  private func checkEnd(_ stop: Int, _ batch: String, from: Int, _ history: History) throws {
    if stop == from { return }
    switch batch {
    case "event": break
    case "transaction": try #require(history.ends.contains(stop))
    default: try #require((stop - from) % (Int(batch) ?? 1) == 0 || stop == history.lines.count)
    }
  }

  private func checkDiff(_ tool: ToolRunner, _ history: inout History, _ options: NaiveModel.Options) throws {
    let (from, to) = (history.below(history.lines.count + 1), history.below(history.lines.count + 1))
    let words = ["--json"] + options.words
    var list = try JSONList(tool.run(["show", tool.log, "--at", "\(from)"] + words).output)
    let want = history.states[to].list(options)
    let isSame = list.sections == want
    let diff = tool.run(["diff", tool.log, "--from", "\(from)", "--to", "\(to)"] + words)
    try #require(diff.status == (isSame ? 0 : 1))
    for line in diff.lines { try list.apply(line) }
    try #require(list.sections == want, "diff from \(from) to \(to) with \(options.words)")
  }

  @Test(arguments: 20...23 as ClosedRange<UInt64>)
  func `an export of any history imports to an equal export`(seed: UInt64) throws {
    let tool = try ToolRunner()
    let history = History(seed: seed, transactions: 15)
    try tool.importLines(history.lines)
    let first = tool.run("export", tool.log).output
    tool.run("import", tool.path("two"), try tool.file("export.jsonl", first))
    #expect(tool.run("export", tool.path("two")).output == first)
    // A second import of the same adds nothing.
    let again = tool.run("import", tool.path("two"), tool.path("export.jsonl"), "--json")
    #expect(again.output.hasPrefix("{\"events\":0,\"transactions\":0,\"skipped\":\(history.lines.count),"))
  }
}
