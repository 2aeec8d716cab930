#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsSQLite
  import Foundation
  import Synchronization
  import Testing

  /// Replicas of a real server's log.
  @Suite struct PostgresReplicaTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)").path

    private func everything(_ store: any EventStore) throws -> [StoredEvent] {
      try store.events(.all, after: 0, through: nil, limit: 1_000_000)
    }

    private func withFile(_ body: (SQLiteEventStore) async throws -> Void) async throws {
      let local = try SQLiteEventStore(path: path, durability: .process)
      let outcome: Result<Void, any Error>
      do { outcome = .success(try await body(local)) } catch { outcome = .failure(error) }
      local.close()
      for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
      try outcome.get()
    }

    private static func append(_ number: Int) -> Append {
      var append = Append()
      for part in 0...(number % 4) {
        append.entries.append(
          .init(
            stream: StreamName("s\((number + part) % 7)"),
            event: NewEvent(
              type: "PostgresCopied\(part)", schema: part + 1,
              payload: part == 1 ? nil : #"{ "n" :\#(number), "é":"\#u{1F600}\u00e9", "x": 1.50e1 }"#,
              tags: number % 2 == 0 ? [] : ["n:\(number)", "e\u{301}"], metadata: part == 2 ? [:] : ["who": "ann"],
              time: number % 3 == 0 ? nil : Date(timeIntervalSince1970: Double(number) * 1e6 / 7 - 1e9))))
      }
      return append
    }

    @Test func `A file is to the byte what the server has, while others write and connections are killed`() async throws
    {
      try await TestServer.own { server, _ in
        let options = server.options()
        let store = try await PostgresEventStore(url: server.url, options: options)
        try await withFile { local in
          for number in 0..<300 { try await store.append(Self.append(number)) }
          let runner = Task { try await Replica(of: store, in: local).run() }
          let killer = Task {
            while !Task.isCancelled {
              try await server.sql(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'Annals'")
            }
          }
          try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
              group.addTask { for number in 0..<60 { try await store.append(Self.append(task * 60 + number)) } }
            }
            try await group.waitForAll()
          }
          killer.cancel()
          _ = await killer.result
          let replica = Replica(of: store, in: local)
          try await replica.catchUp()
          runner.cancel()
          try await runner.value
          let there = try await store.events(.all, after: 0, limit: 1_000_000)
          #expect(try everything(replica.log) == there)
          #expect(there.count > 1_000)
          let report = try local.verify()
          #expect(report.isSound)
        }
      }
    }

    @Test func `A replica reads its own writes, and hears of another process's`() async throws {
      let server = try TestServer()
      let options = server.options()
      let (store, other) = (
        try await PostgresEventStore(url: server.url, options: options),
        try await PostgresEventStore(url: server.url, options: options)
      )
      try await withFile { local in
        let replica = Replica(of: store, in: local)
        try await replica.execute("one", on: PostgresLines["a"])
        #expect(try replica.log.head() == 1)
        try await other.execute("two", on: PostgresLines["a"])
        try await replica.wait(for: 2)
        #expect(try replica.log.version(of: "PostgresLines-a") == 2)
        await #expect(throws: PostgresLines.Twice.self) {
          try await replica.execute("two", on: PostgresLines["a"])
        }
      }
    }

    @Test func `A server that was restored from an older backup is noticed`() async throws {
      let server = try TestServer()
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      try await withFile { local in
        let replica = Replica(of: store, in: local)
        for number in 0..<10 { try await store.append(Self.append(number)) }
        let last = try await replica.catchUp()
        // The tables as they were five events ago.
        let schema = options.schema
        try await server.sql(
          """
          DELETE FROM \(schema).annals_event WHERE position > \(last.rawValue - 5);
          DELETE FROM \(schema).annals_tag WHERE position > \(last.rawValue - 5);
          DELETE FROM \(schema).annals_stream_base b WHERE NOT EXISTS (
            SELECT 1 FROM \(schema).annals_event e WHERE e.stream = b.stream);
          """)
        for later in 0..<2 {
          let error = await #expect(throws: EventStoreError.self) { try await replica.catchUp() }
          #expect(error?.code == .replaced && error?.position == Position(last.rawValue - 5))
          if later == 0 { for number in 0..<10 { try await store.append(Self.append(number)) } }
        }
      }
    }
  }
#endif
