#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsRemote
  import Foundation
  import Testing

  /// Migrations without an open store, as a script, and by the tool.
  @Suite struct PostgresMaintenanceTests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    /// Returns statements that create a log of an older format, with events and with a role that may append.
    private static func old(_ format: Int, _ schema: String, _ role: String) -> String {
      let found = "DROP FUNCTION \(schema).annals_found(bigint, text[], text[], text[], text[])"
      let uses = PostgresMigrationTests.withoutUses(schema)
      let compactions = PostgresMigrationTests.withoutCompactions(schema)
      let write = "DROP FUNCTION \(schema).annals_write"
      let former =
        switch format {
        case 1:
          """
          DROP TABLE \(schema).annals_follower, \(schema).annals_partition, \(schema).annals_worker,
            \(schema).annals_quarantine;
          DROP FUNCTION \(schema).annals_claim; DROP FUNCTION \(schema).annals_save
          """
        case 3: "\(found); \(compactions); \(write)"
        case 4: "\(found); \(compactions)"
        case 5: "\(found); \(uses); \(write)"
        case 6: found
        default: "SELECT 1"
        }
      // Quotes, a backslash, a parameter, a variable of psql, and a line break in a value.
      let value = #"{"a":{"$personal":"o'neil \"$1\"","value":"'\\ :x $$ \n"},"b":"é"}"#
      let event =
        format < 3
        ? """
        INSERT INTO \(schema).annals_event VALUES (6, 3, 's', 4, 'urn:w', 'six', 'A', 1, 1, '[]', $v$\(value)$v$, '{}');
        UPDATE \(schema).annals_stream SET version = 4 WHERE stream = 's';
        UPDATE \(schema).annals_log SET head = 6, transaction = 3
        """
        : """
        INSERT INTO \(schema).annals_event VALUES (1, 1, 's', 1, 'urn:w', 'one', 'A', 1, 1, '[]', '{"a":1}', '{}');
        INSERT INTO \(schema).annals_stream VALUES ('s', 1);
        UPDATE \(schema).annals_log SET head = 1, transaction = 1
        """
      return """
        \(format < 3 ? FormatTwo.sql(schema) : FormatSeven.sql(schema, source: "urn:w"));
        \(former);
        \(event);
        UPDATE \(schema).annals_log SET format = \(format);
        GRANT USAGE ON SCHEMA \(schema) TO \(role);
        GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA \(schema) TO \(role);
        GRANT UPDATE ON \(schema).annals_log, \(schema).annals_stream TO \(role)
        """
    }

    private func maintenance(_ options: PostgresOptions) -> PostgresMaintenance {
      PostgresMaintenance(url: server.url, options: options)
    }

    private static let steps = [1: [2, 3, 5, 6, 7, 8], 2: [3, 5, 6, 7, 8], 3: [5, 6, 7, 8], 4: [5, 6, 7, 8]]

    @Test(arguments: 1...7)
    func `The script makes the same log as a migration, with the same owner, privileges and rows`(format: Int)
      async throws
    {
      let (first, second) = (server.options(), server.options())
      let name = server.options().schema
      let (role, owner) = ("role_\(name)", "owner_\(name)")
      try await server.sql(
        """
        CREATE ROLE \(role); CREATE ROLE \(owner) SUPERUSER; SET ROLE \(owner);
        \(Self.old(format, first.schema, role)); \(Self.old(format, second.schema, role))
        """)
      let before = try await server.dump(first.schema)
      #expect(try await server.dump(second.schema) == before)
      let expected = Self.steps[format] ?? Array(max(6, format + 1)...8)
      let dry = try await maintenance(first).migration()
      #expect(dry.format == format && dry.newFormat == 8 && dry.steps.map(\.format) == expected)
      let script = try #require(try await maintenance(first).migrationScript())
      // Neither changes the log.
      #expect(try await server.dump(first.schema) == before)

      // The client's encoding and the database's settings don't change the script's effect.
      let options = "&options=-c%20standard_conforming_strings%3Doff%20-c%20client_encoding%3DLATIN1"
      let output = try await server.run(script: script, at: server.url + options)
      #expect(output == "", "\(output)")
      #expect(try await maintenance(second).migrate() == dry)
      let after = try await server.dump(first.schema)
      #expect(after != before)
      #expect(try await server.dump(second.schema) == after)
      #expect(!after.contains("OWNER TO annals") && after.contains("OWNER TO \(owner)"))

      let stores = [
        try await PostgresEventStore(url: server.url, options: first),
        try await PostgresEventStore(url: server.url, options: second),
      ]
      let events = try await stores[0].events(.all, after: 0, limit: 9)
      #expect(try await stores[1].events(.all, after: 0, limit: 9) == events)
      #expect(
        events.last?.payload?.contains(format < 3 ? #""$personal":"o'neil \"$1\"","value":"'\\ :x $$ \n""# : "1")
          == true)
      for store in stores {
        try await store.append(Append([NewEvent(type: "A", payload: nil)], to: "s"))
        #expect(try await store.head() == (format < 3 ? 7 : 2))
      }
    }

    @Test(arguments: [2, 7])
    func `A script fails without a change if another process has migrated the log first`(format: Int) async throws {
      let options = server.options()
      try await server.sql(
        "CREATE ROLE role_\(options.schema); \(Self.old(format, options.schema, "role_\(options.schema)"))")
      let script = try #require(try await maintenance(options).migrationScript())
      #expect(try await maintenance(options).migrate().steps.isEmpty == false)
      let after = try await server.dump(options.schema)
      #expect(
        try await server.run(script: script).contains("ERROR:  expected a log of format \(format)"), "\(format)")
      #expect(try await server.dump(options.schema) == after)
      #expect(try await maintenance(options).migrationScript() == nil)
    }

    @Test func `A script with personal values fails without a change if events were appended`() async throws {
      let options = server.options()
      let (schema, role) = (options.schema, "role_\(server.options().schema)")
      try await server.sql("CREATE ROLE \(role); \(Self.old(2, schema, role))")
      let script = try #require(try await maintenance(options).migrationScript())
      try await server.sql(
        """
        INSERT INTO \(schema).annals_event VALUES (7, 4, 's', 5, 'urn:w', 'seven', 'A', 1, 1, '[]', NULL, '{}');
        UPDATE \(schema).annals_log SET head = 7, transaction = 4
        """)
      let before = try await server.dump(schema)
      #expect(try await server.run(script: script).contains("expected a log of format 2 with 6 events"))
      #expect(try await server.dump(schema) == before)
    }

    @Test func `Of several concurrent migrations, only one migrates`() async throws {
      let options = server.options()
      let role = "role_\(options.schema)"
      try await server.sql("CREATE ROLE \(role); \(Self.old(7, options.schema, role))")
      let migrations = try await withThrowingTaskGroup(of: LogMigration.self) { group in
        for _ in 0..<4 { group.addTask { [self] in try await maintenance(options).migrate() } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(migrations.filter { $0 == LogMigration(format: 7, newFormat: 8, steps: $0.steps) }.count == 1)
      #expect(migrations.filter { $0 == LogMigration(format: 8, newFormat: 8, steps: []) }.count == 3)
    }

    @Test func `A role that isn't the owner can't migrate, and a member of the owner can`() async throws {
      let options = server.options()
      let (schema, role) = (options.schema, "role_\(server.options().schema)")
      try await server.sql(
        "CREATE ROLE \(role) LOGIN; CREATE ROLE \(role)_owner SUPERUSER")
      try await server.sql("SET ROLE \(role)_owner; \(Self.old(2, schema, role))")
      let before = try await server.dump(schema)
      let maintenance = PostgresMaintenance(
        url: server.url.replacing("annals@", with: "\(role)@"), options: options)
      let error = await #expect(throws: EventStoreError.self) { try await maintenance.migrate() }
      #expect(
        error?.code == .refused && error?.message.contains("\"\(role)_owner\", which owns the log's tables") == true)
      #expect(try await server.dump(schema) == before)
      try await server.sql("GRANT \(role)_owner TO \(role)")
      #expect(try await maintenance.migrate().steps.count == 5)
    }

    @Test func `A missing log and a log of a newer format have clear errors`() async throws {
      let options = server.options()
      let missing = await #expect(throws: EventStoreError.self) { try await maintenance(options).migrate() }
      #expect(missing?.code == .io && missing?.message.contains("found none") == true)
      #expect(try await server.sql("SELECT count(*) FROM pg_namespace WHERE nspname = '\(options.schema)'") == "0\n")
      _ = try await PostgresEventStore(url: server.url, options: options)
      try await server.sql("UPDATE \(options.schema).annals_log_base SET format = 99")
      let newer = await #expect(throws: EventStoreError.self) { try await maintenance(options).migrationScript() }
      #expect(newer?.code == .newerFormat && newer?.format == 99)
    }

    private func tool(_ words: String...) async throws -> (status: Int32, output: String, talk: String) {
      let child = try Child(words, of: "annals-tool")
      return (await child.finish(), child.text, child.complaints)
    }

    @Test func `The tool prints a migration, prints its script, migrates, and then reports that the log is current`()
      async throws
    {
      let options = server.options()
      let (schema, role) = (options.schema, "role_\(server.options().schema)")
      let url = "\(server.url)&annals_schema=\(schema)"
      try await server.sql("CREATE ROLE \(role); \(Self.old(7, schema, role))")
      let info = try await tool("info", url)
      #expect(
        info.status == 1 && info.talk.contains("found format 7.") && info.talk.hasSuffix("`annals migrate URL`\n"),
        "\(info)")
      let before = try await server.dump(schema)
      let step = "replace updated rows by views, so that open snapshots don't slow down appends"
      let dry = try await tool("migrate", url, "--dry-run")
      #expect(dry.status == 0 && dry.output == "format 8  \(step)\n", "\(dry)")
      #expect(dry.talk == "the log would be migrated from format 7 to format 8, but it wasn't changed\n")
      let json = "{\"format\":7,\"newFormat\":8,\"steps\":[{\"format\":8,\"summary\":\"\(step)\"}],\"dryRun\":"
      #expect(try await tool("migrate", url, "--dry-run", "--json").output == json + "true}\n")
      let script = try await tool("migrate", url, "--sql")
      #expect(
        script.status == 0 && script.talk == "" && script.output.hasPrefix("-- Migrates the Annals log"), "\(script)")
      #expect(try await server.dump(schema) == before)
      let done = try await tool("migrate", url, "--json")
      #expect(done.status == 0 && done.output == json + "false}\n", "\(done)")
      let after = try await server.dump(schema)
      #expect(after != before)
      // The printed script has the same effect.
      let other = server.options()
      try await server.sql(Self.old(7, other.schema, role))
      #expect(try await server.run(script: script.output.replacing(schema, with: other.schema)) == "")
      #expect(try await server.dump(other.schema) == after)

      for words in [["migrate", url], ["migrate", url, "--dry-run"]] {
        let child = try Child(words, of: "annals-tool")
        #expect(await child.finish() == 0)
        #expect(child.text == "" && child.complaints == "the log already has format 8, so it wasn't changed\n")
      }
      let none = try await tool("migrate", url, "--sql")
      #expect(none.status == 0 && none.output == "" && none.talk.hasPrefix("the log already has"), "\(none)")
      #expect(try await tool("migrate", url, "--sql", "--json").output == "{\"sql\":null}\n")
      let file = try await tool("migrate", "shop.annals")
      #expect(file.status == 2 && file.talk.contains("A log in a file needs no migration"), "\(file)")
    }
  }
#endif
