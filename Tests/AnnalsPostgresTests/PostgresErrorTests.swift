#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsRemote
  import AnnalsTesting
  import Foundation
  import Networks
  import Synchronization
  import Testing

  @Suite struct PostgresErrorTests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    private func opening(
      _ url: String, _ options: PostgresOptions, _ environment: StoreEnvironment = StoreEnvironment()
    ) async -> EventStoreError? {
      await #expect(throws: EventStoreError.self) {
        try await PostgresEventStore(url: url, options: options, environment: environment)
      }
    }

    @Test func `A server that is not there is said to be unreachable, at once`() async throws {
      for url in ["postgresql:///x?host=/tmp/annals-nowhere", "host=127.0.0.1 port=1 dbname=x"] {
        // A call that waited would wait for as long as it may.
        let (options, notes) = (server.options(), Notes())
        let began = ContinuousClock.now
        let error = await opening(url, options, StoreEnvironment(monitor: notes))
        #expect(error?.code == .unreachable && error?.message.contains("can't be reached") == true)
        #expect(notes[.connectionFailures].count == 1)
        #expect(ContinuousClock.now - began < options.patience)
      }
    }

    @Test func `A text that is no URL, a wrong database and a wrong role are refused, at once`() async throws {
      let urls = [
        "postgresql://[", "what", server.url.replacingOccurrences(of: "/annals?", with: "/none?"),
        server.url.replacingOccurrences(of: "annals@", with: "noone@"),
      ]
      for url in urls {
        let options = server.options()
        let began = ContinuousClock.now
        let error = await opening(url, options)
        #expect(error?.code == .refused || error?.code == .unreachable, "\(url): \(String(describing: error))")
        #expect(ContinuousClock.now - began < options.patience)
      }
      #expect(await opening(urls[2], server.options())?.code == .refused)
      #expect(await opening(urls[3], server.options())?.code == .refused)
    }

    @Test func `A URL that libpq refuses gets another remedy than a wrong role`() async throws {
      for url in [
        "postgresql://[", "postgresql:///x?sslmode=quite", "postgresql://h:abc/x", "host=a,b hostaddr=1.2.3.4",
      ] {
        let error = await opening(url, server.options())
        #expect(error?.code == .refused && error?.message.hasSuffix("; correct the URL") == true, "\(url): \(error)")
      }
      let error = await opening(server.url.replacingOccurrences(of: "annals@", with: "noone@"), server.options())
      #expect(error?.message.hasSuffix("pg_hba.conf") == true && error?.message.contains("28000") == true)
      #expect(error?.message.contains("LOCATION") == false)
    }

    @Test(arguments: [
      ("57P03", "le système de bases de données se lance", EventStoreError.Code.unreachable),
      ("57P01", "arrêt des connexions suite à la demande de l'administrateur", .unreachable),
      ("53300", "désolé, trop de clients sont déjà connectés", .busy),
      ("28P01", "authentification par mot de passe échouée", .refused),
      ("3D000", "la base de données n'existe pas", .refused),
      ("08P01", "server login has been failing, cached error: connect failed", .unreachable),
      ("08P01", "no more connections allowed (max_client_conn)", .busy),
    ])
    func `Errors of a connection are recognized in every language`(
      state: String, message: String, code: EventStoreError.Code
    ) async throws {
      let proxy = try FaultyProxy(to: server.url, SplitMix64(seed: 1))
      defer { proxy.close() }
      proxy.refuse(state, message, times: .max)
      var patience = 200
      while true {
        let error = await opening(proxy.url, server.options { $0.patience = .milliseconds(patience) })
        if error?.code == code, error?.message.contains("\(state): \(message)") == true { break }
        // On a full machine, the error can arrive after the call has ended.
        try #require(error?.message.contains("didn't respond within") == true && patience < 100_000, "\(error)")
        patience *= 2
      }
    }

    /// The server's error while it starts, in its language.
    private static let starting = "le système de bases de données se lance"

    @Test(arguments: [true, false])
    func `Opening waits for a server that closes connections before they are open`(hasError: Bool) async throws {
      let proxy = try FaultyProxy(to: server.url, SplitMix64(seed: 1))
      defer { proxy.close() }
      // The client sends this parameter in its first message.
      let startup = "client_encoding"
      func close(_ times: Int) {
        if hasError { proxy.refuse("57P03", Self.starting, times: times) } else { proxy.cut(at: startup, times: times) }
      }
      close(5)
      let options = server.options()
      let store = try await PostgresEventStore(url: proxy.url, options: options)
      #expect(try await store.head() == 0 && proxy.refusalsLeft == 0 && proxy.cutsLeft == 0)
      // Also if the next host isn't reachable at all.
      close(3)
      let url = "postgresql://annals@/annals?host=\(proxy.folder),/tmp/annals-nowhere"
      #expect(try await PostgresEventStore(url: url, options: options).head() == 0)
      #expect(proxy.refusalsLeft == 0 && proxy.cutsLeft == 0)
      close(.max)
      var patience = 1
      while true {
        let began = ContinuousClock.now
        let error = await opening(proxy.url, server.options { $0.patience = .seconds(patience) })
        #expect(error?.code == .unreachable && ContinuousClock.now - began >= .seconds(patience))
        if error?.message.contains("was reached, but no connection could be opened for") == true {
          #expect(!hasError || error?.message.contains("57P03: \(Self.starting)") == true, "\(error)")
          break
        }
        // On a full machine, the first attempt can take longer.
        try #require(error?.message.contains("didn't respond within") == true && patience < 256, "\(error)")
        patience *= 2
      }
    }

    @Test func `An append passes while a server that speaks another language starts`() async throws {
      let proxy = try FaultyProxy(to: server.url, SplitMix64(seed: 1))
      defer { proxy.close() }
      let options = server.options()
      let store = try await PostgresEventStore(url: proxy.url, options: options)
      proxy.refuse("57P03", Self.starting, times: 4)
      proxy.cut(at: "annals_write", times: 1)
      let receipt = try await store.append(Append([NewEvent(type: "A", payload: nil)], to: "s"))
      #expect(receipt.position == 1 && proxy.refusalsLeft == 0 && proxy.cutsLeft == 0)
    }

    @Test func `A log of a newer format, and tables of something else, are left alone`() async throws {
      let options = server.options()
      _ = try await PostgresEventStore(url: server.url, options: options)
      try await server.sql("UPDATE \(options.schema).annals_log_base SET format = 99")
      let error = await opening(server.url, options)
      #expect(error?.code == .newerFormat && error?.format == 99)
      let other = server.options()
      try await server.sql("CREATE SCHEMA \(other.schema); CREATE TABLE \(other.schema).annals_log (a integer)")
      #expect(await opening(server.url, other)?.code == .notALog)
    }

    @Test func `A role with few privileges appends and reads, and one with fewer is refused`() async throws {
      let options = server.options()
      let (schema, role) = (options.schema, options.schema + "_role")
      try await server.sql("CREATE ROLE \(role) LOGIN")
      let url = server.url.replacingOccurrences(of: "annals@", with: role + "@")
      #expect(await opening(url, options)?.code == .refused)
      _ = try await PostgresEventStore(url: server.url, options: options)
      #expect(await opening(url, options)?.code == .refused)
      // As Docs/PostgreSQL.md says.
      try await server.sql(
        """
        GRANT USAGE ON SCHEMA \(schema) TO \(role);
        GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO \(role);
        """)
      let reader = try await PostgresEventStore(url: url, options: options)
      let append = Append([NewEvent(type: "A", payload: nil, tags: ["t"])], to: "s")
      let error = await #expect(throws: EventStoreError.self) { try await reader.append(append) }
      #expect(error?.code == .refused)
      try await server.sql(
        """
        GRANT INSERT ON ALL TABLES IN SCHEMA \(schema) TO \(role);
        GRANT UPDATE ON \(schema).annals_log_base TO \(role);
        """)
      #expect(try await reader.append(append).position == 1)
      #expect(try await reader.events(.tagged("t"), after: 0, limit: 9).count == 1)
    }

    @Test func `A log that others hold for too long is busy, and so are connections`() async throws {
      let options = server.options()
      let patient = try await PostgresEventStore(url: server.url, options: options)
      let impatient = try await TestServer.withGrowingTimeout(after: [.busy, .unreachable]) { timeout in
        var few = options
        few.patience = .seconds(timeout)
        return try await PostgresEventStore(url: server.url, options: few)
      }
      let append = Append([NewEvent(type: "A", payload: nil)], to: "s")
      // `holding` locks the table with psql.
      let holder = #/process \d+ \(psql, user annals, active\) holds a lock on the table (.+)\.annals_log_base, in/#
      try await server.holding(options.schema) { release in
        let error = await #expect(throws: EventStoreError.self) { try await impatient.append(append) }
        #expect(error?.code == .busy)
        #expect(try holder.firstMatch(in: error?.message ?? "")?.1 == options.schema[...], "\(error)")
        async let appended = patient.append(append)
        try await release()
        #expect(try await appended.position == 1)
      }
      // Reads wait for a lock of the whole table.
      try await server.holding(options.schema, by: "LOCK TABLE \(options.schema).annals_log_base") { release in
        async let head = patient.head()
        #expect(try await server.callWaits(in: options.schema))
        let error = await #expect(throws: EventStoreError.self) { try await impatient.head() }
        #expect(error?.code == .busy)
        #expect(try holder.firstMatch(in: error?.message ?? "")?.1 == options.schema[...], "\(error)")
        try await release()
        #expect(try await head == 1)
      }
    }

    /// Opens a locked log with a patience that grows until the error names the lock.
    private func expectBusyOpening(_ options: PostgresOptions, containing words: String) async throws {
      var patience = 1
      while true {
        var impatient = options
        impatient.patience = .seconds(patience)
        let error = await opening(server.url, impatient)
        if error?.code == .busy, error?.message.contains(words) == true { return }
        // On a full machine, the connection can take longer.
        try #require([.busy, .unreachable].contains(error?.code) && patience < 256, "\(error)")
        patience *= 2
      }
    }

    /// Waits until a store's server processes have waited for a lock three times, and expects one process at a time.
    ///
    /// - Parameter name: The `application_name` in the store's URL.
    /// - Throws: The error of the server's client.
    private func expectOneWaitingProcess(of name: String) async throws {
      let waiting = """
        SELECT pid, query_start FROM pg_stat_activity
          WHERE application_name = '\(name)' AND wait_event_type = 'Lock'
        """
      var waits: Set<Substring> = []
      while waits.count < 3 {
        let now = try await server.sql(waiting).split(separator: "\n")
        #expect(now.count <= 1)
        waits.formUnion(now)
        try await Task.sleep(for: .milliseconds(50))
      }
    }

    @Test func `Opening a locked log is busy, names the session, and leaves no waiting process`() async throws {
      // The server ends every wait after a third of `answerTimeout`, and the store then waits once more.
      let options = server.options { $0.answerTimeout = .seconds(9) }
      try await PostgresEventStore(url: server.url, options: options).close()
      let lock = "LOCK TABLE \(options.schema).annals_log_base"
      let holder = "(psql, user annals, active) holds a lock on the table \(options.schema).annals_log_base"
      try await server.holding(options.schema, by: lock) { release in
        try await expectBusyOpening(options, containing: holder)
        let url = server.url.replacingOccurrences(of: "annals?", with: "annals?application_name=\(options.schema)&")
        async let opened = PostgresEventStore(url: url, options: options)
        try await expectOneWaitingProcess(of: options.schema)
        try await release()
        #expect(try await opened.head() == 0)
      }
    }

    @Test func `Creating a log that another session is creating is busy, and succeeds after it`() async throws {
      let options = server.options()
      let creation = "CREATE SCHEMA \(options.schema); CREATE TABLE \(options.schema).annals_log (a integer)"
      try await server.holding(options.schema, by: creation) { release in
        try await expectBusyOpening(options, containing: "The server canceled the statement")
        async let opened = PostgresEventStore(url: server.url, options: options)
        // The other session's transaction is rolled back.
        try await release()
        #expect(try await opened.head() == 0)
      }
    }

    @Test func `A read behind a waiting change of a table names the session that changes it`() async throws {
      let options = server.options()
      let store = try await TestServer.withGrowingTimeout(after: [.busy, .unreachable]) { timeout in
        var few = options
        few.patience = .seconds(timeout)
        return try await PostgresEventStore(url: server.url, options: few)
      }
      let table = options.schema + ".annals_log_base"
      try await server.holding(options.schema, by: "SELECT 1 FROM \(table)") { release in
        let change = Task { try await server.sql("BEGIN; LOCK TABLE \(table); COMMIT") }
        #expect(try await server.migrationWaits(in: options.schema))
        let error = await #expect(throws: EventStoreError.self) { try await store.head() }
        let waiting = "(psql, user annals, active) waits, before other sessions, for a lock on the table \(table)"
        #expect(error?.code == .busy && error?.message.contains(waiting) == true, "\(error)")
        try await release()
        _ = try await change.value
      }
      #expect(try await store.head() == 0)
    }

    @Test(arguments: [true, false])
    func `However often a store tries, one of its server processes waits for a lock`(areAppends: Bool) async throws {
      var options = server.options()
      try await PostgresEventStore(url: server.url, options: options).close()
      // The server ends every wait after a third of `answerTimeout`. A full machine has the other two thirds to report
      // the end before the store gives up the connection.
      options.answerTimeout = .seconds(9)
      if !areAppends { options.connections = 1 }
      let url = server.url.replacingOccurrences(of: "annals?", with: "annals?application_name=\(options.schema)&")
      let store = try await PostgresEventStore(url: url, options: options)
      let lock = areAppends ? nil : "LOCK TABLE \(options.schema).annals_log_base"
      try await server.holding(options.schema, by: lock) { release in
        let calls = (0..<3).map { number in
          Task {
            if !areAppends { return try await store.head() }
            return try await store.append(Append([NewEvent(type: "A", payload: nil)], to: "s\(number)")).position
          }
        }
        try await expectOneWaitingProcess(of: options.schema)
        try await release()
        for call in calls { _ = try await call.value }
      }
      #expect(try await store.head() == (areAppends ? 3 : 0))
    }

    @Test func `Appends behind one that waits for a lock are busy together with it`() async throws {
      let options = server.options()
      let patient = try await PostgresEventStore(url: server.url, options: options)
      let store = try await TestServer.withGrowingTimeout(after: [.busy, .unreachable]) { timeout in
        var few = options
        few.patience = .seconds(timeout)
        return try await PostgresEventStore(url: server.url, options: few)
      }
      try await server.holding(options.schema) { _ in
        // 1,000 appends are several groups. One after another, they would wait for seconds each.
        let codes = await withTaskGroup(of: EventStoreError.Code?.self) { group in
          for number in 0..<1_000 {
            group.addTask {
              do {
                try await store.append(Append([NewEvent(type: "A", payload: nil)], to: "s\(number)"))
                return nil
              } catch { return (error as? EventStoreError)?.code }
            }
          }
          return await group.reduce(into: Set<EventStoreError.Code?>()) { $0.insert($1) }
        }
        #expect(codes == [.busy])
      }
      #expect(try await patient.head() == 0)
    }

    private final class Count: Sendable {
      let value = Mutex(0)
    }

    /// Sends 11,000 calls at the same time, and returns the number of successful calls.
    private static func calls(_ store: PostgresEventStore, areAppends: Bool, _ refused: Count) async -> Int {
      await withTaskGroup(of: Bool.self) { group in
        for number in 0..<11_000 {
          group.addTask {
            do {
              if areAppends {
                try await store.append(Append([NewEvent(type: "A", payload: nil)], to: StreamName("s\(number)")))
              } else {
                _ = try await store.head()
              }
              return true
            } catch {
              let error = error as? EventStoreError
              #expect(error?.code == .busy && error?.message.hasPrefix("10000 calls") == true, "\(error)")
              refused.value.withLock { $0 += 1 }
              return false
            }
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
    }

    @Test(arguments: [true, false])
    func `Calls are busy immediately if 10,000 others wait`(areAppends: Bool) async throws {
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      let refused = Count()
      var task: Task<Int, Never>?
      let lock = areAppends ? nil : "LOCK TABLE \(options.schema).annals_log_base"
      try await server.holding(options.schema, by: lock) { release in
        task = Task { await Self.calls(store, areAppends: areAppends, refused) }
        // The lock is still held. A group of appends, or some reads, have left the queue.
        while refused.value.withLock({ $0 }) < 700 { try await Task.sleep(for: .milliseconds(5)) }
        try await release()
      }
      let done = try await #require(task).value
      #expect(done == 11_000 - refused.value.withLock { $0 } && done >= 10_000)
      if areAppends { #expect(try await store.head().rawValue == done) }
    }

    @Test func `A role without a free connection is waited for, and said to be full`() async throws {
      try await open(server, limit: "CONNECTION LIMIT 1")
    }

    @Test func `A server without a free connection is waited for, and said to be full`() async throws {
      try await TestServer.own { server, _ in
        // The server reserves the other connections for superusers.
        for setting in ["max_connections = 4", "superuser_reserved_connections = 3"] {
          try await server.sql("ALTER SYSTEM SET \(setting)")
        }
        try await server.restart()
        try await open(server, limit: "")
      }
    }

    /// Opens a second store of a role that can have only one connection.
    private func open(_ server: TestServer, limit: String) async throws {
      let (options, notes) = (server.options(), Notes())
      let role = options.schema + "_role"
      try await server.sql("CREATE ROLE \(role) LOGIN \(limit); \(TestServer.grant(creationTo: role))")
      let url = server.url.replacingOccurrences(of: "annals@", with: role + "@")
      let first = try await PostgresEventStore(url: url, options: options)
      _ = try await first.append(Append([NewEvent(type: "A", payload: nil)], to: "s"))
      let error = await #expect(throws: EventStoreError.self) {
        try await TestServer.withGrowingTimeout { timeout in
          var impatient = options
          impatient.patience = .seconds(timeout)
          return try await PostgresEventStore(url: url, options: impatient)
        }
      }
      #expect(error?.code == .busy && error?.message.contains("CONNECTION LIMIT") == true)
      // A second one that waits comes in when the first one goes.
      async let second = PostgresEventStore(
        url: url, options: options, environment: StoreEnvironment(monitor: notes))
      _ = try await notes.report(.failed, containing: "53300")
      first.close()
      #expect(try await second.head() == 1)
    }

    @Test func `An append to a server whose disk is full has no effect, and succeeds after there is space`()
      async throws
    {
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      try await server.sql(
        """
        CREATE FUNCTION \(options.schema).fill() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
        CREATE TRIGGER full_disk BEFORE INSERT ON \(options.schema).annals_event
          FOR EACH ROW EXECUTE FUNCTION \(options.schema).fill()
        """)
      let append = Append([NewEvent(type: "A", payload: nil)], to: "s", expecting: .doesNotExist)
      let error = await #expect(throws: EventStoreError.self) { try await store.append(append) }
      #expect(error?.code == .io && error?.message.contains("The server's disk is full") == true, "\(error)")
      #expect(try await store.head() == 0)
      try await server.sql("DROP TRIGGER full_disk ON \(options.schema).annals_event")
      #expect(try await store.append(append).position == 1)
      store.close()
    }

    @Test func `What the server cannot keep is refused, alone among those of its group`() async throws {
      let store = try await PostgresEventStore(url: server.url, options: server.options())
      let long = (0..<9_000).map { _ in String(UInt8.random(in: 10...99)) }.joined()
      let outcomes = await withTaskGroup(of: (Int, EventStoreError.Code?).self) { group in
        for number in 0..<20 {
          group.addTask {
            let name = StreamName(number == 7 ? long : "s\(number)")
            do {
              try await store.append(Append([NewEvent(type: "A", payload: nil)], to: name))
              return (number, nil)
            } catch { return (number, (error as? EventStoreError)?.code) }
          }
        }
        return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
      }
      #expect(outcomes == [7: .invalidAppend])
      #expect(try await store.head() == 19)
    }

    @Test func `A store that was closed says so, and so do calls that wait`() async throws {
      let store = try await PostgresEventStore(url: server.url, options: server.options())
      store.close()
      let error = await #expect(throws: EventStoreError.self) { try await store.head() }
      #expect(error?.code == .closed)
    }
  }
#endif
