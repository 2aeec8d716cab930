package import Foundation

extension Collation {
  /// A text made ready to be compared by Foundation, so that what the collation ignores is not in it.
  ///
  /// Foundation's own options for that are not used: with them the order contradicts itself (Swift 6.3 for Linux). In
  /// Swedish `.numeric` puts "aässßé" after "ä", and in English `.caseInsensitive` puts "ßb" after "sse".
  package struct Folded: Sendable {
    package let text: String
    private let locale: Locale

    /// Folds a text.
    package init(_ text: String, by collation: Collation) {
      var text = text
      if collation.ignoresDiacritics { text = collation.withoutDiacritics(text) }
      if collation.ignoresCase { text = text.lowercased(with: collation.locale) }
      if collation.isNumeric { text = Self.withLengths(text) }
      (self.text, locale) = (text, collation.locale)
    }

    /// Compares two texts that were folded by the same collation.
    package func compare(_ other: Folded) -> ComparisonResult {
      text.compare(other.text, options: [], range: nil, locale: locale)
    }

    /// Puts before each number how many digits it has, so that a longer one is larger: "9" and "10" become "019" and
    /// "0210".
    private static func withLengths(_ text: String) -> String {
      guard text.utf8.contains(where: { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return text }
      var result = ""
      var rest = Substring(text)
      while let first = rest.first {
        guard first.isASCII, first.isNumber else {
          result.append(first)
          rest.removeFirst()
          continue
        }
        let run = rest.prefix { $0.isASCII && $0.isNumber }
        let digits = run.drop { $0 == "0" }
        let length = String(min(digits.count, 99))
        result += String(repeating: "0", count: 2 - length.count) + length + digits
        rest = rest[run.endIndex...]
      }
      return result
    }
  }

  /// True if the language takes a letter for another one with an accent, and not for a letter of its own.
  ///
  /// An accent counts only where all letters are the same: in German "äa" stands before "ab", in Swedish after "ab".
  func isAccented(_ letter: String, _ base: String) -> Bool {
    letter == base
      || Folded(letter + "a", by: self).compare(Folded(base + "b", by: self)) == .orderedAscending
        && Folded(base + "a", by: self).compare(Folded(letter + "b", by: self)) == .orderedAscending
  }

  private func withoutDiacritics(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    let letters = Collation(locale: locale)
    return text.map { letter in
      let letter = String(letter)
      let base = letter.folding(options: .diacriticInsensitive, locale: locale)
      return letters.isAccented(letter, base) ? base : letter
    }.joined()
  }
}
