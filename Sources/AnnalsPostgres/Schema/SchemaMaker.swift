#if Postgres
  import Annals

  /// The code that creates a log in a PostgreSQL schema, or migrates a log to this program's format.
  struct SchemaMaker {
    let pool: SQLPool
    let text: SchemaText
    let options: PostgresOptions
    let environment: StoreEnvironment

    /// The properties of a log when it is opened.
    struct Found {
      let format: Int
      let source: String
      /// True if the server doesn't wait for its disk (`fsync = off`).
      let isUnsynced: Bool
    }

    /// Finds the log, and creates or migrates it first if necessary.
    ///
    /// A log in the current format isn't modified, so a role without the privilege to create tables can open the log.
    /// If two processes create or migrate a log at the same time, one process fails, and then finds the log of the
    /// other process.
    /// The method also retries after a lost connection.
    func open() async throws -> Found {
      for attempt in 1...20 {
        do {
          if let found = try await find() {
            let format = found.format
            if format == SchemaText.format { return found }
            if format > SchemaText.format { throw EventStoreError.newerFormat(format, options) }
            try await migrate(from: format)
          } else {
            guard options.creates else {
              throw EventStoreError(
                .io,
                "expected a log in schema \"\(options.schema)\", found none. Check the names of the database and "
                  + "the schema, or run a program that creates the log (PostgresOptions.creates)")
            }
            try await make()
          }
        } catch let failure as SQLFailure {
          // If two processes create the same table at the same time, one process conflicts with rows that the other
          // adds to the catalog. The server has no error code for some of these conflicts, and reports an internal
          // error, XX000: "cache lookup failed for function" after another DROP FUNCTION, and "tuple concurrently
          // updated". If the other process has finished, `annals_log` is a view, and can't be altered (42809).
          let isPassing =
            switch failure {
            case .refused(let state, _):
              [
                "23505", "42P06", "42P07", "42701", "42703", "42723", "42809", "40P01", "XX000", Self.moved,
              ].contains(state)
            case .lost: true
            default: false
            }
          if attempt == 20 || !isPassing { throw EventStoreError(failure, options) }
        }
      }
      throw EventStoreError(
        .busy,
        "other processes are still creating or migrating the log in schema \"\(options.schema)\". Open the log later")
    }

    /// Returns the log's properties, or `nil` if the schema contains no log.
    private func find() async throws(SQLFailure) -> Found? {
      do {
        // A server without this setting returns null for it.
        let query = SQLStatement(
          "SELECT format, source, current_setting('fsync', true) FROM \(text.schema).annals_log WHERE one")
        let rows = try await pool.run([query], isPatient: false)
        guard rows[0].count > 0, let format = rows[0].int(0, 0), let source = rows[0].text(0, 1) else { return nil }
        return Found(format: format, source: source, isUnsynced: rows[0].text(0, 2) == "off")
      } catch .refused("42P01", _), .refused("3F000", _) { return nil }
    }

    /// The SQLSTATE of a migration that found the log changed by another process: a division by 0.
    private static let moved = "22012"

    /// Migrates a log of an older format by adding the missing parts.
    ///
    /// A step alters the table `annals_log`, so it waits for a running append and blocks further appends. The steps
    /// don't lock the frontier first. Otherwise they would wait for appends that in turn wait for the frontier.
    private func migrate(from format: Int) async throws {
      let schema = text.schema
      do throws(SQLFailure) {
        var old: OldPersonalValues?
        if format < 3 {
          // After this statement, older programs can't append, so the following search is complete.
          _ = try await pool.run([SQLStatement(text.dropOldAppend)])
          old = try await OldPersonalValues(of: text, pool)
        }
        // In another isolation level, the comparison below could use a snapshot older than the steps' locks.
        var statements = [
          SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"),
          SQLStatement(
            "SELECT set_config('lock_timeout', $1, true)", [.text(options.lockTimeout(until: options.lockDeadline))]),
        ]
        statements += text.steps(after: format).map { SQLStatement($0) }
        // The division by 0 ends the transaction if an append was still running, or if another process migrated the log
        // first.
        let isSame = "SELECT 1 / count(*) FROM \(schema).annals_log WHERE format = $1"
        statements.append(
          old.map { SQLStatement(isSame + " AND head = $2", [.int(format), .int($0.head)]) }
            ?? SQLStatement(isSame, [.int(format)]))
        statements += old?.statements ?? []
        statements.append(
          SQLStatement("UPDATE \(schema).annals_log_base SET format = $1 WHERE one", [.int(SchemaText.format)]))
        statements.append(SQLStatement("COMMIT"))
        _ = try await pool.run(statements)
      } catch {
        if error.isLockTimeout { throw await pool.lockFailure(in: text, for: .migrate) }
        guard case .refused("42501", let message) = error else { throw error }
        throw EventStoreError(
          .refused,
          "the log in schema \"\(options.schema)\" has format \(format), but this program needs format "
            + "\(SchemaText.format), and this role can't migrate the log: \(message); open the log once with the role "
            + "that owns the schema")
      }
    }

    private func make() async throws(SQLFailure) {
      var statements = [SQLStatement("BEGIN"), SQLStatement("CREATE SCHEMA IF NOT EXISTS \(text.schema)")]
      // A role can have access to a schema without the privilege to create it.
      let exists = try await pool.run([
        SQLStatement("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1", [.text(options.schema)])
      ])
      if exists[0].count > 0 { statements.removeLast() }
      statements += text.steps(after: 0).map { SQLStatement($0) }
      statements.append(
        SQLStatement(
          """
          INSERT INTO \(text.schema).annals_log_base (format, source, head, transaction) VALUES ($1, $2, 0, 0)
          """, [.int(SchemaText.format), .text("urn:uuid:" + environment.makeID())]))
      statements.append(SQLStatement("COMMIT"))
      _ = try await pool.run(statements)
    }
  }
#endif
