#if Postgres
  import AnnalsRemote

  extension PostgresDiagnosis {
    /// Checks every follower's lag, leases and quarantined streams.
    func followers() async throws -> [LogFinding] {
      let schema = text.schema
      let query = """
        SELECT f.name, f.version, f.partitions, (SELECT head FROM \(schema).annals_log WHERE one) - min(p.position),
            count(*) FILTER (WHERE p.worker IS NOT NULL AND p.expires > clock_timestamp()),
            count(*) FILTER (WHERE p.worker IS NOT NULL AND p.expires <= clock_timestamp()),
            count(DISTINCT p.worker) FILTER (WHERE p.expires > clock_timestamp()),
            (SELECT count(*) FROM \(schema).annals_quarantine q WHERE q.name = f.name AND q.version = f.version),
            (f.version < max(f.version) OVER (PARTITION BY f.name))::int
          FROM \(schema).annals_follower f
          LEFT JOIN \(schema).annals_partition p ON p.name = f.name AND p.version = f.version
          GROUP BY f.name, f.version, f.partitions ORDER BY f.name, f.version
        """
      let name = "follower"
      return try await run(name, SQLStatement(query)) { rows in
        if rows.count == 0 { return [LogFinding(name, .healthy, "the log has no follower")] }
        return (0..<rows.count).map { row in
          let (state, message) = follower(rows, row)
          return LogFinding(name, state, message)
        }
      }
    }

    private func follower(_ rows: SQLRows, _ row: Int) -> (LogFinding.State, String) {
      let numbers = (0..<9).map { rows.int(row, $0) ?? 0 }
      let (partitions, lag, held, expired) = (numbers[2], numbers[3], numbers[4], numbers[5])
      let (workers, aside, isFormer) = (numbers[6], numbers[7], numbers[8] == 1)
      let name = "\(rows.text(row, 0) ?? ""), version \(numbers[1])"
      var message = "\(name), is \(lag == 0 ? "up to date" : "\(counted(lag, "event")) behind")"
      message += ", \(counted(workers, "worker")) with \(held) of \(counted(partitions, "lease"))"
      if expired > 0 { message += ", \(counted(expired, "expired lease"))" }
      if aside > 0 { message += ", \(counted(aside, "stream")) in quarantine" }
      if isFormer { return (.healthy, message + ", and a newer version replaces it") }
      if aside > 0 { return (.problem(remedy: "Fix the cause, and call retry or skip of the follower"), message) }
      if lag > 0, held < partitions {
        let cause = held == 0 ? "Start a worker" : "Check its workers"
        return (.problem(remedy: "\(cause), or delete its state with forgetFollower if it's obsolete"), message)
      }
      if lag >= limits.followerEvents {
        return (.problem(remedy: "Add workers, or speed up the follower's code"), message)
      }
      return (.healthy, message)
    }

    /// Checks the privileges of the current role.
    func privileges() async throws -> LogFinding {
      let query = PostgresPrivileges.query(text)
      return try await run("privileges", query.text, query.values) { rows in
        let privileges = PostgresPrivileges(rows)
        let (allowed, denied) = (privileges.allowed, privileges.denied)
        let can = allowed.isEmpty ? "" : "can \(allowed.joined(separator: ", "))"
        let cannot = denied.isEmpty ? "" : "can't \(denied.map(\.name).joined(separator: ", "))"
        let message = "the role \(role) \([can, cannot].filter { !$0.isEmpty }.joined(separator: ", but "))"
        // A role without any privilege of an activity isn't meant for the activity.
        guard let activity = denied.first(where: { $0.name == "read" || privileges.isPartial($0) }) else {
          return (.healthy, message)
        }
        let grants = privileges.grants(for: activity, text.schema, to: role)
        return (.problem(remedy: "To \(activity.name), run \(grants.joined(separator: "; "))"), message)
      }
    }

    func standbys() async throws -> LogFinding {
      if isStandby { return try await recovery() }
      let query = """
        SELECT coalesce(r.application_name, ''), r.state, pg_wal_lsn_diff(pg_current_wal_lsn(), r.replay_lsn)::bigint,
            extract(epoch FROM r.replay_lag)::bigint, count(r.pid) OVER (),
            count(*) FILTER (WHERE r.sync_state IN ('sync', 'quorum')) OVER (), s.names
          FROM (SELECT current_setting('synchronous_standby_names') AS names) s
          LEFT JOIN pg_catalog.pg_stat_replication r ON true
          ORDER BY (r.state IS DISTINCT FROM 'streaming') DESC, 3 DESC NULLS FIRST LIMIT 1
        """
      return try await run("standbys", query) { rows in
        let names = rows.text(0, 6) ?? ""
        guard let name = rows.text(0, 0), let count = rows.int(0, 4), count > 0 else {
          return names.isEmpty ? (.healthy, "the server has no standby") : withoutSynchronous(names)
        }
        guard let state = rows.text(0, 1) else {
          return (.incomplete(remedy: seeAll), "\(counted(count, "standby")) connected, with hidden states")
        }
        if !names.isEmpty, rows.int(0, 5) == 0 { return withoutSynchronous(names) }
        let (bytes, seconds) = (rows.int(0, 2) ?? 0, rows.int(0, 3) ?? 0)
        let message =
          "\(counted(count, "standby")) connected, and the slowest (\(name)) is \(state), \(bytes) bytes and "
          + "\(seconds) s behind"
        let isSlow = bytes >= limits.standbyBytes || seconds >= limits.standbySeconds
        return state == "streaming" && !isSlow
          ? (.healthy, message)
          : (.problem(remedy: "Check the standby's log, disk and network"), message)
      }
    }

    private func withoutSynchronous(_ names: String) -> (LogFinding.State, String) {
      (
        .problem(remedy: "Start the standby, or change synchronous_standby_names"),
        "no synchronous standby is connected (synchronous_standby_names = '\(names)'), so appends with the durability "
          + "power wait"
      )
    }

    private func recovery() async throws -> LogFinding {
      let query =
        "SELECT extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::bigint"
      return try await run("standbys", query) { rows in
        let time = rows.int(0, 0).map { ", and its last transaction is \($0) s old" } ?? ""
        return (
          .incomplete(remedy: "To check all, repeat the check on the primary"), "this server is a standby\(time)"
        )
      }
    }

    /// Checks the settings with which the server could lose acknowledged appends.
    ///
    /// The setting `synchronous_commit` isn't a problem, because every append sets it.
    func durability() async throws -> LogFinding {
      let query = "SELECT current_setting('fsync', true), current_setting('full_page_writes', true)"
      return try await run("durability", query) { rows in
        let off = zip(["fsync", "full_page_writes"], 0...).filter { rows.text(0, $0.1) == "off" }.map(\.0)
        if off.isEmpty { return (.healthy, "the server syncs its disk") }
        let settings = off.map { "\($0) = off" }.joined(separator: ", ")
        return (
          .problem(
            remedy: "Run \(off.map { "ALTER SYSTEM SET \($0) = on" }.joined(separator: ", ")), and SELECT "
              + "pg_reload_conf()"),
          "a power loss can destroy the log (\(settings))"
        )
      }
    }

    func connections() async throws -> LogFinding {
      let query = """
        SELECT count(*), current_setting('max_connections')::bigint
            - current_setting('superuser_reserved_connections')::bigint
          FROM pg_catalog.pg_stat_activity WHERE datid IS NOT NULL
        """
      return try await run("connections", query) { rows in
        let (used, all) = (rows.int(0, 0) ?? 0, max(1, rows.int(0, 1) ?? 1))
        let message = "\(used) of \(all) connections are in use"
        return used * 100 < all * limits.connectionPercent
          ? (.healthy, message)
          : (.problem(remedy: "Increase max_connections, use fewer connections, or add a connection pooler"), message)
      }
    }
  }
#endif
