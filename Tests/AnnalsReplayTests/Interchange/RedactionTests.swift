import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import Testing

/// What `export` leaves out when it is asked to.
@Suite struct RedactionTests {
  private let payload =
    #"{"id":"c1","card":"4242","address":{"street":"Elm 1","city":"Ulm"},"cards":[{"number":"1"},{"number":2}],"#
    + #""ok":true,"none":null,"list":[1],"deep":[[{"card":{"x":1}}]],"name":{"$personal":"ann","value":"Ann"},"#
    + #""friend":{"\u0024personal":"bob","value":"Bob"}}"#

  @Test(arguments: [
    ([], [String](), [String]()),
    (["card"], ["4242", #""x":1"#], [#""card":"[redacted]""#, #"[[{"card":{}}]]"#, "Elm 1"]),
    (["x"], [#""x":1"#], [#"{"card":{"x":0}}"#]), (["card.x"], [#""x":1"#], [#"{"card":{"x":0}}"#]),
    (["$.x"], [], [#""x":1"#]), (["$.card.x", "$.street"], [], [#""x":1"#, "Elm 1"]),
    (["$.card"], ["4242"], [#""card":{"x":1}"#]), (["deep.card.x"], [#""x":1"#], [#"{"card":{"x":0}}"#, "4242"]),
    (["address.street"], ["Elm 1"], [#""address":{"street":"[redacted]","city":"Ulm"}"#, "4242"]),
    (["$.cards[0].number"], [#"[{"number":"1"}"#, #"{"number":2}"#], [#"[{"number":"[redacted]"},{"number":0}]"#]),
    (["ok", "none", "list"], ["true", "[1]"], [#""ok":false,"none":null,"list":[]"#]),
    (["subject:ann"], ["Ann", "ann"], [#""name":{"$personal":"[redacted]"}"#, "Bob"]),
    (["name"], ["Ann", "ann"], [#""name":{"$personal":"[redacted]"}"#]), (["city", "street"], ["Ulm", "Elm"], []),
  ])
  func `what is asked for is taken out, and the rest stays`(words: [String], gone: [String], there: [String]) throws {
    let text = try #require(Redaction(words).apply(to: payload))
    for part in gone { #expect(!text.contains(part), "\(part) in \(text)") }
    for part in there { #expect(text.contains(part), "\(part) not in \(text)") }
    #expect(throws: Never.self) { try JSONValue(parsing: text) }
    if words.isEmpty { #expect(text == payload) }
  }

  @Test func `without personal values it is as if everyone was erased`() throws {
    let text = try #require(Redaction(isWithoutPersonal: true).apply(to: payload))
    #expect(!text.contains("Ann") && !text.contains("Bob"))
    #expect(text.contains(#""name":{"$personal":"ann"}"#) && text.contains(#""friend":{"$personal":"bob"}"#))
    #expect(Redaction().apply(to: nil) == nil && Redaction(["a"]).apply(to: nil) == nil)
    #expect(Redaction(types: ["T"]).apply(to: payload, type: "T") == "{}")
    #expect(Redaction(types: ["T"]).apply(to: payload, type: "U") == payload)
    #expect(Redaction(["a", "b"]).apply(to: #" {"a":1,"b":[2], "c" : 3} "#) == #"{"a":0,"b":[],"c":3}"#)
  }

  @Test func `what the app says is not for every reader is left out beside what you name`() throws {
    let tool = try ToolRunner()
    try tool.importLines([
      line(1, "Ordered", #"{"card":"4242","city":"Ulm","name":"Ann"}"#), line(2, "Paid", #"{"sum":77}"#),
    ])
    func export(_ redaction: ReplayRedaction?, _ words: String...) -> ToolRunner.Answer {
      tool.tool = redaction.map { ReplayTool(ReplayRecords(), $0, name: "shop") } ?? .annals
      return tool.run(["log", "--json", tool.log, "--redact", "app"] + words)
    }
    let none = export(nil)
    #expect(none.status == 2 && none.talk.contains("--redact app: annals has no values of an app to hide"), "\(none)")
    let fields = export(ReplayRedaction(fields: ["card"]), "--redact", "city").output
    #expect(!fields.contains("4242") && !fields.contains("Ulm") && fields.contains("Ann") && fields.contains("77"))
    let types = export(ReplayRedaction(fields: [], types: ["Paid"])).output
    #expect(types.contains("4242") && types.contains("Ulm") && !types.contains("77"))
  }

  @Test func `an export is redacted in payloads, metadata and tags, and can be imported`() throws {
    let tool = try ToolRunner()
    let event =
      #"{"specversion":"1.0","id":"1","source":"s","type":"T","subject":"c","actor":"ann","correlationid":"order 7","#
      + #""tags":"vip","extra":{"card":"4242"},"data":\#(payload)}"#
    try tool.importLines([event])
    let plain = tool.run("log", "--json", tool.log).output
    #expect(plain.contains("4242") && plain.contains("vip"))
    let answer = tool.run(
      "log", "--json", tool.log, "--redact", "card", "--redact", "author", "--redact", "tags", "--redact",
      "subject:bob",
      "--redact", "personal")
    #expect(answer.status == 0, "\(answer.talk)")
    for secret in ["4242", "vip", "Ann", "Bob", "bob", #""actor":"ann""#] { #expect(!answer.output.contains(secret)) }
    #expect(answer.output.contains(#""actor":"[redacted]""#) && answer.output.contains("order 7"))
    let copy = tool.path("copy")
    #expect(tool.run("import", copy, try tool.file("redacted", answer.output)).status == 0)
    #expect(tool.run("log", "--json", copy).output == answer.output)
    // Without the options nothing is changed.
    #expect(tool.run("log", "--json", tool.log).output == plain)
    #expect(tool.run("log", "--json", tool.log, "--redact", "").status == 2)
    #expect(tool.run("log", "--json", tool.log, "--redact", "subject:").status == 2)
  }
}
