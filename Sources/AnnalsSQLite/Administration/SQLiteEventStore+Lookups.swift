package import AnnalsLog

extension SQLiteEventStore: LogIndex {
  /// Returns the names of all event types that the log has ever contained, including types whose events were all
  /// removed.
  package func eventTypes() throws -> [String] {
    try inOneState { connection in
      var names: [String] = []
      try connection.statement("SELECT name FROM type ORDER BY key").run { names.append($0.text(0) ?? "") }
      return names
    }
  }

  /// The log's file, with links resolved.
  package var file: String { place.file }

  /// Returns the names of the log's streams, in the order in which their names were first used.
  package func streamNames() throws -> [StreamName] {
    try inOneState { connection in
      let tables = CompactionTables(connection)
      try connection.checkTables(["stream"] + (tables.rebases > 0 ? ["event", "cut_stream"] : []))
      return try tables.streamNames
    }
  }

  /// Returns the positions of events whose id is one of several strings, or whose metadata contain one of them.
  ///
  /// - Parameters:
  ///   - texts: The strings to find. An event that contains one of them matches.
  ///   - start: The position after which to search.
  ///   - end: The last position to search, or `nil` to search to the log's end.
  ///   - limit: The maximum number of positions, or `nil` for all.
  ///   - newestFirst: True to return the latest positions, in descending order.
  /// - Returns: The positions, in ascending order unless `newestFirst` is true.
  /// - Throws: `EventStoreError`.
  /// - Complexity: O(n) for the n events in the range, whose payloads are not read.
  package func positions(
    mentioning texts: [String], after start: Position = 0, through end: Position? = nil, limit: Int? = nil,
    newestFirst: Bool = false
  ) throws -> [Position]? {
    try inOneState { connection in
      let ids = texts.compactMap { OrderedID($0) }
      let (metadata, first) = (try EventReader(connection).metadataSQL, texts.count + 4)
      let tests =
        (texts.indices.map { "instr(\(metadata), ?\($0 + 4)) OR id = ?\($0 + 4)" }
        + ids.indices.map { "id = ?\($0 + first)" }).joined(separator: " OR ")
      let find = try connection.ownStatement(
        "SELECT position FROM event WHERE position > ?1 AND position <= ?2 AND (\(tests.isEmpty ? "0" : tests)) "
          + "ORDER BY position \(newestFirst ? "DESC" : "ASC") LIMIT ?3")
      try find.bind(1, Int64(start.rawValue))
      try find.bind(2, Int64(end?.rawValue ?? .max))
      try find.bind(3, Int64(limit ?? -1))
      for (index, text) in texts.enumerated() { try find.bind(Int32(index + 4), text) }
      for (index, id) in ids.enumerated() { try find.bind(Int32(index + first), id) }
      var found: [Position] = []
      try find.run { found.append(Position(Int($0.int(0)))) }
      return found
    }
  }

  /// Returns the position of the last event with an id, from any source, or `nil` if no event has the id.
  ///
  /// - Complexity: O(s log n) for s sources.
  package func position(ofEventID id: String) throws -> Position? {
    try inOneState { connection in
      let positions = try connection.ints("SELECT key FROM source").compactMap {
        try EventIDs(connection).position(of: id, ofSource: $0)
      }
      return positions.max().flatMap { $0 > 0 ? Position(Int($0)) : nil }
    }
  }
}
