#if Postgres
  import Annals

  /// Makes a log in a schema, and brings it to this program's format.
  struct SchemaMaker {
    let pool: SQLPool
    let text: SchemaText
    let options: PostgresOptions
    let environment: StoreEnvironment

    /// What is known of a log when it is opened.
    struct Found {
      let format: Int
      let source: String
      /// True if the server does not wait for its disk (`fsync = off`).
      let isUnsynced: Bool
    }

    /// Finds the log, and makes it or brings it to this format first if it must.
    ///
    /// A log of this format is only read, so that a role without the right to make tables can open it. Two processes
    /// may make a log at once, or bring it to this format: one of them fails, and finds what the other made. A
    /// connection that is lost meanwhile is no reason to fail.
    func open() async throws -> Found {
      for attempt in 1...20 {
        do {
          if let found = try await find() {
            let format = found.format
            if format == SchemaText.format { return found }
            if format > SchemaText.format {
              throw EventStoreError.newerFormat(
                found: format,
                "expected a log of format \(SchemaText.format) or before in schema \"\(options.schema)\", found format "
                  + "\(format): it was made by a newer Annals; update this program")
            }
            try await migrate(from: format)
          } else {
            guard options.creates else {
              throw EventStoreError(
                .io,
                "expected a log in schema \"\(options.schema)\", found none; compare the database and the schema, or "
                  + "let a program begin the log that creates it")
            }
            try await make()
          }
        } catch let failure as SQLFailure {
          // Of two that make the same table at once, one meets the other's rows in the catalogue.
          let isPassing =
            switch failure {
            case .refused(let state, _):
              ["23505", "42P06", "42P07", "42701", "42703", "42723", "40P01", Self.moved].contains(state)
            case .lost: true
            default: false
            }
          if attempt == 20 || !isPassing { throw EventStoreError(failure, options) }
        }
      }
      throw EventStoreError(.busy, "schema \"\(options.schema)\" is being made by others; open the log again")
    }

    /// What is known of the log; nil if there is none.
    private func find() async throws(SQLFailure) -> Found? {
      do {
        // A server that does not know the setting says nothing of it.
        let query = SQLStatement(
          "SELECT format, source, current_setting('fsync', true) FROM \(text.schema).annals_log WHERE one")
        let rows = try await pool.run([query], isPatient: false)
        guard rows[0].count > 0, let format = rows[0].int(0, 0), let source = rows[0].text(0, 1) else { return nil }
        return Found(format: format, source: source, isUnsynced: rows[0].text(0, 2) == "off")
      } catch .refused("42P01", _), .refused("3F000", _) { return nil }
    }

    /// The SQLSTATE of a log that others wrote to while it was looked through: a division by 0.
    private static let moved = "22012"

    /// Makes what a log of an older format has not.
    ///
    /// The first step changes the frontier's table, and so waits for the append that is under way and keeps others off.
    /// To lock its row before would wait for appends that wait for that row.
    private func migrate(from format: Int) async throws {
      let schema = text.schema
      do throws(SQLFailure) {
        var old: OldPersonalValues?
        if format < 3 {
          // From now on older programs append nothing, so that what is looked through below is all there is.
          _ = try await pool.run([SQLStatement(text.dropOldAppend)])
          old = try await OldPersonalValues(of: text, pool)
        }
        // In another isolation the comparison below would be older than what the steps waited for.
        var statements = [SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")]
        statements += text.steps(after: format).map { SQLStatement($0) }
        // It ends the transaction if an append was still under way, or if another process was quicker.
        let isSame = "SELECT 1 / count(*) FROM \(schema).annals_log WHERE format = $1"
        statements.append(
          old.map { SQLStatement(isSame + " AND head = $2", [.int(format), .int($0.head)]) }
            ?? SQLStatement(isSame, [.int(format)]))
        statements += old?.statements ?? []
        statements.append(
          SQLStatement(
            "UPDATE \(schema).annals_log SET format = $1 WHERE format = $2", [.int(SchemaText.format), .int(format)]))
        statements.append(SQLStatement("COMMIT"))
        _ = try await pool.run(statements)
      } catch {
        guard case .refused("42501", let message) = error else { throw error }
        throw EventStoreError(
          .refused,
          "expected a log of format \(SchemaText.format) in schema \"\(options.schema)\", found format \(format), and "
            + "this role may not bring it up: \(message); open it once with the role that owns the schema")
      }
    }

    private func make() async throws(SQLFailure) {
      var statements = [SQLStatement("BEGIN"), SQLStatement("CREATE SCHEMA IF NOT EXISTS \(text.schema)")]
      // A role may use a schema that it could not make.
      let exists = try await pool.run([
        SQLStatement("SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1", [.text(options.schema)])
      ])
      if exists[0].count > 0 { statements.removeLast() }
      statements += text.steps(after: 0).map { SQLStatement($0) }
      statements.append(
        SQLStatement(
          """
          INSERT INTO \(text.schema).annals_log (format, source, head, transaction) VALUES ($1, $2, 0, 0)
          """, [.int(SchemaText.format), .text("urn:uuid:" + environment.makeID())]))
      statements.append(SQLStatement("COMMIT"))
      _ = try await pool.run(statements)
    }
  }
#endif
