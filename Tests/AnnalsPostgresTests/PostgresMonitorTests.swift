#if Postgres
  import Annals
  import AnnalsPostgres
  import Synchronization
  import Testing

  /// The measurements of a store.
  final class Notes: StoreMonitor {
    private let all = Mutex<[StoreMeasurement]>([])
    func note(_ measurement: StoreMeasurement) { all.withLock { $0.append(measurement) } }

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
  }
#endif
