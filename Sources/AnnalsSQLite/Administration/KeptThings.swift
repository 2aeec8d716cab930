package import AnnalsLog
package import Foundation

/// A summary of a list that is saved in a log.
package struct SavedListSummary: Hashable, Sendable {
  /// The name under which the list was saved.
  package let name: String
  /// A string that distinguishes lists of the same name by their code and request.
  package let fingerprint: String
  /// The position up to which the list is current.
  package let position: Position
  /// The number of the list's pages, and the pages' size in bytes.
  package let pages: Int
  package let bytes: Int
  /// The time of the last save.
  package let saved: Date
  /// False if the list is incomplete, was abandoned by its writer, or was hidden by a compaction.
  package let isUsable: Bool
}

/// A record of an erasure.
package struct ErasureRecord: Hashable, Sendable {
  /// The number of the erasure, starting with 1.
  package let number: Int
  package let subject: String
  /// The log's last position at the time of the erasure.
  package let position: Position
  package let time: Date
  /// The number of deleted values.
  package let fields: Int
  /// False if bytes of the deleted values might remain in the log's files.
  package let isComplete: Bool
}

/// A record of a compaction.
package struct CompactionRecord: Hashable, Sendable {
  /// The number of the compaction, starting with 1.
  package let number: Int
  /// The position through which the log was compacted.
  ///
  /// Past states before this position can no longer be shown.
  package let horizon: Position
  package let time: Date
  /// The number of removed events, and the number of replaced events.
  package let cut: Int
  package let replaced: Int
  /// False if the log's file hasn't shrunk after the compaction yet.
  package let isComplete: Bool
}

extension SQLiteEventStore {
  /// Returns the lists that are saved in the log, sorted by name.
  ///
  /// Of several lists with the same name, the list that was saved last is returned first.
  ///
  /// - Returns: All saved lists, including lists that programs no longer use.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(p) for the p pages of all lists.
  package func savedListSummaries() throws -> [SavedListSummary] {
    try inOneState { connection in
      guard try CacheTables(connection).exist else { return [] }
      try connection.checkTables(["cache", "cache_page"])
      let size = try connection.statement(
        "SELECT count(*), coalesce(sum(length(bytes)), 0) FROM cache_page WHERE id BETWEEN ?1 AND ?2")
      var found: [SavedListSummary] = []
      try connection.ownStatement(
        "SELECT number, name, fingerprint, position, used, generation, length(root) FROM cache ORDER BY name, used DESC"
      ).run { row in
        let number = row.int(0)
        guard number > 0, number <= Int64(Int32.max) else { return }
        try size.bind(1, number << 32)
        try size.bind(2, number << 32 | (1 << 32 - 1))
        try size.run { sum in
          found.append(
            SavedListSummary(
              name: row.text(1) ?? "", fingerprint: row.text(2) ?? "",
              position: Position(try LogNumber.checked(row.int(3), "a saved list's position", in: path)),
              pages: Int(sum.int(0)), bytes: Int(sum.int(1) + row.int(6)),
              saved: Date(timeIntervalSince1970: Double(row.int(4))), isUsable: row.int(5) > 0))
        }
      }
      return found
    }
  }

  /// Returns the number of decider states that are stored in the log.
  package func snapshotCount() throws -> Int {
    try inOneState { connection in
      try connection.checkTables(["snapshot"])
      return try SnapshotTable(connection).exist ? Int(connection.int("SELECT count(*) FROM snapshot") ?? 0) : 0
    }
  }

  /// Returns the log's erasures, oldest first.
  package func erasureHistory() throws -> [ErasureRecord] {
    try inOneState { connection in
      var found: [ErasureRecord] = []
      guard try PersonalTables(connection).exist else { return found }
      try connection.checkTables(["erasure"])
      try connection.ownStatement(
        "SELECT number, subject, position, time, fields, complete FROM erasure ORDER BY number"
      ).run { row in
        found.append(
          ErasureRecord(
            number: Int(row.int(0)), subject: row.text(1) ?? "",
            position: Position(try LogNumber.checked(row.int(2), "an erasure's position", in: path)),
            time: Date(microseconds: row.int(3)),
            fields: try LogNumber.checked(row.int(4), "the number of values that an erasure deleted", in: path),
            isComplete: row.int(5) != 0))
      }
      return found
    }
  }

  /// Returns the log's compactions, oldest first.
  package func compactionHistory() throws -> [CompactionRecord] {
    try inOneState { connection in
      var found: [CompactionRecord] = []
      guard try CompactionTables(connection).exist else { return found }
      try connection.checkTables(["compaction"])
      try connection.ownStatement(
        "SELECT number, position, time, cut, replaced, complete FROM compaction ORDER BY number"
      ).run { row in
        found.append(
          CompactionRecord(
            number: Int(row.int(0)),
            horizon: Position(try LogNumber.checked(row.int(1), "a compaction's position", in: path)),
            time: Date(microseconds: row.int(2)),
            cut: try LogNumber.checked(row.int(3), "the number of events that a compaction removed", in: path),
            replaced: try LogNumber.checked(row.int(4), "the number of events that a compaction replaced", in: path),
            isComplete: row.int(5) != 0))
      }
      return found
    }
  }
}
