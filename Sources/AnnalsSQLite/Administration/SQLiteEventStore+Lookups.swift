package import Annals

extension SQLiteEventStore {
  /// The stored types that the log has names of: those of its events, and of events that a compaction cut.
  package func eventTypes() throws -> [String] {
    try inOneState { connection in
      var names: [String] = []
      try connection.statement("SELECT name FROM type ORDER BY key").run { names.append($0.text(0) ?? "") }
      return names
    }
  }

  /// The names of the streams that the log has, in the order of their first events.
  package func streamNames() throws -> [StreamName] {
    try inOneState { connection in
      try connection.checkTables(["stream"])
      var names: [StreamName] = []
      try connection.statement("SELECT name FROM stream ORDER BY key").run {
        names.append(StreamName($0.text(0) ?? ""))
      }
      return names
    }
  }

  /// The positions of the events whose id, or whose metadata, have one of some texts in them, in order.
  ///
  /// - Parameters:
  ///   - texts: The texts; one is enough.
  ///   - start: Only events after this position.
  ///   - end: Only events up to this position; nil for all.
  ///   - limit: How many positions at most; nil for all.
  ///   - newestFirst: True for the last ones, in falling order.
  /// - Returns: The positions.
  /// - Throws: `EventStoreError`.
  /// - Complexity: O(n) for the n events between, whose payloads are not read.
  package func positions(
    mentioning texts: [String], after start: Position = 0, through end: Position? = nil, limit: Int? = nil,
    newestFirst: Bool = false
  ) throws -> [Position] {
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

  /// The position of the last event with an id, of whatever source; nil if there is none.
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
