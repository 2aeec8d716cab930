#if Postgres
  import Annals
  import AnnalsPostgres
  import Foundation
  import Testing

  /// Ids of commands in a log of PostgreSQL: an id that was used for one call is refused for every other call.
  @Suite struct PostgresCommandTests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    private static func append(_ type: String, to stream: StreamName, _ id: String) -> Append {
      Append([.init(stream: stream, event: NewEvent(type: type, payload: nil))], commandID: id)
    }

    @Test func `An id that was used for one call is refused for every other call, also by another program`()
      async throws
    {
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      let other = try await PostgresEventStore(url: server.url, options: options)
      let calls: [@Sendable (PostgresEventStore, String) async throws -> Receipt] = [
        { try await $0.append(Self.append("T", to: "s", $1)) },
        { try await $0.append(Self.append("U", to: "s", $1)) },
        { try await $0.append(Self.append("T", to: "t", $1)) },
        { try await $0.execute(1, on: Count["1"], commandID: $1) },
        { try await $0.execute(2, on: Count["1"], commandID: $1) },
        { try await $0.execute(-1, on: Count["1"], commandID: $1) },
        { try await $0.execute(1, on: Count["2"], commandID: $1) },
        { try await $0.execute(1, on: .boundary(AnyCount.self), commandID: $1) },
        { try await $0.execute(2, on: .boundary(AnyCount.self), commandID: $1) },
        { try await $0.transaction(commandID: $1) { _ = try $0.execute(1, on: Count["1"]) } },
      ]
      for (number, first) in calls.enumerated() {
        let id = "id \(number)"
        // A command that the rules refuse leaves no trace, so its id is free.
        guard let receipt = try? await first(store, id) else { continue }
        let head = try await store.head()
        for (place, call) in calls.enumerated() {
          for store in [store, other] {
            if place == number {
              let again = try await call(store, id)
              #expect(again == receipt && again.isRepeated)
            } else {
              let error = await #expect(throws: EventStoreError.self, "\(number), \(place)") {
                try await call(store, id)
              }
              #expect(error?.code == .commandReused, "\(number), \(place)")
            }
          }
        }
        #expect(try await store.head() == head)
        #expect(try await store.receipt(ofCommand: id)?.use?.call.isEmpty == false)
      }
    }

    @Test func `An erasure deletes the digests of commands, and their calls stay`() async throws {
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      let payload = #"{"a":{"$personal":"ann","value":1}}"#
      try await store.append(Append([NewEvent(type: "P", payload: payload)], to: "p"))
      try await store.execute(1, on: Count["1"], commandID: "k")
      #expect(try await store.receipt(ofCommand: "k")?.use?.digest != nil)
      try await store.erase(subject: "ann")
      let use = try await store.receipt(ofCommand: "k")?.use
      #expect(use?.digest == nil && use?.call == "execute Count on Count-1")
      // Without digests another amount can't be distinguished, and another stream can.
      #expect(try await store.execute(2, on: Count["1"], commandID: "k").isRepeated)
      await #expect(throws: EventStoreError.self) {
        try await store.execute(1, on: Count["2"], commandID: "k")
      }
    }

    @Test func `A log of format 5 keeps its receipts, and programs of that format keep appending`() async throws {
      let options = server.options { $0.setup = .migrate }
      let schema = options.schema
      let first = try await FormatSeven.open(on: server, options)
      try await first.append(Self.append("T", to: "s", "before"))
      first.close()
      try await server.sql(
        """
        ALTER TABLE \(schema).annals_command DROP COLUMN call, DROP COLUMN digest;
        DROP FUNCTION \(schema).annals_write; UPDATE \(schema).annals_log SET format = 5
        """)
      let store = try await PostgresEventStore(url: server.url, options: options)
      #expect(try await server.sql("SELECT format FROM \(schema).annals_log") == "8\n")
      // A receipt without a use fits every call.
      #expect(try await store.append(Self.append("U", to: "t", "before")).isRepeated)
      // As a program of format 5 appends.
      let appended = try await server.sql(
        """
        SELECT outcome, o_position FROM \(schema).annals_write(
          'off', false, '{old}', '{-1}', '{0}', ARRAY['["s"]'], '{0}', '{}', '{}', '{0}', '{}', '{}', '{1}', '{s}',
          '{urn:w}', '{old-1}', '{A}', '{1}', '{1}', ARRAY['[]'], '{1}', ARRAY['{}'], '{0}', '{0}', '{}', '{}', '{0}',
          '{}', '{}', '{}', '{}', '{1}', '{s}')
        """)
      #expect(appended == "done|2\n")
      #expect(try await store.receipt(ofCommand: "old")?.position == 2)
      #expect(try await store.append(Self.append("T", to: "s", "after")).position == 3)
      await #expect(throws: EventStoreError.self) { try await store.append(Self.append("T", to: "t", "after")) }
    }
  }

  private enum CountEvent: Event {
    case counted(Int)

    static var typePrefix: String { "CommandCount" }

    var tags: Set<EventTag> { ["count"] }
  }

  private struct Negative: Error {}

  private struct Count: Decider {
    func decide(_ amount: Int) throws(Negative) -> [CountEvent] {
      if amount < 0 { throw Negative() }
      return [.counted(amount)]
    }
    mutating func evolve(_ event: CountEvent) {}
  }

  private struct AnyCount: BoundaryDecider {
    static func boundary(for amount: Int) -> EventQuery { .tagged("count") }
    func decide(_ amount: Int) -> [CountEvent] { [.counted(amount)] }
    mutating func evolve(_ event: CountEvent) {}
  }
#endif
