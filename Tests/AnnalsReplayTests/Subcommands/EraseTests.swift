import Annals
import AnnalsSQLite
import Foundation
import Testing

/// `annals erase`, and records with erased values.
@Suite struct EraseTests {
  private let tool: ToolRunner

  init() throws { tool = try ToolRunner() }

  private func fill() throws {
    try tool.importLines([
      inserted(1, "b1", #"{"name":{"$personal":"ann","value":"Ann"},"age":{"$personal":"ann","value":41}}"#),
      inserted(2, "b2", #"{ "name" : { "value" : "Bob" , "$personal":"b\u006fb" } , "age":40 }"#),
      inserted(3, "b3", #"{"name":{"$personal":"cy","value":"Cy"}}"#),
    ])
  }

  @Test func `erasing takes a subject's values out of events, lists and files, and the rest stays`() throws {
    try fill()
    let before = tool.run("show", tool.log, "--sort", "name")
    #expect(
      before.lines.dropFirst() == ["  b1  name: Ann, age: 41", "  b2  name: Bob, age: 40", "  b3  name: Cy"])
    let answer = tool.run("erase", tool.log, "ann", "--yes")
    #expect(answer.status == 0 && answer.output == "" && answer.talk == "2 values of ann erased\n")
    #expect(try Data(contentsOf: URL(fileURLWithPath: tool.log)).range(of: Data("Ann".utf8)) == nil)
    #expect(
      tool.run("show", tool.log, "--sort", "-name").lines.dropFirst() == [
        "  b3  name: Cy", "  b2  name: Bob, age: 40", "  b1  name: (erased of ann), age: (erased of ann)",
      ])
    // A personal field counts as its value.
    #expect(tool.run("show", tool.log, "--where", "name = Bob").lines.count == 2)
    #expect(tool.run("show", tool.log, "--where", "age >= 40").lines.count == 2)
    let sections = tool.run("show", tool.log, "--section-by", "name", "--json").output
    #expect(sections.contains(#""sections":[{"key":null,"#) && sections.contains(#"{"key":"Bob","title":"Bob""#))
    #expect(sections.contains(#""fields":{"age":{"$personal":"ann"},"name":{"$personal":"ann"}}"#))
    #expect(
      tool.run("log", tool.log).lines[0].hasSuffix(
        #""fields":{"name":{"$personal":"ann"},"age":{"$personal":"ann"}}}"#))
    #expect(tool.run("verify", tool.log).status == 0)
    #expect(tool.run("diff", "--each", tool.log, "--check", "--sort", "name").status == 0)
  }

  @Test func `an export has the values that are there, and an import of it exports equally`() throws {
    try fill()
    for erased in [false, true] {
      if erased { tool.run("erase", tool.log, "ann", "--yes") }
      let export = tool.run("log", "--json", tool.log)
      #expect(
        export.output.contains(#""value":"Ann""#) == !erased
          && export.output.contains(#"{ "value" : "Bob" , "$personal":"b\u006fb" }"#))
      let copy = tool.path("copy-\(erased)")
      #expect(tool.run("import", copy, try tool.file("lines", export.output)).status == 0)
      #expect(tool.run("log", "--json", copy).output == export.output)
      let answer = tool.run("erase", copy, "ann", "--yes")
      #expect(answer.status == 0)
      #expect(
        answer.talk == (erased ? "0 values of ann erased: all were erased before\n" : "2 values of ann erased\n"))
      #expect(tool.run("verify", copy).status == 0)
    }
    // The log skips events that it already has, so that an old export brings nothing back.
    #expect(tool.run("import", tool.log, tool.path("lines")).status == 0)
    #expect(tool.run("erase", tool.log, "ann", "--yes", "--json").output == #"{"fields":0,"complete":true}"# + "\n")
  }

  @Test func `info counts values, subjects and erasures`() throws {
    try fill()
    tool.run("erase", tool.log, "cy", "--yes")
    let lines = tool.run("info", tool.log).lines
    #expect(lines.contains("personal    3 values of 2 subjects") && lines.contains("erasures    1, of 1 subject"))
    let json = tool.run("info", tool.log, "--json").output
    #expect(json.contains(#""personalFields":3,"subjects":2,"remnants":false,"#))
    #expect(json.contains(#""erasures":1,"compactions":0,"horizon":0,"#))
  }

  @Test(arguments: [
    ("Ann", #"did you mean "ann"?"#), ("anm", #"did you mean "ann"?"#), ("BOB", #"did you mean "bob"?"#),
    ("b1", "it has those of 3 subjects, none with a name like it"), ("dy", #"did you mean "cy"?"#),
    ("ann ", #"did you mean "ann"?"#), ("e\u{301}", "it has those of 3 subjects"),
  ])
  func `a subject that the log does not know is a mistake, and its neighbours are named`(
    subject: String, words: String
  ) throws {
    try fill()
    let before = tool.run("log", "--json", tool.log).output
    for isJSON in [false, true] {
      let answer = tool.run(["erase", tool.log, subject] + (isJSON ? ["--json"] : []))
      #expect(answer.status == 1, "\(answer)")
      #expect(
        answer.talk.contains("nothing was erased: the log has no personal values of \"\(subject)\"; \(words)"),
        "\(answer.talk)")
      #expect(answer.output == (isJSON ? #"{"fields":0,"complete":true}"# + "\n" : ""))
    }
    #expect(tool.run("log", "--json", tool.log).output == before)
  }

  @Test func `a subject that was erased before is known in any spelling, and a log without subjects says so`() throws {
    try fill()
    tool.run("erase", tool.log, "bob", "--yes")
    let again = tool.run("erase", tool.log, "bob", "--yes")
    #expect(again.status == 0 && again.talk == "0 values of bob erased: all were erased before\n")
    #expect(tool.run("erase", tool.log, "bob", "--yes", "--json").output == #"{"fields":0,"complete":true}"# + "\n")
    let empty = tool.path("empty")
    #expect(tool.run("do", empty, "insert", "a", "n=1", "--list", "c").status == 0)
    let answer = tool.run("erase", empty, "ann")
    #expect(answer.status == 1 && answer.talk.contains("the log has no personal values. To remove records"))
  }

  @Test func `what cannot be is refused with a status and a sentence`() throws {
    try fill()
    #expect(tool.run("erase", tool.path("none"), "ann").status == 4)
    #expect(!FileManager.default.fileExists(atPath: tool.path("none")))
    #expect(tool.run("erase", try tool.file("noise", "noise"), "ann").status == 3)
    #expect(tool.run("erase", tool.log, "--yes").status == 2 && tool.run("erase", tool.log, "", "--yes").status == 2)
    let strange = tool.run("erase", tool.log, "a\u{202E}b--------", "--yes")
    #expect(strange.status == 1 && strange.talk.contains("no personal values of \"a\\u{202e}b--------\""), "\(strange)")
    #expect(tool.run("eras", tool.log, "ann").talk.contains("did you mean erase?"))
    #expect(tool.run("erase", "--help").output.contains("usage: annals erase LOG [SUBJECT]"))
    let bad = try tool.file("bad", inserted(9, "b9", #"{"name":{"$personal":"ann","value":1,"more":2}}"#) + "\n")
    let answer = tool.run("import", tool.log, bad)
    #expect(answer.status == 3 && answer.talk.contains("the additional member \"more\""), "\(answer.talk)")
    let refused = tool.run("do", tool.log, "insert", "b9", #"name={"$personal":7}"#)
    #expect(refused.status == 1 && refused.talk.contains("a subject that isn't a string"))
    #expect(tool.run("do", tool.log, "insert", "b9", #"name={"$personal":"dee","value":"Dee"}"#).status == 0)
    #expect(tool.run("erase", tool.log, "dee", "--yes").talk == "1 value of dee erased\n")
  }
}
