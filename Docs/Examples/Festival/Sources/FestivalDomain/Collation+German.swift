import Annals
import Foundation

extension Collation {
  /// The order of German dictionaries, in which "Äolus" is under "A".
  public static let german = Collation(locale: Locale(identifier: "de"))
}
