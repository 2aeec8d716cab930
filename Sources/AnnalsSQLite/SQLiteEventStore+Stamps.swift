package import AnnalsLog

extension SQLiteEventStore {
  /// Returns the positions and times of at most `limit` events after a position, up to another position.
  ///
  /// - Complexity: O(log n + m) for m events, whose payloads are not read.
  package func stamps(after: Int, through: Int, limit: Int) throws -> [EventStamp] {
    try pool.read { try EventReader($0).stamps(after: after, through: through, limit: limit) }
  }
}
