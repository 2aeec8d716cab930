import Foundation
import Synchronization

/// The entries of letters in a language's index, each found once: comparing takes some microseconds, and a list asks
/// for the letter of each row.
final class Initials: Sendable {
  private let locale: Locale
  private let found = Mutex<[Character: String]>([:])

  private static let known = MadeOnce { Initials($0) }
  /// Texts may begin with anything; a language's letters are fewer.
  private static let most = 16_384

  private init(_ locale: Locale) { self.locale = locale }

  /// Those of a language.
  static func of(_ locale: Locale) -> Initials { known[locale] }

  /// The entry of the texts that begin with a character.
  func initial(of first: Character) -> String {
    if let entry = found.withLock({ $0[first] }) { return entry }
    let entry = look(first)
    found.withLock { found in
      if found.count >= Self.most { found = [:] }
      found[first] = entry
    }
    return entry
  }

  private func look(_ first: Character) -> String {
    let upper = String(String(first).uppercased(with: locale).prefix(1))
    let base = upper.folding(options: [.diacriticInsensitive, .widthInsensitive], locale: locale)
    return Collation(locale: locale).isAccented(upper, base) ? base : upper
  }
}
