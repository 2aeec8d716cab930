#if Postgres
  import Annals
  import AnnalsPostgres
  import Testing

  /// Options from environment variables and from the URL.
  @Suite struct PostgresOptionsTests {
    private static let prefix = "ANNALS_POSTGRES_"

    @Test func `Every option is read from its variable`() throws {
      let options = try PostgresOptions(environment: [
        "ANNALS_POSTGRES_SCHEMA": "shop", "ANNALS_POSTGRES_DURABILITY": "system", "ANNALS_POSTGRES_CONNECTIONS": "7",
        "ANNALS_POSTGRES_PATIENCE": "0.5", "ANNALS_POSTGRES_ANSWER_TIMEOUT": "20", "ANNALS_POSTGRES_POLL_INTERVAL": "3",
        "ANNALS_POSTGRES_NOTIFIES": "false", "ANNALS_POSTGRES_SETUP": "migrate", "PATH": "/bin",
      ])
      let expected = PostgresOptions(
        schema: "shop", durability: .system, connections: 7, patience: .milliseconds(500), answerTimeout: .seconds(20),
        pollInterval: .seconds(3), notifies: false, setup: .migrate)
      #expect("\(options)" == "\(expected)")
      #expect("\(try PostgresOptions(environment: ["PATH": "/bin"]))" == "\(PostgresOptions())")
    }

    @Test(arguments: [
      ("SCHEMA", ""), ("SCHEMA", String(repeating: "x", count: 57)), ("SCHEMA", "a$$b"), ("DURABILITY", "Power"),
      ("CONNECTIONS", "0"), ("CONNECTIONS", "4.5"), ("PATIENCE", "10s"), ("ANSWER_TIMEOUT", "0"),
      ("POLL_INTERVAL", "nan"), ("POLL_INTERVAL", "1e300"), ("NOTIFIES", "yes"), ("SETUP", "Create"), ("SETUP", "true"),
    ])
    func `A wrong value is an error with the variable, the value and the expected value`(name: String, value: String)
      throws
    {
      let variable = Self.prefix + name
      let error = #expect(throws: EventStoreError.self) { try PostgresOptions(environment: [variable: value]) }
      #expect(error?.code == .invalidAppend)
      #expect(error?.message.hasPrefix("\(variable): expected ") == true)
      #expect(error?.message.contains("found \"\(value)\"") == true)
    }

    @Test(arguments: ["PATIENSE", "URL", "", "schema"])
    func `An unknown variable is an error without its value`(name: String) throws {
      let variable = Self.prefix + name
      let error = #expect(throws: EventStoreError.self) {
        try PostgresOptions(environment: [variable: "secret", "ANNALS_POSTGRES_SCHEMA": "shop"])
      }
      #expect(error?.code == .invalidAppend)
      #expect(error?.message.hasPrefix("\(variable) isn't the name of an option; expected ") == true)
      #expect(error?.message.contains("ANNALS_POSTGRES_ANSWER_TIMEOUT") == true)
      #expect(error?.message.contains("secret") == false)
    }

    @Test func `The schema in a URL replaces the schema in the options`() async throws {
      let server = try TestServer()
      let (options, other) = (server.options(), server.options())
      let store = try await PostgresEventStore(
        url: server.url + "&annals_schema=\(options.schema)&application_name=x", options: other)
      try await store.write("a", to: "a")
      #expect(try await PostgresEventStore(url: server.url, options: options).head() == 1)
      #expect(try await PostgresEventStore(url: server.url, options: other).head() == 0)
      let error = await #expect(throws: EventStoreError.self) {
        try await PostgresEventStore(url: server.url + "&annals_schema=", options: options)
      }
      #expect(error?.message.hasPrefix("expected a schema name of 1 to 56 bytes") == true)
    }
  }
#endif
