#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsStoreTesting
  import AnnalsTesting
  import Foundation
  import Synchronization
  import Testing

  /// Followers of a real server's log.
  @Suite struct PostgresFollowerTests {
    @Test(arguments: RemoteCheckpointContract.rules)
    func `Checkpoints in PostgreSQL keep the contract`(rule: RemoteCheckpointContract.Rule) async throws {
      let server = try TestServer()
      try await rule.check {
        let store = try await PostgresEventStore(url: server.url, options: server.options())
        return try #require(store.checkpoints)
      }
    }

    @Test func `Followers go on where they were, on whatever store of the log`() async throws {
      let server = try TestServer()
      let options = server.options()
      let notes = LineNotes()
      for round in 1...3 {
        let store = try await PostgresEventStore(url: server.url, options: options)
        for number in 0..<20 { try await store.write("\(round).\(number)", to: "s\(number % 5)") }
        let follower = try notes.follower(of: store, partitions: 3)
        #expect(try await follower.catchUp() == Position(20 * round))
        store.close()
      }
      #expect(notes.problems == [] && Set(notes.words).count == 60)
    }

    @Test func `A poison event sets its stream aside, and is skipped by another process`() async throws {
      let server = try TestServer()
      let options = server.options()
      let (store, other) = (
        try await PostgresEventStore(url: server.url, options: options),
        try await PostgresEventStore(url: server.url, options: options)
      )
      let notes = LineNotes()
      notes.poison = "no\0\u{1F600}"
      for word in ["a", "no\0\u{1F600}", "b"] { try await store.write(word, to: "s") }
      try await store.write("c", to: "t")
      let follower = try notes.follower(of: store, partitions: 2)
      let run = Task { try await follower.run() }
      defer { run.cancel() }
      let operations = try notes.follower(of: other, partitions: 2)
      while try await operations.quarantine.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
      let aside = try #require(try await operations.quarantine.first)
      #expect(aside.stream == "s" && aside.position == 2 && aside.error.contains("Poison"))
      #expect(try await operations.skip(2))
      while try await !operations.quarantine.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
      // What the follower had not come to when the stream was resumed is handled in its turn, after that.
      let end = ContinuousClock.now + .seconds(300)
      while Set(notes.words).count < 3, .now < end { try await Task.sleep(for: .milliseconds(10)) }
      #expect(Set(notes.words) == ["a", "b", "c"])
    }

    @Test func `Several workers handle each event in order, however many backends are killed`() async throws {
      try await TestServer.own { server, crash in
        let options = server.options()
        let notes = LineNotes()
        let writer = try await PostgresEventStore(url: server.url, options: options)
        var tasks: [Task<Void, any Error>] = []
        for _ in 0..<3 {
          let store = try await PostgresEventStore(url: server.url, options: options)
          let follower = try notes.follower(of: store, partitions: 6)
          tasks.append(Task { try await follower.run() })
        }
        for round in 0..<20 {
          for number in 0..<20 { try await writer.write("\(round).\(number)", to: "s\(number % 7)") }
          try await server.sql(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE application_name = 'Annals' AND random() < 0.6
            """)
          if round % 10 == 5 { try await crash() }
        }
        let last = try notes.follower(of: writer, partitions: 6)
        while try await last.position < 400 { try await Task.sleep(for: .milliseconds(20)) }
        for task in tasks {
          task.cancel()
          try await task.value
        }
        #expect(notes.problems == [])
        #expect(Set(notes.words).count == 400)
      }
    }

    @Test func `A log of the first format gets what followers need, once, and the rest of it stays`() async throws {
      let server = try TestServer()
      let (options, schema) = { ($0, $0.schema) }(server.options { $0.setup = .migrate })
      try await server.sql(FormatTwo.sql(schema))
      try await server.sql(
        """
        DROP TABLE \(schema).annals_follower, \(schema).annals_partition, \(schema).annals_worker,
          \(schema).annals_quarantine;
        DROP FUNCTION \(schema).annals_claim; DROP FUNCTION \(schema).annals_save;
        UPDATE \(schema).annals_log SET format = 1;
        CREATE ROLE \(schema)_app LOGIN;
        GRANT USAGE ON SCHEMA \(schema) TO \(schema)_app;
        GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA \(schema) TO \(schema)_app;
        GRANT UPDATE ON \(schema).annals_log, \(schema).annals_stream TO \(schema)_app;
        """)
      let url = server.url.replacingOccurrences(of: "annals@", with: "\(schema)_app@")
      let error = await #expect(throws: EventStoreError.self) {
        try await PostgresEventStore(url: url, options: options)
      }
      #expect(error?.code == .refused && error?.message.contains("\"annals\", which owns the log's tables") == true)
      let stores = try await withThrowingTaskGroup(of: PostgresEventStore.self) { group in
        for _ in 0..<6 { group.addTask { try await PostgresEventStore(url: server.url, options: options) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(stores.map(\.source)) == ["urn:old"])
      let notes = LineNotes()
      #expect(try await notes.follower(of: stores[5], partitions: 2).catchUp() == 5)
      // As Docs/PostgreSQL.md says.
      try await server.sql(
        """
        GRANT SELECT, INSERT ON \(schema).annals_personal, \(schema).annals_erasure TO \(schema)_app;
        GRANT SELECT, INSERT, UPDATE, DELETE ON \(schema).annals_follower, \(schema).annals_partition,
          \(schema).annals_worker, \(schema).annals_quarantine TO \(schema)_app;
        """)
      let app = try await PostgresEventStore(url: url, options: options)
      try await app.write("b", to: "s")
      #expect(try await notes.follower(of: app, partitions: 2).catchUp() == 6)
      #expect(Set(notes.words) == ["b"])
      try await app.forgetFollower("lines", version: 1)
    }

    @Test func `A log is migrated although the server reports conflicts as internal errors`() async throws {
      try await TestServer.own { server, _ in
        let options = server.options { $0.setup = .migrate }
        try await server.sql(FormatTwo.sql(options.schema))
        // A number of a sequence is used once, also where the transaction is rolled back.
        try await server.sql(
          """
          CREATE SEQUENCE public.tries;
          CREATE FUNCTION public.refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
          BEGIN
            IF nextval('public.tries') IN (1, 3, 10) THEN
              RAISE EXCEPTION 'cache lookup failed for function 20092' USING ERRCODE = 'XX000';
            END IF;
          END $$;
          CREATE EVENT TRIGGER refuse ON ddl_command_start EXECUTE FUNCTION public.refuse();
          """)
        let stores = try await withThrowingTaskGroup(of: PostgresEventStore.self) { group in
          for _ in 0..<4 { group.addTask { try await PostgresEventStore(url: server.url, options: options) } }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(stores.map(\.source) == Array(repeating: "urn:old", count: 4))
        try await stores[0].write("b", to: "s")
        #expect(try await LineNotes().follower(of: stores[1], partitions: 2).catchUp() == 6)
      }
    }
  }

  extension PostgresEventStore {
    /// Appends a line to a stream.
    func write(_ word: String, to stream: StreamName) async throws {
      let payload = JSONEncoder()
      let text = String(decoding: try payload.encode(["word": word]), as: UTF8.self)
      try await append(Append([NewEvent(type: "PostgresLineWritten", payload: text)], to: stream))
    }
  }

  /// What followers' code was given: twice, if a lease is over before what was handled is saved.
  final class LineNotes: Sendable {
    struct Poison: Error, CustomStringConvertible {
      let word: String
      var description: String { "Poison: \(word)" }
    }

    private struct Notes {
      var words: [String] = []
      var done: [StreamName: Int] = [:]
      var problems: [String] = []
      var poison: String?
    }

    private let notes = Mutex(Notes())
    var words: [String] { notes.withLock { $0.words } }
    /// Where an event came before one that is before it in its stream.
    var problems: [String] { notes.withLock { $0.problems } }
    var poison: String? {
      get { notes.withLock { $0.poison } }
      set { notes.withLock { $0.poison = newValue } }
    }

    func follower(
      of store: PostgresEventStore, partitions: Int, lease: Duration = .seconds(2)
    ) throws -> RemoteFollower<PostgresLineEvent> {
      try RemoteFollower(
        "lines", of: PostgresLineEvent.self, in: store, startingAt: .beginning, quarantine: .streams(atMost: 10),
        partitions: partitions,
        lease: lease
      ) { [self] recorded, _ in
        guard case .written(let word) = recorded.event else { return }
        try notes.withLock { notes in
          if word == notes.poison { throw Poison(word: word) }
          let known = notes.done[recorded.stream] ?? 0
          // One that was skipped leaves a gap of its own.
          if recorded.version > known + 1, notes.poison == nil {
            notes.problems.append("version \(recorded.version) of \(recorded.stream) came after \(known)")
          }
          notes.done[recorded.stream] = max(known, recorded.version)
          notes.words.append(word)
        }
      }
    }
  }
#endif
