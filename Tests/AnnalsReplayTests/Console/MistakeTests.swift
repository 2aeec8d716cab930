import Annals
import AnnalsSQLite
import Foundation
import Testing

/// Mistakes on the command line: each has its own status and sentence, and changes nothing.
@Suite struct MistakeTests {
  /// Files that are no log, and the message about each.
  private static let places: [(name: String, status: Int32, words: String)] = [
    ("missing", 4, "the file doesn't exist. Check the path"), ("folder", 4, "expected a file, found a folder"),
    ("byte", 3, "expected an event log (a SQLite database), found a file of 1 byte"),
    ("short", 3, "found a file of 99 bytes"), ("empty", 3, "expected an event log, found an empty file"),
    ("text", 3, "found a file that is not a SQLite database"), ("other.db", 3, "found another application's database"),
    ("/dev/null", 4, "expected a file, found a device, a pipe or a socket"), ("pipe", 4, "found a device, a pipe"),
    ("missing/log", 4, "the file doesn't exist. Check the path"),
  ]
  /// Every subcommand that reads a log, with its other arguments.
  private static let reading = [
    ["show"], ["diff", "--each"], ["diff", "0..0"], ["log"], ["info"],
    ["verify"],
  ]
  private static let writing = [
    ["erase", "ann"], ["compact", "--yes"], ["do", "update", "a", "n=2"], ["do", "delete", "a"],
    ["do", "rename-section", "k", "t"],
  ]
  private static let creating = [["import", "in.jsonl"], ["do", "insert", "x", "--list", "c"]]

  /// Numbers that are neither a position nor a count.
  private static let numbers = [
    "-9", "x", "", " 1", "1 ", "+1", "1.5", "1e3", "0x1", "١", "\(Int.min)", "99999999999999999999",
    "-99999999999999999999", "9223372036854775808",
  ]
  private static let numbered: [[String]] =
    [
      ["show"], ["show", "--limit"], ["diff", "--batch"],
    ]

  private static let usage: [[String]] = [
    [], ["shw", "log"], ["--jsn"], ["-x"], ["help", "shw"], ["show"], ["show", "log", "more"],
    ["show", "log", "--sort"],
    ["show", "log", "--att", "1"], ["show", "log", "--json=1"], ["show", "log", "--limit=1", "--limit=1"],
    ["show", "log", "--json", "--json"], ["show", "log", "--where", "nothing"], ["show", "log", "--where", "=1"],
    ["show", "log", "--where"], ["show", "log", "--sort", ""], ["show", "log", "--sort", "a,,b"],
    ["show", "log", "--sort", "-"], ["show", "log", "--section-by", ""], ["diff", "log"],
    ["diff", "log", "type"], ["diff", "log", "x..y"], ["diff", "--each", "log", "2..1"],
    ["diff", "--each", "log", "--batch", "0"],
    ["diff", "--each", "log", "--batch", "transactions"], ["log", "log", "2..1"],
    ["log", "log", "stream:"], ["import", "log"], ["import", "log", "in.jsonl", "more"],
    ["erase", "log", "--yes"], ["erase", "log", ""], ["compact", "log", "0"], ["do", "log", "insert"],
    ["do", "log", "insert", "x", "n"], ["do", "log", "insert", "x", "=1"], ["do", "log", "insert", "x", "n=1", "n=2"],
    ["do", "new", "insert", "x"], ["do", "log", "update", "a"], ["do", "log", "update", "a", "--list", ""],
    ["do", "log", "delete"],
    ["do", "log", "rename-section", "k"], ["info", "log", "--streams"], ["verify", "log", "--deep"],
    ["demo", "nothing"],
    ["demo", "bookshop", "more", "words"],
    ["diff", "log", "--follow", "--batch", "1"], ["diff", "log", "--follow", "..1"],
  ]

  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    _ = try tool.file("in.jsonl", inserted(1, "a") + "\n" + line(2, "T", "1") + "\n")
    tool.run("import", tool.path("log"), tool.path("in.jsonl"))
    try FileManager.default.createDirectory(atPath: tool.path("folder"), withIntermediateDirectories: false)
    for (name, size) in [("byte", 1), ("short", 99), ("empty", 0), ("text", 4_000)] {
      _ = try tool.file(name, String(repeating: "x", count: size))
    }
    try #require(mkfifo(tool.path("pipe"), 0o600) == 0)
    // A database of another application: SQLite stores the application's number in the header.
    var database = try Data(contentsOf: URL(fileURLWithPath: tool.path("log")))
    database.replaceSubrange(68..<72, with: [1, 2, 3, 4])
    try database.write(to: URL(fileURLWithPath: tool.path("other.db")))
  }

  /// Replaces the names of files by their paths.
  private func words(_ words: [String]) -> [String] {
    words.enumerated().map { index, word in
      index > 0 && (["log", "new", "in.jsonl"] + Self.places.map(\.name)).contains(word) && !word.hasPrefix("/")
        ? tool.path(word) : word
    }
  }

  private func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: tool.folder.path) where name != "pipe" {
      contents[name] = FileManager.default.contents(atPath: tool.path(name)) ?? Data()
    }
    return contents
  }

  private func check(_ answer: ToolRunner.Answer, _ status: Int32, _ expected: String = "", _ words: [String]) {
    #expect(answer.status == status && answer.output == "", "\(words): \(answer)")
    #expect((expected.isEmpty || answer.talk.contains(expected)) && answer.talk.count > 20, "\(words): \(answer.talk)")
    for name in ["SQLiteEventStore", "EventStoreError", "Optional(", "Swift"] {
      // What `test` writes is Swift.
      #expect(!answer.talk.replacing("Swift test", with: "").contains(name), "\(words): \(answer.talk)")
    }
  }

  @Test func `what is no log is named by every subcommand, and is not touched`() throws {
    let before = try contents()
    for place in Self.places {
      for command in Self.reading + Self.writing {
        let all = words([command[0], place.name] + command.dropFirst())
        check(tool.run(all), place.status, place.words, all)
      }
      // These may create a log, and so accept a path without a file.
      for command in Self.creating where !["missing", "empty"].contains(place.name) {
        let all = words([command[0], place.name] + command.dropFirst())
        check(tool.run(all), place.status, place.name == "missing/log" ? "cannot be opened" : place.words, all)
      }
    }
    #expect(try contents() == before)
  }

  @Test func `what is no number, or none that can be, is a mistake of usage`() throws {
    let before = try contents()
    for option in Self.numbered {
      for number in Self.numbers {
        let all = words([option[0], "log"] + option.dropFirst() + [number])
        let name = option.count > 1 ? option[option.count - 1] : "PLACE"
        check(tool.run(all), 2, name + ": expected ", all)
        if option.count == 1 { continue }
        check(tool.run(all.dropLast(2) + ["\(name)=\(number)"]), 2, "found \"\(number)\"", all)
      }
      // The largest number is valid: a position past the end, or a limit like any other.
      for number in ["3", "\(Int.max)"] {
        let all = words([option[0], "log"] + option.dropFirst() + [number])
        if ["--limit", "--batch"].contains(option[option.count - 1]) {
          #expect(tool.run(all).status == 0, "\(all)")
        } else if number != "3" || option[0] != "compact" {
          check(tool.run(all), 2, "", all)
        }
      }
    }
    #expect(try contents() == before)
  }

  @Test func `what is typed wrongly is a mistake of usage`() throws {
    let before = try contents()
    for command in Self.usage {
      let all = words(command)
      check(tool.run(all), 2, command.isEmpty ? "usage: annals" : "annals: ", all)
    }
    #expect(try contents() == before)
  }

  @Test func `what is not there, or cannot be, is a negative answer or says what is missing`() throws {
    let before = try contents()
    for (command, status, expected) in [
      (["show", "log", "--list", "none"], 2, "the log has no list or collection \"none\". It has \"book\""),
      (["erase", "log", "ann"], 1, "nothing was erased"),
      (["do", "log", "delete", "none"], 1, "refused: deletes the id"),
      (["do", "log", "update", "none", "n=1"], 1, "refused: updates the id"),
      (["do", "log", "insert", "a"], 1, "refused: inserts"),
      (["do", "log", "update", "a", "n=1", "--list", "none"], 1, "no collection"),
      (["import", "log", "missing"], 4, "the file doesn't exist. Check the path"),
      (["import", "log", "text"], 3, "line 1: expected an object"), (["import", "new", "byte"], 3, "line 1: "),
      (
        ["import", "new", "other.db"], 3, "expected lines of CloudEvents, found a SQLite database that is no event log"
      ),
      (["import", "new", "missing"], 4, "the file doesn't exist"),
      (["import", "new", "folder"], 3, "expected a git repository"), (["import", "new", "folder"], 3, "SOURCE can be"),
      (["import", "new", "text"], 3, "SOURCE can be"), (["import", "new", "other.db"], 3, "SOURCE can be"),
    ] as [([String], Int32, String)] {
      check(tool.run(words(command)), status, expected, command)
    }
    let none = tool.run(words(["log", "log", "type:None"]))
    #expect(none.status == 2 && none.output == "")
    #expect(try contents() == before)
  }
}
