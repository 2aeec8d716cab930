import Foundation
import Synchronization

/// A cache of the index entries of a language's letters.
///
/// The cache is needed because a comparison takes a few microseconds, and lists need an entry per row.
final class Initials: Sendable {
  private let locale: Locale
  private let found = Mutex<[Character: String]>([:])

  private static let known = MadeOnce { Initials($0) }
  /// The maximum number of cached entries.
  ///
  /// A language has fewer letters, so only strings that begin with arbitrary characters reach the limit.
  private static let most = 16_384

  private init(_ locale: Locale) { self.locale = locale }

  /// Returns the entries of a language.
  static func of(_ locale: Locale) -> Initials { known[locale] }

  /// Returns the entry of strings that begin with a character.
  func initial(of first: Character) -> String {
    if let entry = found.withLock({ $0[first] }) { return entry }
    let entry = look(first)
    found.withLock { found in
      if found.count >= Self.most { found = [:] }
      found[first] = entry
    }
    return entry
  }

  /// Returns the entry of a string: "#" if it doesn't begin with a letter, or "" for an empty string.
  func entry(of text: String) -> String {
    text.first.map { $0.isLetter ? initial(of: $0) : "#" } ?? ""
  }

  private func look(_ first: Character) -> String {
    let upper = String(String(first).uppercased(with: locale).prefix(1))
    let base = upper.folding(options: [.diacriticInsensitive, .widthInsensitive], locale: locale)
    return Collation(locale: locale).isAccented(upper, base) ? base : upper
  }
}
