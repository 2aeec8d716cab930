#if Postgres
  import Annals

  /// What does the same if it is done twice, and so is sent again where its answer was lost.
  struct RepeatableSQL {
    /// Held, since it closes the connections when it is no longer held.
    let store: PostgresEventStore
    let pool: SQLPool
    let text: SchemaText
    let options: PostgresOptions

    /// Runs statements as one transaction.
    ///
    /// - Parameters:
    ///   - statements: The statements.
    ///   - begin: How the transaction begins; by default it may write.
    ///   - refusal: Makes the error of an SQLSTATE of our own functions, with the message; nil for another's.
    /// - Returns: The rows of each statement.
    /// - Throws: `EventStoreError` or what `refusal` makes, and then nothing was done, or it is not known.
    func run(
      _ statements: [SQLStatement], _ begin: String = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
      refusal: (String, String) -> (any Error)? = { _, _ in nil }
    ) async throws -> [SQLRows] {
      let rows = try await send([SQLStatement(begin)] + statements + [SQLStatement("COMMIT")], refusal)
      guard rows.count == statements.count + 2, rows.last?.status == "COMMIT" else {
        throw EventStoreError(.refused(state: "", message: "the server took the transaction back"), options)
      }
      return Array(rows.dropFirst().dropLast())
    }

    /// Runs a statement as one transaction.
    func run(_ statement: String, _ values: [SQLValue]) async throws -> SQLRows {
      try await run([SQLStatement(statement, values)])[0]
    }

    /// Asks what one statement answers.
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
          // The server stops or starts, or ended this transaction for another one.
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
