import Annals
import AnnalsLog
import Foundation
import Testing

@Suite struct JSONTests {
  @Test(arguments: [
    ("3", "3.0"), ("-0", "0"), ("1e2", "100"), ("0.1", "1e-1"), ("1e999", "10E998"), ("[1,2]", " [ 1 , 2.0 ] "),
    (#"{"a":null,"b":1}"#, #"{"b":1}"#), (#""\u00e9""#, "\"\u{e9}\""), (#""\ud83d\ude00""#, "\"😀\""),
  ])
  func `equal values are equal however they are written`(left: String, right: String) throws {
    let (one, other) = (try JSONValue(parsing: left), try JSONValue(parsing: right))
    #expect(one == other)
    #expect(one.hashValue == other.hashValue)
    #expect(one.canonicalText == other.canonicalText)
  }

  @Test(arguments: [
    ("9007199254740993", "9007199254740992"), ("true", "1"), (#""10""#, "10"), ("null", #""""#), ("1e999", "1e1000"),
    ("\"\u{e9}\"", "\"e\u{301}\""), ("[null]", "[]"), ("{\"\u{e9}\":1}", "{\"e\u{301}\":1}"),
  ])
  func `different values differ`(left: String, right: String) throws {
    #expect(try JSONValue(parsing: left) != JSONValue(parsing: right))
  }

  @Test func `strings with a quote, an escape or a control character at any place are read and written`() throws {
    for special in [
      "\"", "\\", "\n", "\u{0}", "\u{1F}", " ", "\u{7F}", "\u{80}", "é", "!", "#", "[", "]", "\u{10FFFF}",
    ] {
      for count in 0..<20 {
        for place in 0...count {
          let text = String(repeating: "a", count: place) + special + String(repeating: "\u{FF}", count: count - place)
          let quoted = JSONValue.quoted(text)
          #expect(try JSONValue(parsing: quoted) == .string(text))
          let foundation = try JSONDecoder().decode([String].self, from: Data("[\(quoted)]".utf8))
          #expect(foundation[0].utf8.elementsEqual(text.utf8))
          guard special == "\u{1F}" || special == "\n" else { continue }
          #expect(throws: JSONFailure.self) { try JSONValue(parsing: "\"\(text)\"") }
        }
      }
    }
  }

  @Test func `numbers are ordered by value`() throws {
    let texts = ["-1e3", "-20", "-2.5", "-0.001", "0", "1e-400", "0.5", "3", "3.01", "12", "9007199254740993", "1e999"]
    let numbers = texts.compactMap { JSONNumber(text: $0) }
    #expect(numbers.count == texts.count)
    for (place, number) in numbers.enumerated() {
      for (otherPlace, other) in numbers.enumerated() { #expect((number < other) == (place < otherPlace)) }
    }
  }

  @Test(arguments: [
    (0, "0"), (-7, "-7"), (1_000, "1000"), (Int.max, "9223372036854775807"), (.min, "-9223372036854775808"),
  ])
  func `integers keep their value and text`(value: Int, text: String) {
    #expect(JSONNumber(value).int == value)
    #expect(JSONNumber(value).canonicalText == text)
  }

  @Test(arguments: [
    "", "nul", "01", "1.", ".5", "+1", "1e", "\"a", "\"\n\"", "[1,]", "{\"a\":1,}", "{a:1}", "1 2", #""\x""#,
    #""\ud800""#, "NaN", #"{"a":1,"a":2}"#, "1e1000000001",
  ])
  func `what is not JSON is refused`(text: String) {
    #expect(throws: JSONFailure.self) { try JSONValue(parsing: text) }
  }

  @Test func `a value nested beyond the limit is refused, and one at the limit is read`() throws {
    let limit = JSON.maximumDepth
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try JSONValue(parsing: nested(limit))
    #expect(throws: JSONFailure.self) { try JSONValue(parsing: nested(limit + 1)) }
    #expect(throws: JSONFailure.self) { try JSONValue(parsing: String(repeating: "[", count: 100_000)) }
  }

  @Test func `a failure says what was expected, what was found and where`() {
    let failure = #expect(throws: JSONFailure.self) { try JSONValue(parsing: #"{"a":x}"#) }
    #expect(failure?.description == #"expected a JSON value, found "x" (at byte 6)"#)
  }

  @Test(arguments: ["a\"b\\c", "\u{0}\u{1f}\n\t\r", "é漢😀", ""])
  func `a quoted string reads back as the same scalars`(text: String) throws {
    #expect(try JSONValue(parsing: JSONValue.quoted(text)) == .string(text))
  }

  @Test func `every control character is escaped in its one way, in payloads and in metadata`() throws {
    for byte in 0..<0x20 as Range<UInt8> {
      let text = "a" + String(Character(Unicode.Scalar(byte))) + "\u{7F}é"
      let short = [8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r"][Int(byte)]
      let numbered = "\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      #expect(try PayloadCoder().encode(text) == "\"a\(short ?? numbered)\u{7F}é\"")
      let isShort = [9, 10, 13].contains(byte)
      #expect(JSONValue.quoted(text) == "\"a\(isShort ? short ?? "" : numbered)\u{7F}é\"")
      #expect(JSONValue.string(text).text == JSONValue.quoted(text))
    }
  }

  @Test(arguments: [
    ("{\"a\":é}", "expected a JSON value, found \"é\" (at byte 6)"),
    ("", "expected a JSON value, found the end of the text"),
    ("[1 \u{9B}]", "expected \",\" or \"]\", found the byte 194 (at byte 4)"), ("[1}", "found \"}\" (at byte 3)"),
    ("{\"a\" 1}", "expected \":\", found \"1\" (at byte 6)"),
    ("{1:2}", "expected a member's name, found \"1\" (at byte 2)"),
    ("\"\\ud800\"", "found only one half of a surrogate pair"),
    ("\"\\q\"", "after a backslash, found \"q\" (at byte 3)"),
    ("{\"a\":1,\"b\":{\"\\u0061\":[],\"a\" :2}}", "the member \"a\" appears twice in one object (at byte 25)"),
    ("[1,2]x", "expected the end of the text, found \"x\" (at byte 6)"), ("[\u{0}]", "found the byte 0 (at byte 2)"),
  ])
  func `a sentence says what is wrong with a text and at which byte`(text: String, message: String) throws {
    let failure = #expect(throws: JSONFailure.self) { try JSONValue(parsing: text) }
    #expect(failure?.description.contains(message) == true, "\(failure?.description ?? "")")
    #expect(throws: try #require(failure)) { try JSON.check(text) }
  }

  @Test func `members keep their texts as they came, and what is no object is said to be none`() throws {
    let text = " { \"b\" : [ 1 , {\"x\":[ ]} ] ,\"\\u0061\":\"\\u00e9\",\"c\":{},\"d\":-1.50e2 ,\"e\":null} "
    let members = try JSON.members(ofObject: text)
    #expect(members.map(\.name) == ["b", "a", "c", "d", "e"])
    #expect(members.map(\.json) == ["[ 1 , {\"x\":[ ]} ]", "\"\\u00e9\"", "{}", "-1.50e2", "null"])
    for text in ["[1]", " x", "", "nul", "1"] {
      let failure = #expect(throws: JSONFailure.self) { try JSON.members(ofObject: text) }
      #expect(failure?.message.hasPrefix("expected an object, found ") == true)
    }
    let late = #expect(throws: JSONFailure.self) { try JSON.members(ofObject: "  [1]") }
    #expect(late?.description.hasSuffix("expected an object, found \"[\" (at byte 3)") == true, "\(late as Any)")
    #expect(throws: JSONFailure.self) { try JSON.members(ofObject: #"{"a":{"b":1,"b":2}}"#) }
  }

  @Test func `metadata gives back the JSON texts that it was given`() throws {
    var metadata: Metadata = ["actor": "Ann", "correlationid": "c1"]
    metadata.set("weight", json: "1.50")
    let text = metadata.json
    #expect(text == #"{"actor":"Ann","correlationid":"c1","weight":1.50}"#)
    #expect(try Metadata(json: text) == metadata)
    #expect(metadata.author == "Ann")
    #expect(metadata.correlation == "c1")
    #expect(metadata["weight"] == nil)
  }
}

@Suite struct JSONValueTests {
  @Test func `members are read, set, renamed and taken out, and stay in the order of their names`() throws {
    var value = try JSONValue(parsing: #"{"b":1,"d":[true,null],"é":"x"}"#)
    #expect(value["b"]?.int == 1 && value["d"]?.array == [true, .null] && value["é"]?.string == "x")
    #expect(value["e\u{301}"] == nil)
    value["c"] = "text \(1)"
    value["a"] = 2.5
    value["b"] = nil
    value["é"] = .null
    value.rename("d", to: "A")
    value.rename("missing", to: "a")
    #expect(value.text == #"{"A":[true,null],"a":2.5,"c":"text 1"}"#)
    #expect(value == ["c": "text 1", "a": 2.50, "A": [true, .null], "none": .null])
    #expect(value["a"]?.double == 2.5 && value["a"]?.int == nil && value["A"]?.array?[0].bool == true)
    value.rename("a", to: "c")
    #expect(value["c"] == 2.5 && value["a"] == nil)
  }

  @Test func `a member makes an object of null and nothing of any other value`() {
    var nothing = JSONValue.null
    nothing["a"] = ["b": [1]]
    #expect(nothing.text == #"{"a":{"b":[1]}}"#)
    for value in ["text", 1, 2.5, true, [1]] as [JSONValue] {
      var changed = value
      changed["a"] = 1
      #expect(changed == value && changed["a"] == nil)
    }
  }

  @Test func `doubles that JSON has no number for are none, and numbers beyond a double have none`() throws {
    #expect(JSONNumber(Double.nan) == nil && JSONNumber(-Double.infinity) == nil)
    for double in [0, -0.0, 1e20, .leastNonzeroMagnitude, 1.7976931348623157e308, -12.25] {
      #expect(JSONNumber(double)?.double == double)
    }
    #expect(try JSONValue(parsing: "1e999").double == nil)
    #expect(try JSONValue(parsing: "9007199254740993").int == 9_007_199_254_740_993)
  }

  @Test func `values of Swift go through JSON and come back`() throws {
    let book = Book(id: "b", title: "é/", price: 0.1)
    let value = try JSONValue(encoding: book)
    #expect(value == ["id": "b", "price": 0.1, "title": "é/"])
    #expect(try value.decoded(as: Book.self) == book)
    #expect(throws: DecodingError.self) { try JSONValue.string("x").decoded(as: Book.self) }
    #expect(throws: EncodingError.self) { try JSONValue(encoding: [Double.nan]) }
  }
}
