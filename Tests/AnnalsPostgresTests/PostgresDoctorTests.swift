#if Postgres
  import Annals
  import AnnalsRemote
  import Foundation
  import Testing
  @testable import AnnalsPostgres

  /// The diagnosis of a log and its server.
  @Suite struct PostgresDoctorTests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    /// The findings of a check.
    private static func findings(
      _ check: String, _ url: String, _ options: PostgresOptions,
      _ change: (inout PostgresDiagnosis.Limits) -> Void = { _ in }
    ) async throws -> [LogFinding] {
      var maintenance = PostgresMaintenance(url: url, options: options)
      change(&maintenance.limits)
      return try await maintenance.findings().filter { $0.check == check }
    }

    /// Returns the only finding of a check.
    private static func finding(
      _ check: String, _ url: String, _ options: PostgresOptions,
      _ change: (inout PostgresDiagnosis.Limits) -> Void = { _ in }
    ) async throws -> LogFinding {
      let findings = try await findings(check, url, options, change)
      #expect(findings.count == 1)
      return try #require(findings.first)
    }

    private static func isProblem(_ finding: LogFinding, with words: String...) -> Bool {
      guard case .problem(let remedy) = finding.state else { return false }
      return words.allSatisfy { remedy.contains($0) }
    }

    private static func isIncomplete(_ finding: LogFinding, with words: String...) -> Bool {
      guard case .incomplete(let remedy) = finding.state else { return false }
      return words.allSatisfy { remedy.contains($0) }
    }

    @Test func `A held lock is named with its session and the waiting sessions`() async throws {
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      // The default limit is longer than any append.
      #expect(try await Self.finding("lock", server.url, options).state == .healthy)
      try await server.holding(options.schema) { release in
        async let appended: Void = store.write("a", to: "a")
        #expect(try await server.appendWaits(in: options.schema))
        let held = try await Self.finding("lock", server.url, options) { $0.lockSeconds = 0 }
        #expect(Self.isProblem(held, with: "pg_terminate_backend("), "\(held)")
        #expect(held.message.contains("(psql, user annals"), "\(held)")
        #expect(held.message.contains("\(options.schema).annals_log_base"), "\(held)")
        #expect(held.message.contains(", 1 waiting session"), "\(held)")
        try await release()
        try await appended
      }
      let free = try await Self.finding("lock", server.url, options) { $0.lockSeconds = 0 }
      #expect(free == LogFinding("lock", .healthy, "no session holds a lock that blocks appends"))
    }

    @Test func `A locked table doesn't stop the other checks`() async throws {
      let options = server.options()
      _ = try await PostgresEventStore(url: server.url, options: options)
      let lock = "LOCK TABLE \(options.schema).annals_log_base, \(options.schema).annals_event"
      try await server.holding(options.schema, by: lock) { _ in
        let findings = try await PostgresMaintenance(url: server.url, options: options).findings()
        #expect(findings.contains { $0.check == "format" && Self.isIncomplete($0, with: "the lock") }, "\(findings)")
        #expect(findings.contains { $0.check == "size" && Self.isIncomplete($0, with: "the lock") })
        #expect(findings.contains { $0.check == "lock" && $0.message.contains("psql") })
        #expect(findings.contains { $0.check == "durability" && $0.state == .healthy })
      }
    }

    @Test func `An open snapshot is named with its session`() async throws {
      let options = server.options()
      _ = try await PostgresEventStore(url: server.url, options: options)
      try await server.holdingSnapshot(options.schema) {
        let old = try await Self.finding("snapshots", server.url, options) { $0.snapshotSeconds = 0 }
        #expect(Self.isProblem(old, with: "pg_terminate_backend("), "\(old)")
        let young = try await Self.finding("snapshots", server.url, options) { $0.snapshotSeconds = .max }
        #expect(young.state == .healthy && young.message.contains("the oldest snapshot belongs to process"), "\(young)")
      }
    }

    @Test func `Dead rows are counted, and a table with many is a problem`() async throws {
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      try await store.write("a", to: "a")
      store.close()
      try await server.sql(
        "ALTER TABLE \(options.schema).annals_event SET (autovacuum_enabled = false); UPDATE \(options.schema)"
          + ".annals_event SET time = time + 1")
      // The server counts dead rows with a delay.
      var finding = try await Self.finding("dead rows", server.url, options) { $0.deadRows = 0 }
      while finding.state == .healthy {
        finding = try await Self.finding("dead rows", server.url, options) { $0.deadRows = 0 }
      }
      #expect(Self.isProblem(finding, with: "VACUUM (ANALYZE) \"\(options.schema)\".annals_event"), "\(finding)")
      #expect(finding.message.hasPrefix("the table annals_event has 1 dead row and "), "\(finding)")
      #expect(try await Self.finding("dead rows", server.url, options).state == .healthy)
    }

    @Test func `Every follower is a finding with its lag, its leases and its quarantine`() async throws {
      let options = server.options()
      let schema = options.schema
      let store = try await PostgresEventStore(url: server.url, options: options)
      #expect(try await Self.finding("follower", server.url, options).message == "the log has no follower")
      for word in ["a", "b", "c"] { try await store.write(word, to: "s") }
      #expect(try await LineNotes().follower(of: store, partitions: 2).catchUp() == 3)
      let current = try await Self.finding("follower", server.url, options)
      #expect(
        current
          == LogFinding(
            "follower", .healthy, "lines, version 1, is up to date, 0 workers with 0 of 2 leases"))
      try await store.write("d", to: "s")
      let late = try await Self.finding("follower", server.url, options)
      #expect(Self.isProblem(late, with: "Start a worker", "forgetFollower"), "\(late)")
      #expect(late.message.contains("is 1 event behind"), "\(late)")
      func partition(_ change: String) async throws {
        try await server.sql("UPDATE \(schema).annals_partition SET \(change)")
      }
      try await partition("worker = 'w', expires = now() + interval '1 hour'")
      let running = try await Self.finding("follower", server.url, options)
      #expect(
        running.state == .healthy && running.message.contains("1 worker with 2 of 2 leases"), "\(running)")
      let slow = try await Self.finding("follower", server.url, options) { $0.followerEvents = 1 }
      #expect(Self.isProblem(slow, with: "Add workers"), "\(slow)")
      try await partition("expires = now() - interval '1 hour' WHERE partition = 0")
      let dead = try await Self.finding("follower", server.url, options)
      #expect(Self.isProblem(dead, with: "Check its workers") && dead.message.contains("1 expired lease"), "\(dead)")
      try await server.sql(
        "INSERT INTO \(schema).annals_quarantine VALUES ('lines', 1, 's', 4, 3, false, 5, 'x', 1)")
      let aside = try await Self.finding("follower", server.url, options)
      #expect(Self.isProblem(aside, with: "retry") && aside.message.contains("1 stream in quarantine"), "\(aside)")
      // A newer version replaces this version, so this version isn't a problem.
      try await server.sql("INSERT INTO \(schema).annals_follower VALUES ('lines', 2, 1)")
      let both = try await Self.findings("follower", server.url, options)
      #expect(both.map(\.state) == [.healthy, .healthy] && both[0].message.hasSuffix("a newer version replaces it"))
    }

    @Test func `A log of another format has a problem, and a missing log is an error`() async throws {
      let options = server.options()
      await #expect(throws: EventStoreError.self) {
        try await PostgresMaintenance(url: server.url, options: options).findings()
      }
      try await server.sql(FormatTwo.sql(options.schema))
      let old = try await Self.finding("format", server.url, options)
      #expect(Self.isProblem(old, with: "annals migrate URL") && old.message.contains("format 2"), "\(old)")
      #expect(try await Self.finding("lock", server.url, options).state == .healthy)
      try await server.sql("UPDATE \(options.schema).annals_log SET format = 99")
      let new = try await Self.finding("format", server.url, options)
      #expect(Self.isProblem(new, with: "Update the programs") && new.message.contains("format 99"), "\(new)")
    }

    @Test func `A role with few privileges gets incomplete findings, and grants for its activities`() async throws {
      let options = server.options()
      let (schema, role) = (options.schema, "doctor_\(options.schema)")
      let store = try await PostgresEventStore(url: server.url, options: options)
      try await server.sql("CREATE ROLE \(role) LOGIN")
      let url = server.url.replacing("annals@", with: "\(role)@")
      let none = try await Self.finding("privileges", url, options)
      #expect(
        Self.isProblem(
          none, with: "GRANT USAGE ON SCHEMA \"\(schema)\" TO \(role)", "GRANT SELECT ON ALL TABLES IN SCHEMA"),
        "\(none)")
      #expect(try await Self.isIncomplete(Self.finding("format", url, options), with: role))

      try await server.sql(
        "GRANT USAGE ON SCHEMA \(schema) TO \(role); GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO \(role)")
      let reader = try await Self.finding("privileges", url, options)
      #expect(
        reader
          == LogFinding(
            "privileges", .healthy,
            "the role \(role) can read, but can't append, run followers, erase, compact"))
      #expect(try await Self.isIncomplete(Self.finding("snapshots", url, options), with: "GRANT pg_monitor TO \(role)"))
      try await server.holding(schema) { _ in
        let lock = try await Self.finding("lock", url, options) { $0.lockSeconds = 0 }
        #expect(Self.isIncomplete(lock, with: "GRANT pg_monitor"), "\(lock)")
        #expect(lock.message.contains("(psql, user annals)"), "\(lock)")
        // The waiting time is visible, but not the age of the holder's transaction.
        async let appended: Void = store.write("a", to: "a")
        #expect(try await server.appendWaits(in: schema))
        let waited = try await Self.finding("lock", url, options) { $0.lockSeconds = 0 }
        #expect(Self.isProblem(waited) && waited.message.contains("1 waiting session, the longest for"), "\(waited)")
        try await server.sql(
          "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' "
            + "AND query LIKE '%\(schema).annals_log%'"
        )
        try await appended
      }
      try await server.sql("GRANT pg_monitor TO \(role)")
      #expect(try await Self.finding("snapshots", url, options) { $0.snapshotSeconds = .max }.state == .healthy)

      // A part of the privileges for an activity is a mistake, and the remedy is complete.
      try await server.sql("GRANT INSERT ON \(schema).annals_event TO \(role)")
      let partial = try await Self.finding("privileges", url, options)
      guard case .problem(let remedy) = partial.state else {
        Issue.record("\(partial)")
        return
      }
      #expect(remedy.hasPrefix("To append, run GRANT INSERT ON "))
      try await server.sql(String(remedy.trimmingPrefix("To append, run ")))
      #expect(
        try await Self.finding("privileges", url, options).message
          == "the role \(role) can read, append, but can't run followers, erase, compact")
      try await PostgresEventStore(url: url, options: options).write("b", to: "b")
    }

    @Test func `A healthy server has no problem, and every fault of a server is named by the tool`() async throws {
      try await TestServer.own { server, restart in
        let store = try await PostgresEventStore(url: server.url, options: PostgresOptions())
        try await store.write("a", to: "a")
        store.close()
        func doctor(_ words: String...) async throws -> (status: Int32, output: String, talk: String) {
          let child = try Child(["doctor", server.url] + words, of: "annals-tool")
          return (await child.finish(), child.text, child.complaints)
        }
        let healthy = try await doctor()
        #expect(healthy.status == 0 && healthy.talk == "12 checks, all is as it must be\n", "\(healthy)")
        let lines = healthy.output.split(separator: "\n")
        #expect(lines.count == 12 && lines.allSatisfy { $0.hasPrefix("ok ") })

        for setting in ["fsync = off", "full_page_writes = off", "max_prepared_transactions = 5"] {
          try await server.sql("ALTER SYSTEM SET \(setting)")
        }
        try await restart()
        try await server.sql("SELECT pg_create_physical_replication_slot('idle', true)")
        try await server.sql("BEGIN; CREATE TABLE public.x (a integer); PREPARE TRANSACTION 'it''s'")
        let sick = try await doctor("--json")
        #expect(sick.status == 1, "\(sick)")
        for part in [
          "(fsync = off, full_page_writes = off)", "ALTER SYSTEM SET fsync = on",
          "1 of 1 replication slot without a connection, and the oldest is idle",
          "SELECT pg_drop_replication_slot('idle')", "the prepared transaction 'it's' has been open for",
        ] { #expect(sick.output.contains(part), "\(part): \(sick)") }
        let prepared = try await Self.finding("prepared", server.url, PostgresOptions()) { $0.preparedSeconds = 0 }
        #expect(Self.isProblem(prepared, with: "ROLLBACK PREPARED 'it''s'"), "\(prepared)")
        let full = try await Self.finding("connections", server.url, PostgresOptions()) { $0.connectionPercent = 0 }
        #expect(Self.isProblem(full, with: "max_connections"), "\(full)")

        // Without a synchronous standby, a commit would wait, so this setting is last.
        try await server.sql("ALTER SYSTEM SET synchronous_standby_names = 'x'")
        try await server.sql("SELECT pg_reload_conf()")
        var standbys = try await Self.finding("standbys", server.url, PostgresOptions())
        while standbys.state == .healthy {
          standbys = try await Self.finding("standbys", server.url, PostgresOptions())
        }
        #expect(Self.isProblem(standbys, with: "synchronous_standby_names"), "\(standbys)")
        #expect(standbys.message.contains("no synchronous standby is connected"), "\(standbys)")
      }
    }

    @Test func `A standby is named, also if it's slow, and a diagnosis of the standby is incomplete`() async throws {
      try await TestServer.pair(isSynchronous: true) { pair in
        let options = pair.primary.options()
        _ = try await PostgresEventStore(url: pair.primary.url, options: options)
        let good = try await Self.finding("standbys", pair.primary.url, options) {
          ($0.standbySeconds, $0.standbyBytes) = (.max, .max)
        }
        #expect(good.state == .healthy && good.message.hasPrefix("1 standby connected"), "\(good)")
        let slow = try await Self.finding("standbys", pair.primary.url, options) { $0.standbyBytes = 0 }
        #expect(Self.isProblem(slow, with: "Check the standby"), "\(slow)")
        let role = "reader_\(options.schema)"
        try await pair.primary.sql("CREATE ROLE \(role) LOGIN")
        let url = pair.primary.url.replacing("annals@", with: "\(role)@")
        let hidden = try await Self.finding("standbys", url, options)
        #expect(Self.isIncomplete(hidden, with: "pg_monitor"), "\(hidden)")
        let query = "SELECT count(*) FROM pg_tables WHERE schemaname = '\(options.schema)'"
        while try await pair.standby.sql(query) == "0\n" {}
        let standby = try await Self.finding("standbys", pair.standby.url, options)
        #expect(Self.isIncomplete(standby, with: "the primary"), "\(standby)")
      }
    }
  }
#endif
