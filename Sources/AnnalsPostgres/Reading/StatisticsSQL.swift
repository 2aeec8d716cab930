#if Postgres
  import Annals
  public import AnnalsLog
  import AnnalsRemote
  import Foundation

  extension PostgresEventStore {
    /// Returns statistics of the log's contents, which the server counts in one snapshot.
    public func statistics(streamLimit: Int) async throws -> LogStatistics {
      let schema = text.schema
      func counts(by column: String, _ end: String = "") -> SQLStatement {
        SQLStatement(
          """
          SELECT \(column), count(*), coalesce(sum(octet_length(body)), 0) FROM \(schema).annals_event
            GROUP BY 1 ORDER BY 2 DESC, 1 \(end)
          """)
      }
      let rows = try await read(
        [
          SQLStatement(
            """
            SELECT head, format, erasures, compactions, horizon, \(durable.columns),
                (SELECT count(*) FROM \(schema).annals_command)
              FROM \(schema).annals_log WHERE one
            """),
          SQLStatement(
            """
            SELECT count(*), count(DISTINCT transaction), count(DISTINCT stream), min(time), max(time),
              coalesce(sum(octet_length(body)), 0) FROM \(schema).annals_event
            """),
          SQLStatement(
            """
            SELECT count(*), count(DISTINCT subject), (SELECT count(DISTINCT tag) FROM \(schema).annals_tag)
              FROM \(schema).annals_personal WHERE object IS NOT NULL
            """),
          counts(by: "type"), counts(by: "stream", "LIMIT \(max(0, streamLimit))"), counts(by: "source"),
        ])
      func numbers(_ rows: SQLRows, _ columns: some Sequence<Int>) throws -> [Int] {
        try columns.map { column in
          guard let number = rows.int(0, column) else {
            throw EventStoreError(
              .corrupt, "the log in the schema \"\(options.schema)\" is damaged: expected a number, found none")
          }
          return number
        }
      }
      func parts(_ rows: SQLRows) -> [LogStatistics.Part] {
        (0..<rows.count).map { row in
          LogStatistics.Part(
            name: rows.text(row, 0) ?? "", events: rows.int(row, 1) ?? 0, payloadBytes: rows.int(row, 2) ?? 0)
        }
      }
      let (own, events, personal) = (
        try numbers(rows[0], [1, 2, 3, 4, 9]), try numbers(rows[1], 0..<3), try numbers(rows[2], 0..<3)
      )
      var found = LogStatistics()
      (found.format, found.erasures) = (own[0], own[1])
      found.compacted = CompactedHistory(count: own[2], horizon: Position(own[3]))
      found.commands = own[4]
      (found.events, found.transactions, found.streams) = (events[0], events[1], events[2])
      if let first = rows[1].int(0, 3), let last = rows[1].int(0, 4) {
        found.times = Date(microseconds: Int64(first))...Date(microseconds: Int64(last))
      }
      found.payloadBytes = rows[1].int(0, 5) ?? 0
      (found.personalFields, found.subjects, found.tags) = (personal[0], personal[1], personal[2])
      (found.types, found.largestStreams) = (parts(rows[3]), parts(rows[4]))
      found.sources = parts(rows[5]).map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      return found
    }
  }
#endif
