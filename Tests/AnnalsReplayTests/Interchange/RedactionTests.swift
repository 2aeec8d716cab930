import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation
import Testing
@testable import AnnalsReplay

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

  /// An address as a personal value, as the author, in a note and in a tag.
  @Test func `a hidden value that is still in another place is reported with the place`() throws {
    let tool = try ToolRunner()
    let buyer = #"{"$personal":"ann","value":"ann@x.org"}"#
    let record = #"{"collection":"c","id":"a","fields":{"mail":\#(buyer),"#
    try tool.importLines([
      line(1, "RecordInserted", record + #""note":"x"}}"#)
        .replacing(#""subject""#, with: #""actor":"ann@x.org","subject""#),
      line(2, "RecordUpdated", #"{"collection":"c","id":"a","fields":{"note":"write to ann@x.org, now"}}"#),
      line(3, "RecordUpdated", #"{"collection":"c","id":"a","fields":{"note":"zzzzz"}}"#),
    ])
    let words = "a hidden value is still there: \"ann@x.org\" in "
    for format in [[], ["--json"], ["--format", "csv"]] {
      let log = tool.run(["log", tool.log, "--redact", "personal"] + format)
      #expect(log.status == 0 && log.talk == words + "fields.note (1), the author (1)\n", "\(log)")
    }
    let both = tool.run("log", tool.log, "--json", "--redact", "personal,author,note")
    #expect(both.talk == "" && !both.output.contains("ann@x.org"), "\(both)")
    #expect(tool.run("log", tool.log, "--json").talk == "")
    let page = tool.run("timeline", tool.log, "-o", "-", "--redact", "personal")
    #expect(page.talk.contains(words + "the page ("), "\(page.talk)")
    let clean = tool.run("timeline", tool.log, "-o", "-", "--redact", "personal,author,note")
    #expect(!clean.talk.contains("hidden value") && !clean.output.contains("ann@x.org"), "\(clean.talk)")
  }

  @Test func `a word that hides no value is an error with the nearest name`() throws {
    let tool = try ToolRunner()
    let buyer = #"{"$personal":"ann","value":"ann@x.org"}"#
    let other = #"{"$personal":"Lee, Bo","value":"bo@x.org"}"#
    try tool.importLines([
      line(1, "RecordInserted", #"{"collection":"c","id":"a","fields":{"borrower":\#(buyer),"other":\#(other)}}"#)
    ])
    for (word, name) in [
      ("borower", "borrower"), ("subject:anm", "subject:ann"), ("actr", nil), ("$.borrower", "borrower"),
    ] {
      let nearest = name.map { "; did you mean \($0)?" } ?? ""
      let log = tool.run("log", tool.log, "--json", "--redact", "personal,\(word)")
      #expect(log.status == 2 && log.output == "", "\(log)")
      #expect(log.talk == "annals: --redact \(word): no event has such a value\(nearest)\n")
      let page = tool.run("timeline", tool.log, "-o", "-", "--redact", word)
      #expect(page.talk.contains("--redact \(word): no event has such a value\(nearest)\n"), "\(page.talk)")
    }
    for word in ["subject:Lee, Bo", "borrower", "fields.borrower", "subject:ann", "$.fields", "personal", "author"] {
      #expect(tool.run("log", tool.log, "--json", "--redact", word).status == 0, "\(word)")
    }
  }

  @Test(arguments: 0..<40) func `a hidden value is found in every text that contains it`(seed: UInt64) throws {
    var draws = SystemRandomNumberGenerator()
    func word(_ size: Int) -> String { String((0..<size).map { _ in "abé".randomElement(using: &draws) ?? "a" }) }
    let hidden = (0..<20).map { _ in word(Int.random(in: 1...6, using: &draws)) }
    let texts = (0..<20).map { _ in word(Int.random(in: 0...12, using: &draws)) }
    func event(_ fields: [String], _ other: [String]) -> StoredEvent {
      func list(_ texts: [String]) -> String { texts.map { JSONValue.quoted($0) }.joined(separator: ",") }
      let json = #"{"h":[\#(list(fields))],"t":[\#(list(other))]}"#
      return StoredEvent(
        position: 1, transaction: 1, stream: "s", version: 1, id: EventID(source: "x", id: "1"), type: "T", schema: 1,
        time: .distantPast, tags: [], payload: json, metadata: [:])
    }
    for text in texts {
      var leaks = RedactionLeaks()
      leaks.collect(from: event(hidden, [text]), event([], [text]))
      leaks.search(event([], [text]))
      let wanted = Set(hidden.filter { $0.utf8.count >= 4 && text.contains($0) })
      #expect(leaks.sentences.count == min(wanted.count, 10) + (wanted.count > 10 ? 1 : 0), "\(text) \(wanted)")
    }
  }
}
