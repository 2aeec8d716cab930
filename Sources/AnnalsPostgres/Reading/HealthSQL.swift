#if Postgres
  public import Annals
  import AnnalsLog
  import AnnalsRemote

  extension PostgresEventStore {
    /// Checks within a time limit that the log accepts appends.
    ///
    /// The check takes the lock that every append takes, without adding an event. Like an append, it then waits for the
    /// server's disk and its synchronous standby. It needs one round trip. Unlike other calls, it waits neither for
    /// ``PostgresOptions/patience`` nor for ``PostgresOptions/answerTimeout``. Concurrent calls share a check.
    ///
    /// - Parameter limit: The maximum time of the call. The check waits at most a third of it for a connection, and at
    ///   most a third for the lock.
    /// - Returns: The position of the last event.
    /// - Throws: `CancellationError` if the task is cancelled, or `EventStoreError` with one of these codes:
    ///   - `.unreachable` if the server can't be reached, or doesn't respond
    ///   - `.busy` if another connection holds the lock, or all connections of this store are in use
    ///   - `.readOnly` if the server is a standby
    ///   - `.newerFormat` if another program has migrated the log to a format that this program can't write
    ///   - `.replaced` if the log was removed
    ///   - `.refused` if the role may not append
    ///   - `.closed` if the store was closed
    public func health(within limit: Duration) async throws -> Position {
      let late = EventStoreError(.unreachable("the server didn't respond within \(limit.spelled)"), options)
      return try await commands.health.result(within: limit, sleep: environment.sleep, late: late) { [self] in
        try await commands.calls.counting { try await check(limit / 3) }
      }
    }

    private func check(_ limit: Duration) async throws -> Position {
      let append = try AppendSQL(Append(), source: source, environment)
      let lockTimeout = PostgresOptions.lockTimeout(nanoseconds: limit.inNanoseconds)
      let statements = [
        SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
        SQLStatement(
          GroupSQL.text(text.schema),
          GroupSQL([append]).values(isAgain: false, lockTimeout: lockTimeout)),
        SQLStatement("COMMIT"),
      ]
      let flush = durable.statement(isSeparate: true).map { [$0] } ?? []
      let waiting = WaitLimit(time: limit, name: "a third of the limit of health(within:)")
      var isRepeated = false
      while true {
        let rows: [SQLRows]
        do { rows = try await pool.run(statements + flush, isPatient: false, patience: limit) } catch {
          switch error {
          // The server might have closed an idle connection, for example when it was restarted, or the address might
          // have moved from a standby to the primary.
          case .lost where !isRepeated, .standby where !isRepeated:
            isRepeated = true
            continue
          case _ where error.isLockTimeout:
            throw EventStoreError(await pool.lockFailure(in: text, for: .write), options, waiting: waiting)
          case .refused("42883", _): throw try await newerFormat(waiting) ?? EventStoreError(error, options)
          default: throw EventStoreError(error, options, waiting: waiting)
          }
        }
        guard rows.count >= 3, rows[1].count == 1 else {
          throw EventStoreError(.rolledBack, options)
        }
        return try append.receipt(rows[1], 0).position
      }
    }

    /// Returns the error for a log that a newer program has migrated, or `nil` if the log has this program's format.
    private func newerFormat(_ limit: WaitLimit) async throws -> EventStoreError? {
      let query = SQLStatement("SELECT format FROM \(text.schema).annals_log WHERE one")
      let rows: [SQLRows]
      do { rows = try await pool.run([query], isPatient: false, patience: limit.time) } catch {
        throw EventStoreError(error, options, waiting: limit)
      }
      guard let format = rows[0].int(0, 0), format > SchemaText.format else { return nil }
      return .newerFormat(format, options)
    }
  }
#endif
