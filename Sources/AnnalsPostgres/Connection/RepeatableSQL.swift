#if Postgres
  import Annals

  /// A runner for idempotent statements, which are resent if their response was lost.
  struct RepeatableSQL {
    /// The store, which this value retains because the store closes its connections when it's deallocated.
    let store: PostgresEventStore
    let pool: SQLPool
    let text: SchemaText
    let options: PostgresOptions

    /// Runs statements in one transaction.
    ///
    /// - Parameters:
    ///   - statements: The statements.
    ///   - begin: The statement that begins the transaction. By default, the transaction can write.
    ///   - refusal: A closure that converts an SQLSTATE and a message to the error of one of Annals' own functions, or
    ///     returns `nil` for any other SQLSTATE.
    /// - Returns: The rows of every statement.
    /// - Throws: `EventStoreError` or the error of `refusal`. The transaction wasn't committed, or its outcome is
    ///   unknown.
    func run(
      _ statements: [SQLStatement], _ begin: String = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
      refusal: (String, String) -> (any Error)? = { _, _ in nil }
    ) async throws -> [SQLRows] {
      let rows = try await send([SQLStatement(begin)] + statements + [SQLStatement("COMMIT")], refusal)
      guard rows.count == statements.count + 2, rows.last?.status == "COMMIT" else {
        throw EventStoreError(
          .refused(state: "", message: "the server rolled back the transaction without an error. Retry"), options)
      }
      return Array(rows.dropFirst().dropLast())
    }

    /// Runs a statement in its own transaction.
    func run(_ statement: String, _ values: [SQLValue]) async throws -> SQLRows {
      try await run([SQLStatement(statement, values)])[0]
    }

    /// Runs a single read statement.
    func read(_ statement: String, _ values: [SQLValue] = []) async throws -> SQLRows {
      try await send([SQLStatement(statement, values)])[0]
    }

    private func send(
      _ statements: [SQLStatement], _ refusal: (String, String) -> (any Error)? = { _, _ in nil }
    ) async throws -> [SQLRows] {
      var failure: SQLFailure?
      for _ in 0..<20 {
        do throws(SQLFailure) { return try await pool.run(statements) } catch {
          failure = error
          switch error {
          case .lost: continue
          // The server is stopping or starting, or aborted this transaction in favor of another one.
          case .refused(let state, _) where state.hasPrefix("57P") || state.hasPrefix("40"): continue
          case .refused(let state, let message):
            if let error = refusal(state, message) { throw error }
            throw EventStoreError(error, options)
          default: throw EventStoreError(error, options)
          }
        }
      }
      throw EventStoreError(failure ?? .busy, options)
    }
  }
#endif
