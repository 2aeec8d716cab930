public import Annals
public import TeamApp

extension PlainTeam {
  /// Compares the ten lists with all events of their log up to the position that they show.
  ///
  /// - Parameters:
  ///   - lists: The lists, in the caller's isolation.
  ///   - store: Their log; also another store of the same log.
  /// - Returns: A line for each difference; none if the lists are right.
  /// - Throws: Why the log cannot be read.
  public static func differences(from lists: TeamLists, in store: some EventStore) throws -> [String] {
    while true {
      let revision = try store.revision()
      lists.each { $0.refresh() }
      var found: [String] = []
      let position = lists.people.position
      lists.each { list in
        if let failure = list.failure { found.append("stopped: \(failure)") }
        if list.position != position { found.append("at \(list.position) and \(position)") }
      }
      found += PlainTeam(try store.events(of: TeamEvent.self, through: position)).differences(from: lists)
      // Another process may have erased something after the lists were made.
      if try store.revision() == revision { return found }
    }
  }
}
