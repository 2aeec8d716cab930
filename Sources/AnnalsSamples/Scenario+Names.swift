package import Annals

extension Scenario {
  /// The names of all samples.
  package static let names = ["bookshop", "team", "course", "staff", "year"]

  /// Creates a sample with events in a log and a screen that shows the log, or returns `nil` if no sample has the name.
  ///
  /// - Parameters:
  ///   - name: One of ``names``.
  ///   - store: The store with an empty log.
  ///   - elsewhere: Another connection to the same log, for appends by another user, or the same object as `store`.
  ///   - clock: The clock of the stores' environment.
  /// - Throws: Errors of the store.
  package init?(
    _ name: String, on store: some EventStore, elsewhere: some EventStore, clock: SampleClock = SampleClock()
  ) throws {
    switch name {
    case "bookshop": self = try .bookshop(store)
    case "team": self = try .team(store, elsewhere: elsewhere)
    case "course": self = try .course(store)
    case "staff": self = try .staff(store)
    case "year": self = try .year(store, clock)
    default: return nil
    }
  }
}
