import Annals
import AnnalsTesting
import Foundation
import Testing

/// Random record histories compared with a plain model of the list, for every batching.
@Suite struct RandomHistoryTests {
  /// Values of every kind, several spellings of one number, and strings that are only canonically equal.
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
    /// The model after each event, beginning with the empty one.
    var states: [NaiveModel] = [NaiveModel()]
    /// The positions at which transactions end.
    var ends: [Int] = []

    /// Draws a history with mostly small transactions, and sometimes a large one.
    static func generator(transactions: Int) -> Generator<History> {
      let size = Generator<Int>.frequency((11, .int(in: 1...6)), (1, .int(in: 1...400)))
      return Generator { draw in
        var history = History()
        for number in 0..<transactions {
          for _ in 0..<(try draw(size)) { try history.addEvent(draw, transaction: "t\(number)") }
          history.ends.append(history.lines.count)
        }
        return history
      }
    }

    private mutating func addEvent(_ draw: Draw, transaction: String) throws {
      var model = states[states.count - 1]
      let id = try draw(.element(of: RandomHistoryTests.ids))
      let isThere = model.rows.contains { Array($0.id.utf8) == Array(id.utf8) }
      let quoted = JSONValue.quoted(id)
      let type: String
      var data: String
      switch try draw(.int(in: 0...9)) {
      case 9:
        let key = try draw(.element(of: RandomHistoryTests.values))
        let title = try draw(.element(of: ["A", "B", "", "é", "e\u{301}"]))
        type = "SectionRenamed"
        let section = try key == "null" && draw(.bool) ? "" : ",\"section\":\(key)"
        data = "{\"collection\":\"c\"\(section),\"title\":\(JSONValue.quoted(title))}"
        model.rename(parsed(key), title)
      case 7...8 where isThere:
        type = "RecordDeleted"
        data = "{\"id\":\(quoted),\"collection\":\"c\",\"extra\":[1]}"
        model.delete(id)
      default:
        type = isThere ? "RecordUpdated" : "RecordInserted"
        let new = try RandomHistoryTests.fields.filter { _ in try draw(.bool) }.map { name in
          (name: name, json: try draw(.element(of: RandomHistoryTests.values)))
        }
        let json = new.map { "\(JSONValue.quoted($0.name)): \($0.json)" }.joined(separator: ", ")
        data = "{\"collection\": \"c\", \"id\": \(quoted), \"fields\": {\(json)}}"
        let values = new.map { (name: $0.name, value: parsed($0.json)) }
        if isThere { model.update(id, values) } else { model.insert(id, values) }
      }
      lines.append(line(lines.count + 1, type, data, transaction: transaction))
      states.append(model)
    }
  }

  /// A history and the questions about it.
  private struct Inquiry: SourcePrintable {
    struct Question {
      let options: NaiveModel.Options
      let position: Int
      let batch: String
      let from: Int
      let diff: (from: Int, to: Int)
    }

    let history: History
    let questions: [Question]

    /// The history's lines, and the words of each question.
    var swiftSource: String {
      (history.lines + questions.map { "\($0.options.words) \($0.position) \($0.batch) \($0.from) \($0.diff)" })
        .joined(separator: "\n  ")
    }

    static let generator = Generator<Inquiry> { draw in
      let history = try draw(History.generator(transactions: 20))
      let place = Generator<Int>.int(in: 0...history.lines.count)
      let questions = try ["transaction", "event", "\(draw(.int(in: 2...10)))", "100000"].map { batch in
        Question(
          options: try draw(RandomHistoryTests.options), position: try draw(place), batch: batch,
          from: try draw(.bool(1 / 3)) ? try draw(place) : 0, diff: (try draw(place), try draw(place)))
      }
      return Inquiry(history: history, questions: questions)
    }
  }

  static let options = Generator<NaiveModel.Options> { draw in
    var options = NaiveModel.Options()
    let name = Generator<String>.element(of: RandomHistoryTests.fields)
    if try draw(.bool(0.75)) { options.section = try draw(name) }
    options.sort = try draw(.array(of: zip(name, .bool), count: 0...2)).map { ($0, $1) }
    if try draw(.bool(1 / 3)) {
      let comparison = try draw(.element(of: ["=", "!=", "<", "<=", ">", ">=", "contains"]))
      let value = parsed(try draw(.element(of: RandomHistoryTests.values)))
      options.conditions.append((try draw(.element(of: ["kind", "rank"])), comparison, value))
    }
    if try draw(.bool(1 / 3)) { options.limit = try draw(.int(in: 0...5)) }
    return options
  }

  private let settings = CheckSettings(examples: 10, maxChoices: 100_000)

  @Test func `replay and show say what a plain model says, for every batching, and a table view takes all`() throws {
    try check(Inquiry.generator, settings: settings) { inquiry in
      let (tool, history) = (try ToolRunner(), inquiry.history)
      let answer = try tool.importLines(history.lines)
      try ensure(answer.status == 0, answer.talk)
      for question in inquiry.questions {
        try checkShow(tool, history, question)
        try checkReplay(tool, history, question)
        try checkDiff(tool, history, question)
      }
    }
  }

  private func checkShow(_ tool: ToolRunner, _ history: History, _ question: Inquiry.Question) throws {
    for position in [0, question.position, history.lines.count] {
      let words = ["show", tool.log, "--json", "\(position)"] + question.options.words
      let answer = tool.run(words)
      if answer.refusesKind { continue }
      let show = try JSONList(answer.output)
      try ensure(show.sections == history.states[position].list(question.options), "\(words)")
      try ensureEqual(show.position, position)
    }
  }

  private func checkReplay(_ tool: ToolRunner, _ history: History, _ question: Inquiry.Question) throws {
    let (batch, from, end) = (question.batch, question.from, history.lines.count)
    let words =
      ["diff", "--each", tool.log, "--json", "--check", "--batch", batch, "\(from).."] + question.options.words
    let replay = tool.run(words)
    if replay.refusesKind { return }
    try ensure(replay.status == 0 && replay.talk.contains("a table view takes"), "\(words): \(replay.talk)")
    var list = JSONList()
    var last = 0
    for line in replay.lines {
      let (start, stop) = try list.apply(line)
      try ensure(start == last && stop > start, "\(words): \(line)")
      try ensure(list.sections == history.states[stop].list(question.options), "at \(stop) of \(words)")
      try checkEnd(stop, batch, from: from, history)
      last = stop
    }
    let want = history.states[end].list(question.options)
    let isEmpty = want.allSatisfy { $0.rows.isEmpty } && list.sections.isEmpty
    try ensure(isEmpty || list.sections == want, "at the end of \(words)")
  }

  /// Checks that a batch ends where its kind says.
  private func checkEnd(_ stop: Int, _ batch: String, from: Int, _ history: History) throws {
    if stop == from { return }
    switch batch {
    case "event": break
    case "transaction": try ensure(history.ends.contains(stop), "no transaction ends at \(stop)")
    default:
      let isWhole = (stop - from) % (Int(batch) ?? 1) == 0 || stop == history.lines.count
      try ensure(isWhole, "a batch of \(batch) from \(from) ends at \(stop)")
    }
  }

  private func checkDiff(_ tool: ToolRunner, _ history: History, _ question: Inquiry.Question) throws {
    let (from, to) = question.diff
    let words = ["--json"] + question.options.words
    let shown = tool.run(["show", tool.log, "\(from)"] + words)
    if shown.refusesKind { return }
    var list = try JSONList(shown.output)
    let want = history.states[to].list(question.options)
    let isSame = list.sections == want
    let diff = tool.run(["diff", tool.log, "\(from)..\(to)"] + words)
    if diff.refusesKind { return }
    try ensureEqual(diff.status, isSame ? 0 : 1)
    for line in diff.lines { try list.apply(line) }
    try ensure(list.sections == want, "diff from \(from) to \(to) with \(question.options.words)")
  }

  @Test func `an export of any history imports to an equal export`() throws {
    let histories = History.generator(transactions: 15).map { $0.lines }
    try check(histories, settings: settings) { lines in
      let tool = try ToolRunner()
      try tool.importLines(lines)
      let first = tool.run("log", "--json", tool.log).output
      tool.run("import", tool.path("two"), try tool.file("export.jsonl", first))
      try ensureEqual(tool.run("log", "--json", tool.path("two")).output, first)
      // A second import of the same file adds nothing.
      let again = tool.run("import", tool.path("two"), tool.path("export.jsonl"), "--json")
      try ensure(again.output.hasPrefix("{\"events\":0,\"transactions\":0,\"skipped\":\(lines.count),"), again.output)
    }
  }
}

private func parsed(_ json: String) -> JSONValue { (try? JSONValue(parsing: json)) ?? .null }
