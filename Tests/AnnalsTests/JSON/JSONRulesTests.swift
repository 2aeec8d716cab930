import Annals
import AnnalsLog
import AnnalsTesting
import Testing

/// What is read and what is only gone past are the same texts.
@Suite struct JSONRulesTests {
  @Test(.timeLimit(.minutes(60)), arguments: [17, 2])
  func `objects of many names, or of one with an escape, are gone past once, however deep`(count: Int) throws {
    // What went back to an object's beginning at its last name went past the innermost one as often as there are
    // halves of it.
    let names = (1..<count).map { ",\"\(count > 2 ? "" : "\\u006e")\($0)\":1" }.joined()
    let depth = JSON.maximumDepth
    let text = String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: names + "}", count: depth)
    try JSON.check(text)
    #expect(throws: JSONFailure.self) { try JSON.check(text.dropLast() + ",\"a\":2}") }
    #expect(throws: JSONFailure.self) { try JSON.check("[" + text + "]") }
  }

  @Test func `what is gone past is what is read, to the place of a mistake`() throws {
    let words = [
      "{", "}", "[", "]", ",", ":", "\"a\"", "\"\\u0061\"", "\"b\"", "\"", "\\", "1", "-", "e9", ".", "true", "null",
      " ",
      "\n", "\"c\":1,", "{\"a\":1,\"d\":[],\"e\":{}}", "é", "\u{1}",
    ]
    let whole = Generator<String>.recursive(
      .element(of: ["1", "\"x\"", "null", "-0.5e3", "\"\\n\"", "[]", "{}"])
    ) { inner in
      .oneOf(
        Generator<[String]>.array(of: inner, count: 0...3).map { "[" + $0.joined(separator: ",") + "]" },
        zip(Generator<[String]>.array(of: inner, count: 0...20), Generator<Int>.int(in: 0...20)).map { values, place in
          let members = values.enumerated().map { index, value in
            "\"\(index == place ? "\\u006b" : "k")\(index % 19)\":\(value)"
          }
          return "{" + members.joined(separator: " , ") + "}"
        })
    }
    let parts = zip(whole, Generator<Int>.int(in: 0...200), Generator<String>.element(of: words))
    let broken = parts.map { text, place, word -> String in
      let index = text.index(text.startIndex, offsetBy: place, limitedBy: text.endIndex) ?? text.endIndex
      return String(text[..<index]) + word + text[index...]
    }
    let noise = Generator<[String]>.array(of: .element(of: words), count: 0...12).map { $0.joined() }
    try check(.oneOf(whole, broken, noise), settings: CheckSettings(examples: 200)) { text in
      let read = Result { try JSONValue(parsing: text) }
      let passed = Result { try JSON.check(text) }
      switch (read, passed) {
      case (.success, .success): break
      case (.failure(let one), .failure(let other)): try ensureEqual("\(one)", "\(other)")
      default: try ensure(false, "read: \(read), gone past: \(passed)")
      }
    }
  }
}
