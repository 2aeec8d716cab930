import Annals
import Foundation

extension SQLiteEventStore {
  /// Counts what the log holds.
  ///
  /// - Parameter streamLimit: How many of the largest streams to name.
  /// - Returns: The counts.
  /// - Throws: `EventStoreError`.
  /// - Complexity: O(n) for n events.
  public func statistics(streamLimit: Int = 20) throws -> LogStatistics {
    try pool.read { connection in
      try connection.execute("BEGIN")
      defer { connection.rollback() }
      func int(_ sql: String) throws -> Int { Int(try connection.int(sql) ?? 0) }
      func parts(_ table: String, limit: Int) throws -> [LogStatistics.Part] {
        var parts: [LogStatistics.Part] = []
        try connection.statement(
          """
          SELECT name, count(*), total(length(CAST(payload AS BLOB))) FROM event JOIN \(table) AS named
          ON named.key = event.\(table) GROUP BY named.key ORDER BY 2 DESC, name LIMIT \(limit)
          """
        ).run { parts.append(.init(name: $0.text(0) ?? "", events: Int($0.int(1)), payloadBytes: Int($0.int(2)))) }
        return parts
      }
      let format = try int("PRAGMA user_version")
      let events = try int("SELECT count(*) FROM event")
      let hasPersonal = try PersonalTables(connection).exist
      let compacted = try CompactionTables(connection).history
      let hasRemnants =
        if format >= 4 {
          try ErasureTransaction(connection).isIncomplete
        } else {
          hasPersonal ? try int("SELECT count(*) FROM erasure WHERE complete = 0") > 0 : false
        }
      let first = try connection.int("SELECT min(time) FROM event")
      let last = try connection.int("SELECT max(time) FROM event")
      return LogStatistics(
        format: format, fileBytes: FileSystem.size(place.file), commitBytes: FileSystem.size(place.commits),
        events: events,
        transactions: compacted == .none
          ? try int("SELECT \"transaction\" FROM event ORDER BY position DESC LIMIT 1")
          : try int("SELECT count(DISTINCT \"transaction\") FROM event"),
        tags: try int("SELECT count(DISTINCT tag) FROM event_tag"),
        sources: try int("SELECT count(*) FROM source WHERE key IN (SELECT source FROM event)"),
        commands: format < 2 ? 0 : try int("SELECT count(*) FROM command"),
        payloadBytes: try int("SELECT CAST(total(length(CAST(payload AS BLOB))) AS INTEGER) FROM event"),
        personalFields: hasPersonal ? try int("SELECT count(*) FROM personal WHERE object IS NOT NULL") : 0,
        subjects: hasPersonal ? try int("SELECT count(DISTINCT subject) FROM personal WHERE object IS NOT NULL") : 0,
        erasures: hasPersonal ? try int("SELECT count(*) FROM erasure") : 0,
        compacted: compacted,
        hasRemnants: hasRemnants,
        times: first.flatMap { first in last.map { Date(microseconds: first)...Date(microseconds: $0) } },
        types: try parts("type", limit: 10_000), streams: try int("SELECT count(DISTINCT stream) FROM event"),
        largestStreams: try parts("stream", limit: streamLimit))
    }
  }
}
