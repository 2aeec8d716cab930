import AnnalsLog
package import Foundation

extension Collation {
  /// A string that is prepared for a comparison by Foundation.
  ///
  /// The differences that the collation ignores are removed. Accented letters are split into letters and accents,
  /// because otherwise Foundation's order contradicts itself (Swift 6.3 for Linux). For example, in Swedish, "oö" is
  /// sorted before "z", and "z" before "ö", but "oö" is sorted after "ö".
  ///
  /// Foundation's own options for ignoring differences are not used, because they make the order inconsistent (Swift
  /// 6.3 for Linux). In Swedish `.numeric` puts "aässßé" after "ä", and in English `.caseInsensitive` puts "ßb" after
  /// "sse".
  package struct Folded: Sendable {
    package let text: String
    private let locale: Locale
    private let comparison: TextComparison

    /// Prepares a string.
    package init(_ text: String, by collation: Collation) {
      self.text = releasingObjects {
        var text = text
        if collation.ignoresDiacritics { text = collation.withoutDiacritics(text) }
        if collation.ignoresCase { text = text.lowercased(with: collation.locale) }
        if collation.isNumeric { text = Self.withLengths(text) }
        return text.utf8.allSatisfy { $0 < 0x80 } ? text : text.decomposedStringWithCanonicalMapping
      }
      locale = collation.locale
      comparison = collation.comparison ?? .foundation
    }

    /// Compares two strings that were prepared with the same collation.
    package func compare(_ other: Folded) -> ComparisonResult { compare(text, other.text) }

    /// Returns whether this string is before, among or after the strings that begin with another string.
    ///
    /// Only the letters are compared, without their case and accents.
    ///
    /// U+FFFE sorts before all other characters, and U+FFFF after them (Unicode Technical Standard #35). The result is
    /// the same as with ICU's sort keys, even for letters that consist of two characters, such as "ch" in Czech.
    func place(amongStringsWith prefix: Folded) -> ComparisonResult {
      let last = repeatElement("\u{FFFF}" as Character, count: 1 + text.unicodeScalars.count { $0 == "\u{FFFF}" })
      if compare(text, prefix.text + last) != .orderedAscending { return .orderedDescending }
      // The strings differ in their letters, because the left string is longer than a prefix with the same letters.
      return compare(text + "\u{FFFE}a", prefix.text + "\u{FFFE}") == .orderedAscending
        ? .orderedAscending : .orderedSame
    }

    private func compare(_ left: String, _ right: String) -> ComparisonResult {
      comparison.compare(left, right, locale)
    }

    /// Inserts the number of digits before every number in a string, so that a longer number is larger.
    ///
    /// For example, "9" and "10" become "019" and "0210".
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

  /// Returns true if the language treats a letter as an accented form of another letter instead of as a separate
  /// letter.
  ///
  /// The order of "äa" and "ab" distinguishes the two cases. In German, an accent matters only if all letters are the
  /// same, so "äa" is sorted before "ab". In Swedish, "ä" is a separate letter, so "äa" is sorted after "ab".
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
