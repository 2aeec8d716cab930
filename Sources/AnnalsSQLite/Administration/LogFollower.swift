package import AnnalsLog
package import Foundation

/// A follower of a log, as recorded in its checkpoint.
package struct LogFollower: Hashable, Sendable {
  /// The checkpoint's name.
  package let name: String
  /// The last position that the follower has handled, or `nil` if the checkpoint is damaged.
  package let position: Position?
  /// The number of events after that position.
  ///
  /// It's `nil` if the checkpoint is damaged, or if its position is after the log's end.
  package let lag: Int?
  /// The time of the checkpoint's last update, or `nil` if the checkpoint is damaged.
  package let moved: Date?
  /// A description of the checkpoint's damage, or `nil` if the checkpoint is intact.
  package let problem: String?
}

extension SQLiteEventStore {
  /// Returns the followers with a checkpoint in the log, sorted by name.
  ///
  /// - Returns: All followers. If a checkpoint is damaged, its follower has a `problem`.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(f) for f followers. For each follower, the gaps that compactions left in the log are scanned too.
  package func followers() throws -> [LogFollower] {
    try inOneState { connection in
      let head = try EventReader(connection).head().rawValue
      var found: [LogFollower] = []
      var times: [ExactString: Int64] = [:]
      guard try connection.format >= 2 else { return [] }
      try connection.checkTables(["checkpoint"])
      _ = try connection.cutEvents()
      try connection.ownStatement("SELECT name, time FROM checkpoint").run {
        times[ExactString($0.text(0) ?? "")] = $0.int(1)
      }
      try Checkpoints(connection).forEach { name, position in
        if ReplicaNotes.contain(name) { return }
        do {
          let position = try position.get()
          if position.rawValue > head {
            let problem = Checkpoints.isTooFar(name, position, head)
            return found.append(
              LogFollower(
                name: name, position: position, lag: nil,
                moved: times[ExactString(name)].map { Date(microseconds: $0) }, problem: problem))
          }
          let lag = try max(0, head - position.rawValue) - Self.cutEvents(after: position, connection)
          found.append(
            LogFollower(
              name: name, position: position, lag: max(0, lag),
              moved: times[ExactString(name)].map { Date(microseconds: $0) },
              problem: nil))
        } catch let error as EventStoreError {
          found.append(LogFollower(name: name, position: nil, lag: nil, moved: nil, problem: error.message))
        }
      }
      return found.sorted { ExactString($0.name) < ExactString($1.name) }
    }
  }

  /// Returns the number of events after a position that compactions have removed.
  private static func cutEvents(after position: Position, _ connection: SQLiteConnection) throws -> Int {
    guard try CompactionTables(connection).exist else { return 0 }
    let sum = try connection.statement(
      "SELECT CAST(total(last - max(first, ?1 + 1) + 1) AS INTEGER) FROM gap WHERE last > ?1")
    try sum.bind(1, position.rawValue)
    return try LogNumber.checked(sum.firstInt() ?? 0, "the number of removed events", in: connection.path)
  }
}
