#if Postgres
  import Annals
  import AnnalsPostgres
  import Foundation
  import Testing

  /// Logs of older formats, brought up to this one; those of format 2 are in `PostgresErasureTests` too.
  @Suite struct PostgresMigrationTests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    @Test func `A log of format 3 gets the function that appends groups, once, and its events stay`() async throws {
      let options = server.options { $0.setup = .migrate }
      let schema = options.schema
      let first = try await FormatSeven.open(on: server, options)
      try await first.append(Append([NewEvent(type: "A", payload: "1")], to: "s"))
      first.close()
      try await server.sql(
        """
        \(Self.withoutCompactions(schema)); DROP FUNCTION \(schema).annals_write;
        UPDATE \(schema).annals_log SET format = 3
        """
      )
      let stores = try await withThrowingTaskGroup(of: PostgresEventStore.self) { [server] group in
        for _ in 0..<6 { group.addTask { try await PostgresEventStore(url: server.url, options: options) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for store in stores { try await store.append(Append([NewEvent(type: "A", payload: "2")], to: "s")) }
      #expect(try await server.sql("SELECT format FROM \(schema).annals_log") == "8\n")
      #expect(try await stores[0].events(.all, after: 0, limit: 9).map(\.version) == Array(1...7))
    }

    /// What takes away what format 5 added to a log.
    static func withoutCompactions(_ schema: String) -> String {
      """
      ALTER TABLE \(schema).annals_log DROP COLUMN compactions, DROP COLUMN horizon;
      DROP TABLE \(schema).annals_rewriting, \(schema).annals_compaction, \(schema).annals_former;
      DROP FUNCTION \(schema).annals_rewrite; DROP FUNCTION \(schema).annals_compact;
      \(withoutUses(schema))
      """
    }

    /// The statement that removes the columns that format 6 added to the receipts of commands.
    static func withoutUses(_ schema: String) -> String {
      "ALTER TABLE \(schema).annals_command DROP COLUMN call, DROP COLUMN digest"
    }

    @Test func `A log of format 6 gets conditions on categories, also for a program that has it open`() async throws {
      let options = server.options { $0.setup = .migrate }
      let schema = options.schema
      let first = try await FormatSeven.open(on: server, options)
      try await first.append(Append([NewEvent(type: "A", payload: "1")], to: "Hall-1"))
      try await server.sql(
        """
        DROP FUNCTION \(schema).annals_found(bigint, text[], text[], text[], text[]);
        UPDATE \(schema).annals_log SET format = 6;
        DO $do$ BEGIN
          EXECUTE replace(pg_get_functiondef((SELECT oid FROM pg_proc WHERE proname = 'annals_write'
            AND pronamespace = '\(schema)'::regnamespace)), ',
                ARRAY(SELECT json_array_elements_text(a.value -> 3))', '');
        END $do$
        """)
      let store = try await PostgresEventStore(url: server.url, options: options)
      #expect(try await server.sql("SELECT format FROM \(schema).annals_log") == "8\n")
      for store in [first, store] {
        let free = Append.Condition(noneMatching: .category("Hall-1"), after: 0)
        try await store.append(
          Append([.init(stream: "s", event: NewEvent(type: "A", payload: "2"))], conditions: [free]))
        let taken = Append.Condition(noneMatching: .category("Hall"), after: 0)
        let error = await #expect(throws: EventStoreError.self) {
          try await store.append(
            Append([.init(stream: "s", event: NewEvent(type: "A", payload: "3"))], conditions: [taken]))
        }
        #expect(error?.code == .conditionConflict)
      }
    }

    @Test func `A log of format 4 can be compacted, and programs of that format go on with its functions`() async throws
    {
      let options = server.options { $0.setup = .migrate }
      let schema = options.schema
      let first = try await FormatSeven.open(on: server, options)
      let said = NewEvent(type: "A", payload: #"{"a":{"$personal":"ann","value":1}}"#)
      try await first.append(Append([said, said], to: "s"))
      // The functions of that format have these names and parameters, and know nothing of what is cut.
      for (name, cast) in [("annals_write", "35"), ("annals_erase", "3")] {
        #expect(
          try await server.sql(
            "SELECT pronargs FROM pg_proc WHERE proname = '\(name)' AND pronamespace = '\(schema)'::regnamespace")
            == cast + "\n")
      }
      try await server.sql(
        """
        \(Self.withoutCompactions(schema)); UPDATE \(schema).annals_log SET format = 4;
        DO $do$ BEGIN
          EXECUTE replace(pg_get_functiondef((SELECT oid FROM pg_proc WHERE proname = 'annals_write'
            AND pronamespace = '\(schema)'::regnamespace)), 'FOR UPDATE', 'FOR UPDATE OF nothing');
        END $do$
        """)
      let store = try await PostgresEventStore(url: server.url, options: options)
      #expect(try await server.sql("SELECT format FROM \(schema).annals_log") == "8\n")
      // The one that had it open before.
      try await first.append(Append([said], to: "s"))
      #expect(try await first.erase(subject: "ann").fields == 3)
      try await store.append(Append([NewEvent(type: "A", payload: "2")], to: "s", expecting: .exact(3)))
      #expect(try await store.events(.all, after: 0, limit: 9).count == 4)
    }

    @Test(arguments: [2, 7])
    func `A log of an older format isn't migrated by default, and opening it makes no changes`(format: Int) async throws
    {
      let options = server.options()
      try await server.sql(
        format == 2 ? FormatTwo.sql(options.schema) : FormatSeven.sql(options.schema, source: "urn:old"))
      let before = try await server.dump(options.schema)
      for setup in [.existing, .create] as [PostgresOptions.Setup] {
        var options = options
        options.setup = setup
        let error = await #expect(throws: EventStoreError.self) {
          try await PostgresEventStore(url: server.url, options: options)
        }
        #expect(error?.code == .olderFormat && error?.format == format && error?.isTransient == false)
        for part in ["a log of format 8", "found format \(format).", "`annals migrate URL`", "(setup: .migrate)"] {
          #expect(error?.message.contains(part) == true, "\(part)")
        }
      }
      #expect(try await server.dump(options.schema) == before)
      var migrating = options
      migrating.setup = .migrate
      try await PostgresEventStore(url: server.url, options: migrating).write("a", to: "s")
      // After the migration, every setup opens the log.
      for setup in [.existing, .create] as [PostgresOptions.Setup] {
        migrating.setup = setup
        #expect(try await PostgresEventStore(url: server.url, options: migrating).head() == (format == 2 ? 6 : 1))
      }
    }

    @Test func `Only a setup that creates a log creates a missing log`() async throws {
      let options = server.options { $0.setup = .existing }
      let error = await #expect(throws: EventStoreError.self) {
        try await PostgresEventStore(url: server.url, options: options)
      }
      #expect(error?.code == .io && error?.message.contains("found none") == true)
      for setup in [.create, .migrate] as [PostgresOptions.Setup] {
        let store = try await PostgresEventStore(url: server.url, options: server.options { $0.setup = setup })
        #expect(try await store.head() == 0)
      }
    }

    @Test func `A superuser migrates a log as the role that owns the log`() async throws {
      let options = server.options { $0.setup = .migrate }
      let (schema, role) = (options.schema, options.schema + "-owner")
      try await server.sql(
        """
        CREATE ROLE "\(role)"; \(TestServer.grant(creationTo: role)); SET ROLE "\(role)";
        \(FormatTwo.sql(schema))
        """)
      try await PostgresEventStore(url: server.url, options: options).write("a", to: "s")
      let owners = """
        SELECT DISTINCT pg_get_userbyid(o) FROM (
          SELECT relowner FROM pg_class WHERE relnamespace = '\(schema)'::regnamespace
          UNION ALL SELECT proowner FROM pg_proc WHERE pronamespace = '\(schema)'::regnamespace) owners (o)
        """
      #expect(try await server.sql(owners) == role + "\n")
    }

    @Test func `What is committed after the look through a log of format 2 is looked through too`() async throws {
      let options = server.options { $0.setup = .migrate }
      let schema = options.schema
      try await server.sql(FormatTwo.sql(schema))
      // An older program's transaction that was past its function when that was taken away, and is not committed yet.
      async let late = server.sql(
        """
        BEGIN;
        INSERT INTO \(schema).annals_event VALUES (
          6, 3, 's', 4, 'urn:w', 'late', 'A', 1, 1, '[]', '{"$personal":"ann","value":"late"}', '{}');
        UPDATE \(schema).annals_stream SET version = 4 WHERE stream = 's';
        UPDATE \(schema).annals_log SET head = 6, transaction = 3;
        DO $$ BEGIN
          -- Until the step to the next format waits for it.
          FOR i IN 1 .. 60000 LOOP
            IF EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '\(schema).annals_log'::regclass)
            THEN RETURN; END IF;
            PERFORM pg_sleep(0.01);
          END LOOP;
          RAISE EXCEPTION 'nothing waited';
        END $$;
        COMMIT
        """)
      while try await server.sql(
        "SELECT count(*) FROM pg_locks WHERE granted AND relation = '\(schema).annals_log'::regclass") == "0\n"
      {}
      let store = try await PostgresEventStore(url: server.url, options: options)
      _ = try await late
      #expect(
        try await store.events(.all, after: 5, limit: 9).map(\.payload) == [#"{"$personal":"ann","value":"late"}"#])
      #expect(try await store.erase(subject: "ann").fields == 2)
      #expect(try await store.events(.all, after: 5, limit: 9).map(\.payload) == [#"{"$personal":"ann"}"#])
    }
  }
#endif
