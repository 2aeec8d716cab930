public import Foundation

/// An order of texts as people of a language expect it: "Äpfel" beside "Apfel" in German, "Ångström" after "Z" in
/// Swedish.
///
/// ```swift
/// FetchRequest(
///   sort: [.ascending(\.name, in: .localizedStandard)], section: .byInitial(\.name, in: .localizedStandard))
/// ```
///
/// The order is that of ICU's collation (Unicode Technical Standard #10 with the tailorings of CLDR). Where a platform
/// gives ICU's sort keys, which is Linux, each text gets its key once, and keys are compared as bytes. Elsewhere
/// Foundation compares two texts once, and the place that a text got is kept as long as the process runs.
///
/// A collation knows its locale from when it is made on: a user who changes the language needs a new request.
public struct Collation: Hashable, Sendable {
  /// Whose language orders the texts; it may have a keyword, as in "de@collation=phonebook".
  public let locale: Locale
  /// True if a run of digits is compared as a number: "Chapter 9" before "Chapter 10".
  public let isNumeric: Bool
  /// True if capitals and small letters are the same.
  public let ignoresCase: Bool
  /// True if letters with and without accents are the same, where the language takes them for one letter.
  public let ignoresDiacritics: Bool

  /// Creates an order of texts.
  ///
  /// Texts that it takes for the same are ordered by the request's next sort key, and at last by the row's id.
  ///
  /// - Parameters:
  ///   - locale: Whose language; by default the user's, as it is now. One that is not known has the order of all
  ///     languages without rules of their own.
  ///   - isNumeric: True to compare runs of digits as numbers.
  ///   - ignoresCase: True to take capitals and small letters for the same; else "a" stands before "A" where nothing
  ///     else differs.
  ///   - ignoresDiacritics: True to take letters with and without accents for the same.
  public init(
    locale: Locale = .current, isNumeric: Bool = false, ignoresCase: Bool = false, ignoresDiacritics: Bool = false
  ) {
    (self.locale, self.isNumeric) = (locale, isNumeric)
    (self.ignoresCase, self.ignoresDiacritics) = (ignoresCase, ignoresDiacritics)
  }

  /// The order of names that a user sees, in the user's language, with digits as numbers: that of Foundation's
  /// `localizedStandardCompare`, as far as two platforms agree.
  public static var localizedStandard: Collation { Collation(isNumeric: true) }

  /// The entry of a text in an index beside a list: the first letter as the language counts letters, in upper case.
  ///
  /// "Äpfel" is under "A" in German, and "Ångström" under "Å" in Swedish, where it is a letter of its own.
  ///
  /// - Parameter text: The text.
  /// - Returns: The entry; "" for an empty text.
  public func initial(of text: String) -> String {
    text.first.map { Initials.of(locale).initial(of: $0) } ?? ""
  }

  /// Compares two texts.
  ///
  /// - Parameters:
  ///   - left: A text.
  ///   - right: Another.
  /// - Returns: `orderedAscending` if the left one stands first, `orderedSame` if they are taken for the same.
  public func compare(_ left: String, _ right: String) -> ComparisonResult {
    CollationBytes.of(self).compare(left, right)
  }
}

extension Collation: CustomStringConvertible {
  /// The locale and what is set, such as "de_DE, numeric".
  public var description: String {
    var words = [locale.identifier]
    if isNumeric { words.append("numeric") }
    if ignoresCase { words.append("without case") }
    if ignoresDiacritics { words.append("without diacritics") }
    return words.joined(separator: ", ")
  }

  /// What the bytes of texts depend on beside the collation: another version of the language's rules may order
  /// otherwise, and places that were found by comparing are of this process.
  var sectionVersion: String { CollationBytes.of(self).version }

  /// Writes bytes whose order is that of the texts; those of no text are the beginning of another's.
  package func write(_ text: String, to writer: inout KeyWriter) { CollationBytes.of(self).write(text, to: &writer) }
}
