#if Postgres
  import AnnalsLog
  import Annals
  public import AnnalsRemote

  /// The migration and the diagnosis of a log in PostgreSQL.
  ///
  ///     let maintenance = PostgresMaintenance(url: "postgresql://owner@db.example.com/books")
  ///     print(try await maintenance.migrate().steps)
  ///
  /// Every call opens a connection, and closes it at the end.
  public struct PostgresMaintenance: RemoteMaintenance {
    private let url: String
    private let options: PostgresOptions
    /// The values from which a check finds a problem.
    var limits = PostgresDiagnosis.Limits()

    /// Creates a value without connecting to the server.
    ///
    /// - Parameters:
    ///   - url: The URL, as for ``PostgresEventStore``.
    ///   - options: The database schema, the timeouts and other settings. The option ``PostgresOptions/setup`` has no
    ///     effect, because only ``migrate()`` changes the log.
    public init(url: String, options: PostgresOptions = PostgresOptions()) {
      self.url = url
      self.options = options
    }

    /// Returns the migration that the log needs, without changing the log.
    ///
    /// - Returns: The migration, which has no steps if the log already has the library's format.
    /// - Throws: `EventStoreError`, for example `.unreachable`, `.refused`, `.newerFormat`, or `.io` if the log doesn't
    ///   exist.
    public func migration() async throws -> LogMigration {
      try await connected { LogMigration($0.text, from: try await $0.foundForMigration().format) }
    }

    /// Returns an SQL script that migrates the log, without changing the log.
    ///
    /// Run the script with `psql -v ON_ERROR_STOP=1`. It's one transaction with the same result as ``migrate()``. It
    /// fails without a change if the log has another format by then. The script of a log whose format is older than 3
    /// contains the personal values in the log's payloads, and also fails if events were appended in the meantime.
    ///
    /// - Returns: The script, or `nil` if the log already has the library's format.
    /// - Throws: `EventStoreError`, for example `.unreachable`, `.refused`, `.newerFormat`, or `.io` if the log doesn't
    ///   exist.
    /// - Complexity: O(n) on the server for n events if the log's format is older than 3. Otherwise O(1).
    public func migrationScript() async throws -> String? {
      try await connected { maker in
        let found = try await maker.foundForMigration()
        if found.format == SchemaText.format { return nil }
        do throws(SQLFailure) { return try await maker.migration(of: found, isScript: true).script } catch {
          throw EventStoreError(error, maker.options)
        }
      }
    }

    /// Migrates the log to the library's format, in one transaction.
    ///
    /// - Returns: The migration that was done. It has no steps if the log already had the library's format, for example
    ///   because another process has migrated it.
    /// - Throws: `EventStoreError`, for example `.unreachable`, `.newerFormat`, `.refused` if the role can't act as the
    ///   owner of the log's tables, `.busy` if another session locks a table, or `.io` if the log doesn't exist. Then
    ///   the log is unchanged.
    public func migrate() async throws -> LogMigration {
      try await connected { maker in
        let found = try await maker.foundForMigration()
        guard found.format < SchemaText.format else { return LogMigration(maker.text, from: found.format) }
        let isDone = try await maker.open().isMigrated
        return LogMigration(maker.text, from: isDone ? found.format : SchemaText.format)
      }
    }

    /// Checks the log and its server, without changing them.
    ///
    /// The checks contain the locks on the log, open snapshots, prepared transactions, replication slots and standbys,
    /// dead rows and sizes, followers, settings for durability, connections, and the role's privileges. A role without
    /// the privileges of `pg_monitor` gets incomplete findings about other roles' sessions.
    ///
    /// - Returns: A finding per check, or per follower.
    /// - Throws: `EventStoreError`, for example `.unreachable`, `.refused`, or `.io` if the log doesn't exist.
    public func findings() async throws -> [LogFinding] {
      try await connected { try await PostgresDiagnosis($0, limits).findings() }
    }

    /// Runs a closure with a connection to the server.
    private func connected<Value>(_ body: (SchemaMaker) async throws -> Value) async throws -> Value {
      let place = try PostgresPlace(url, options)
      let environment = StoreEnvironment()
      var options = place.options
      // The log exists when `migrate()` opens it.
      options.setup = .migrate
      let pool = try place.pool(environment)
      defer { pool.close() }
      return try await body(
        SchemaMaker(pool: pool, text: place.text, options: options, environment: environment))
    }
  }

  extension LogMigration {
    fileprivate init(_ text: SchemaText, from format: Int) {
      self.init(
        format: format, newFormat: SchemaText.format,
        steps: text.steps(after: format).map { Step(format: $0.format, summary: $0.summary) })
    }
  }

  extension SchemaMaker {
    /// Returns the properties of a log that can be migrated.
    fileprivate func foundForMigration() async throws -> Found {
      let found: Found?
      do throws(SQLFailure) { found = try await find() } catch { throw EventStoreError(error, options) }
      guard let found else { throw EventStoreError.missingLog(options) }
      if found.format > SchemaText.format { throw EventStoreError.newerFormat(found.format, options) }
      return found
    }
  }
#endif
