#if Postgres
  import Annals
  import AnnalsTesting
  import Foundation
  import Networks
  import Synchronization
  import Testing

  @testable import AnnalsPostgres

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Calls that wait for a synchronous standby.
  private final class Calls: Sendable {
    private let primary: TestServer
    private let names = Mutex<[String]>([])

    init(_ primary: TestServer) { self.primary = primary }

    /// The names of the calls that have ended.
    var ended: [String] { names.withLock { $0 } }

    /// Starts a call, and returns when its connection waits for the standby, or when the call has ended.
    ///
    /// - Parameters:
    ///   - name: The application name of the connection.
    ///   - body: The call.
    /// - Returns: The task of the call.
    /// - Throws: ``TestServer/Failed`` if the server doesn't respond.
    func start(_ name: String, _ body: @escaping @Sendable () async throws -> [String]) async throws -> Task<
      [String], any Error
    > {
      let task = Task {
        let result = try await body()
        names.withLock { $0.append(name) }
        return result
      }
      let waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)' AND wait_event = 'SyncRep'"
      while try await primary.sql(waiting) != "1\n", !ended.contains(name) {}
      return task
    }
  }

  /// Appends between their commit and the confirmation of the disk and the standby.
  @Suite struct PostgresDurableTests {
    private static func append(_ type: String) -> Append { Append([NewEvent(type: type, payload: nil)], to: "s") }

    private static func types(_ store: PostgresEventStore) async throws -> [String] {
      try await store.events(.all, after: 0, limit: 100).map(\.type)
    }

    /// Stops the server's process that writes the log to the disk, so that only a commit that waits does it.
    ///
    /// The other processes would add to the log by themselves, for example every 15 seconds.
    private static func stopWriter(of server: TestServer) async throws {
      try await server.sql("CHECKPOINT")
      for type in ["walwriter", "background writer", "checkpointer", "autovacuum launcher"] {
        let process = "FROM pg_stat_activity WHERE backend_type = '\(type)'"
        var pid: Int32?
        // After a start, the server doesn't list all processes immediately.
        while pid == nil {
          pid = Int32(try await server.sql("SELECT pid \(process)").trimmingCharacters(in: .whitespacesAndNewlines))
        }
        let found = try #require(pid)
        while true {
          #expect(kill(found, SIGSTOP) == 0)
          // If the process is stopped during its work, it might hold a lock that every other commit needs.
          if try await server.sql("SELECT wait_event_type \(process)") == "Activity\n" { break }
          #expect(kill(found, SIGCONT) == 0)
        }
      }
    }

    private static let isFlushed = "SELECT pg_current_wal_insert_lsn() <= pg_current_wal_flush_lsn()"

    @Test func `A read returns only events that a crash of the server leaves`() async throws {
      try await TestServer.own { server, crash in
        let reading = server.options { $0.notifies = false }
        // Appends of this store are committed without the disk.
        var writing = reading
        writing.durability = .process
        let writer = try await PostgresEventStore(url: server.url, options: writing)
        let reader = try await PostgresEventStore(url: server.url, options: reading)
        try await reader.append(Self.append("A"))
        for isRead in [false, true] {
          try await Self.stopWriter(of: server)
          try await writer.append(Self.append("B"))
          #expect(try await server.sql(Self.isFlushed) == "f\n")
          if isRead { #expect(try await Self.types(reader) == ["A", "B"]) }
          try await crash()
          #expect(try await Self.types(reader) == (isRead ? ["A", "B"] : ["A"]))
        }
        reader.close()
        writer.close()
      }
    }

    @Test(arguments: Durability.allCases)
    func `An append waits for the disk if the options require it`(durability: Durability) async throws {
      try await TestServer.own { server, _ in
        let options = server.options { ($0.durability, $0.notifies) = (durability, false) }
        let store = try await PostgresEventStore(url: server.url, options: options)
        try await Self.stopWriter(of: server)
        try await store.append(Self.append("A"))
        #expect(try await server.sql(Self.isFlushed) == (durability == .process ? "f\n" : "t\n"))
        store.close()
      }
    }

    @Test func `Only a transaction that writes waits for earlier commits`() async throws {
      try await TestServer.own { server, _ in
        let options = server.options { ($0.durability, $0.notifies) = (.process, false) }
        let store = try await PostgresEventStore(url: server.url, options: options)
        try await Self.stopWriter(of: server)
        try await store.append(Self.append("A"))
        try await server.sql("SET synchronous_commit = on; BEGIN; SELECT 1; COMMIT")
        #expect(try await server.sql(Self.isFlushed) == "f\n")
        let statement = try #require(DurableEnd(.power).statement())
        let pool = store.pool
        _ = try await pool.run([statement])
        #expect(try await server.sql(Self.isFlushed) == "t\n")
        #expect(DurableEnd(.process).statement() == nil)
        store.close()
      }
    }

    @Test func `A read relies only on positions that its server has confirmed in the same life`() {
      func moment(_ server: String, began: Double, time: Double) -> DurableEnd.Moment {
        DurableEnd.Moment(server: server, began: began, time: time)
      }
      let end = DurableEnd(.power)
      let read = moment("first", began: 2, time: 10)
      #expect(end.mustWait(for: 1, at: read, isDurable: false))
      end.add(5, at: moment("first", began: 1, time: 9))
      #expect(!end.mustWait(for: 5, at: read, isDurable: false))
      #expect(end.mustWait(for: 6, at: read, isDurable: false))
      #expect(end.mustWait(for: 5, at: moment("second", began: 2, time: 10), isDurable: false))
      // The read was before a crash, after which the position was confirmed.
      #expect(end.mustWait(for: 5, at: moment("first", began: 0, time: 0.5), isDurable: false))
      let second = moment("second", began: 3, time: 11)
      #expect(!end.mustWait(for: 3, at: second, isDurable: true))
      #expect(!end.mustWait(for: 3, at: second, isDurable: false))
      #expect(end.mustWait(for: 5, at: second, isDurable: false))
      #expect(end.mustWait(for: 3, at: read, isDurable: false))
      #expect(!second.covers(read) && !read.covers(second))
      #expect(!(moment("first", began: 11, time: 12)).covers(read))
      #expect(DurableEnd(.process).mustWait(for: 9, at: read, isDurable: false) == false)
    }

    @Test func `An append that waits for the disk leaves the log to the next append`() async throws {
      let server = try TestServer()
      let proxy = try FaultyProxy(to: server.url, SplitMix64(seed: 1))
      defer { proxy.close() }
      let options = server.options()
      let other = try await PostgresEventStore(url: server.url, options: options)
      let store = try await PostgresEventStore(url: proxy.url, options: options)
      let release = proxy.hold(at: "pg_logical_emit_message")
      async let first = store.append(Self.append("A"))
      while try await other.head() < 1 {}
      #expect(proxy.hasHeld)
      #expect(try await other.append(Self.append("B")).position == 2)
      release()
      #expect(try await first.position == 1)
      other.close()
      store.close()
    }

    @Test func `An append whose confirmation is lost is in the log once`() async throws {
      let server = try TestServer()
      let proxy = try FaultyProxy(to: server.url, SplitMix64(seed: 1))
      defer { proxy.close() }
      let options = server.options()
      let url = proxy.url.replacingOccurrences(of: "annals?", with: "annals?application_name=\(options.schema)&")
      let store = try await PostgresEventStore(url: url, options: options)
      let release = proxy.hold(at: "pg_logical_emit_message")
      async let receipt = store.append(Self.append("A"))
      while try await server.sql("SELECT count(*) FROM \(options.schema).annals_event") != "1\n" {}
      try await server.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(options.schema)'")
      #expect(try await receipt == Receipt(position: 1, count: 1, transaction: 1, versions: ["s": 1]))
      release()
      #expect(try await Self.types(store) == ["A"])
      store.close()
    }

    @Test func `An append whose confirmation is refused is in the log once`() async throws {
      let server = try TestServer()
      let options = server.options { ($0.connections, $0.notifies) = (1, false) }
      let store = try await PostgresEventStore(url: server.url, options: options)
      try await store.append(Self.append("A"))
      // As with a pooler, another client's connection doesn't have the prepared statement.
      let name = try #require(DurableEnd(.power).statement()?.name)
      _ = try await store.pool.run([SQLStatement("DEALLOCATE \(name)")])
      let receipt = try await store.append(Self.append("B"))
      #expect(receipt == Receipt(position: 2, count: 1, transaction: 2, versions: ["s": 2]))
      #expect(try await Self.types(store) == ["A", "B"])
      store.close()
    }

    @Test func `A missing standby doesn't increase the number of server processes`() async throws {
      try await TestServer.pair(isSynchronous: true) { pair in
        let options = pair.primary.options {
          ($0.patience, $0.answerTimeout, $0.notifies) = (.seconds(2), .seconds(2), false)
        }
        // A full machine might need more time to create the log.
        var patient = options
        (patient.patience, patient.answerTimeout) = (.seconds(600), .seconds(1_800))
        try await PostgresEventStore(url: pair.url, options: patient).close()
        try await pair.stopStandby()
        var (store, missing): (PostgresEventStore?, Int) = (nil, 0)
        let notes = Notes()
        while store == nil {
          store = try? await PostgresEventStore(
            url: pair.url + "&application_name=store", options: options, environment: StoreEnvironment(monitor: notes))
        }
        let found = try #require(store)
        while missing < 4 {
          do {
            try await found.append(Self.append("A"))
            Issue.record("The append was confirmed without the standby")
          } catch let error as EventStoreError where error.code == .unknownOutcome {
            missing += 1
          } catch is EventStoreError {}
        }
        let waiting =
          "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'store' AND wait_event = 'SyncRep'"
        var count = Int.max
        // The next call ends the server process of the last one.
        for _ in 0..<300 where count > 1 {
          _ = try? await found.head()
          count = Int(try await pair.primary.sql(waiting).dropLast()) ?? .max
        }
        #expect(count <= 1)
        let abandoned = try await notes.report(.abandoned)
        #expect(abandoned.message.hasPrefix("the server process ") && abandoned.host.hasSuffix(":5432"))
        #expect(notes.reports.contains { $0.kind == .silent && $0.host == abandoned.host })
        try await pair.startStandby()
        found.close()
      }
    }

    @Test func `No read returns events that a failover to a synchronous standby removes`() async throws {
      try await TestServer.pair(isSynchronous: true) { pair in
        let options = pair.primary.options { $0.notifies = false }
        func store(_ name: String) async throws -> PostgresEventStore {
          try await PostgresEventStore(url: pair.url + "&application_name=" + name, options: options)
        }
        let (writer, other, reader) = (try await store("writer"), try await store("other"), try await store("reader"))
        try await writer.append(Self.append("A"))
        #expect(try await Self.types(reader) == ["A"])
        let text = try await pair.primary.sql("SELECT pid FROM pg_stat_replication")
        let sender = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(sender, SIGSTOP) == 0)
        // This durability doesn't include the standby.
        var local = options
        local.durability = .system
        let careless = try await PostgresEventStore(url: pair.url, options: local)
        #expect(try await careless.append(Self.append("L")).position == 2)
        careless.close()
        let calls = Calls(pair.primary)
        let first = try await calls.start("writer") {
          try await writer.append(Self.append("B")).versions.map(\.key.text)
        }
        // The append waits for the standby, but not for the first append.
        let second = try await calls.start("other") {
          try await other.append(Self.append("C")).versions.map(\.key.text)
        }
        let read = try await calls.start("reader") { try await Self.types(reader) }
        #expect(try await pair.primary.sql("SELECT count(*) FROM \(options.schema).annals_event") == "4\n")
        #expect(calls.ended == [])
        async let killed: Void = pair.killPrimary()
        kill(sender, SIGKILL)
        try await killed
        try await pair.promote()
        try await pair.standby.sql("ALTER SYSTEM SET synchronous_standby_names = ''")
        try await pair.standby.sql("SELECT pg_reload_conf()")
        let (_, _, seen) = (try await first.value, try await second.value, try await read.value)
        let types = try await Self.types(reader)
        #expect(types.sorted() == ["A", "B", "C"] && types.starts(with: seen))
        for store in [writer, other, reader] { store.close() }
      }
    }
  }
#endif
