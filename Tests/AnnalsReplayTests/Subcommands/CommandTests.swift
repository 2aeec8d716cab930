import Foundation
import Testing

/// Commands at the prompt.
@Suite struct CommandTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
  }

  @Test func `commands insert, update, delete and rename, and the list shows it`() throws {
    func run(_ words: String...) -> ToolRunner.Answer { tool.run([words[0], tool.log] + words.dropFirst()) }
    let first = run("insert", "b1", "title=Annals", "price=50.5", "shelf=a=b", "--collection", "book")
    #expect(first.status == 0 && first.talk == "position 1: RecordInserted\n")
    #expect(run("insert", "b2", "price=\"10\"", "shelf=", "none=null", "--json").output == "{\"position\":2}\n")
    #expect(run("update", "b1", "price=-3", "title=null").status == 0)
    #expect(run("rename-section", "a=b", "Classics").status == 0)
    #expect(run("rename-section", "-3", "Minus three").status == 0)
    #expect(
      run("show", "--json", "--section-by", "shelf").output
        == #"{"position":5,"count":2,"sections":[{"key":"","title":"","indexTitle":"","rows":[{"id":"b2","#
        + #""fields":{"price":"10","shelf":""}}]},{"key":"a=b","title":"Classics","indexTitle":"C","rows":[{"id":"b1","#
        + #""fields":{"price":-3,"shelf":"a=b"}}]}]}"# + "\n")
    #expect(run("show", "--section-by", "price").lines[1] == "Minus three  1")
    #expect(run("delete", "b1").status == 0)
    #expect(
      tool.run("log", tool.log, "--json", "1..1").output.contains(
        #""subject":"book","#))
  }

  @Test func `a command that the records do not allow is refused with status 1 and adds nothing`() throws {
    func run(_ words: String...) -> ToolRunner.Answer { tool.run([words[0], tool.log] + words.dropFirst()) }
    _ = run("insert", "b1", "--collection", "book")
    for (words, message) in [
      (["insert", "b1"], "refused: inserts the id \"b1\", which \"book\" has"),
      (["update", "x", "a=1"], "refused: updates the id \"x\", which \"book\" does not have"),
      (["delete", "x"], "refused: deletes the id \"x\", which \"book\" does not have"),
      (["delete", "b1", "--collection", "shop"], "the log has no collection \"shop\""),
    ] {
      let answer = tool.run([words[0], tool.log] + words.dropFirst())
      #expect(answer.status == 1 && answer.talk == "annals: \(message)\n")
    }
    #expect(run("show", "--json").output.hasPrefix("{\"position\":1,"))
  }

  @Test func `mistakes in a command are usage errors and leave no file`() throws {
    #expect(tool.run("insert", tool.log, "b1").status == 2)
    #expect(!FileManager.default.fileExists(atPath: tool.log))
    for words in [["update", "b1", "a=1"], ["delete", "b1"], ["rename-section", "a", "b"]] {
      #expect(tool.run([words[0], tool.log] + words.dropFirst()).status == 4)
    }
    #expect(!FileManager.default.fileExists(atPath: tool.log))
    tool.run("insert", tool.log, "b1", "--collection", "book")
    for (words, message) in [
      (["update", "b1"], "annals update needs FIELD=VALUE"),
      (["update", "b1", "x"], "expected FIELD=VALUE, found \"x\""),
      (["insert", "b2", "=1"], "expected FIELD=VALUE, found \"=1\""),
      (["insert", "b2", "a=1", "a=2"], "the field \"a\" is given twice"),
      (["insert", "b2", "--collection="], "--collection: expected a name, found \"\""),
    ] {
      let answer = tool.run([words[0], tool.log] + words.dropFirst())
      #expect(answer.status == 2 && answer.talk == "annals: \(message)\n", "\(answer.talk)")
    }
    tool.run("insert", tool.log, "b1", "--collection", "other")
    #expect(tool.run("delete", tool.log, "b1").talk.contains("2 collections"))
  }
}
