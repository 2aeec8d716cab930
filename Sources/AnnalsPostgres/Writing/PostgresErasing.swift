#if Postgres
  import Annals
  import Foundation

  /// Erases what events in PostgreSQL say of a person.
  struct PostgresErasing: RemoteErasingStore {
    /// Held, since it closes the connections when it is no longer held.
    let store: PostgresEventStore
    let pool: SQLPool
    let text: SchemaText
    let options: PostgresOptions

    /// One call of the server, under the lock of the frontier, sent again with its token if the answer was lost.
    func commitErasure(of subject: String) async throws -> ErasureReceipt {
      // A text of the server has no NUL, so that nothing is stored of such a subject.
      if subject.utf8.contains(0) { return ErasureReceipt(fields: 0) }
      let values: [SQLValue] = [
        .text(subject), .int(Int(store.environment.now().microseconds)), .text(store.environment.makeID()),
      ]
      let rows = try await run(SQLStatement("SELECT \(text.schema).annals_erase($1, $2, $3)", values), changes: true)
      guard let fields = rows.int(0, 0) else { throw Self.damaged }
      if fields > 0 { store.notifyOthers() }
      return ErasureReceipt(
        fields: fields,
        remnants: fields == 0
          ? nil
          : "schema \"\(options.schema)\": no read gives the values any more, and the server keeps their bytes in its "
            + "files for a while: until it has vacuumed annals_personal (VACUUM FULL writes the table again), and "
            + "in its write-ahead log, its standbys and its backups until they have gone on")
    }

    func hasPersonalValues() async throws -> Bool {
      let rows = try await run(
        SQLStatement(
          """
          SELECT count(*) FROM (SELECT 1 FROM \(text.schema).annals_personal WHERE object IS NOT NULL LIMIT 1) p
          """))
      return rows.int(0, 0) == 1
    }

    func erasures(after number: Int, limit: Int) async throws -> [LogErasure] {
      precondition(limit > 0, "a limit is 1 or more, \(limit) is not")
      let rows = try await run(
        SQLStatement(
          """
          SELECT number, subject, first, position, time, fields FROM \(text.schema).annals_erasure
            WHERE number > $1 ORDER BY number LIMIT $2
          """, [.int(number), .int(limit)]))
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
      .corrupt, "what was erased is damaged: a column is empty or cannot be read; restore the database")

    /// Runs a statement that does the same if it is done twice.
    private func run(_ statement: SQLStatement, changes: Bool = false) async throws -> SQLRows {
      let begin = SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
      var failure: SQLFailure?
      for _ in 0..<20 {
        do throws(SQLFailure) {
          if !changes { return try await pool.run([statement])[0] }
          let rows = try await pool.run([begin, statement, SQLStatement("COMMIT")])
          guard rows.count == 3, rows[2].status == "COMMIT" else {
            throw SQLFailure.refused(state: "", message: "the server took the transaction back")
          }
          return rows[1]
        } catch {
          failure = error
          switch error {
          case .lost: continue
          // The server stops or starts, or ended this transaction for another one.
          case .refused(let state, _) where state.hasPrefix("57P") || state.hasPrefix("40"): continue
          default: throw EventStoreError(error, options)
          }
        }
      }
      throw EventStoreError(failure ?? .busy, options)
    }
  }
#endif
