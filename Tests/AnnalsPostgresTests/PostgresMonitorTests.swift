#if Postgres
  import Annals
  @testable import AnnalsPostgres
  import AnnalsTesting
  import Foundation
  import Networks
  import Synchronization
  import Testing

  /// The measurements of a store.
  final class Notes: StoreMonitor {
    private let all = Mutex<[StoreMeasurement]>([])
    private let connections = Mutex<[ConnectionReport]>([])
    func note(_ measurement: StoreMeasurement) { all.withLock { $0.append(measurement) } }
    func report(_ report: ConnectionReport) { connections.withLock { $0.append(report) } }

    var reports: [ConnectionReport] { connections.withLock { $0 } }

    /// Waits for a report whose message contains some words.
    func report(_ kind: ConnectionReport.Kind, containing words: String = "") async throws -> ConnectionReport {
      while true {
        if let report = reports.first(where: { $0.kind == kind && (words.isEmpty || $0.message.contains(words)) }) {
          return report
        }
        try await Task.sleep(for: .milliseconds(5))
      }
    }

    /// The last level of a gauge, or `nil` if the monitor has received none.
    func level(_ name: StoreMeasurement.Name, _ state: String? = nil) -> Int? {
      let last = all.withLock { $0.last { $0.name == name && (state == nil || $0.labels["state"] == state) } }
      return if case .level(let level)? = last?.value { level } else { nil }
    }

    /// Waits until the last level of a gauge has a value.
    func wait(for level: Int, of name: StoreMeasurement.Name, _ state: String? = nil) async throws {
      while self.level(name, state) != level { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Waits until a gauge has had a value, which can be a past value.
    func wait(forPast level: Int, of name: StoreMeasurement.Name, _ state: String? = nil) async throws {
      func isPast(_ note: StoreMeasurement) -> Bool {
        note.value == .level(level) && (state == nil || note.labels["state"] == state)
      }
      while !self[name].contains(where: isPast) { try await Task.sleep(for: .milliseconds(5)) }
    }

    var names: [StoreMeasurement.Name] { all.withLock { $0.map(\.name) } }

    subscript(_ name: StoreMeasurement.Name) -> [StoreMeasurement] { all.withLock { $0.filter { $0.name == name } } }
  }

  @Suite struct PostgresMonitorTests {
    @Test func `Reads, groups of appends, waiting and lost connections are measured`() async throws {
      try await TestServer.own { server, _ in
        let notes = Notes()
        let options = server.options { $0.connections = 2 }
        let store = try await PostgresEventStore(
          url: server.url, options: options, environment: StoreEnvironment(monitor: notes))
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<60 {
            group.addTask {
              try await store.append(Append([NewEvent(type: "A", payload: nil)], to: "s\(number % 5)"))
            }
          }
          try await group.waitForAll()
        }
        #expect(notes[.appendedEvents].count == 60)
        let sizes = notes[.appendGroup].map { if case .size(let size) = $0.value { size } else { 0 } }
        #expect(sizes.reduce(0, +) == 60 && sizes.count < 60)
        #expect(notes[.connectionWait].count >= sizes.count)
        #expect(notes[.connectionFailures] == [])
        _ = try await store.head()
        #expect(notes[.operation].last?.labels == ["operation": "read", "outcome": "done", "schema": options.schema])
        try await server.sql(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'Annals'")
        #expect(try await store.head() == 60)
        while notes[.connectionFailures].isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        // Tenants have separate schemas, and one monitor.
        for name in [.appendedEvents, .appendGroup, .connectionWait, .connectionFailures] as [StoreMeasurement.Name] {
          #expect(notes[name].allSatisfy { $0.labels == ["schema": options.schema] }, "\(name)")
        }
      }
    }

    private static func append(_ number: Int) -> Append {
      Append([NewEvent(type: "A", payload: nil)], to: StreamName("s\(number)"))
    }

    @Test func `Waiting calls and connections in each state are gauges`() async throws {
      let (server, notes) = (try TestServer(), Notes())
      let options = server.options { $0.connections = 1 }
      let store = try await PostgresEventStore(
        url: server.url, options: options, environment: StoreEnvironment(monitor: notes))
      try await notes.wait(for: 1, of: .connections, "idle")
      try await withThrowingTaskGroup(of: Void.self) { group in
        try await server.holding(options.schema) { release in
          group.addTask { try await store.append(Self.append(1)) }
          #expect(try await server.appendWaits(in: options.schema))
          try await notes.wait(for: 1, of: .connections, "used")
          try await notes.wait(for: 0, of: .connections, "idle")
          #expect(notes.level(.appendQueue) == 0 && notes.level(.connectionQueue) == 0)
          for number in 2...4 { group.addTask { try await store.append(Self.append(number)) } }
          try await notes.wait(for: 3, of: .appendQueue)
          for _ in 0..<2 { group.addTask { _ = try await store.head() } }
          try await notes.wait(for: 2, of: .connectionQueue)
          // Only the first append was sent.
          #expect(notes.level(.connections, "used") == 1 && notes.level(.appendQueue) == 3)
          try await release()
        }
        try await group.waitForAll()
      }
      try await notes.wait(for: 1, of: .connections, "idle")
      try await notes.wait(for: 0, of: .connections, "used")
      #expect(notes.level(.appendQueue) == 0 && notes.level(.connectionQueue) == 0)
      let follower = Task { for try await _ in store.subscription(to: .all, after: 4) {} }
      try await notes.wait(for: 1, of: .connections, "listening")
      follower.cancel()
      store.close()
      for state in ["idle", "used", "opening", "listening", "checking"] {
        try await notes.wait(for: 0, of: .connections, state)
      }
      for name in [.appendQueue, .connectionQueue, .connections] as [StoreMeasurement.Name] {
        #expect(notes[name].allSatisfy { $0.labels["schema"] == options.schema })
      }
    }

    @Test func `A connection that is being opened is a gauge, and its end is reported`() async throws {
      let (server, notes) = (try TestServer(), Notes())
      let proxy = try FaultyProxy(to: server.url, SplitMix64(seed: 1))
      defer { proxy.close() }
      let options = server.options { ($0.connections, $0.notifies) = (1, false) }
      let release = proxy.hold(at: "client_encoding")
      let opening = Task {
        try await PostgresEventStore(
          url: proxy.url, options: options, environment: StoreEnvironment(monitor: notes))
      }
      // On a full machine, the store can meanwhile make another attempt, which isn't held.
      try await notes.wait(forPast: 1, of: .connections, "opening")
      try await notes.wait(forPast: 1, of: .connectionQueue)
      release()
      let store = try await opening.value
      try await notes.wait(for: 0, of: .connections, "opening")
      let place = "\(proxy.folder):5432"
      _ = try await notes.report(.opened)
      #expect(notes.reports.allSatisfy { $0.host == place && $0.labels == ["schema": options.schema] })
      proxy.refuse("57P03", "le syst\u{e8}me de bases de donn\u{e9}es se lance", times: 1)
      proxy.cut(at: "annals_write", times: 1)
      try await store.append(Self.append(1))
      _ = try await notes.report(.lost)
      let message = try await notes.report(.failed, containing: "57P03").message
      #expect(message.hasPrefix("couldn't open a connection to the PostgreSQL server at \(place): "), "\(message)")
      try await notes.wait(for: 1, of: .connections, "idle")
      let count = notes.reports.count
      // The end of a connection with its store isn't a failure.
      store.close()
      try await notes.wait(for: 0, of: .connections, "idle")
      #expect(notes.reports.count == count)
    }

    @Test func `The loss of the connection that listens is counted, and the store listens on a new connection`()
      async throws
    {
      let (server, notes) = (try TestServer(), Notes())
      let options = server.options()
      let store = try await PostgresEventStore(
        url: server.url, options: options, environment: StoreEnvironment(monitor: notes))
      let subscription = Task { for try await _ in store.subscription(to: .all, after: 0) {} }
      let listening = "FROM pg_stat_activity WHERE query LIKE 'LISTEN%\(options.schema)%' AND state = 'idle'"
      func waitForListening() async throws {
        while try await server.sql("SELECT count(*) \(listening)") != "1\n" {}
      }
      try await waitForListening()
      try await server.sql("SELECT pg_terminate_backend(pid) \(listening)")
      _ = try await notes.report(.lost)
      try await waitForListening()
      let failures = notes[.connectionFailures].map { if case .count(let count) = $0.value { count } else { 0 } }
      // On a full machine, attempts to connect can fail too, because they are late.
      let ends = notes.reports.count { $0.kind == .lost || $0.kind == .failed }
      #expect(failures.reduce(0, +) == ends)
      subscription.cancel()
      store.close()
    }

    @Test func `A lost connection and another host are reported without the URL's password`() async throws {
      try await TestServer.own { server, crash in
        let (notes, missing) = (Notes(), "/tmp/annals-no-\(UInt32.random(in: 0 ... .max))")
        let folder = try #require(server.url.split(separator: "=").last)
        let options = server.options { $0.notifies = false }
        let url = "postgresql://annals:hidden@/annals?host=\(missing),\(folder)"
        let store = try await PostgresEventStore(
          url: url, options: options, environment: StoreEnvironment(monitor: notes))
        #expect(notes.reports.prefix(3).map(\.kind) == [.failed, .hostChanged, .opened])
        #expect(notes.reports.prefix(3).map(\.host) == ["\(missing):5432", "\(missing):5432", "\(folder):5432"])
        #expect(notes.reports[1].message.contains("the host \(folder) instead of \(missing):5432"))
        try await crash()
        #expect(try await notes.report(.lost).host == "\(folder):5432")
        store.close()
        for number in ["", "%zz"] {
          _ = try? await PostgresEventStore(
            url: "postgresql://annals:hidden\(number)@/annals?host=\(folder)",
            options: server.options { $0.patience = .milliseconds(100) },
            environment: StoreEnvironment(monitor: notes))
        }
        #expect(notes.reports.contains { $0.host == "" && $0.message.contains("libpq refused the URL") })
        #expect(!notes.reports.contains { "\($0)".contains("hidden") })
      }
    }

    @Test func `The lag of a replica and of a follower are gauges with the log's schema`() async throws {
      let (server, notes) = (try TestServer(), Notes())
      let options = server.options { $0.notifies = false }
      let store = try await PostgresEventStore(
        url: server.url, options: options, environment: StoreEnvironment(monitor: notes))
      for number in 1...3 { try await store.write("\(number)", to: "s") }
      let began = Int(Date().timeIntervalSince1970)
      try await Replica(of: store, in: MemoryEventStore(), pageSize: 2).catchUp()
      #expect(notes[.replicaBehind].first?.value == .level(2) && notes.level(.replicaBehind) == 0)
      let contacts = notes[.replicaContact]
      #expect(contacts.count == 2 && notes.level(.replicaContact).map { $0 >= began } == true)
      #expect((contacts + notes[.replicaBehind]).allSatisfy { $0.labels == ["schema": options.schema] })
      try await LineNotes().follower(of: store, partitions: 1, lease: .seconds(3_600)).catchUp()
      #expect(notes[.followerBehind].first?.value == .level(3) && notes.level(.followerBehind) == 0)
      #expect(notes[.followerBehind].allSatisfy { $0.labels["schema"] == options.schema })
      store.close()
    }

    @Test func `Levels are sampled ten times per second, and not while a pool is idle`() {
      let notes = Notes()
      var gauges = PoolGauges(StoreEnvironment(monitor: notes))
      let (idle, active) = (PoolLevels(), PoolLevels(waiting: 2))
      gauges.update(1_000, active)
      #expect(gauges.nextTime == 100_001_000 && notes.names == [])
      gauges.update(100_000_999, active)
      #expect(notes.names == [])
      gauges.update(100_001_000, active)
      #expect(notes.names.count == 7 && notes.level(.connectionQueue) == 2)
      // The levels are the same.
      gauges.update(200_001_000, active)
      #expect(notes.names.count == 7 && gauges.nextTime == 300_001_000)
      gauges.update(300_001_000, idle)
      #expect(notes.names.count == 8 && notes.level(.connectionQueue) == 0)
      #expect(gauges.nextTime == .max)
      gauges.update(400_001_000, idle)
      #expect(gauges.nextTime == .max)
      var silent = PoolGauges(StoreEnvironment())
      silent.update(1_000, active)
      #expect(silent.nextTime == .max)
    }
  }
#endif
