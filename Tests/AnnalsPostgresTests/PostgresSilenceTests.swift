#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsRemote
  import AnnalsTesting
  import Foundation
  import Networks
  import Synchronization
  import Testing

  /// Connections that no longer transmit data although they stay open, and connections that only seem so.
  @Suite(.timeLimit(.minutes(60))) struct PostgresSilenceTests {
    private let server: TestServer
    private let proxy: FaultyProxy
    private final class Types: Sendable {
      let all = Mutex<[String]>([])
    }

    private static let check = "pg_blocking_pids"

    init() throws {
      server = try TestServer()
      proxy = try FaultyProxy(to: server.url, SplitMix64(seed: 1))
    }

    private static func append(_ number: Int) -> Append {
      Append([NewEvent(type: "A\(number)", payload: nil)], to: StreamName("s\(number)"))
    }

    /// Runs calls that use all connections of a store at the same time, and returns the numbers of the appended events.
    private static func useAll(_ store: PostgresEventStore, from start: Int) async throws -> [Int] {
      try await withThrowingTaskGroup(of: Int?.self) { group in
        for number in start..<start + 20 {
          group.addTask {
            try await store.append(append(number))
            return number
          }
          for _ in 0..<4 {
            group.addTask {
              _ = try await store.events(.all, after: 0, limit: 10)
              return nil
            }
          }
        }
        return try await group.reduce(into: []) { if let number = $1 { $0.append(number) } }
      }
    }

    @Test func `Calls don't wait for responses of connections that a firewall has dropped`() async throws {
      defer { proxy.close() }
      // Only a check of the server's processes can end a call before these times.
      let store = try await PostgresEventStore(url: proxy.url, options: server.options())
      var expected: [Int] = []
      for round in 0..<4 {
        expected += try await Self.useAll(store, from: round * 20)
        proxy.hangExisting()
      }
      expected += try await Self.useAll(store, from: 80)
      let events = try await store.events(.all, after: 0, limit: 1_000)
      #expect(events.map(\.type).sorted() == expected.map { "A\($0)" }.sorted() && events.count == 100)
    }

    @Test(arguments: [false, true])
    func `A connection that a firewall drops while it's being opened is replaced`(isCheck: Bool) async throws {
      defer { proxy.close() }
      // Only a new attempt to connect can end a call before these times.
      let options = server.options { $0.connections = 1 }
      try await PostgresEventStore(url: server.url, options: options).close()
      let identity = "pg_postmaster_start_time"
      var release = proxy.hold(at: identity)
      let opening = Task { try await PostgresEventStore(url: proxy.url, options: options) }
      while !proxy.hasHeld { try await Task.sleep(for: .milliseconds(5)) }
      if !isCheck { proxy.hangExisting() }
      release()
      let store = try await opening.value
      if isCheck {
        release = proxy.hold(at: identity)
        proxy.hangExisting()
      }
      let append = Task { try await store.append(Self.append(1)) }
      if isCheck {
        while !proxy.hasHeld { try await Task.sleep(for: .milliseconds(5)) }
        proxy.hangExisting()
        release()
      }
      #expect(try await append.value.position == 1)
      store.close()
    }

    @Test func `An append is committed once if only its response is lost on a connection that stays open`()
      async throws
    {
      defer { proxy.close() }
      let options = server.options { $0.connections = 1 }
      let store = try await PostgresEventStore(url: proxy.url, options: options)
      try await store.append(Self.append(1))
      try await server.holding(options.schema) { release in
        let append = Task { try await store.append(Self.append(2)) }
        #expect(try await server.appendWaits(in: options.schema))
        proxy.hangExisting()
        try await release()
        #expect(try await append.value.position == 2)
      }
      #expect(try await store.events(.all, after: 0, limit: 10).map(\.type) == ["A1", "A2"])
    }

    @Test func `A subscription listens on a new connection if a firewall has dropped the old one`() async throws {
      defer { proxy.close() }
      // Without a notification, the subscription waits for longer than the test.
      let options = server.options { $0.pollInterval = .seconds(1_800) }
      let store = try await PostgresEventStore(url: proxy.url, options: options)
      let other = try await PostgresEventStore(url: server.url, options: options)
      let types = Types()
      let subscription = Task {
        for try await batch in store.subscription(to: .all, after: 0) {
          types.all.withLock { $0 += batch.events.map(\.type) }
        }
      }
      func wait(for count: Int) async throws {
        while types.all.withLock({ $0.count }) < count { try await Task.sleep(for: .milliseconds(5)) }
      }
      let listening = "FROM pg_stat_activity WHERE query LIKE 'LISTEN%\(options.schema)%' AND state = 'idle'"
      while try await server.sql("SELECT count(*) \(listening)") == "0\n" {}
      try await other.append(Self.append(1))
      try await wait(for: 1)
      proxy.hangExisting()
      try await other.append(Self.append(2))
      _ = try await store.head()
      try await wait(for: 2)
      try await other.append(Self.append(3))
      try await wait(for: 3)
      subscription.cancel()
      _ = await subscription.result
    }

    /// Waits until a store has checked its server processes once more.
    private func waitForCheck() async throws {
      let release = proxy.hold(at: Self.check)
      while !proxy.hasHeld { try await Task.sleep(for: .milliseconds(5)) }
      release()
    }

    @Test func `A connection that waits for a lock stays, however often it's checked`() async throws {
      defer { proxy.close() }
      let options = server.options()
      try await PostgresEventStore(url: server.url, options: options).close()
      let url = proxy.url.replacingOccurrences(of: "annals?", with: "annals?application_name=\(options.schema)&")
      let store = try await PostgresEventStore(url: url, options: options)
      let waiting = """
        SELECT pid, query_start FROM pg_stat_activity
          WHERE application_name = '\(options.schema)' AND wait_event_type = 'Lock'
        """
      try await server.holding(options.schema) { release in
        let append = Task { try await store.append(Self.append(1)) }
        #expect(try await server.appendWaits(in: options.schema))
        let before = try await server.sql(waiting)
        for _ in 0..<3 { try await waitForCheck() }
        #expect(try await server.sql(waiting) == before && before.split(separator: "\n").count == 1)
        try await release()
        #expect(try await append.value.position == 1)
      }
    }

    @Test func `A connection stays if its statement arrives at the server between the samples of a check`()
      async throws
    {
      // On a full machine, a check can end before its second sample arrives.
      for _ in 0..<30 { if try await checkWithStatementBetweenSamples() { return } }
      print("NOT CHECKED: the machine was too slow for a statement between the samples of a check")
    }

    /// Appends an event whose statement arrives between the samples of a check.
    ///
    /// - Returns: False if the check might have ended too early, because a check waits for a sample for five seconds.
    private func checkWithStatementBetweenSamples() async throws -> Bool {
      let proxy = try FaultyProxy(to: server.url, SplitMix64(seed: 1))
      defer { proxy.close() }
      let options = server.options { $0.connections = 1 }
      let url = proxy.url.replacingOccurrences(of: "annals?", with: "annals?application_name=\(options.schema)&")
      let store = try await PostgresEventStore(url: url, options: options)
      let ended = Types()
      /// Waits for a held message, and returns false if the append ends first.
      func wait(for hold: FaultyProxy.Hold) async throws -> Bool {
        while !hold.hasHeld {
          if !ended.all.withLock({ $0 }).isEmpty { return false }
          try await Task.sleep(for: .milliseconds(5))
        }
        return true
      }
      let (statement, firstSample) = (proxy.hold(at: "annals_write"), proxy.hold(at: Self.check))
      let start = ContinuousClock.now
      let append = Task {
        defer { ended.all.withLock { $0.append("A1") } }
        return try await store.append(Self.append(1))
      }
      try #require(await wait(for: statement))
      try #require(await wait(for: firstSample))
      // In the first sample, the server process waits for the statement.
      let secondSample = proxy.hold(at: Self.check)
      firstSample()
      let isFirstPassed = try await wait(for: secondSample)
      // In the second sample, the server process has executed the statement, and waits for the next statement. The
      // response begins with ParseComplete (postgresql.org/docs, "Message Formats").
      let response = proxy.hold(at: "1\u{0}\u{0}\u{0}\u{4}")
      statement()
      let hasResponse = try await wait(for: response)
      let executed = """
        SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(options.schema)'
          AND query LIKE '%pg_logical_emit_message%' AND wait_event = 'ClientRead'
        """
      while hasResponse, try await server.sql(executed) != "1\n" {}
      let nextCheck = proxy.hold(at: Self.check)
      secondSample()
      let isInTime = ContinuousClock.now - start < .seconds(4)
      let isSecondPassed = try await wait(for: nextCheck)
      response()
      nextCheck()
      #expect(try await append.value.position == 1)
      store.close()
      if !isInTime { return false }
      #expect(isFirstPassed, "The store closed the connection after the first sample.")
      #expect(hasResponse && isSecondPassed, "The store closed the connection after the second sample.")
      return true
    }

    @Test func `A connection stays while a long append is on its way`() async throws {
      defer { proxy.close() }
      let notes = Notes()
      let store = try await PostgresEventStore(
        url: proxy.url, options: server.options(), environment: StoreEnvironment(monitor: notes))
      // The network delivers about a megabyte per second.
      proxy.faults.delays = 1_000
      let payload = "\"" + String(repeating: "a", count: 4 << 20) + "\""
      let append = Append([NewEvent(type: "A", payload: payload)], to: "s")
      #expect(try await store.append(append).position == 1)
      #expect(notes[.connectionFailures] == [])
      store.close()
    }

    /// Opens a store, and uses two connections.
    ///
    /// The last response on one connection is later than the message of an append on the other connection.
    private func openTwoConnections(
      _ notes: Notes, beforeResponse body: () -> Void = {}
    ) async throws -> PostgresEventStore {
      let options = server.options { ($0.connections, $0.notifies) = (2, false) }
      let store = try await PostgresEventStore(
        url: proxy.url, options: options, environment: StoreEnvironment(monitor: notes))
      try await server.holding(options.schema) { release in
        let append = Task { try await store.append(Self.append(1)) }
        #expect(try await server.appendWaits(in: options.schema))
        // The append uses one connection, so this call opens the other connection.
        _ = try await store.head()
        body()
        try await release()
        _ = try await append.value
      }
      return store
    }

    @Test func `Connections that were idle when a firewall dropped another connection are closed with it`()
      async throws
    {
      defer { proxy.close() }
      let notes = Notes()
      let store = try await openTwoConnections(notes)
      #expect(notes[.connectionFailures] == [])
      proxy.hangExisting()
      let count = notes.names.count
      // The check that finds the dropped connection of this append closes both connections before the next attempt.
      try await store.append(Self.append(2))
      let later = notes.names.dropFirst(count).filter { [.connectionWait, .connectionFailures].contains($0) }
      #expect(later.starts(with: [.connectionWait, .connectionFailures, .connectionFailures]), "\(later)")
      #expect(notes.reports.prefix { $0.kind != .silent }.allSatisfy { $0.kind == .opened })
      #expect(notes.reports.filter { $0.kind == .silent }.count == 2)
    }

    @Test func `Connections that were used after a dropped connection's last contact are closed with it`()
      async throws
    {
      defer { proxy.close() }
      let notes = Notes()
      let store = try await openTwoConnections(notes) { proxy.hangExisting() }
      let later = notes.names.filter { [.connectionWait, .connectionFailures].contains($0) }
        .drop { $0 == .connectionWait }
      #expect(later.starts(with: [.connectionFailures, .connectionFailures]), "\(later)")
      #expect(notes.reports.filter { $0.kind == .silent }.count == 2)
      store.close()
    }

    @Test func `The processes of a pooler's clients aren't checked`() async throws {
      defer { proxy.close() }
      let pooler = try FaultyProxy(to: server.url, SplitMix64(seed: 2))
      defer { pooler.close() }
      pooler.hideProcesses()
      let options = server.options()
      let pooled = try await PostgresEventStore(url: pooler.url, options: options)
      let direct = try await PostgresEventStore(url: proxy.url, options: options)
      let release = pooler.hold(at: Self.check)
      defer { release() }
      try await server.holding(options.schema) { release in
        let first = Task { try await pooled.append(Self.append(1)) }
        #expect(try await server.appendWaits(in: options.schema))
        let second = Task { try await direct.append(Self.append(2)) }
        // By the second check of the direct connection, the pooled connection has been silent for longer.
        for _ in 0..<2 { try await waitForCheck() }
        #expect(!pooler.hasHeld)
        try await release()
        #expect(try await Set([first.value.position, second.value.position]) == [1, 2])
      }
    }

    @Test func `A server that accepts no new connections either is unreachable`() async throws {
      defer { proxy.close() }
      let options = server.options { $0.connections = 1 }
      try await PostgresEventStore(url: server.url, options: options).close()
      let store = try await TestServer.withGrowingTimeout(after: [.busy, .unreachable]) { timeout in
        var few = options
        few.patience = .seconds(timeout + 9)
        return try await PostgresEventStore(url: proxy.url, options: few)
      }
      proxy.faults.silences = 1_000
      let append = Task { try await store.append(Self.append(1)) }
      // From now on, the only connection waits for the append's response.
      while proxy.counts.silences == 0 { try await Task.sleep(for: .milliseconds(5)) }
      var tries = 0
      while true {
        let read = await #expect(throws: EventStoreError.self) { try await store.head() }
        if read?.code == .unreachable, read?.message.contains("no connection can be opened") == true { break }
        // On a full machine, the first check can begin too late.
        tries += 1
        try #require(tries < 10, "\(read)")
      }
      store.close()
      let error = await #expect(throws: EventStoreError.self) { try await append.value }
      #expect(error?.code == .unknownOutcome, "\(error)")
      let other = try await PostgresEventStore(url: server.url, options: server.options { $0.schema = options.schema })
      #expect(try await other.head() == 0)
      other.close()
    }

    @Test func `A call without a connection names the process for whose lock the connections wait`() async throws {
      let options = server.options { $0.connections = 1 }
      let store = try await PostgresEventStore(url: server.url, options: options)
      try await server.holding(options.schema) { release in
        let append = Task { try await store.append(Self.append(1)) }
        #expect(try await server.appendWaits(in: options.schema))
        let holder = try await server.sql(
          """
          SELECT pid FROM pg_locks WHERE granted AND mode = 'ShareUpdateExclusiveLock'
            AND relation = '\(options.schema).annals_log_base'::regclass
          """
        ).trimmingCharacters(in: .whitespacesAndNewlines)
        var limit = 6
        while true {
          let error = await #expect(throws: EventStoreError.self) { try await store.health(within: .seconds(limit)) }
          if error?.message.contains("process \(holder) holds locks") == true { break }
          // On a full machine, the first check can take longer.
          #expect([.busy, .unreachable].contains(error?.code), "\(error)")
          try #require(limit < 600, "\(error)")
          limit *= 2
        }
        try await release()
        _ = try await append.value
      }
    }
  }
#endif
