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
      var names: [StreamName] = []
      try connection.statement("SELECT name FROM stream ORDER BY key").run {
        names.append(StreamName($0.text(0) ?? ""))
      }
      return names
    }
  }

  /// The positions of the events whose id, or whose metadata, have one of some texts in them, in order.
  ///
  /// - Complexity: O(n) for n events, whose payloads are not read.
  package func positions(mentioning texts: [String]) throws -> [Position] {
    try inOneState { connection in
      let tests = texts.indices.map { "instr(metadata, ?\($0 + 1)) OR id = ?\($0 + 1)" }.joined(separator: " OR ")
      let find = try connection.ownStatement(
        "SELECT position FROM event WHERE \(tests.isEmpty ? "0" : tests) ORDER BY position")
      for (index, text) in texts.enumerated() { try find.bind(Int32(index + 1), text) }
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
      let find = try connection.statement(
        "SELECT max(position) FROM event WHERE source IN (SELECT key FROM source) AND id = ?1")
      try find.bind(1, id)
      return try find.firstInt().flatMap { $0 > 0 ? Position(Int($0)) : nil }
    }
  }
}
