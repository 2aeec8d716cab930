#if Postgres
  import Annals

  /// A runner for idempotent statements, which are resent if their response was lost.
  struct RepeatableSQL {
    /// The store, which this value retains because the store closes its connections when it's deallocated.
    let store: PostgresEventStore
    let pool: SQLPool
    let text: SchemaText
    let options: PostgresOptions

    /// A kind of transaction.
    enum Mode {
      /// Every statement sees the commits before it, and can write.
      case writing
      /// All statements read the same snapshot.
      case reading

      /// The statement that begins the transaction.
      var begin: String {
        switch self {
        case .writing: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
        case .reading: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        }
      }
    }

    /// Runs statements in one transaction.
    ///
    /// - Parameters:
    ///   - statements: The statements.
    ///   - mode: The kind of the transaction.
    ///   - refusal: A closure that converts an SQLSTATE and a message to the error of one of Annals' own functions, or
    ///     returns `nil` for any other SQLSTATE.
    /// - Returns: The rows of every statement.
    /// - Throws: `EventStoreError` or the error of `refusal`. The transaction wasn't committed, or its outcome is
    ///   unknown.
    func run(
      _ statements: [SQLStatement], _ mode: Mode = .writing,
      refusal: (String, String) -> (any Error)? = { _, _ in nil }
    ) async throws -> [SQLRows] {
      let deadline = options.lockDeadline
      let rows = try await store.commands.calls.counting {
        try await send(until: deadline, mode, refusal) {
          [SQLStatement(mode.begin), .lockTimeout(options.lockTimeout(until: deadline))] + statements
            + [SQLStatement("COMMIT")]
        }
      }
      guard rows.count == statements.count + 3, rows.last?.status == "COMMIT" else {
        throw EventStoreError(.rolledBack, options)
      }
      return Array(rows.dropFirst(2).dropLast())
    }

    /// Runs a statement in its own transaction.
    func run(_ statement: String, _ values: [SQLValue]) async throws -> SQLRows {
      try await run([SQLStatement(statement, values)])[0]
    }

    /// Runs a single read statement.
    func read(_ statement: String, _ values: [SQLValue] = []) async throws -> SQLRows {
      try await run([SQLStatement(statement, values)], .reading)[0]
    }

    private func send(
      until deadline: UInt64, _ mode: Mode, _ refusal: (String, String) -> (any Error)?,
      _ statements: () -> [SQLStatement]
    ) async throws -> [SQLRows] {
      var failure: SQLFailure?
      var tries = 0
      while tries < 20 {
        do throws(SQLFailure) { return try await pool.run(statements()) } catch {
          failure = error
          tries += error.isLockTimeout ? 0 : 1
          switch error {
          case .lost: continue
          case .standby where tries == 1: continue
          case _ where error.isLockTimeout:
            if nowInNanoseconds() >= deadline {
              throw EventStoreError(await pool.lockFailure(in: text, for: mode == .reading ? .read : .write), options)
            }
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
