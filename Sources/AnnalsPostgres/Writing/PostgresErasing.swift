#if Postgres
  import AnnalsRemote
  import Annals
  import Foundation

  /// The interface for erasing personal data in PostgreSQL.
  struct PostgresErasing: RemoteErasingStore {
    let log: RepeatableSQL

    /// Runs an erasure as one call of the server's erase function.
    ///
    /// If the response is lost, the call is resent. The server recognizes the call by its token.
    func commitErasure(of subject: String) async throws -> ErasureReceipt {
      // Strings in the server can't contain NUL, so the store has no data of such a subject.
      if subject.utf8.contains(0) { return ErasureReceipt(fields: 0) }
      let values: [SQLValue] = [
        .text(subject), .int(Int(log.store.environment.now().microseconds)), .text(log.store.environment.makeID()),
      ]
      let rows = try await log.run("SELECT \(log.text.schema).annals_erase($1, $2, $3)", values)
      guard let fields = rows.int(0, 0) else { throw Self.damaged }
      if fields > 0 { log.store.notifyOthers() }
      return ErasureReceipt(
        fields: fields,
        remnants: fields == 0
          ? nil
          : "schema \"\(log.options.schema)\": the values are erased, but their bytes remain on the server. The files "
            + "of the table annals_personal contain the bytes until the table is vacuumed (VACUUM FULL rewrites the "
            + "table immediately). The server's write-ahead log, standbys and backups contain the bytes until these "
            + "copies are replaced")
    }

    func hasPersonalValues() async throws -> Bool {
      let rows = try await log.read(
        "SELECT count(*) FROM (SELECT 1 FROM \(log.text.schema).annals_personal WHERE object IS NOT NULL LIMIT 1) p")
      return rows.int(0, 0) == 1
    }

    func erasures(after number: Int, limit: Int) async throws -> [LogErasure] {
      precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
      let rows = try await log.read(
        """
        SELECT number, subject, first, position, time, fields FROM \(log.text.schema).annals_erasure
          WHERE number > $1 ORDER BY number LIMIT $2
        """, [.int(number), .int(limit)])
      return try (0..<rows.count).map { row in
        guard let number = rows.int(row, 0), let subject = rows.text(row, 1), let first = rows.int(row, 2),
          let end = rows.int(row, 3), let time = rows.int(row, 4), let fields = rows.int(row, 5)
        else { throw Self.damaged }
        return LogErasure(
          number: number, subject: subject, first: Position(first), end: Position(end),
          time: Date(microseconds: Int64(time)), fields: fields)
      }
    }

    private static let damaged = EventStoreError(
      .corrupt,
      "the record of erasures is damaged: a column is empty or can't be read; restore the database from a backup")
  }
#endif
