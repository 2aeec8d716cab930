@testable import AnnalsReplay
import Annals
import Testing

/// Characters that hide, and what shows them.
@Suite struct SafeTextTests {
  @Test(arguments: [
    ("a\u{200B}b", #"a\u{200b}b"#), ("\u{FEFF}a", #"\u{feff}a"#), ("so\u{AD}ft", #"so\u{ad}ft"#),
    ("a\u{E0041}\u{E007F}", #"a\u{e0041}\u{e007f}"#), ("\u{3164}\u{115F}\u{FFA0}", #"\u{3164}\u{115f}\u{ffa0}"#),
    ("a\u{2060}\u{34F}b", #"a\u{2060}\u{34f}b"#), ("a\u{FFF9}b", #"a\u{fff9}b"#), ("a\u{FE00}", #"a\u{fe00}"#),
    ("葛\u{E0100}", #"葛\u{e0100}"#), ("\u{1B}[31m", #"\u{1b}[31m"#), ("a\u{202E}b", #"a\u{202e}b"#),
    // A joiner and a selector are shown in an emoji only, and only where they change it.
    ("a\u{200D}b", #"a\u{200d}b"#), ("👨\u{200D}", #"👨\u{200d}"#), ("\u{200D}👨", #"\u{200d}👨"#),
    ("a\u{FE0F}", #"a\u{fe0f}"#), ("1\u{FE0F}", #"1\u{fe0f}"#), ("😀\u{FE0F}", #"😀\u{fe0f}"#),
    ("❤\u{FE0F}\u{FE0F}\u{FE0F}", "❤\u{FE0F}\\u{fe0f}\\u{fe0f}"), ("1\u{FE0E}", #"1\u{fe0e}"#),
    // A mark needs a character.
    ("\u{301}a", #"\u{301}a"#), ("\u{200B}\u{301}", #"\u{200b}\u{301}"#),
  ])
  func `what cannot be seen is shown by number`(text: String, safe: String) {
    #expect(Text.safe(text).unicodeScalars.elementsEqual(safe.unicodeScalars), "\(Text.safe(text))")
    #expect(Text.safe(safe) == safe)
  }

  @Test(arguments: [
    "", "plain", "é", "e\u{301}", "漢字かな゙", "한국어", "👨‍👩‍👧‍👦", "🏳️‍🌈", "❤️", "❤️‍🔥", "1️⃣", "👍🏽",
    "🧑🏽‍🤝‍🧑🏾", "🇩🇪", "☎\u{FE0E}", "©️", "ก็",
    "\u{5E9}\u{5C1}\u{5B8}", "a\u{A0}b", "नि", "→ …", "♀️", "👁️‍🗨️",
  ])
  func `what can be seen stays as it is`(text: String) {
    #expect(Text.safe(text).unicodeScalars.elementsEqual(text.unicodeScalars), "\(Text.safe(text))")
  }

  @Test func `of a tower of marks eight are shown, and the others by number`() {
    let tower = "a" + String(repeating: "\u{301}", count: 200) + "b\u{301}"
    let safe = Text.safe(tower)
    #expect(safe.unicodeScalars.filter { $0 == "\u{301}" }.count == 9)
    #expect(safe.hasPrefix("a" + String(repeating: "\u{301}", count: 8) + "\\u{301}") && safe.hasSuffix("b\u{301}"))
    #expect(Text.width(Text.safe(String(repeating: "\u{20DD}", count: 3))) == 24)
  }

  @Test func `JSON has escapes for the same characters, and says the same`() throws {
    let tower = "a" + String(repeating: "\u{301}", count: 12)
    for text in ["a\u{200B}", "\u{E0041}x", "👨‍👩‍👧‍👦", tower, "\u{FEFF}", "\u{1B}"] {
      let line = "{\t\"t\": " + JSONValue.quoted(text) + "}"
      let safe = Text.safeJSON(line)
      #expect(try JSONValue(parsing: safe)["t"] == .string(text))
      #expect(Text.safe(safe.replacing("\t", with: "")) == safe.replacing("\t", with: ""))
    }
    #expect(Text.safeJSON("\"\u{E0041}\"") == #""\udb40\udc41""#)
  }

  @Test(arguments: [
    (#""plain""#, "plain"), (#""two words""#, "two words"), (#""""#, #""""#), (#""a, b""#, #""a, b""#),
    (#""a: b""#, #""a: b""#), (#""a,b:c""#, "a,b:c"), (#""a  b""#, #""a  b""#), (#"" a""#, #"" a""#),
    (#""a ""#, #""a ""#),
    (#""5""#, #""5""#), ("5", "5"), (#""-1.5e3""#, #""-1.5e3""#), (#""007""#, #""007""#), (#""5th""#, "5th"),
    (#""2026-11-22""#, "2026-11-22"), (#""true""#, #""true""#), ("true", "true"), (#""null""#, #""null""#),
    ("null", "null"),
    (#""\"q\"""#, #""\"q\"""#), (#""{}""#, #""{}""#), ("{}", "{}"), (#""[1]""#, #""[1]""#),
    (#""(none)""#, #""(none)""#),
    (#""a → b""#, #""a → b""#), (#""truer""#, "truer"), (#""a,""#, #""a,""#), (#""say \"hi\"""#, #"say "hi""#),
    (#"[1,2]"#, "[1,2]"),
  ])
  func `a text that could be read as another value is quoted`(json: String, shown: String) throws {
    #expect(Text.value(try JSONValue(parsing: json)) == shown)
  }

  @Test(arguments: [
    ("b1", "b1"), ("5", "5"), ("true", "true"), ("", #""""#), ("a: b", #""a: b""#), ("a:", #""a:""#),
    ("a  b", #""a  b""#),
    ("(none)", #""(none)""#), ("\"", #""\"""#), ("-x", "-x"),
  ])
  func `an id or a field's name is quoted where it could be read as two`(name: String, shown: String) {
    #expect(Text.name(name) == shown)
  }

  @Test func `no two sections' titles look the same`() throws {
    let keys = [
      ("null", ""), (#""""#, ""), (#""5""#, "5"), ("5", "5"), ("true", "true"), (#""true""#, "true"),
      (#""(none)""#, "(none)"), (#""null""#, "null"), (#""x""#, "x"), ("[1]", "[1]"), (#""[1]""#, "[1]"),
    ]
    let titles = try keys.map { Text.title($1, of: try JSONValue(parsing: $0)) }
    #expect(
      titles == [
        "(none)", #""""#, #""5""#, "5", "true", #""true""#, #""(none)""#, #""null""#, "x", "[1]", #""[1]""#,
      ])
    let five = try JSONValue(parsing: "5")
    #expect(Text.title("5.0", of: five) == "5.0")
    // A title that a section was given is a text, whatever the value of its rows.
    #expect(Text.title("7", of: five) == #""7""# && Text.title("No shelf", of: .null) == "No shelf")
  }
}
