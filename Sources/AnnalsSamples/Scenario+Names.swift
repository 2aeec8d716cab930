package import Annals

extension Scenario {
  /// The samples' words.
  package static let names = ["bookshop", "team", "course", "staff", "books"]

  /// Fills a log and opens a sample's screen on it; nil if there is no sample of that name.
  ///
  /// - Parameters:
  ///   - name: One of ``names``.
  ///   - store: An empty log.
  ///   - elsewhere: Another way to the same log, for what somebody else appends; it may be the same.
  /// - Throws: What the store throws.
  package init?(_ name: String, on store: some EventStore, elsewhere: some EventStore) throws {
    switch name {
    case "bookshop": self = try .bookshop(store)
    case "team": self = try .team(store, elsewhere: elsewhere)
    case "course": self = try .course(store)
    case "staff": self = try .staff(store)
    case "books": self = try .books(store)
    default: return nil
    }
  }
}
