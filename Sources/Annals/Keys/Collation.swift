public import Foundation

/// An order of strings as users of a language expect it.
///
/// For example, "Äpfel" is next to "Apfel" in German, and "Ångström" is after "Z" in Swedish.
///
/// ```swift
/// ListRequest(
///   sort: [.ascending(\.name, in: .localizedStandard)], section: .byInitial(\.name, in: .localizedStandard))
/// ```
///
/// The order is ICU's collation (Unicode Technical Standard #10 with the tailorings of CLDR). On platforms with ICU's
/// sort keys, such as Linux, the sort key of a string is computed once, and sort keys are compared as bytes. On other
/// platforms, Foundation compares the strings, and the results are kept in memory until the process ends.
///
/// A collation always uses the locale with which it was created. If the user changes the language, create a new
/// collation and a new request.
public struct Collation: Hashable, Sendable {
  /// The locale whose language determines the sort order.
  ///
  /// Its identifier can contain a keyword, as in "de@collation=phonebook".
  public let locale: Locale
  /// True if a run of digits is compared as a number, with "Chapter 9" before "Chapter 10".
  public let isNumeric: Bool
  /// True if uppercase and lowercase letters are equal.
  public let ignoresCase: Bool
  /// True if letters with and without accents are equal, unless they are separate letters in the language.
  public let ignoresDiacritics: Bool

  /// Creates an order of strings.
  ///
  /// Strings that are equal in this order are sorted by the request's next sort key, and finally by the row's id.
  ///
  /// - Parameters:
  ///   - locale: The locale of the language, by default the user's current locale. An unknown locale has the default
  ///     order, which isn't specific to any language.
  ///   - isNumeric: True to compare runs of digits as numbers.
  ///   - ignoresCase: True to treat uppercase and lowercase letters as equal. Otherwise "a" is before "A" if there is
  ///     no other difference.
  ///   - ignoresDiacritics: True to treat letters with and without accents as equal.
  public init(
    locale: Locale = .current, isNumeric: Bool = false, ignoresCase: Bool = false, ignoresDiacritics: Bool = false
  ) {
    (self.locale, self.isNumeric) = (locale, isNumeric)
    (self.ignoresCase, self.ignoresDiacritics) = (ignoresCase, ignoresDiacritics)
  }

  /// The order of the user's language, with digits compared as numbers.
  ///
  /// This is the order of Foundation's `localizedStandardCompare`, apart from differences between platforms.
  public static var localizedStandard: Collation { Collation(isNumeric: true) }

  /// Returns the entry of a string in a list's index: the uppercase first letter, as the language defines letters.
  ///
  /// For example, "Äpfel" is under "A" in German. "Ångström" is under "Å" in Swedish, because "Å" is a separate letter
  /// in Swedish.
  ///
  /// - Parameter text: The string to find the entry for.
  /// - Returns: The entry, which is "" for an empty string.
  public func initial(of text: String) -> String {
    text.first.map { Initials.of(locale).initial(of: $0) } ?? ""
  }

  /// Compares two strings.
  ///
  /// - Parameters:
  ///   - left: The first string.
  ///   - right: The second string.
  /// - Returns: `orderedAscending` if the first string is sorted before the second, or `orderedSame` if they are
  ///   equal in this order.
  public func compare(_ left: String, _ right: String) -> ComparisonResult {
    CollationBytes.of(self).compare(left, right)
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

  /// A version of the bytes that this collation writes for strings.
  ///
  /// The same collation can write different bytes. A newer version of the language's rules might have a different
  /// order, and ranks from comparisons are specific to the process.
  var sectionVersion: String { CollationBytes.of(self).version }

  /// Writes bytes whose order equals the order of the strings.
  ///
  /// No string's bytes are a prefix of another string's bytes.
  package func write(_ text: String, to writer: inout KeyWriter) { CollationBytes.of(self).write(text, to: &writer) }
}
