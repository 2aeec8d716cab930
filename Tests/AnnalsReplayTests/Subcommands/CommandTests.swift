import Foundation
import Testing

/// Commands at the prompt.
@Suite struct CommandTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
  }

  @discardableResult
  private func run(_ words: String...) -> ToolRunner.Answer { tool.run(["do", tool.log] + words) }

  @Test func `insert, update, delete and rename-section change the list`() throws {
    let first = run("insert", "b1", "title=Annals", "price=50.5", "shelf=a=b", "--list", "book")
    #expect(
      first.status == 0 && first.talk == "\(tool.log) is a new log\n"
        && first.output.hasPrefix("1  ")
        && first.output.hasSuffix(
          "  book 1  RecordInserted  "
            + #"{"collection":"book","id":"b1","fields":{"title":"Annals","price":50.5,"shelf":"a=b"}}"# + "\n"),
      "\(first)")
    let second = run("insert", "b2", "price=\"10\"", "shelf=", "none=null", "--author", "eve", "--json").output
    #expect(second.hasPrefix(#"{"position":2,"repeated":false,"events":[{"position":2,"#), "\(second)")
    #expect(second.contains(#""type":"RecordInserted""#) && second.contains(#""actor":"eve""#))
    #expect(run("update", "b1", "price=-3", "title=null").status == 0)
    #expect(run("rename-section", "a=b", "Classics").status == 0)
    #expect(run("rename-section", "-3", "Minus three").status == 0)
    #expect(
      tool.run("show", tool.log, "--json", "--section-by", "shelf").output
        == #"{"position":5,"count":2,"sections":[{"key":"","title":"","indexTitle":"","rows":[{"id":"b2","#
        + #""fields":{"price":"10","shelf":""}}]},{"key":"a=b","title":"Classics","indexTitle":"C","rows":[{"id":"b1","#
        + #""fields":{"price":-3,"shelf":"a=b"}}]}]}"# + "\n")
    #expect(tool.run("show", tool.log, "--section-by", "price").lines[1] == "Minus three  1")
    #expect(run("delete", "b1").status == 0)
    #expect(
      tool.run("log", tool.log, "--json", "1..1").output.contains(
        #""subject":"book","#))
  }

  @Test func `a command that the records do not allow is refused with status 1 and adds nothing`() throws {
    _ = run("insert", "b1", "--list", "book")
    for (words, message) in [
      (["insert", "b1"], "refused: inserts the id \"b1\", which \"book\" has"),
      (["update", "x", "a=1"], "refused: updates the id \"x\", which \"book\" does not have"),
      (["delete", "x"], "refused: deletes the id \"x\", which \"book\" does not have"),
      (["delete", "b1", "--list", "shop"], "the log has no collection \"shop\""),
    ] {
      let answer = tool.run(["do", tool.log] + words)
      #expect(answer.status == 1 && answer.talk.hasSuffix("annals: \(message)\n"), "\(answer.talk)")
    }
    #expect(tool.run("show", tool.log, "--json").output.hasPrefix("{\"position\":1,"))
  }

  @Test func `mistakes in a command are usage errors and leave no file`() throws {
    #expect(tool.run("do", tool.log, "insert", "b1").status == 2)
    #expect(!FileManager.default.fileExists(atPath: tool.log))
    for words in [["update", "b1", "a=1"], ["delete", "b1"], ["rename-section", "a", "b"]] {
      let answer = tool.run(["do", tool.log] + words)
      #expect(answer.status == 4 && answer.talk.contains("the file doesn't exist"), "\(answer)")
    }
    #expect(!FileManager.default.fileExists(atPath: tool.log))
    tool.run("do", tool.log, "insert", "b1", "--list", "book")
    for (words, message) in [
      (["update", "b1"], "annals do LOG update needs FIELD=VALUE …"),
      (["delete", "b1", "b2"], "annals do LOG delete takes ID, found 2 words: \"b1\" \"b2\""),
      (["update", "b1", "x"], "expected FIELD=VALUE, found \"x\""),
      (["insert", "b2", "=1"], "expected FIELD=VALUE, found \"=1\""),
      (["insert", "b2", "a=1", "a=2"], "the field \"a\" is given twice"),
      (["insert", "b2", "--list="], "--list: expected a name, found \"\""),
    ] {
      let answer = tool.run(["do", tool.log] + words)
      #expect(answer.status == 2 && answer.talk == "annals: \(message)\n", "\(answer.talk)")
    }
    tool.run("do", tool.log, "insert", "b1", "--list", "other")
    #expect(tool.run("do", tool.log, "delete", "b1").talk.contains("2 collections"))
  }

  @Test func `a dry run appends no event, and a command id executes a command only once`() throws {
    let dry = run("insert", "b1", "n=1", "--list", "book", "--dry-run")
    #expect(dry.lines == [#"book  RecordInserted  {"collection":"book","id":"b1","fields":{"n":1}}"#], "\(dry)")
    #expect(!FileManager.default.fileExists(atPath: tool.log))
    #expect(run("insert", "b1", "n=1", "--list", "book", "--command-id", "k").status == 0)
    let again = run("insert", "b1", "n=1", "--command-id", "k", "--json")
    #expect(again.output.hasPrefix(#"{"position":1,"repeated":true,"#), "\(again)")
    let other = run("insert", "b2", "--command-id", "k")
    #expect(other.status == 4 && other.talk.contains(#"the command id "k" was already used"#), "\(other)")
    #expect(run("update", "b1", "n=2", "--dry-run").status == 0)
    #expect(
      run("delete", "b9", "--dry-run").talk == #"annals: refused: deletes the id "b9", which "book" does not have"#
        + "\n")
    #expect(tool.run("show", tool.log).lines == ["position 1: 1 row", "  b1  n: 1"])
  }

  @Test func `without a command, the commands are listed with their fields`() throws {
    let list = run()
    #expect(
      list.status == 0
        && list.lines == [
          "insert ID [FIELD=VALUE …]", "update ID FIELD=VALUE …", "delete ID", "rename-section KEY TITLE",
        ], "\(list)")
    #expect(
      run("--json").output.hasPrefix(
        #"{"commands":[{"name":"insert","words":["ID","[FIELD=VALUE …]"],"examples":[]},{"name":"update","#))
    let wrong = run("updat", "b1", "n=1")
    #expect(
      wrong.status == 2
        && wrong.talk.hasPrefix(
          "annals: annals has no command \"updat\"; did you mean update?\n"
            + "its commands are insert, update, delete, rename-section\n"),
      "\(wrong)")
    let wares = try ToolRunner()
    wares.tool = ToolRunner.wares
    #expect(
      wares.run("do", wares.log).lines == [
        "WareShop ID JSON, for example", #"  {"delete":{"id":"a"}}"#, #"  {"reprice":{"id":"a","to":2}}"#, "Seats JSON",
      ])
  }

  @Test func `a log of an app's own events refuses commands of records with one sentence`() throws {
    tool.tool = ToolRunner.wares
    try tool.makeWares()
    for words in [["update", "b3", "price=4"], ["delete", "a"], ["rename-section", "x", "X"]] {
      let answer = tool.run(["do", tool.log] + words)
      #expect(
        answer.status == 1
          && answer.talk
            == "shoptool: \(tool.log): the log contains 10 events of an app, such as WareInserted, but no records. "
            + "\(words[0]) changes only records\n",
        "\(answer)")
    }
  }

  @Test(arguments: [
    ("insert", "do LOG insert ID FIELD=VALUE"), ("update", "do LOG update ID FIELD=VALUE"),
    ("delete", "do LOG delete ID"), ("rename-section", "do LOG rename-section KEY TITLE"),
    ("execute", "do LOG DECIDER [ID] JSON"),
  ])
  func `the error for a removed subcommand has the new command line`(name: String, line: String) {
    let answer = tool.run(name, tool.log, "b1")
    #expect(answer.status == 2 && answer.talk.contains("did you mean \(line)?"), "\(answer)")
    let option = run("insert", "b1", "--force")
    #expect(option.status == 2 && option.talk.contains("--yes"), "\(option)")
  }
}
