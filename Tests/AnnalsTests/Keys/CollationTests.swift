import Annals
import AnnalsTesting
import Foundation
import Testing

/// Texts in the order of a language: what Foundation says of two of them, and what languages are known for.
@Suite struct CollationTests {
  private static let collations: [Collation] = [
    Collation(locale: Locale(identifier: "de_DE")), Collation(locale: Locale(identifier: "sv"), isNumeric: true),
    Collation(locale: Locale(identifier: "en_US"), ignoresCase: true),
    Collation(locale: Locale(identifier: "fr"), ignoresCase: true, ignoresDiacritics: true),
    Collation(locale: Locale(identifier: "de@collation=phonebook")), Collation(locale: Locale(identifier: "")),
    Collation(locale: Locale(identifier: "cs"), isNumeric: true, ignoresDiacritics: true),
    Collation(locale: Locale(identifier: "no such place, and far too long a name for a language of this world")),
  ]

  private static let letters = Generator<[String]>.array(
    of: .element(of: [
      "a", "A", "ä", "Å", "b", "c", "ch", "h", "é", "e\u{301}", "E", "o", "ö", "z", "Z", "s", "1", "12", "09",
    ]),
    count: 0...5
  ).map { $0.joined() }

  /// The same, sorted by places as on systems without sort keys.
  private static let ranked = collations.map { collation in
    var collation = collation
    collation.comparison = .foundation
    return collation
  }

  /// Pieces of texts that Foundation does not take for the same where ICU does not, as it does with "\u{1}" and "".
  private static let comparable = [
    "a", "B", " ", "-", "\u{FFFF}", "\u{10FFFF}", "漢", "ä", "a\u{308}", "9", "10", "👍🏽", "q\u{301}", "ç", "ñ", "å", "ı",
    "İ",
  ]

  private static let anything = Generator<[String]>.array(
    of: .element(of: [
      "a", "B", "\u{0}", "\u{1}", " ", "-", "\u{FFFF}", "\u{10FFFF}", "漢", "ä", "a\u{308}", "9", "10", "👍🏽", "\u{301}",
    ]),
    count: 0...6
  ).map { $0.joined() }

  private static func sign(_ result: ComparisonResult) -> Int { result.rawValue }

  private static func key(_ text: String, _ collation: Collation) -> [UInt8] {
    var writer = KeyWriter()
    collation.write(text, to: &writer)
    return writer.bytes
  }

  @Test func `A collation is a total order, and agrees with the bytes of its keys`() throws {
    try check(
      Generator<[String]>.array(of: Self.anything, count: 3...3), .element(of: Self.collations + Self.ranked),
      settings: CheckSettings(examples: 200)
    ) {
      texts, collation in
      let (a, b, c) = (texts[0], texts[1], texts[2])
      try ensureEqual(Self.sign(collation.compare(a, b)), -Self.sign(collation.compare(b, a)))
      if collation.compare(a, b) != .orderedDescending, collation.compare(b, c) != .orderedDescending {
        try ensure(collation.compare(a, c) != .orderedDescending)
      }
      let (one, other) = (Self.key(a, collation), Self.key(b, collation))
      try ensureEqual(one == other, collation.compare(a, b) == .orderedSame)
      try ensureEqual(one.lexicographicallyPrecedes(other), collation.compare(a, b) == .orderedAscending)
      // A list writes several keys after one another.
      if one != other { try ensure(!other.starts(with: one)) }
      // "é" is the same text in one scalar and in two.
      try ensureEqual(collation.compare(a.precomposedStringWithCanonicalMapping, a), .orderedSame)
    }
  }

  @Test func `Foundation compares texts as sort keys do`() throws {
    let pieces = Generator<[String]>.array(of: .element(of: Self.comparable), count: 0...6).map { $0.joined() }
    let text = Generator<String>.frequency((1, Self.letters), (1, pieces))
    // Foundation compares the characters' numbers if ICU rejects the locale's name, as it does the last name.
    try check(text, text, .int(in: 0...Self.collations.count - 2), settings: CheckSettings(examples: 5_000)) {
      left, right, index in
      let (keys, places) = (Self.collations[index], Self.ranked[index])
      try ensureEqual(Self.sign(keys.compare(left, right)), Self.sign(places.compare(left, right)))
    }
  }

  @Test func `Languages order and count their letters`() {
    func sorted(_ texts: [String], _ locale: String, isNumeric: Bool = false) -> [String] {
      let collation = Collation(locale: Locale(identifier: locale), isNumeric: isNumeric)
      return texts.sorted { collation.compare($0, $1) == .orderedAscending }
    }
    #expect(sorted(["Zebra", "Äpfel", "apfel", "Apfel", "B"], "de") == ["apfel", "Apfel", "Äpfel", "B", "Zebra"])
    #expect(
      sorted(["Ångström", "Zebra", "Ärlig", "Adam", "Öl"], "sv") == ["Adam", "Zebra", "Ångström", "Ärlig", "Öl"])
    #expect(sorted(["hora", "chata", "cena"], "cs") == ["cena", "hora", "chata"])
    #expect(sorted(["10", "9", "1"], "en") == ["1", "10", "9"])
    #expect(sorted(["10", "9", "1"], "en", isNumeric: true) == ["1", "9", "10"])
    func initial(_ text: String, _ locale: String) -> String {
      Collation(locale: Locale(identifier: locale)).initial(of: text)
    }
    #expect(initial("äpfel", "de") == "A" && initial("ångström", "sv") == "Å" && initial("ångström", "de") == "A")
    #expect(initial("", "de") == "" && initial("9 lives", "de") == "9" && initial("ßa", "de") == "S")
    #expect(initial("istanbul", "tr") == "İ" && initial("istanbul", "en") == "I")
  }

  @Test func `Each text gets a place among those that came before, in whatever order they come`() throws {
    try check(
      Generator<[String]>.array(of: Self.letters, count: 0...400), .element(of: Self.ranked),
      settings: CheckSettings(examples: 200)
    ) {
      texts, collation in
      let ranks = CollationRanks(collation)
      let places = texts.map { ranks.place(of: $0) }
      for (one, left) in places.enumerated().prefix(40) {
        for (other, right) in places.enumerated() {
          let order = collation.compare(texts[one], texts[other])
          try ensureEqual(order == .orderedAscending, left < right)
          try ensureEqual(order == .orderedSame, left == right)
        }
      }
      // The same text has the same place later.
      for (text, place) in zip(texts, places) { try ensureEqual(ranks.place(of: text), place) }
    }
  }

  @Test(arguments: ["up", "down", "up between two", "down between two"])
  func `The places of texts that come in order stay short`(_ way: String) {
    let ranks = CollationRanks(Collation(locale: Locale(identifier: "en")))
    if way.hasSuffix("two") { _ = [ranks.place(of: "0"), ranks.place(of: "9")] }
    var longest = 0
    var last: OrderKey?
    for number in 0..<5_000 {
      let number = 2_000_000 + (way.hasPrefix("up") ? number : -number)
      let place = ranks.place(of: "1 \(number)")
      if let last { #expect(way.hasPrefix("up") ? last < place : place < last) }
      (longest, last) = (max(longest, place.bytes.count), place)
    }
    #expect(longest <= 32)
  }
}
