@testable import AnnalsReplay
import AnnalsTesting
import Testing

/// How many columns of a terminal a text takes, and what follows from that.
@Suite struct WidthTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("ｱ", 1), ("Ａ", 2), ("한", 2),
    ("\u{1112}\u{1161}\u{11AB}", 2),
    ("…", 1), ("→", 1), ("あ゙", 2), ("😀", 2), ("👍🏽", 2), ("👨‍👩‍👧‍👦", 2),
    ("🇩🇪", 2), ("❤️", 2), ("❤", 1), ("1️⃣", 2), ("#", 1),
    ("⌚", 2), ("🏳️‍🌈", 2), ("नि", 2), ("ก็", 1), ("\u{20000}", 2), ("䷀", 2), ("Ω≈", 2), ("a\u{200B}b", 2), ("〈〉", 4),
    ("ظ", 1), ("\u{10FFFF}", 1),
    // The ends of ranges.
    ("⌚⌛", 4), ("\u{2319}\u{231C}", 2), ("⛎", 2), ("⛍⛏", 2), ("\u{FF60}", 2), ("\u{FF61}", 1), ("\u{2E80}", 2),
    ("⺙", 2),
    ("\u{2E7F}", 1), ("\u{3FFFD}", 2), ("\u{3FFFE}", 1), ("\u{115F}", 0), ("\u{1FAF8}", 2),
  ])
  func `a text takes the columns that terminals give it`(text: String, columns: Int) {
    #expect(Text.width(text) == columns)
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""), ("abcdef", -3, ""),
    ("漢字漢字", 8, "漢字漢字"), ("漢字漢字", 7, "漢字漢…"), ("漢字漢字", 6, "漢字…"), ("漢字", 2, "…"), ("漢字", 3, "漢…"), ("", 0, ""),
    ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3, "👨‍👩‍👧‍👦…"), ("e\u{301}e\u{301}", 1, "…"),
  ])
  func `a cut line keeps whole characters, and ends with what says that it is cut`(
    text: String, columns: Int, cut: String
  ) {
    #expect(Text.cut(text, to: columns) == cut)
    #expect(Text.cut(text, to: nil) == text)
  }

  private static let parts = ["a", " ", "漢", "e\u{301}", "👨‍👩‍👧‍👦", "🇩🇪", "ｱ", "\u{301}", "한", "1️⃣", "…", "word", "नि"]
  private let texts = Generator<[String]>.array(of: .element(of: parts), count: 0...12).map { $0.joined() }

  @Test func `no cut line takes more columns than there are, and no line is cut that has room`() throws {
    try check(texts, settings: CheckSettings(examples: 200)) { text in
      try ensureEqual(Text.cut(text, to: 0), "")
      for columns in 1...20 {
        let cut = Text.cut(text, to: columns)
        try ensure(Text.width(cut) <= columns, "\(columns)")
        if Text.width(text) <= columns { try ensureEqual(cut, text) } else { try ensure(cut != text) }
      }
    }
  }

  @Test func `padded texts are as wide as each other, on either side`() throws {
    #expect(Text.padded("漢", to: 4) == "漢  " && Text.padded("漢", to: 4, .right) == "  漢")
    #expect(Text.padded("longer", to: 4) == "longer")
    try check(texts, settings: CheckSettings(examples: 200)) { text in
      for alignment in [Text.Alignment.left, .right] {
        try ensureEqual(Text.width(Text.padded(text, to: 40, alignment)), max(40, Text.width(text)))
      }
    }
  }

  @Test func `wrapped lines have all words, and are too long only by a word that is`() throws {
    #expect(Text.wrapped("", to: 10) == [])
    #expect(Text.wrapped("a bc def", to: 4, indent: "> ", hanging: "  ") == ["> a", "  bc", "  def"])
    #expect(Text.wrapped("漢字 漢字 漢字", to: 9) == ["漢字 漢字", "漢字"])
    try check(texts, settings: CheckSettings(examples: 200)) { text in
      for columns in 1...12 {
        let lines = Text.wrapped(text, to: columns)
        try ensureEqual(lines.joined(separator: " ").split(separator: " "), text.split(separator: " "))
        for line in lines { try ensure(Text.width(line) <= columns || !line.contains(" "), line) }
      }
    }
  }
}
