#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsRemote
  import AnnalsTesting
  import Foundation
  import Networks
  import Testing

  /// The check of the server within a time limit.
  @Suite struct PostgresHealthTests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    /// Returns true if the check has an error, with a limit that grows while the server responds too slowly.
    private func fails(
      _ store: PostgresEventStore, with code: EventStoreError.Code, naming limitName: String = ""
    ) async -> Bool {
      var limit = Duration.seconds(1)
      while limit < .seconds(600) {
        let error = await #expect(throws: EventStoreError.self) { try await store.health(within: limit) }
        let name = limitName.isEmpty ? "" : "\((limit / 3).spelled) (\(limitName))"
        if error?.code == code, name.isEmpty || error?.message.contains(name) == true { return true }
        limit *= 2
      }
      return false
    }

    @Test(arguments: [
      (Duration.nanoseconds(333_333_333), "333 ms"), (.seconds(10), "10 s"), (.milliseconds(1_540), "1.5 s"),
      (.zero, "0 ms"),
      (.microseconds(333), "0.3 ms"), (.milliseconds(999.4), "999 ms"), (.milliseconds(999.9), "1 s"),
      (.seconds(600), "600 s"),
      (.seconds(Int64.max), "9.223372036854776e+18 s"),
    ])
    func `Durations in messages are rounded`(duration: Duration, spelled: String) {
      #expect(duration.spelled == spelled)
    }

    @Test func `A server that accepts appends is healthy, and the check adds no event`() async throws {
      let store = try await PostgresEventStore(url: server.url, options: server.options())
      try await store.write("a", to: "a")
      for _ in 1...3 { #expect(try await store.health(within: .seconds(600)) == 1) }
      let concurrent = try await withThrowingTaskGroup(of: Position.self) { group in
        for _ in 1...20 { group.addTask { try await store.health(within: .seconds(600)) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(concurrent == Array(repeating: 1, count: 20))
      #expect(try await store.head() == 1)
    }

    @Test func `A locked log is busy, also if an append uses the only connection`() async throws {
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      let small = try await PostgresEventStore(
        url: server.url, options: server.options { ($0.schema, $0.connections) = (options.schema, 1) })
      try await server.holding(options.schema) { release in
        let limit = "a third of the limit of health(within:)"
        #expect(await fails(store, with: .busy, naming: limit))
        async let appended: Void = small.write("a", to: "a")
        #expect(try await server.appendWaits(in: options.schema))
        #expect(await fails(small, with: .busy, naming: limit))
        try await release()
        try await appended
      }
      #expect(try await store.health(within: .seconds(600)) == 1)
    }

    @Test func `A server that isn't there is unreachable without a wait for patience`() async throws {
      let proxy = try FaultyProxy(to: server.url, SplitMix64(seed: 1))
      let store = try await PostgresEventStore(
        url: proxy.url, options: server.options())
      #expect(try await store.health(within: .seconds(600)) == 0)
      proxy.close()
      let began = ContinuousClock.now
      let error = await #expect(throws: EventStoreError.self) { try await store.health(within: .seconds(600)) }
      #expect(error?.code == .unreachable && ContinuousClock.now - began < .seconds(600))
    }

    @Test func `A server that starts is healthy if it accepts a connection within the limit`() async throws {
      let proxy = try FaultyProxy(to: server.url, SplitMix64(seed: 1))
      defer { proxy.close() }
      let store = try await PostgresEventStore(url: proxy.url, options: server.options())
      proxy.refuse("57P03", "the database system is starting up", times: 3)
      proxy.cutExisting()
      #expect(try await store.health(within: .seconds(600)) == 0)
      #expect(proxy.refusalsLeft == 0)
    }

    @Test func `A server that doesn't respond is unreachable after the limit`() async throws {
      let proxy = try FaultyProxy(to: server.url, SplitMix64(seed: 1))
      defer { proxy.close() }
      let store = try await PostgresEventStore(url: proxy.url, options: server.options { $0.connections = 1 })
      defer { store.close() }
      #expect(try await store.health(within: .seconds(600)) == 0)
      proxy.faults = FaultyProxy.Faults(silences: 1_000)
      // More checks than connections: they share the first one, which is still running. It waits at most a third of the
      // limit for the idle connection, so a shorter limit could end on a full machine before the check is sent.
      for _ in 1...3 {
        let began = ContinuousClock.now
        let error = await #expect(throws: EventStoreError.self) { try await store.health(within: .seconds(6)) }
        #expect(error?.code == .unreachable && ContinuousClock.now - began < .seconds(600))
      }
      #expect(proxy.counts.silences > 0)
    }

    @Test func `A log in a newer format has another error than a log without its function`() async throws {
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      let function = try await server.sql(
        "SELECT oid::regprocedure FROM pg_proc WHERE proname = 'annals_write' AND pronamespace = '\(options.schema)'"
          + "::regnamespace")
      try await server.sql("DROP FUNCTION \(function)")
      #expect(await fails(store, with: .replaced))
      try await server.sql("UPDATE \(options.schema).annals_log_base SET format = 99")
      #expect(await fails(store, with: .newerFormat))
      store.close()
      #expect(await fails(store, with: .closed))
    }

    @Test func `A server without its synchronous standby isn't healthy`() async throws {
      try await TestServer.pair(isSynchronous: true) { pair in
        let store = try await PostgresEventStore(url: pair.primary.url, options: pair.primary.options())
        defer { store.close() }
        try await pair.stopStandby()
        #expect(await fails(store, with: .unreachable))
        try await pair.startStandby()
        #expect(try await store.health(within: .seconds(600)) == 0)
      }
    }

    @Test func `A standby is read-only`() async throws {
      try await TestServer.pair(isSynchronous: false) { pair in
        let options = pair.primary.options()
        let primary = try await PostgresEventStore(url: pair.primary.url, options: options)
        #expect(try await primary.health(within: .seconds(600)) == 0)
        let query = "SELECT count(*) FROM pg_tables WHERE schemaname = '\(options.schema)'"
        while try await pair.standby.sql(query) == "0\n" {}
        let standby = try await PostgresEventStore(url: pair.standby.url, options: options)
        #expect(await fails(standby, with: .readOnly))
      }
    }
  }
#endif
