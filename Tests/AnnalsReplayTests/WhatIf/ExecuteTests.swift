import Annals
import AnnalsReplay
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// Commands of an app's deciders, executed by its tool.
@Suite struct ExecuteTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    tool.tool = ToolRunner.wares
    try tool.makeWares()
  }

  private func execute(_ words: String...) -> ToolRunner.Answer { tool.run(["do", tool.log] + words) }

  @Test func `a command is decided on its stream, and its events are appended`() throws {
    let answer = execute("WareShop", "main", #"{"reprice":{"id":"a","to":9}}"#, "--author", "eve", "--command-id", "k")
    #expect(answer.status == 0 && answer.lines.count == 1, "\(answer.talk)")
    #expect(answer.lines[0].hasPrefix("11  ") && answer.lines[0].contains("WareShop-main 11  WareRepriced  eve  of k"))
    #expect(tool.run("show", tool.log).output.contains("a  price: 9"))
    let other = execute("WareShop", "main", #"{"reprice":{"id":"a","to":1}}"#, "--command-id", "k", "--json")
    #expect(other.status != 0 && other.talk.contains(#"the command id "k" was already used for"#), "\(other.talk)")
    let again = execute("WareShop", "main", #"{"reprice":{"id":"a","to":9}}"#, "--command-id", "k", "--json")
    #expect(again.output.hasPrefix(#"{"position":11,"repeated":true,"events":[{"position":11,"#))
    let json = execute("WareShop", "other", #"{"insert":{"id":"z","price":1,"shelf":"q"}}"#, "--json")
    #expect(json.output.hasPrefix(#"{"position":12,"repeated":false,"events":[{"position":12,"#), "\(json.talk)")
    #expect(json.output.contains(#""stream":"WareShop-other","version":1"#))
    let none = execute("WareShop", "main", #"{"reprice":{"id":"a","to":-1}}"#)
    #expect(none.status == 0 && none.output == "" && none.talk == "the command produced no events\n")
  }

  @Test func `a refusal is status 1, and appends nothing`() throws {
    let answer = execute("WareShop", "main", #"{"delete":{"id":"nope"}}"#)
    #expect(answer.status == 1 && answer.talk == "shoptool: WareShop refuses it: notThere(\"nope\")\n")
    #expect(execute("WareShop", "main", #"{"delete":{"id":"nope"}}"#, "--dry-run").status == 1)
    #expect(try SQLiteEventStore(readingFrom: tool.log).head() == 10)
  }

  @Test func `a dry run prints the events and appends nothing`() throws {
    let answer = execute("WareShop", "main", #"{"reprice":{"id":"a","to":9}}"#, "--dry-run")
    #expect(answer.lines == [#"WareShop-main  WareRepriced  {"id":"a","to":9}"#] && answer.status == 0)
    #expect(
      execute("Seats", #"{"book":{"seat":7}}"#, "--dry-run", "--json").output
        == #"{"dryRun":true,"events":[{"type":"SeatBooked","stream":"Seats","payload":{"seat":7}}]}"# + "\n")
    #expect(try SQLiteEventStore(readingFrom: tool.log).head() == 10)
  }

  @Test func `a decider of boundaries takes no stream, and refuses by its boundary`() {
    #expect(execute("Seats", #"{"book":{"seat":7}}"#).status == 0)
    let taken = execute("Seats", #"{"book":{"seat":7}}"#)
    #expect(taken.status == 1 && taken.talk == "shoptool: Seats refuses it: Taken()\n")
    #expect(execute("Seats", #"{"book":{"seat":8}}"#).status == 0)
    let wrong = execute("Seats", "main", #"{"book":{"seat":9}}"#)
    #expect(wrong.status == 2 && wrong.talk.contains("do LOG Seats takes JSON, found 2 words: \"main\" "))
  }

  @Test func `a misspelt or missing word is an error that says what was expected`() throws {
    let cases: [([String], String)] = [
      (
        ["WareShip", "main", "{}"], "no command \"WareShip\"; did you mean WareShop?\nits commands are WareShop, Seats"
      ),
      (["WareShop", "main"], "do LOG WareShop needs JSON"), (["WareShop"], "needs ID"),
      (["WareShop", "main", "{}", "x"], "takes ID JSON, found 3 words: \"main\" \"{}\" \"x\""),
      (["WareShop", "", "{}"], "expected a stream's id"),
      (["WareShop", "main", "{"], "expected the JSON of a command of WareShop, found {: expected"),
      (
        ["WareShop", "main", #"{"steal":{}}"#],
        "WareShop has no command \"steal\"\nits commands are {\"delete\":{\"id\":\"a\"}}, "
          + "{\"reprice\":{\"id\":\"a\",\"to\":2}}\n"
      ), (["WareShop", "main", #"{"delet":{"id":"a"}}"#], "no command \"delet\"; did you mean delete?\nits commands"),
      (["WareShop", "main", #"{"repriced":{"id":"a"}}"#], "no command \"repriced\"; did you mean reprice?"),
      (["WareShop", "main", #"{"inserting":{"id":"a"}}"#], "no command \"inserting\"; did you mean insert?"),
      (["Seats", #"{"Book":{"seat":1}}"#], "Seats has no command \"Book\"; did you mean book?\n"),
      (["Seats", #"{"book":{"chair":1}}"#], "at book: expected the member seat, found none"),
      (["WareShop", "main", #"{"reprice":{"id":"a","to":"x"}}"#], "at reprice.to: Expected to decode Double"),
      (["WareShop", "main", #"{"reprice":{"id":"a"}}"#], "expected the member to, found none"),
      (["WareShop", "main", #"{"delete":{"id":"a"}}"#, "--command-id", ""], "--command-id: expected an id"),
    ]
    for (words, message) in cases {
      let answer = tool.run(["do", tool.log] + words)
      #expect(answer.status == 2 && answer.talk.contains(message), "\(words): \(answer.talk)")
    }
    tool.tool = .annals
    let none = execute("WareShop", "main", "{}")
    #expect(
      none.status == 2
        && none.talk.contains(
          "annals has no command \"WareShop\"\nits commands are insert, update, delete, rename-section\n"
            + "an app's own tool registers its commands"
        ))
  }

  @Test func `a log that is not there is created with the first events, and with no refusal`() throws {
    let path = tool.path("none")
    let words = ["do", path, "WareShop", "main"]
    let refused = tool.run(words + [#"{"delete":{"id":"a"}}"#])
    #expect(refused.status == 1)
    #expect(
      refused.talk == "shoptool: WareShop refuses it: notThere(\"a\")\n"
        + "\(path) doesn't exist, so the command was decided on an empty log\n")
    let insert = #"{"insert":{"id":"z","price":1,"shelf":"q"}}"#
    #expect(
      tool.run(words + [insert, "--dry-run"]).lines == [
        #"WareShop-main  WareInserted  {"id":"z","price":1,"shelf":"q"}"#
      ])
    #expect(!FileManager.default.fileExists(atPath: path))
    let answer = tool.run(words + [insert])
    #expect(answer.status == 0 && answer.talk == "\(path) is a new log\n" && answer.output.hasPrefix("1  "))
    #expect(tool.run(words + [insert]).talk == "shoptool: WareShop refuses it: alreadyThere(\"z\")\n")
  }

  @Test func `help of an app's tool has its deciders, with examples of their commands`() {
    let page = tool.run("help", "do").output
    let own = [
      " WareShop ID JSON, for example", #"   {"delete":{"id":"a"}}"#, #"   {"reprice":{"id":"a","to":2}}"#,
      " Seats JSON", "",
    ]
    #expect(page.contains("\n\n" + own.joined(separator: "\n")), "\(page)")
    let example = "examples:\n  shoptool do shop.annals WareShop main '{\"delete\":{\"id\":\"a\"}}'\n"
    #expect(page.hasSuffix(example + "\nsee also: help options\n"))
    #expect(tool.run("do", "--help").output == page)
    #expect(tool.run("help", "completions", "bash").output.contains("WareShop Seats"))
  }

  @Test func `a tool with a store of its own opens logs there, to read and to append`() throws {
    let store = MemoryEventStore()
    tool.tool = ReplayTool(
      ReplayList(Wares()), ReplayCommands(WareShop.self),
      ReplayStore { name, access in
        if name != "shop" { throw EventStoreError(.notALog, "there is no log \(name)") }
        return store
      }, ReplayCompaction { Compaction(through: $0) }, ReplayRedaction(fields: ["price"]), name: "shoptool")
    let words = ["do", "shop", "WareShop", "main", #"{"insert":{"id":"z","price":1,"shelf":"q"}}"#]
    #expect(tool.run(words + ["--dry-run"]).status == 0 && store.head() == 0)
    #expect(tool.run(words).status == 0 && store.head() == 1)
    #expect(tool.run("show", "shop").lines == ["position 1: 1 row", "  z  price: 1, shelf: q"])
    #expect(tool.run("show", "elsewhere").talk == "shoptool: there is no log elsewhere\n")
  }
}
