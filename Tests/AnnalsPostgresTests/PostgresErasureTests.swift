#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsStoreTesting
  import AnnalsTesting
  import Foundation
  import Synchronization
  import Testing

  /// Erasures in a real server.
  @Suite struct PostgresErasureTests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    private static func said(of subject: String, _ value: String = "1") -> NewEvent {
      NewEvent(type: "Said", payload: #"{ "a" : {"value":"\#(value)","$personal":"\#(subject)"} , "é" : 1.50 }"#)
    }

    @Test(arguments: RemoteErasingContract.rules)
    func `A store in PostgreSQL erases as the contract says`(rule: RemoteErasingContract.Rule) async throws {
      let server = try TestServer()
      try await rule.check { try await PostgresEventStore(url: server.url, options: server.options()) }
    }

    @Test func `No table has a value after its erasure, and all others have theirs`() async throws {
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      try await store.append(
        Append(
          [Self.said(of: "ann", "top secret"), Self.said(of: "bob", "other"), Self.said(of: "ann", "top secret")],
          to: "s"))
      let receipt = try await store.erase(subject: "ann")
      #expect(receipt.fields == 2 && receipt.remnants?.contains("VACUUM FULL") == true)
      let dump = try await server.sql(
        """
        SELECT row_to_json(e)::text FROM \(options.schema).annals_event e
          UNION ALL SELECT row_to_json(p)::text FROM \(options.schema).annals_personal p
          UNION ALL SELECT row_to_json(p)::text FROM \(options.schema).annals_erasure p
        """)
      #expect(!dump.contains("top secret") && dump.contains("other"))
      #expect(try await store.events(.all, after: 1, limit: 1).first?.payload == Self.said(of: "bob", "other").payload)
    }

    @Test func `A value that is missing without an erasure is damage`() async throws {
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      try await store.append(Append([Self.said(of: "ann"), Self.said(of: "bob")], to: "s"))
      try await store.erase(subject: "bob")
      try await server.sql("DELETE FROM \(options.schema).annals_personal WHERE position = 1")
      let error = await #expect(throws: EventStoreError.self) { try await store.events(.all, after: 0, limit: 9) }
      #expect(error?.code == .corrupt && error?.message.contains("event 1 is damaged") == true)
      #expect(try await store.events(.all, after: 1, limit: 9).count == 1)
    }

    @Test func `A role that may not erase is refused, and all stays`() async throws {
      let options = server.options()
      let owner = try await PostgresEventStore(url: server.url, options: options)
      try await owner.append(Append([Self.said(of: "ann")], to: "s"))
      let (schema, role) = (options.schema, "app_\(options.schema)")
      // As Docs/PostgreSQL.md says.
      try await server.sql(
        """
        CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(schema) TO \(role);
        GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA \(schema) TO \(role);
        GRANT UPDATE ON \(schema).annals_log_base TO \(role);
        """)
      let url = server.url.replacing("annals@", with: "\(role)@")
      let app = try await PostgresEventStore(url: url, options: options)
      for subject in ["ann", "eve"] {
        let error = await #expect(throws: EventStoreError.self) { try await app.erase(subject: subject) }
        #expect(error?.code == .refused && error?.message.contains("annals_rewriting") == true)
      }
      try await app.append(Append([Self.said(of: "ann")], to: "s"))
      #expect(try await app.revision() == .original)
      #expect(
        try await app.events(.all, after: 0, limit: 9).map(\.payload) == [
          Self.said(of: "ann").payload, Self.said(of: "ann").payload,
        ])
      let tables = ["personal", "rewriting", "command"].map { "\(schema).annals_\($0)" }.joined(separator: ", ")
      try await server.sql("GRANT UPDATE ON \(tables) TO \(role)")
      #expect(try await app.erase(subject: "ann").fields == 2)
    }

    @Test func `A log of format 2 is brought up, and what it says of persons can be erased`() async throws {
      let options = server.options { $0.setup = .migrate }
      try await server.sql(FormatTwo.sql(options.schema))
      let stores = try await withThrowingTaskGroup(of: PostgresEventStore.self) { [server] group in
        // Several programs may open it at once.
        for _ in 0..<4 { group.addTask { try await PostgresEventStore(url: server.url, options: options) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let store = stores[0]
      #expect(store.source == "urn:old")
      #expect(try await server.sql("SELECT format FROM \(options.schema).annals_log") == "8\n")
      let payloads = [
        #"{"a":{"$personal":"ann","value":"x"},"b":[{"value":[1.50],"$personal":"bob"}]}"#, nil,
        #"{ "plain" : "$personal" }"#,
        #"{ "\u0024personal" : "e\u0301" , "value" : {"c":"y \ud83d\ude00"} }"#, #"{"$personal":"ann"}"#,
      ]
      #expect(try await store.events(.all, after: 0, limit: 9).map(\.payload) == payloads)
      #expect(try await store.receipt(ofCommand: "first")?.position == 3)
      #expect(try await store.erase(subject: "ann").fields == 1)
      #expect(try await store.erase(subject: "e\u{301}").fields == 1)
      #expect(
        try await store.events(.all, after: 0, limit: 9).map(\.payload) == [
          #"{"a":{"$personal":"ann"},"b":[{"value":[1.50],"$personal":"bob"}]}"#, nil, payloads[2],
          #"{"$personal":"e\#u{301}"}"#, payloads[4],
        ])
      try await stores[1].append(Append([Self.said(of: "ann")], to: "s", expecting: .exact(3)))
      #expect(try await store.erase(subject: "ann").fields == 1)
      // A program of before that has the log open appends nothing, and reads nothing as erased.
      await #expect(throws: TestServer.Failed.self) {
        try await server.sql("SELECT payload FROM \(options.schema).annals_event")
      }
    }

    /// Appends as a program of format 2 does: its values are inside the payload.
    private static func oldAppend(to schema: String) -> String {
      """
      SELECT o_position FROM \(schema).annals_append(
        'off', NULL, false, '{}', '{}', '{}', '[]', '{s}', '{urn:w}', ARRAY[gen_random_uuid()::text], '{A}', '{1}',
        '{1}', ARRAY['[]'], ARRAY['{"$personal":"ann","value":"late"}'], ARRAY['{}'], 0, '{}', '{}', '{s}', '["s"]')
      """
    }

    @Test func `An append under way while the log is brought up is found by an erasure, or is not there`() async throws
    {
      let options = server.options { $0.setup = .migrate }
      let schema = options.schema
      try await server.sql(FormatTwo.sql(schema))
      let (server, append) = (server, Self.oldAppend(to: schema))
      var (waiting, opening): (Task<String, any Error>?, Task<PostgresEventStore, any Error>?)
      try await server.holding(schema) { _ in
        // It is inside the old function when that is taken away.
        waiting = Task { try await server.sql(append) }
        let waits = try await server.appendWaits(in: schema)
        #expect(waits)
        opening = Task { try await PostgresEventStore(url: server.url, options: options) }
        let opens = try await server.migrationWaits(in: schema)
        #expect(opens)
      }
      // The server ends it, because its function is gone; if it lets it go on, all of it is there.
      let isThere = await (try? #require(waiting).value) != nil
      let store = try await #require(opening).value
      let found = try await store.events(.all, after: 5, limit: 9).map(\.payload)
      #expect(found == (isThere ? [#"{"$personal":"ann","value":"late"}"#] : []))
      #expect(try await store.erase(subject: "ann").fields == (isThere ? 2 : 1))
      #expect(try await store.events(.all, after: 5, limit: 9).allSatisfy { $0.payload == #"{"$personal":"ann"}"# })
    }

    @Test func `A program that appends while the log is brought up loses nothing`() async throws {
      for _ in 0..<5 {
        let options = server.options { $0.setup = .migrate }
        let schema = options.schema
        try await server.sql(FormatTwo.sql(schema))
        let append = Self.oldAppend(to: schema)
        let writer = Task { [server, append] in
          var count = 0
          while (try? await server.sql(append)) != nil { count += 1 }
          return count
        }
        let store = try await PostgresEventStore(url: server.url, options: options)
        let count = await writer.value
        let events = try await store.events(.all, after: 5, limit: 1_000)
        #expect(events.count == count)
        #expect(events.allSatisfy { $0.payload == #"{"$personal":"ann","value":"late"}"# })
        #expect(try await store.erase(subject: "ann").fields == count + 1)
        #expect(
          try await store.events(.all, after: 5, limit: 1_000).allSatisfy { $0.payload == #"{"$personal":"ann"}"# })
      }
    }

    @Test func `Erasures beside writers whose backends are killed erase all that came before, and nothing else`()
      async throws
    {
      try await TestServer.own { server, _ in
        let options = server.options()
        let store = try await PostgresEventStore(url: server.url, options: options)
        let killer = Task {
          while !Task.isCancelled {
            _ = try await server.patiently(
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'Annals' AND "
                + "random() < 0.5"
            )
          }
        }
        let eraser = Task {
          var counts: [Int] = []
          for round in 0..<30 {
            let (before, subject) = (try await store.head(), "p\(round % 3)")
            counts.append(try await store.erase(subject: subject).fields)
            // What was there before the call is erased.
            for event in try await store.events(.all, after: 0, through: before, limit: 10_000) {
              let payload = event.payload ?? ""
              #expect(!payload.contains("\"\(subject)\"") || !payload.contains("value"))
            }
          }
          return counts
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for task in 0..<4 {
            group.addTask {
              for number in 0..<40 {
                try await store.append(
                  Append([Self.said(of: "p\(number % 3)"), Self.said(of: "kept")], to: "s\(task)"))
              }
            }
          }
          try await group.waitForAll()
        }
        let counts = try await eraser.value
        killer.cancel()
        _ = await killer.result
        let all = try #require(store.erasing)
        let erasures = try await all.erasures(after: 0, limit: 1_000)
        #expect(erasures.map(\.number) == Array(1...erasures.count))
        // A receipt has what the log notes, also where the first answer was lost: nothing is counted twice.
        #expect(erasures.map(\.fields) == counts.filter { $0 > 0 })
        for event in try await store.events(.all, after: 0, limit: 10_000) {
          let payload = try #require(event.payload)
          let last = erasures.last { payload.contains("\"\($0.subject)\"") }?.end ?? 0
          #expect(payload.contains("value") == (event.position > last))
        }
      }
    }

    @Test func `A command of another process is not decided on what was erased meanwhile`() async throws {
      let options = server.options()
      let (first, second) = (
        try await PostgresEventStore(url: server.url, options: options),
        try await PostgresEventStore(url: server.url, options: options)
      )
      // Its append is one round trip, on states that are in memory.
      try await first.execute("one", on: PostgresGuests["a"])
      try await first.execute("two", on: PostgresGuests["b"])
      try await second.erase(subject: "guest-one")
      try await first.execute("seen", on: PostgresGuests["a"])
      #expect(
        try await first.events(.stream("PostgresGuests-a"), after: 0, limit: 9).last?.payload?.contains("none") == true)
      try await first.execute("seen", on: PostgresGuests["b"])
      #expect(
        try await first.events(.stream("PostgresGuests-b"), after: 0, limit: 9).last?.payload?.contains("two") == true)
    }

    @Test func `A follower goes on after an erasure`() async throws {
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      let seen = Mutex<[String?]>([])
      let follower = try RemoteFollower(
        "reader", of: PostgresGuestEvent.self, in: store, startingAt: .beginning, partitions: 2
      ) {
        recorded, _ in
        if case .came(let who) = recorded.event { seen.withLock { $0.append(who.value) } }
      }
      let running = Task { try await follower.run() }
      for name in ["one", "two"] { try await store.execute(name, on: PostgresGuests[name]) }
      while seen.withLock({ $0.count }) < 2 { await Task.yield() }
      try await store.erase(subject: "guest-one")
      for name in ["three", "four"] { try await store.execute(name, on: PostgresGuests[name]) }
      while seen.withLock({ $0.count }) < 4 { await Task.yield() }
      running.cancel()
      try await running.value
      #expect(Set(seen.withLock { $0 }) == ["one", "two", "three", "four"])
    }
  }

  enum PostgresGuestEvent: Event {
    case came(who: Personal<String>)
    case looked(at: String)
  }

  /// Guests come; `seen` says who was there.
  struct PostgresGuests: Decider {
    var guests: [String] = []

    func decide(_ command: String) -> [PostgresGuestEvent] {
      if command == "seen" { return [.looked(at: guests.isEmpty ? "none" : guests.joined(separator: " "))] }
      return [.came(who: Personal(command, of: "guest-\(command)"))]
    }

    mutating func evolve(_ event: PostgresGuestEvent) {
      if case .came(let who) = event, let name = who.value { guests.append(name) }
    }
  }
#endif
