@testable import AnnalsReplay
import Annals
import AnnalsSQLite
import Foundation
import Testing

/// A log with text that would control a terminal in every name and value.
@Suite struct HostileLogTests {
  /// A title of a window, a colour, a CSI of C1, an override of the direction, hidden spaces, line separators, a bell.
  private static let evil =
    "a\u{1B}]0;t\u{7}\u{1B}[5mb\u{9B}31mc\u{202E}d\u{2066}e\u{200B}f\u{2028}g\u{2029}h\u{85}i\u{FEFF}j\u{7F}k"
    + "\u{E0041}l\r\u{8}"

  private static func evil(_ text: String) -> String { text + evil }

  /// True of a scalar that must not reach a reader.
  private static func isRaw(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A: false
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF, 0xFFF9...0xFFFB,
      0xE0000...0xE007F:
      true
    default: false
    }
  }

  /// The first raw scalar of an output, with the text around it, or nil.
  private static func raw(in text: String, allowing allowed: Set<Unicode.Scalar> = []) -> String? {
    // The line that shows the progress of a task.
    var text = text.replacing("\r\u{1B}[K", with: "")
    for code in Style.codes { text = text.replacing(code, with: "") }
    let scalars = Array(text.unicodeScalars)
    guard let index = scalars.firstIndex(where: { isRaw($0) && !allowed.contains($0) }) else { return nil }
    let around = scalars[max(0, index - 60)..<min(scalars.count, index + 20)]
    return "U+\(String(scalars[index].value, radix: 16)) in "
      + String(String.UnicodeScalarView(around)).debugDescription
  }

  private let tool: ToolRunner
  private let log: String

  init() throws {
    tool = try ToolRunner()
    log = tool.path("log" + Self.evil.replacing("\u{7}", with: ""))
    let quoted = { (text: String) in JSONValue.quoted(Self.evil(text)) }
    let store = try SQLiteEventStore(path: log)
    var metadata: Metadata = [:]
    metadata.author = Self.evil("actor")
    metadata.correlation = Self.evil("correlation")
    metadata.causation = Self.evil("causation")
    metadata[Self.evil("name")] = Self.evil("value")
    func event(_ type: String, _ payload: String, _ number: Int) -> NewEvent {
      NewEvent(
        type: type, payload: payload, tags: [EventTag(Self.evil("tag:x"))], metadata: metadata,
        id: EventID(source: Self.evil("from"), id: Self.evil("id\(number)")))
    }
    let collection = quoted("collection")
    func fields(_ number: Int) -> String {
      "{\(quoted("field")):\(quoted("value\(number)")),\(quoted("shelf")):\(quoted("shelf")),"
        + "\(quoted("who")):{\"$personal\":\(quoted("subject")),\"value\":\(quoted("secret"))},"
        + "\(quoted("list")):[\(quoted("element")),{\(quoted("inner")):\(quoted("inner"))}]}"
    }
    let events = [
      event("RecordInserted", "{\"collection\":\(collection),\"id\":\(quoted("r1")),\"fields\":\(fields(1))}", 1),
      event("RecordInserted", "{\"collection\":\(collection),\"id\":\(quoted("r2")),\"fields\":\(fields(2))}", 2),
      event("RecordUpdated", "{\"collection\":\(collection),\"id\":\(quoted("r1")),\"fields\":\(fields(3))}", 3),
      event(
        "SectionRenamed",
        "{\"collection\":\(collection),\"section\":\(quoted("shelf")),\"title\":\(quoted("title"))}", 4),
      event("RecordDeleted", "{\"collection\":\(collection),\"id\":\(quoted("r2"))}", 5),
      event(Self.evil("Type"), "{\(quoted("member")):\(quoted("text"))}", 6),
    ]
    for (number, event) in events.enumerated() {
      var append = Append([event], to: StreamName(Self.evil("stream\(number % 2)")))
      append.commandID = Self.evil("command\(number)")
      try store.append(append)
    }
    _ = try store.checkpoints?.setCheckpoint(named: Self.evil("follower"), to: 3, from: nil)
    _ = try store.checkpoints?.setCheckpoint(named: Self.evil("lost"), to: 99, from: nil)
    store.close()
  }

  /// The runs: a subcommand's words, with LOG for the log, and whether it prints data byte for byte.
  private var runs: [(words: [String], isExact: Bool)] {
    let (row, shelf, field) = (Self.evil("r1"), Self.evil("shelf"), Self.evil("field"))
    let lists = [[], ["--section-by", shelf], ["--sort", field, "--section-by", shelf]]
    var runs: [[String]] = [["info", "LOG"], ["LOG"], ["verify", "LOG"]]
    for options in lists {
      runs += [
        ["show", "LOG"] + options, ["show", "LOG", "3"] + options, ["diff", "--each", "LOG"] + options,
        ["diff", "LOG", "1..last"] + options, ["find", "LOG", "count > 0", "--each"] + options,
        ["find", "LOG", "exists(\(row))"] + options, ["why", "LOG", row] + options,
        ["why", "LOG", row, "--each"] + options,
        ["why", "LOG", "\(row).\(field)"] + options, ["log", "LOG", "3"] + options, ["log", "LOG", "4"] + options,
        ["log", "LOG", "--tree", Self.evil("correlation"), "--with-list"] + options,
        ["show", "LOG", "--where", "\(JSONValue.quoted(field)) exists"] + options,
        ["show", "LOG", "--without", "3"] + options,
        ["timeline", "LOG", "-o", "-"] + options, ["timeline", "LOG", "-o", tool.path("page\(UUID().uuidString)")],
        ["scrub", "LOG", "--keys", "gg→→↓", "--size", "100x30"] + options,
        ["scrub", "LOG", "--keys", "gg→→e", "--size", "100x30"] + options,
        ["scrub", "LOG", "--plain", "--keys", "gg→→"] + options,
      ]
    }
    runs += [
      ["show", "LOG", "--list", Self.evil("none")], ["show", "LOG", "--list", Self.evil("none")],
      ["show", "LOG", "--where", Self.evil("x")], ["show", "LOG", Self.evil("x")],
      ["show", "LOG", "id:" + Self.evil("x")], ["show", "LOG", "tx:" + Self.evil("x")],
      ["show", "LOG", "cmd:" + Self.evil("x")], ["show", "LOG", "--sort", Self.evil("x")],
      ["show", "LOG", "id:" + Self.evil("id3")], ["show", "LOG", "cmd:" + Self.evil("command3")],
      ["show", "LOG", "--fields", Self.evil("x")], ["find", "LOG", Self.evil("x")], ["why", "LOG", Self.evil("x")],
      ["why", "LOG", "\(field)=\(Self.evil("x"))"],
      ["log", "LOG"], ["log", "LOG", "type:\(Self.evil("x"))"],
      ["log", "LOG", "stream:\(Self.evil("x"))"], ["log", "LOG", "grep:\(Self.evil("("))"],
      ["log", "LOG", Self.evil("x")], ["log", "--commands", "LOG"], ["erase", "LOG"], ["followers", "LOG"],
      ["followers", "LOG", Self.evil("follower"), "last", "--yes"], ["followers", "LOG", Self.evil("x"), "last"],
      ["followers", "LOG", Self.evil("lost"), "last", "--yes"],
      ["followers", "LOG", Self.evil("follower"), "0", "--yes"],
      ["erase", "LOG", Self.evil("subject"), "--dry-run"], ["erase", "LOG", Self.evil("x"), "--yes"],
      ["compact", "LOG", "--dry-run"], ["backup", "LOG", tool.path(Self.evil("copy"))],
      ["salvage", "LOG", tool.path(Self.evil("salvaged"))], ["test", "LOG", "1..3"],
      ["diff", "LOG", tool.path(Self.evil("copy"))], ["log", "--json", "LOG"],
      ["log", "--json", "LOG", "--redact", field],
      ["do", "LOG", "insert", row, "--list", Self.evil("collection")],
      ["do", "LOG", "insert", row, "--list", Self.evil("x")],
      ["do", "LOG", "update", Self.evil("x"), Self.evil("y") + "=1"],
      ["do", "LOG", "delete", Self.evil("x")], ["do", "LOG", "rename-section", Self.evil("x"), Self.evil("y")],
      ["import", "LOG", tool.path(Self.evil("no file"))], [Self.evil("word"), "LOG"],
      ["info", tool.path(Self.evil("no log"))], ["show", "LOG", "--" + Self.evil("option")],
      ["do", "LOG", Self.evil("x")], ["import", "LOG", conflicting],
      ["erase", "LOG", Self.evil("subject"), "--yes"],
      ["info", "LOG"], ["erase", "LOG"], ["show", "LOG"], ["compact", "LOG", "--yes"],
      ["info", "LOG"],
    ]
    return runs.map { ($0, $0.prefix(2) == ["log", "--json"]) }
  }

  /// A file with another event under the identity of one of the log.
  private var conflicting: String {
    let line =
      "{\"specversion\":\"1.0\",\"id\":\(JSONValue.quoted(Self.evil("id1"))),\"source\":"
      + "\(JSONValue.quoted(Self.evil("from"))),\"type\":\"T\",\"subject\":\"s\",\(JSONValue.quoted(Self.evil("m"))):1}"
    return (try? tool.file(Self.evil("in").replacing("\u{7}", with: ""), line + "\n")) ?? ""
  }

  @Test(arguments: [false, true]) func `no output has a raw control character of the log`(isTerminal: Bool) throws {
    tool.isTerminal = isTerminal
    tool.size = isTerminal ? (columns: 90, rows: 30) : nil
    tool.outputIsGone = { true }
    for (words, isExact) in runs {
      let words = words.map { $0 == "LOG" ? log : $0 }
      var forms = [[], ["--json"]]
      if ["log", "show", "info"].contains(words[0]) {
        forms += ["table", "jsonl", "markdown", "csv", "tsv"].map { ["--format", $0] }
      }
      for form in forms {
        let answer = tool.run(words + form)
        // Data for programs have the log's content unchanged, but not on a terminal.
        let isData = isExact || ["--json", "jsonl", "csv", "tsv"].contains(form.last)
        let where_ = "\(words.first ?? "") \(words.dropFirst(2)) \(form) \(isTerminal)".debugDescription
        if let raw = Self.raw(in: answer.talk) { Issue.record("\(raw) of the messages of \(where_)") }
        if isData && !isTerminal { continue }
        let allowed: Set<Unicode.Scalar> = form.last == "tsv" || words[0] == "timeline" ? ["\t"] : []
        if let raw = Self.raw(in: answer.output, allowing: allowed) { Issue.record("\(raw) of \(where_)") }
      }
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: tool.folder.path) where name.hasPrefix("page") {
      let page = try String(contentsOfFile: tool.path(name), encoding: .utf8)
      if let raw = Self.raw(in: page, allowing: ["\t"]) { Issue.record("\(raw) of a page") }
    }
  }

  @Test func `every subcommand that reads a log is run`() {
    let used = Set(runs.compactMap(\.words.first))
    // These read no log, or run until they are ended, or have no output of a log.
    // MaintenanceTests runs the subcommands that need a server.
    let others: Set = ["help", "demo", "migrate", "doctor"]
    for name in ReplayTool.subcommands.map(\.name) where !others.contains(name) {
      #expect(used.contains(name), "\(name)")
    }
  }

  @Test func `a checkpoint after the log's end is reported with its place and what to do`() throws {
    let name = Self.evil("lost")
    let place = "is at position 99, but the log ends at 6"
    for words in [["followers"], ["info"], ["verify"]] {
      for form in [[], ["--json"]] {
        let answer = tool.run([words[0], log] + form)
        #expect(answer.output.contains(place) && answer.output.contains("delete the checkpoint"), "\(answer)")
      }
    }
    #expect(tool.run("verify", log).status == 1)
    let skip = tool.run("followers", log, name, "last", "--yes")
    #expect(skip.status == 1 && skip.talk.contains("is at position 99, and the log ends at 6"), "\(skip)")
    #expect(tool.run("followers", log, name, "0", "--yes").status == 0)
    #expect(tool.run("verify", log).status == 0)
    #expect(!tool.run("followers", log).output.contains("position 99"))
  }
}
