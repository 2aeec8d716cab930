#if Postgres
  import Annals
  import AnnalsRemote

  /// The checks of a log and its server.
  ///
  /// Every check is a read-only transaction with short timeouts, so that a lock or an overloaded server doesn't delay
  /// the other checks.
  struct PostgresDiagnosis {
    /// The values from which a check finds a problem.
    struct Limits: Sendable {
      /// The age of a lock on the log, in seconds.
      ///
      /// Appends hold their lock for milliseconds.
      var lockSeconds = 5
      /// The age of a prepared transaction, in seconds.
      var preparedSeconds = 300
      /// The age of a snapshot, in seconds.
      var snapshotSeconds = 3_600
      /// The age of a snapshot without a known time, in transactions.
      var snapshotTransactions = 1_000_000
      /// The number of a table's dead rows, if it's also larger than half of the number of live rows.
      var deadRows = 10_000
      /// The lag of a follower, in events.
      var followerEvents = 100_000
      /// The lag of a standby, in seconds and in bytes of the write-ahead log.
      var standbySeconds = 60
      var standbyBytes = 1 << 26
      /// The part of all connections that are in use, in percent.
      var connectionPercent = 90
    }

    let maker: SchemaMaker
    let limits: Limits
    /// True if the role sees the states and times of other roles' sessions.
    let seesAll: Bool
    /// True if the server is a standby.
    let isStandby: Bool
    /// The current role's quoted name.
    let role: String

    var text: SchemaText { maker.text }

    /// Returns a number with a noun.
    func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// The remedy if the role doesn't see the states of other roles' sessions.
    var seeAll: String { "To see all sessions, run GRANT pg_monitor TO \(role)" }

    init(_ maker: SchemaMaker, _ limits: Limits) async throws {
      let rows: SQLRows
      do throws(SQLFailure) {
        rows = try await maker.pool.run(
          [
            SQLStatement(
              """
              SELECT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')::int, pg_is_in_recovery()::int,
                quote_ident(current_user)
              """)
          ], isPatient: false)[0]
      } catch { throw EventStoreError(error, maker.options) }
      self.maker = maker
      self.limits = limits
      (seesAll, isStandby) = (rows.int(0, 0) == 1, rows.int(0, 1) == 1)
      role = rows.text(0, 2) ?? ""
    }

    /// Runs all checks.
    func findings() async throws -> [LogFinding] {
      // The catalog contains the locks even if another session has locked the log's tables.
      var findings = [try await lock()]
      let format = try await format()
      findings.insert(format.finding, at: 0)
      findings.append(try await prepared())
      findings.append(try await snapshots())
      findings.append(try await slots())
      findings.append(try await deadRows())
      findings.append(try await sizes())
      // The tables of other formats can have other names.
      if format.state == .current { findings += try await followers() }
      if format.state != .other { findings.append(try await privileges()) }
      findings.append(try await standbys())
      findings.append(try await durability())
      findings.append(try await connections())
      return findings
    }

    /// Runs a query, and returns the finding of a closure, or an incomplete finding if the server refuses the query.
    ///
    /// - Parameters:
    ///   - check: The name of the check.
    ///   - query: The query.
    ///   - body: A closure that receives the rows.
    /// - Returns: The findings.
    /// - Throws: `EventStoreError` if the connection fails, or if the server reports an unexpected error.
    func run(
      _ check: String, _ query: SQLStatement, _ body: (SQLRows) throws -> [LogFinding]
    ) async throws -> [LogFinding] {
      let statements = [
        SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY"),
        .lockTimeout("1s"), SQLStatement("SET LOCAL statement_timeout = '10s'"), query,
        SQLStatement("COMMIT"),
      ]
      let rows: [SQLRows]
      do throws(SQLFailure) { rows = try await maker.pool.run(statements) } catch {
        switch error {
        case .refused("42501", let message):
          let remedy = "To see more, grant the role \(role) the privileges of a reading role (Docs/PostgreSQL.md)"
          return [LogFinding(check, .incomplete(remedy: remedy), message)]
        case .refused("55P03", _):
          let remedy = "First solve the problem with the lock, and then repeat the check"
          return [LogFinding(check, .incomplete(remedy: remedy), "another session has locked the table")]
        case .refused("57014", _):
          let remedy = "Repeat the check when the server has less load"
          return [LogFinding(check, .incomplete(remedy: remedy), "the server needed more than 10 s")]
        default: throw EventStoreError(error, maker.options)
        }
      }
      return try body(rows[3])
    }

    /// Runs a query with one finding.
    func run(
      _ check: String, _ query: String, _ values: [SQLValue] = [],
      _ body: (SQLRows) -> (LogFinding.State, String)
    ) async throws -> LogFinding {
      try await run(check, SQLStatement(query, values)) { rows in
        let (state, message) = body(rows)
        return [LogFinding(check, state, message)]
      }[0]
    }

    private enum FormatState {
      case current
      case other
      /// The log can't be read.
      case unknown
    }

    private func format() async throws -> (finding: LogFinding, state: FormatState) {
      var state = FormatState.unknown
      let query = "SELECT format FROM \(text.schema).annals_log WHERE one"
      let finding: LogFinding
      do {
        finding = try await run("format", query) { rows in
          guard let format = rows.int(0, 0) else {
            return (.problem(remedy: "Restore the log from a backup"), "the log's properties are missing")
          }
          state = format == SchemaText.format ? .current : .other
          let message = "the log has format \(format)"
          return state == .current
            ? (.healthy, message)
            : format < SchemaText.format
              ? (
                .problem(remedy: "Run annals migrate URL"),
                "\(message), but this version needs format \(SchemaText.format)"
              )
              : (
                .problem(remedy: "Update the programs that open the log"),
                "\(message), which is newer than this version's format \(SchemaText.format)"
              )
        }
      } catch let error as EventStoreError where error.code == .replaced {
        throw EventStoreError.missingLog(maker.options)
      }
      return (finding, state)
    }

    /// Checks the locks on the log's tables, first of all the lock that every append takes.
    private func lock() async throws -> LogFinding {
      var holder: LockHolder?
      var state = LogFinding.State.healthy
      _ = try await run("lock", SQLPool.holder(in: text, for: .write)) { rows in
        holder = LockHolder(rows, text)
        return []
      }
      // Servers before version 14 have no column `waitstart`.
      let waiting = """
        SELECT count(DISTINCT l.pid),
          extract(epoch FROM clock_timestamp() - min((to_jsonb(l) ->> 'waitstart')::timestamptz))::bigint
        FROM pg_catalog.pg_locks l
        JOIN pg_catalog.pg_class c ON c.oid = l.relation
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE l.locktype = 'relation' AND NOT l.granted AND n.nspname = $1
          AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
        """
      return try await run("lock", waiting, [.text(text.name)]) { rows in
        let count = rows.int(0, 0) ?? 0
        let waiting =
          count == 0
          ? "" : ", \(counted(count, "waiting session"))\(rows.int(0, 1).map { ", the longest for \($0) s" } ?? "")"
        guard let holder else { return (.healthy, "no session holds a lock that blocks appends") }
        if let seconds = [holder.seconds, rows.int(0, 1)].compactMap({ $0 }).max() {
          if seconds >= limits.lockSeconds {
            state = .problem(remedy: "If it isn't an erasure or a migration, \(holder.remedy)")
          }
        } else {
          state = holder.pid == nil ? .problem(remedy: holder.remedy.capitalizedFirst) : .incomplete(remedy: seeAll)
        }
        return (state, holder.message + waiting)
      }
    }

    private func prepared() async throws -> LogFinding {
      let query = """
        SELECT gid, extract(epoch FROM clock_timestamp() - prepared)::bigint, count(*) OVER ()
          FROM pg_catalog.pg_prepared_xacts WHERE database = current_database() ORDER BY prepared LIMIT 1
        """
      return try await run("prepared", query) { rows in
        guard let gid = rows.text(0, 0), let seconds = rows.int(0, 1) else {
          return (.healthy, "no prepared transaction is open")
        }
        let others = (rows.int(0, 2) ?? 1) > 1 ? " It's the oldest of \(rows.int(0, 2) ?? 1)." : ""
        let message = "the prepared transaction '\(gid)' has been open for \(seconds) s"
        if seconds < limits.preparedSeconds { return (.healthy, message) }
        let literal = gid.replacing("'", with: "''")
        return (.problem(remedy: "Run COMMIT PREPARED or ROLLBACK PREPARED '\(literal)'.\(others)"), message)
      }
    }

    private func snapshots() async throws -> LogFinding {
      let query = """
        SELECT a.pid, a.application_name, a.usename, a.state,
            extract(epoch FROM clock_timestamp() - a.xact_start)::bigint, age(a.backend_xmin)
          FROM pg_catalog.pg_stat_activity a
          WHERE a.backend_xmin IS NOT NULL AND a.pid <> pg_backend_pid()
            AND (a.datname IS NULL OR a.datname = current_database())
          ORDER BY age(a.backend_xmin) DESC, a.xact_start LIMIT 1
        """
      return try await run("snapshots", query) { rows in
        guard let pid = rows.text(0, 0), let age = rows.int(0, 5) else {
          return seesAll
            ? (.healthy, "no other session has a snapshot")
            : (.incomplete(remedy: seeAll), "no snapshot of this role is open, and other roles' sessions are hidden")
        }
        let parts = [rows.text(0, 1), rows.text(0, 2), rows.text(0, 3)].compactMap { $0 }.filter { !$0.isEmpty }
        let seconds = rows.int(0, 4)
        let time = seconds.map { "\($0) s" } ?? "\(age) transactions"
        let message =
          "the oldest\(seesAll ? "" : " visible") snapshot belongs to process \(pid) "
          + "(\(parts.joined(separator: ", "))), and is \(time) old"
        if seconds.map({ $0 >= limits.snapshotSeconds }) ?? (age >= limits.snapshotTransactions) {
          return (
            .problem(
              remedy: "The server keeps all rows deleted since then. End it (SELECT pg_terminate_backend(\(pid)))"),
            message
          )
        }
        return (seesAll ? .healthy : .incomplete(remedy: seeAll), message)
      }
    }

    private func slots() async throws -> LogFinding {
      let query = """
        SELECT s.slot_name, pg_size_pretty(pg_wal_lsn_diff(
            CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, s.restart_lsn)),
            count(*) FILTER (WHERE NOT s.active) OVER (), count(*) OVER ()
          FROM pg_catalog.pg_replication_slots s ORDER BY s.active, s.restart_lsn LIMIT 1
        """
      return try await run("slots", query) { rows in
        guard let name = rows.text(0, 0), let count = rows.int(0, 3) else {
          return (.healthy, "the server has no replication slot")
        }
        let size = rows.text(0, 1).map { ", and keeps \($0) of the write-ahead log" } ?? ""
        guard let idle = rows.int(0, 2), idle > 0 else {
          return (.healthy, "\(counted(count, "replication slot")) with a connection, and the oldest is \(name)\(size)")
        }
        let literal = name.replacing("'", with: "''")
        return (
          .problem(remedy: "Connect its standby, or run SELECT pg_drop_replication_slot('\(literal)')"),
          "\(idle) of \(counted(count, "replication slot")) without a connection, and the oldest is \(name)\(size)"
        )
      }
    }

    private func deadRows() async throws -> LogFinding {
      let query = """
        SELECT relname, n_dead_tup, n_live_tup FROM pg_catalog.pg_stat_all_tables WHERE schemaname = $1
          ORDER BY n_dead_tup > $2 AND n_dead_tup > n_live_tup / 2 DESC, n_dead_tup DESC LIMIT 1
        """
      return try await run("dead rows", query, [.text(text.name), .int(limits.deadRows)]) { rows in
        guard let name = rows.text(0, 0), let dead = rows.int(0, 1), let live = rows.int(0, 2), dead > 0 else {
          return (.healthy, "no table has dead rows")
        }
        let message = "the table \(name) has \(counted(dead, "dead row")) and \(counted(live, "live row"))"
        if dead <= limits.deadRows || dead <= live / 2 { return (.healthy, message) }
        return (
          .problem(
            remedy: "End the oldest snapshot, and run VACUUM (ANALYZE) \(text.schema).\(name). If it recurs, check the "
              + "server's autovacuum settings"),
          message
        )
      }
    }

    private func sizes() async throws -> LogFinding {
      let query = """
        SELECT c.relname, pg_size_pretty(pg_total_relation_size(c.oid)),
            pg_size_pretty(sum(pg_total_relation_size(c.oid)) OVER ())
          FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = $1 AND c.relkind = 'r' ORDER BY pg_total_relation_size(c.oid) DESC
        """
      return try await run("size", query, [.text(text.name)]) { rows in
        let largest = (0..<min(4, rows.count)).map { "\(rows.text($0, 0) ?? "") \(rows.text($0, 1) ?? "")" }
        return (
          .healthy,
          "the log has \(rows.text(0, 2) ?? "0 bytes") with its indexes, and its largest tables are "
            + largest.joined(separator: ", ")
        )
      }
    }
  }

  extension String {
    /// The string with its first letter in upper case.
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
  }
#endif
