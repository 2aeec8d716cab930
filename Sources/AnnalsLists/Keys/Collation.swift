public import Foundation

/// A language's rules for sorting strings, such as names in a list.
///
/// For example, "Äpfel" is next to "Apfel" in German, and "Ångström" is after "Z" in Swedish.
///
/// ```swift
/// ListRequest(
///   sort: [.ascending(\.name, in: .localizedStandard)], section: .byInitial(\.name, in: .localizedStandard))
/// ```
///
/// The rules are ICU's collation (Unicode Technical Standard #10 with the tailorings of CLDR). On platforms with ICU's
/// sort keys, such as Linux, every string's ICU sort key is computed once, and these keys are compared as bytes. On
/// other platforms, Foundation compares the strings, and the results are kept in memory until the process ends.
///
/// A collation always uses the locale with which it was created. If the user changes the language, create a new
/// collation and a new ``ListRequest``.
public struct Collation: Hashable, Sendable {
  /// The locale of the language.
  ///
  /// The locale's identifier can contain a keyword that selects other rules, as in "de@collation=phonebook".
  public let locale: Locale
  /// True if adjacent digits are compared as one number, so that "Chapter 9" is sorted before "Chapter 10".
  public let isNumeric: Bool
  /// True if uppercase and lowercase letters are treated as equal.
  public let ignoresCase: Bool
  /// True if letters with and without accents are treated as equal, unless they are separate letters in the language.
  public let ignoresDiacritics: Bool
  /// The comparison that sorts strings, or `nil` for ICU's sort keys and, on systems without them, for Foundation's
  /// comparison.
  ///
  /// The comparison is a property of the collation so that tests can compare both orders, and other rules, in one
  /// build. A separate build with a compiler flag would take eight minutes on one core.
  package var comparison: TextComparison?

  /// Creates a collation for a locale.
  ///
  /// If the collation treats the strings of two rows as equal, the rows are sorted by the request's next sort key, and
  /// finally by their ids.
  ///
  /// - Parameters:
  ///   - locale: The locale of the language, by default the user's current locale. For an unknown locale, the collation
  ///     uses rules that aren't specific to any language.
  ///   - isNumeric: True to compare adjacent digits as one number.
  ///   - ignoresCase: True to treat uppercase and lowercase letters as equal, or false to sort "a" before "A" if two
  ///     strings have no other difference.
  ///   - ignoresDiacritics: True to treat letters with and without accents as equal.
  public init(
    locale: Locale = .current, isNumeric: Bool = false, ignoresCase: Bool = false, ignoresDiacritics: Bool = false
  ) {
    self.locale = locale
    self.isNumeric = isNumeric
    self.ignoresCase = ignoresCase
    self.ignoresDiacritics = ignoresDiacritics
  }

  /// The collation for the user's language, with adjacent digits compared as one number.
  ///
  /// It sorts strings like Foundation's `localizedStandardCompare`, apart from differences between platforms.
  public static var localizedStandard: Collation { Collation(isNumeric: true) }

  /// Returns the entry under which a string is found in an index next to a list, such as "A" for "apfel".
  ///
  /// The entry is the string's first character in uppercase. The entry has no accent, unless the accented letter is a
  /// separate letter in the language. For example, "Äpfel" is under "A" in German. "Ångström" is under "Å" in Swedish,
  /// because "Å" is a separate letter in Swedish. "9 lives" is under "9".
  ///
  /// - Parameter text: The string.
  /// - Returns: The entry, or "" for an empty string.
  public func initial(of text: String) -> String {
    text.first.map { Initials.of(locale).initial(of: $0) } ?? ""
  }

  /// Compares two strings by the language's rules.
  ///
  /// - Parameters:
  ///   - left: The first string.
  ///   - right: The second string.
  /// - Returns: `orderedAscending` if the first string is sorted before the second, `orderedDescending` if it is sorted
  ///   after the second, or `orderedSame` if the collation treats them as equal.
  public func compare(_ left: String, _ right: String) -> ComparisonResult {
    bytes.compare(left, right)
  }
}

extension Collation: CustomStringConvertible {
  /// The locale and the options, such as "de_DE, numeric".
  public var description: String {
    var words = [locale.identifier]
    if isNumeric { words.append("numeric") }
    if ignoresCase { words.append("without case") }
    if ignoresDiacritics { words.append("without diacritics") }
    return words.joined(separator: ", ")
  }
}
