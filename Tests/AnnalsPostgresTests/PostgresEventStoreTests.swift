#if Postgres
  import Annals
  @testable import AnnalsPostgres
  import AnnalsTesting
  import Foundation
  import Testing

  @Suite struct PostgresEventStoreTests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    private func event(_ type: String = "A") -> NewEvent { NewEvent(type: type, payload: "{}") }

    @Test func `A log is made once and opened again with its source`() async throws {
      let options = server.options()
      let first = try await PostgresEventStore(url: server.url, options: options)
      let receipt = try await first.append(Append([event()], to: "s"))
      #expect(receipt == Receipt(position: 1, count: 1, transaction: 1, versions: ["s": 1]))
      let second = try await PostgresEventStore(url: server.url, options: options)
      #expect(second.source == first.source)
      #expect(try await second.head() == 1)
    }

    @Test func `Stores that make a log at the same time make one`() async throws {
      let (server, options) = (server, server.options())
      let sources = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<8 {
          group.addTask { try await PostgresEventStore(url: server.url, options: options).source }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(sources.count == 1)
    }

    @Test func `A tenant's schema has any name, and sees nothing of another's`() async throws {
      var names = ["a", "A", "b \"c\"; DROP TABLE x; --", "caf\u{E9}"].map { server.options().schema + $0 }
      names.append(server.options().schema)
      for (number, name) in names.enumerated() {
        let store = try await PostgresEventStore(url: server.url, options: PostgresOptions(schema: name))
        #expect(try await store.head() == 0)
        for _ in 0...number { try await store.append(Append([event()], to: "s")) }
        #expect(try await store.version(of: "s") == number + 1)
      }
    }

    @Test func `An append that was sent twice is there once, and both have its receipt`() async throws {
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      try await store.append(Append([event(), event()], to: "t"))
      let text = SchemaText(options.schema)
      let pool = try SQLPool(
        .init(
          conninfo: server.url, size: 1, patience: .seconds(120), answerTimeout: .seconds(120),
          listen: .init("SELECT 1")))
      defer { pool.close() }
      let entries: [Append.Entry] = [.init(stream: "s", event: event()), .init(stream: "t", event: event("B"))]
      for commandID in [nil, "c"] {
        let version = try await store.version(of: "t")
        let append = Append(entries, expectations: ["t": .exact(version), "u": .any], commandID: commandID)
        let sent = try AppendSQL(append, source: "me", StoreEnvironment())
        var receipts: [Receipt] = []
        for isAgain in [false, true, true] {
          let values = GroupSQL([sent]).values(isAgain: isAgain, lockTimeout: "0")
          let rows = try await pool.run([SQLStatement(GroupSQL.text(text.schema), values)])
          receipts.append(try sent.receipt(rows[0], 0))
          // What comes in between changes nothing of the answer.
          try await store.append(Append([event(), event()], to: "s"))
        }
        #expect(Set(receipts).count == 1 && receipts.allSatisfy { !$0.isRepeated })
        #expect(receipts[0].versions["t"] == version + 1 && receipts[0].versions["u"] == 0)
        #expect(try await store.version(of: "t") == version + 1)
      }
    }

    @Test func `A receipt says what its append survives, and that is less where the server syncs nothing`() async throws
    {
      let server = server
      for durability in Durability.allCases {
        let store = try await PostgresEventStore(
          url: server.url, options: server.options { $0.durability = durability })
        let append = Append([.init(stream: "s", event: event())], commandID: "first")
        #expect(try await store.append(append).durability == durability)
        #expect(store.reachedDurability == durability)
        #expect(try await store.append(append).durability == nil)
        let group = await store.appendGroup([Append([event()], to: "s"), Append([event()], to: "t")])
        #expect(try group.map { try $0.get().durability } == [durability, durability])
      }
      try await TestServer.own { own, _ in
        try await own.sql("ALTER SYSTEM SET fsync = off")
        try await own.sql("SELECT pg_reload_conf()")
        while try await own.sql("SHOW fsync") != "off\n" {}
        let store = try await PostgresEventStore(url: own.url)
        #expect(try await store.append(Append([event()], to: "s")).durability == .process)
      }
    }

    @Test func `A subscription hears of another store's appends before it polls`() async throws {
      let options = server.options { $0.pollInterval = .seconds(600) }
      let writer = try await PostgresEventStore(url: server.url, options: options)
      let reader = try await PostgresEventStore(url: server.url, options: options)
      let began = ContinuousClock.now
      async let reached: Void = reader.wait(for: 20)
      for _ in 0..<20 {
        try await writer.append(Append([event()], to: "s"))
        try await Task.sleep(for: .milliseconds(3))
      }
      try await reached
      #expect(ContinuousClock.now - began < .seconds(600))
    }

    @Test func `A subscription that hears of nothing looks by itself`() async throws {
      let options = server.options {
        ($0.pollInterval, $0.notifies) = (.milliseconds(50), false)
      }
      let writer = try await PostgresEventStore(url: server.url, options: options)
      let reader = try await PostgresEventStore(url: server.url, options: options)
      async let reached: Void = reader.wait(for: 1)
      try await Task.sleep(for: .milliseconds(20))
      try await writer.append(Append([event()], to: "s"))
      try await reached
    }
  }
#endif
