@testable import AnnalsReplay
import Annals
import AnnalsSamples
import AnnalsSQLite
import Foundation
import Testing

private let example = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
  .appending(path: "Docs/Examples/sqlite-swift.jsonl").path

private let hasGit = FileManager.default.isExecutableFile(atPath: "/usr/bin/git")
/// The beginning of a script that finds the Python of the process's own environment.
private let python: String = {
  let environment = ProcessInfo.processInfo.environment
  return ["PATH", "HOME"].map { "\($0)='\(environment[$0] ?? "")' " }.joined() + "python3"
}()
private let hasPython = ToolProcess.succeeds("\(python) -c 'import jsonschema'")

/// `annals help schema`, and that outputs match their schemas.
@Suite struct SchemaTests {
  private let tool: ToolRunner

  init() throws { tool = try ToolRunner() }

  /// What a run printed, as values.
  struct Output: Sendable {
    let words: [String]
    let values: [JSONValue]
    let texts: [String]

    var name: String { words[0] }
  }

  private func schema(_ name: String) throws -> JSONValue {
    let answer = tool.run("help", "schema", name, "--json")
    #expect(answer.status == 0, "\(name): \(answer.talk)")
    return try ExactJSON.read(answer.output)
  }

  private func run(_ words: String...) throws -> Output { try run(words) }

  private func run(_ words: [String]) throws -> Output {
    let answer = tool.run(words + ["--json"])
    #expect(!answer.output.isEmpty && answer.status < 2, "\(words): \(answer.status) \(answer.talk)")
    let isLines = ReplayTool.subcommands.first { $0.name == words[0] }?.output?.form == .lines
    let texts = isLines ? answer.lines : [answer.output]
    return Output(words: words, values: try texts.map { try ExactJSON.read($0) }, texts: texts)
  }

  /// Outputs of every subcommand, over several logs; they are made once.
  private static let outputs = Result { try SchemaTests().makeOutputs() }

  private func outputs() throws -> [Output] { try Self.outputs.get() }

  private func makeOutputs() throws -> [Output] {
    var found = try about()
    let files = tool.path("files")
    found.append(try run("import", files, example))
    try ShopLog.write(to: tool.log)
    let other = tool.path("bookshop")
    found.append(try run("demo", "bookshop", other))
    for sample in Scenario.names.dropFirst() { found.append(try run("demo", sample)) }
    for (log, row, options) in [
      (files, "f1", ["--section-by", "directory", "--sort", "name"]), (tool.log, "b3", ["--section-by", "shelf"]),
      (other, "b1", []),
    ] {
      found.append(try run(["show", log] + options))
      found.append(try run(["diff", log, "--each"] + options))
      found.append(try run(["show", log, "--limit", "1"] + options))
      found.append(try run(["diff", "--each", log, "--batch", "event", "--sort", "price,edits", "--limit", "3"]))
      found.append(try run(["diff", "--each", log, "--stat"]))
      found.append(try run(["diff", log, "0..last"] + options))
      found.append(try run(["diff", log, "last..1"] + options))
      for name in ["log", "info", "verify"] { found.append(try run(name, log)) }
      found.append(try run("info", log, "--fields", "events,name"))
      for place in ["first", "4", "last"] { found.append(try run(["log", log, place] + options)) }
      found.append(try run(["find", log, "count > 1", "--each"] + options))
      found.append(try run(["log", log, "--tree", "3", "--with-list"] + options))
      for more in [[], ["--each"]] { found.append(try run(["why", log, row] + options + more)) }
      found.append(try run(["timeline", log, "-o", log + ".html"] + options))
    }
    return found + (try shop()) + (try keeping()) + (try wares())
  }

  private func about() throws -> [Output] {
    [
      try run("help"), try run("help", "show"), try run("help", "lists"), try run("help", "completions", "bash"),
      try run("help", "man"), try run("help", "schema"), try run("help", "schema", "diff"),
    ]
  }

  private func shop() throws -> [Output] {
    var found = [
      try run("log", "--commands", tool.log), try run("log", tool.log, "--tree", "reprice-b3", "--with-list"),
    ]
    for words in [
      ["b2"], ["b1"], ["b1", "--where", "price > 90"], ["b3", "--limit", "1"], ["b9"], ["b3", "1"], ["b3.price"],
    ] { found.append(try run(["why", tool.log] + words)) }
    found.append(try run("diff", "--each", tool.log, "--sort", "price", "--section-by", "shelf", "--batch", "3"))
    found.append(try run("log", tool.log, "6"))
    let added = tool.path("added")
    found.append(try run("do", added, "insert", "b1", "price=1", "--list", "book"))
    found.append(try run("do", added, "update", "b1", "price=2"))
    found.append(try run("do", added, "rename-section", "2", "Two"))
    found.append(try run("do", added, "delete", "b1"))
    found.append(try run("do", added))
    let table = try tool.file("book.csv", "id,n\nb1,1\n")
    found.append(try run("import", added, table, "--rows", "id"))
    found.append(try run("import", tool.path("copied"), added))
    return found
  }

  /// What an app's own tool prints of its commands and its list.
  private func wares() throws -> [Output] {
    let own = try ToolRunner()
    own.tool = ToolRunner.wares
    try own.makeWares()
    func run(_ words: String...) throws -> Output {
      let answer = own.run(words + ["--json"])
      #expect(!answer.output.isEmpty && answer.status < 2, "\(words): \(answer.status) \(answer.talk)")
      return Output(words: words, values: [try ExactJSON.read(answer.output)], texts: [answer.output])
    }
    let reprice = #"{"reprice":{"id":"a","to":9}}"#
    var found: [Output] = []
    for more in [["--dry-run"], ["--command-id", "k", "--author", "eve"], ["--command-id", "k"], []] {
      let answer = own.run(["do", own.log, "WareShop", "main", reprice, "--json"] + more)
      #expect(answer.status == 0, "\(more): \(answer.talk)")
      found.append(
        Output(words: ["do"] + more, values: [try ExactJSON.read(answer.output)], texts: [answer.output]))
    }
    found.append(try run("do", own.log, "Seats", #"{"book":{"seat":7}}"#))
    found.append(try run("do", own.log, "Seats", #"{"book":{"seat":8}}"#, "--dry-run"))
    // A command that leads to nothing.
    found.append(try run("do", own.log, "WareShop", "main", #"{"reprice":{"id":"a","to":-1}}"#))
    found.append(try run("test", own.log, "1..2"))
    found.append(try run("test", own.log, "1..10"))
    for words in [["show"], ["diff", "--each"], ["info"], ["log", "--commands"]] {
      let name = words[0]
      let answer = own.run(words + [own.log, "--json"])
      let isLines = ReplayTool.subcommands.first { $0.name == name }?.output?.form == .lines
      let texts = isLines ? answer.lines : [answer.output]
      found.append(Output(words: [name], values: try texts.map { try ExactJSON.read($0) }, texts: texts))
    }
    return found
  }

  private func keeping() throws -> [Output] {
    let log = tool.path("kept")
    let people = [
      inserted(1, "b1", #"{"a":{"$personal":"ann","value":1},"b":{"$personal":"bob","value":2}}"#),
      inserted(2, "b2"), line(3, "RecordUpdated", #"{"collection":"book","id":"b2","fields":{"a":1}}"#),
    ]
    try tool.importLines(people, to: log)
    var found = [
      try run("backup", log, tool.path("copy")), try run("erase", log), try run("erase", log, "ann", "--dry-run"),
      try run("erase", log, "ann", "--yes"),
    ]
    let store = try SQLiteEventStore(path: log)
    _ = try store.checkpoints?.setCheckpoint(named: "mail", to: 1, from: nil)
    store.close()
    found += [try run("followers", log), try run("info", log)]
    found.append(try run("followers", log, "mail", "last", "--yes"))
    found.append(try run("followers", log, "mail", "0", "--yes"))
    found += [try run("compact", log, "--dry-run"), try run("compact", log, "--yes"), try run("info", log)]
    let damaged = tool.path("twice")
    let twice = try SQLiteEventStore(path: damaged)
    for _ in 0..<2 {
      let payload = #"{"collection":"c","id":"a","fields":{}}"#
      try twice.append(Append([NewEvent(type: "RecordInserted", payload: payload)], to: "c"))
    }
    twice.close()
    found.append(try run("verify", damaged))
    if tool.run("help", "salvage").status == 0 { found.append(try run("salvage", log, tool.path("saved"))) }
    if hasGit {
      try git()
      found.append(try run("import", tool.path("git"), tool.path("repository")))
    }
    return found
  }

  private func git() throws {
    let script = """
      mkdir repository && cd repository && git init -q . && touch a b && git add -A &&
      git -c user.name=n -c user.email=e@example.com -c commit.gpgsign=false commit -q -m m
      """
    #expect(try ToolProcess.shell(script, in: tool.folder).status == 0)
  }

  @Test func `each subcommand that prints JSON has a schema, and each schema describes what is printed`() throws {
    let outputs = try outputs()
    // MaintenanceTests checks the subcommands that need a server.
    for subcommand in ReplayTool.subcommands
    where subcommand.output != nil && !["migrate", "doctor"].contains(subcommand.name) {
      let own = outputs.filter { $0.name == subcommand.name }
      #expect(!own.isEmpty, "\(subcommand.name) has no output here")
      let validator = SchemaValidator(try schema(subcommand.name))
      for output in own {
        for value in output.values {
          let problems = validator.verdict(value, isStrict: true).problems
          #expect(problems.isEmpty, "\(output.words): \(problems.prefix(3)) \(value.text.prefix(300))")
        }
      }
    }
    let scrub = tool.run("help", "schema", "scrub")
    #expect(scrub.status == 1 && scrub.talk == "annals: annals scrub prints no JSON, and has no schema\n")
  }

  @Test func `an output without a member that is required, or with a wrong type, is refused`() throws {
    var count = 0
    for output in try outputs() {
      let validator = SchemaValidator(try schema(output.name))
      for value in output.values.suffix(3) {
        let verdict = validator.verdict(value, isStrict: false)
        for path in Self.some(verdict.required) {
          let wrong = value.replacing(path[...], with: nil)
          #expect(!validator.verdict(wrong, isStrict: false).problems.isEmpty, "\(output.words) without \(path)")
          count += 1
        }
        for path in Self.some(verdict.typed) {
          let isObject = if case .object? = value.part(at: path) { true } else { false }
          let wrong = value.replacing(path[...], with: isObject ? true : ["wrong": 1])
          #expect(!validator.verdict(wrong, isStrict: false).problems.isEmpty, "\(output.words) with another \(path)")
        }
      }
    }
    #expect(count > 500)
  }

  @Test func `a batch has its changes or their numbers`() throws {
    let validator = SchemaValidator(try schema("diff"))
    func isValid(_ members: String) throws -> Bool {
      let value = try JSONValue(parsing: #"{"from":0,"to":1\#(members)}"#)
      return validator.verdict(value, isStrict: false).problems.isEmpty
    }
    #expect(try isValid(#","sections":[],"rows":[]"#))
    let zero = #"{"inserted":0,"deleted":0,"moved":0,"updated":0}"#
    #expect(try isValid(#","counts":{"sections":\#(zero),"rows":\#(zero)}"#))
    #expect(try !isValid("") && !isValid(#","rows":[]"#))
  }

  /// At most about ten places, from all over.
  private static func some(_ paths: [[SchemaValidator.Step]]) -> [[SchemaValidator.Step]] {
    let step = max(1, paths.count / 10)
    return stride(from: 0, to: paths.count, by: step).map { paths[$0] }
  }

  @Test func `what follow prints is as its schema says`() throws {
    try ShopLog.write(to: tool.log)
    let answer = try ToolProcess.shell(
      "\"$TOOL\" diff --follow '\(tool.log)' --json 0.. --section-by shelf 2> /dev/null | head -n 5", in: tool.folder)
    let validator = SchemaValidator(try schema("diff"))
    let lines = answer.output.split(separator: "\n")
    // The list at 0 is empty, so that each line is a transaction.
    #expect(lines.count == 5)
    for line in lines {
      #expect(validator.verdict(try ExactJSON.read(String(line)), isStrict: true).problems == [])
    }
  }

  @Test(.enabled(if: hasPython, "Python's jsonschema is not installed"))
  func `another program finds the schemas valid, and the outputs as they say`() throws {
    var cases: [String] = []
    for output in try outputs() {
      let schema = try schema(output.name).text
      let words = JSONValue.quoted(output.words.joined(separator: " "))
      for text in output.texts.suffix(2) {
        let line = text.replacing("\n", with: " ")
        cases.append("{\"words\":\(words),\"schema\":\(schema),\"value\":\(line)}")
      }
    }
    _ = try tool.file("cases", cases.joined(separator: "\n"))
    _ = try tool.file(
      "check.py",
      """
      import json, jsonschema
      count = 0
      for line in open("cases", encoding="utf-8"):
          case = json.loads(line)
          jsonschema.Draft202012Validator.check_schema(case["schema"])
          for error in jsonschema.Draft202012Validator(case["schema"]).iter_errors(case["value"]):
              print(case["words"], error.message[:200])
          count += 1
      print(count)
      """)
    let answer = try ToolProcess.shell("\(python) check.py", in: tool.folder)
    #expect(answer.output == "\(cases.count)\n", "\(answer.output.prefix(1_000)) \(answer.talk.prefix(1_000))")
  }

  @Test func `schemas are listed, and printed on many lines or on one`() throws {
    let list = tool.run("help", "schema")
    #expect(
      list.status == 0 && list.lines.contains("show       one value       The sectioned list at a position."))
    #expect(
      list.lines.contains("diff       a value a line  A batch of changes. No line is printed if there are none."))
    let shown = tool.run("help", "schema", "test")
    #expect(
      shown.output == """
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "annals test --json",
          "description": "The Swift test that was written.",
          "$comment": "The output is one such value. Members may be added, and never change or go away.",
          "type": "object",
          "properties": {
            "from": {
              "$ref": "#/$defs/position"
            },
            "to": {
              "$ref": "#/$defs/position"
            },
            "folds": {
              "type": "boolean"
            },
            "file": {
              "type": "string"
            },
            "code": {
              "type": "string"
            }
          },
          "required": [
            "from",
            "to",
            "folds",
            "code"
          ],
          "$defs": {
            "position": {
              "type": "integer",
              "minimum": 0,
              "description": "A place in the log: 0 is before the first event."
            }
          }
        }

        """)
    let line = tool.run("help", "schema", "test", "--json").output
    #expect(try JSONValue(parsing: line) == JSONValue(parsing: shown.output) && line.filter { $0 == "\n" }.count == 1)
    let wrong = tool.run("help", "schema", "shwo")
    #expect(wrong.status == 2 && wrong.talk.hasPrefix("annals: unknown subcommand shwo; did you mean show?"))
  }
}
