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
      /// The role that owns the log's tables.
      let owner: String
      /// True if this process has migrated the log while it opened it.
      var isMigrated = false
    }

    /// Finds the log, and creates or migrates it first if the options allow it.
    ///
    /// A log in the current format isn't modified, so a role without the privilege to create tables can open the log.
    /// If two processes create or migrate a log at the same time, one process fails, and then finds the log of the
    /// other process. The method also retries after a lost connection, and if a server closes a connection before it's
    /// open. But if no server accepts the first connection, the method fails early, because the address might be wrong.
    func open() async throws -> Found {
      var isMigrated = false
      for attempt in 1...20 {
        do {
          // The second attempt follows a response of the server, so the address is right.
          if var found = try await find(isPatient: attempt > 1) {
            let format = found.format
            found.isMigrated = isMigrated
            if format == SchemaText.format { return found }
            if format > SchemaText.format { throw EventStoreError.newerFormat(format, options) }
            guard options.setup == .migrate else { throw EventStoreError.olderFormat(format, options) }
            try await migrate(found)
            isMigrated = true
          } else {
            if options.setup == .existing { throw EventStoreError.missingLog(options) }
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
                "23505", "42P06", "42P07", "42701", "42703", "42723", "42809", "40P01", "XX000", SchemaMigration.moved,
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

    /// Finds the log.
    ///
    /// - Parameter isPatient: False to fail early at an address without a server, which might be wrong.
    /// - Returns: The log's properties, or `nil` if the schema contains no log.
    /// - Throws: A failure of the server.
    func find(isPatient: Bool = false) async throws(SQLFailure) -> Found? {
      do {
        // A server without this setting returns null for it. Until format 8, `annals_log` was a table.
        let query = SQLStatement(
          """
          SELECT format, source, current_setting('fsync', true), (
              SELECT pg_catalog.pg_get_userbyid(c.relowner) FROM pg_catalog.pg_class c
                WHERE c.oid = coalesce(to_regclass($1), to_regclass($2)))
            FROM \(text.schema).annals_log WHERE one
          """, [.text("\(text.schema).annals_log_base"), .text("\(text.schema).annals_log")])
        let rows = try await read(query, isPatient: isPatient)
        guard rows.count > 0, let format = rows.int(0, 0), let source = rows.text(0, 1), let owner = rows.text(0, 3)
        else { return nil }
        return Found(format: format, source: source, isUnsynced: rows.text(0, 2) == "off", owner: owner)
      } catch .refused("42P01", _), .refused("3F000", _) { return nil }
    }

    /// Reads from the log's tables, after waiting for another session's lock for at most ``PostgresOptions/patience``.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - isPatient: False to fail early at an address without a server, which might be wrong.
    /// - Returns: The rows.
    /// - Throws: A failure of the server, or the failure `locked`.
    func read(_ query: SQLStatement, isPatient: Bool = true) async throws(SQLFailure) -> SQLRows {
      let deadline = options.lockDeadline
      while true {
        do throws(SQLFailure) {
          // The statements of a message are one transaction. If an explicit transaction failed because the log is
          // missing, its connection would first roll back, so the next statements would open another connection.
          let timeout = options.lockTimeout(until: deadline)
          let limit = SQLStatement("SELECT set_config('lock_timeout', $1, true)", [.text(timeout)])
          return try await pool.run([limit, query], isPatient: isPatient)[1]
        } catch {
          if !error.isLockTimeout { throw error }
          if nowInNanoseconds() >= deadline { throw await pool.lockFailure(in: text, for: .read) }
        }
      }
    }

    /// Prepares the migration of a log of an older format.
    ///
    /// - Parameters:
    ///   - found: The log.
    ///   - isScript: True if the migration isn't run by this program. Then the method only reads.
    /// - Returns: The migration.
    /// - Throws: A failure of the server.
    func migration(of found: Found, isScript: Bool = false) async throws(SQLFailure) -> SchemaMigration {
      let lockTimeout = options.lockTimeout(until: options.lockDeadline)
      func migration(_ old: OldPersonalValues?) -> SchemaMigration {
        SchemaMigration(
          text: text, format: found.format, owner: found.owner, old: old, lockTimeout: lockTimeout)
      }
      if found.format >= 3 { return migration(nil) }
      if !isScript {
        // After this transaction, older programs can't append, so the following search is complete.
        let statements = ["BEGIN", migration(nil).asOwner, text.dropOldAppend, "COMMIT"]
        _ = try await pool.run(statements.map { SQLStatement($0) })
      }
      return migration(try await OldPersonalValues(of: self))
    }

    /// Migrates a log of an older format by adding the missing parts.
    private func migrate(_ found: Found) async throws {
      do throws(SQLFailure) {
        _ = try await pool.run(migration(of: found).statements)
      } catch {
        if error.isLockTimeout { throw await pool.lockFailure(in: text, for: .migrate) }
        guard case .refused("42501", let message) = error else { throw error }
        throw EventStoreError(
          .refused,
          "the log in schema \"\(options.schema)\" has format \(found.format), but this program needs format "
            + "\(SchemaText.format), and this role can't migrate the log: \(message). Migrate the log with the role "
            + "\(SchemaText.quoted(found.owner)), which owns the log's tables")
      }
    }

    private func make() async throws(SQLFailure) {
      // Another session that is creating the schema or the tables also blocks these statements.
      var statements = [
        SQLStatement("BEGIN"), .lockTimeout(options.lockTimeout(until: options.lockDeadline)),
        SQLStatement("CREATE SCHEMA IF NOT EXISTS \(text.schema)"),
      ]
      // A role can have access to a schema without the privilege to create it.
      let exists = try await pool.run([
        SQLStatement("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1", [.text(options.schema)])
      ])
      if exists[0].count > 0 { statements.removeLast() }
      statements += text.steps(after: 0).flatMap(\.statements).map { SQLStatement($0) }
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
