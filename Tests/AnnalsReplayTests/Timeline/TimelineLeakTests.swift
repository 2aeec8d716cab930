import Annals
import Foundation
import Testing

@testable import AnnalsReplay

/// What a page must not say: a colleague gets no more than what is shown.
@Suite struct TimelineLeakTests {
  private let tool: ToolRunner

  init() throws { tool = try ToolRunner() }

  /// The page, after it was searched for words in every form in which a file could have them.
  private func page(without secrets: String..., options: [String]) throws -> String {
    let answer = tool.run(["timeline", tool.log, "-o", "-"] + options)
    try #require(answer.status == 0, "\(answer.talk)")
    for secret in secrets { #expect(!leaks(answer.output, secret), "\(options) leaks \(secret)") }
    return answer.output
  }

  private func leaks(_ text: String, _ secret: String) -> Bool {
    let bytes = Data(secret.utf8)
    let hex = bytes.map { String($0, radix: 16) }.joined()
    let forms = [
      secret, String(secret.reversed()), bytes.base64EncodedString().replacing("=", with: ""), hex, hex.uppercased(),
      secret.utf16.map { "\\u" + ("000" + String($0, radix: 16)).suffix(4) }.joined(),
      secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret,
    ]
    return forms.contains { text.lowercased().contains($0.lowercased()) }
  }

  @Test func `rows that --where leaves out are not in the page, nor what led to them or away`() throws {
    try tool.importLines([
      inserted(1, "b1", #"{"price":3,"note":"open"}"#),
      inserted(2, "hiddenrow", #"{"price":500,"note":"topsecret"}"#),
      line(3, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"price":777123,"note":"goingaway"}}"#),
      line(4, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"note":"offstage"}}"#),
      line(5, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"price":4,"note":"back"}}"#),
    ])
    let text = try page(
      without: "topsecret", "hiddenrow", "777123", "goingaway", "offstage", options: ["--where", "price < 10"])
    let model = try PageModel(text)
    #expect(model.positions == [1, 3, 5] && model.payloads == [nil, nil, nil])
    #expect(model.data["filtered"] == .bool(true))
    let all = try PageModel(page(options: []))
    #expect(all.payloads.count == 5 && all.payloads.allSatisfy { $0 != nil })
    #expect(try PageModel(page(options: ["--redact", "payloads"])).payloads == [nil, nil, nil, nil, nil])
  }

  @Test func `events that options leave out are not in the page, nor values that no step shows`() throws {
    func updated(_ number: Int, _ fields: String, by actor: String, transaction: String? = nil) -> String {
      line(
        number, "RecordUpdated", #"{"collection":"book","id":"b1","fields":\#(fields)}"#, transaction: transaction
      ).replacing(#","data":"#, with: #","actor":"\#(actor)","correlationid":"of \#(actor)","data":"#)
    }
    try tool.importLines([
      inserted(1, "b1", #"{"price":3,"note":"open"}"#), updated(2, #"{"note":"whispered"}"#, by: "mallory"),
      updated(3, #"{"note":"before"}"#, by: "mallory"),
      updated(4, #"{"price":5}"#, by: "mallory", transaction: "t"),
      updated(5, #"{"note":"lasting"}"#, by: "ann", transaction: "t"),
      updated(6, #"{"note":"tomorrowish"}"#, by: "mallory"),
    ])
    let text = try page(without: "mallory", "whispered", "tomorrowish", options: ["author:ann"])
    let model = try PageModel(text)
    #expect(model.positions == [5] && model.lists[0].map(\.position) == [0, 5])
    // Here one row was changed by both events of the transaction, and only one of them may be named.
    let batch = model.data["lists"]?.array?.first?["batches"]?.array?.first
    #expect(batch?["e"]?.text == "[5]" && batch?["b"]?.array?.count == 1 && text.contains("lasting"))
    // The value that the step replaced is shown by it.
    #expect(text.contains("before"))
  }

  @Test func `an event's message is a headline, unless options leave out what events say`() throws {
    try tool.importLines([
      inserted(1, "b1", #"{"n":1}"#).replacing(#","data":"#, with: #","message":"Whispered words","data":"#)
    ])
    #expect(try PageModel(page(options: [])).headlines == ["Whispered words"])
    for options in [["--where", "n > 0"], ["--redact", "payloads"], ["--redact", "message"], ["--redact", "id"]] {
      #expect(try PageModel(page(without: "Whispered", options: options)).positions == [1])
    }
  }

  @Test func `rows beyond --limit are not in the page`() throws {
    try tool.importLines((1...5).map { inserted($0, "row\($0)", #"{"n":\#($0),"w":"word\#($0)"}"#) })
    let limited = try page(without: "word3", "word5", "row4", options: ["--sort", "n", "--limit", "2"])
    #expect(limited.contains("word1") && limited.contains("word2"))
    // A row that others pushed out later was shown once.
    let reversed = try page(without: "word6", options: ["--sort=-n", "--limit", "1"])
    #expect(reversed.contains("word1") && reversed.contains("word5"))
  }

  @Test func `a hidden field is hidden in rows, in what they were, in payloads and in titles`() throws {
    try tool.importLines([
      inserted(1, "b1", #"{"email":"ann@x.org","at":{"street":"Elm Road","city":"Bonn"},"n":1}"#),
      line(2, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"email":"bob@y.org","n":2}}"#),
      line(3, "RecordDeleted", #"{"collection":"book","id":"b1"}"#),
    ])
    let options = ["--redact", "email,street", "--section-by", "email"]
    let text = try page(without: "ann@x.org", "bob@y.org", "Elm Road", options: options)
    #expect(text.contains("Bonn"))
    let model = try PageModel(text)
    #expect(model.lists[0][1].sections.map(\.title) == ["redacted"])
    #expect(
      model.payloads[1] == #"{"collection":"book","fields":{"email":"redacted","n":2},"id":"b1"}"#)
    #expect(model.lists[0][1].sections[0].rows[0].fields["email"] == "[0]")
    // An own cut of the rows may show the same words.
    _ = try page(without: "ann@x.org", "Elm Road", options: ["--redact", "at,email", "--section-by", "at.street"])
  }

  @Test func `hidden ids are numbers, and nothing that could repeat them is in the page`() throws {
    let record = #"{"collection":"book","id":"isbn42","fields":{"n":1,"id2":"isbn42x"}}"#
    let event =
      #"{"specversion":"1.0","id":"1","source":"s","type":"RecordInserted","subject":"book-isbn42","#
      + #""time":"2026-01-02T03:04:05Z","actor":"ann","correlationid":"order-isbn42","data":\#(record)}"#
    try tool.importLines([event, line(2, "RecordDeleted", #"{"collection":"book","id":"isbn42"}"#)])
    let text = try page(without: "isbn42", options: ["--redact", "id,id2"])
    #expect(text.contains("row 1") && text.contains(#""ann""#))
    _ = try page(without: "isbn42", #""ann""#, options: ["--redact", "id,id2,actor"])
  }

  @Test func `personal values are hidden when asked, and erased ones stay erased`() throws {
    try tool.importLines([
      inserted(1, "b1", #"{"name":{"$personal":"subject-7","value":"Annabel"},"n":1}"#),
      inserted(2, "b2", #"{"name":{"$personal":"subject-8","value":"Bertrand"},"n":2}"#),
    ])
    let options = ["--redact", "personal", "--section-by", "name"]
    #expect(try page(without: "Annabel", "Bertrand", "subject-7", options: options).contains("redacted"))
    #expect(try page(options: []).contains("Annabel"))
    // One of them, by the word that an export takes.
    let one = ["--redact", "subject:subject-7", "--section-by", "name"]
    let text = try page(without: "Annabel", "subject-7", "[redacted]", options: one)
    #expect(text.contains("Bertrand") && text.contains("subject-8") && text.contains("redacted"))
    // A list of words may begin with it.
    _ = try page(without: "Annabel", "subject-7", #""n":1"#, options: ["--redact", "subject:subject-7,n"])
    for word in ["subject:", ".", "$.", ","] {
      #expect(tool.run("timeline", tool.log, "-o", "-", "--redact", word).status == 2)
      #expect(tool.run("log", "--json", tool.log, "--redact", word).status == 2)
    }
    #expect(tool.run("erase", tool.log, "subject-7", "--yes").status == 0)
    #expect(try page(without: "Annabel", options: []).contains("Bertrand"))
  }

  @Test func `a row that an app makes of personal values has none when they are hidden`() throws {
    let store = AlteredStore(MemoryEventStore(), without: Redaction(isWithoutPersonal: true))
    #expect(throws: EventStoreError.self) { try store.commit(Append()) }
    let base = MemoryEventStore()
    let payload = #"{"name":{"$personal":"ann","value":"Ann"},"n":1}"#
    try base.append(Append([NewEvent(type: "E", payload: payload)], to: "s"))
    let events = try AlteredStore(base, without: Redaction(isWithoutPersonal: true)).events(
      .all, after: 0, through: nil, limit: 10)
    #expect(events.map(\.payload) == [#"{"name":{"$personal":"ann"},"n":1}"#])
    #expect(
      try AlteredStore(base, without: Redaction(isWithoutPersonal: true)).eventsBackwards(
        .all, after: 0, through: nil, limit: 1
      ).map(\.payload)
        == events.map(\.payload))
  }

  @Test func `hostile texts end no script and begin no element`() throws {
    let texts = [
      "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "<!--", "]]>", "a\u{2028}b\u{2029}c",
      "&lt;b&gt;", "\u{202e}gnp.exe", "Z" + String(repeating: "\u{301}", count: 200),
    ]
    try tool.importLines(
      texts.enumerated().map { number, text in
        let quoted = JSONValue.quoted(text)
        return line(
          number + 1, "RecordInserted", #"{"collection":"book","id":\#(quoted),"fields":{"t":\#(quoted),\#(quoted):1}}"#
        )
      })
    // The log's name is the page's title.
    let hostile = tool.path("<script>\u{202e}\"&")
    try FileManager.default.copyItem(atPath: tool.log, toPath: hostile)
    let text = tool.run("timeline", hostile, "-o", "-", "--section-by", "t").output
    let data = try #require(text.firstRange(of: "id=\"data\">")).upperBound
    let end = try #require(text[data...].firstRange(of: "</script>")).lowerBound
    #expect(text[data..<end].allSatisfy { !"<>&\u{2028}\u{2029}".contains($0) })
    #expect(text.contains(#"<title>&lt;script&gt;\u{202e}&quot;&amp;</title>"#))
    #expect(text.components(separatedBy: "<script").count == 3)
    let ids = try PageModel(text).lists[0].last?.sections.flatMap { $0.rows.map(\.id) } ?? []
    #expect(Set(ids.map { Array($0.utf8) }) == Set(texts.map { Array($0.utf8) }))
  }
}
