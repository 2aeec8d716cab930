#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsRemote
  import Foundation
  import Synchronization
  import Testing

  /// A store that ends its running calls before it's closed.
  @Suite struct PostgresShutdownTests {
    private let server: TestServer
    private let options: PostgresOptions

    private final class Number: Sendable {
      let value = Mutex(0)
    }

    init() throws {
      server = try TestServer()
      options = server.options()
    }

    /// Begins commands that wait for the log's lock, and waits until all of them have decided.
    private func commands(_ count: Int) async throws -> (PostgresEventStore, [Task<Void, any Error>]) {
      let (steps, step) = AsyncStream.makeStream(of: Void.self)
      let environment = StoreEnvironment(hook: { if case .willAppend = $0 { step.yield() } })
      let store = try await PostgresEventStore(url: server.url, options: options, environment: environment)
      let commands = (0..<count).map { number in
        Task { _ = try await store.execute("word", on: PostgresLines["\(number)"]) }
      }
      var decided = 0
      for await _ in steps {
        decided += 1
        if decided == count { break }
      }
      return (store, commands)
    }

    /// Waits until a store refuses new calls.
    private func waitUntilRefusing(_ store: PostgresEventStore) async throws {
      do { while true { _ = try await store.head() } } catch let error as EventStoreError where error.code == .closed {}
    }

    private func isRefusing(_ call: () async throws -> Void) async -> Bool {
      let error = await #expect(throws: EventStoreError.self) { try await call() }
      return error?.code == .closed
    }

    @Test func `drain refuses new calls, and returns when the running calls have ended`() async throws {
      _ = try await PostgresEventStore(url: server.url, options: options)
      try await server.holding(options.schema) { release in
        let (store, commands) = try await commands(8)
        let checkpoints = try #require(store.checkpoints)
        let drained = Number()
        var drains: [Task<Void, any Error>] = []
        for _ in 1...2 {
          drains.append(
            Task {
              try await store.drain()
              drained.value.withLock { $0 += 1 }
            })
        }
        try await waitUntilRefusing(store)
        #expect(try await server.appendWaits(in: options.schema))
        #expect(await isRefusing { try await store.write("new", to: "new") })
        #expect(await isRefusing { try await store.append(Append()) })
        #expect(await isRefusing { _ = try await store.health(within: .seconds(600)) })
        #expect(await isRefusing { _ = try await store.statistics() })
        #expect(await isRefusing { _ = try await checkpoints.states(ofFollowersNamed: "mailer") })
        #expect(drained.value.withLock { $0 } == 0)
        try await release()
        for drain in drains { try await drain.value }
        for command in commands { try await command.value }
        // The running calls have ended, so these calls return immediately.
        try await store.drain()
        store.close()
        try await store.drain()
        #expect(await isRefusing { _ = try await store.head() })
      }
      #expect(try await PostgresEventStore(url: server.url, options: options).head() == 8)
    }

    @Test func `A command that has read before drain still appends`() async throws {
      let opened = Mutex<PostgresEventStore?>(nil)
      let environment = StoreEnvironment(hook: { step in
        if case .willAppend = step { opened.withLock { $0 }?.commands.calls.refuse() }
      })
      let store = try await PostgresEventStore(url: server.url, options: options, environment: environment)
      opened.withLock { $0 = store }
      defer { opened.withLock { $0 = nil } }
      #expect(try await store.execute("word", on: PostgresLines["a"]).position == 1)
      #expect(await isRefusing { _ = try await store.head() })
      try await store.drain()
    }

    @Test func `A drain that is cancelled ends, and close ends the remaining calls`() async throws {
      _ = try await PostgresEventStore(url: server.url, options: options)
      try await server.holding(options.schema) { _ in
        let (store, commands) = try await commands(2)
        #expect(try await server.appendWaits(in: options.schema))
        let drain = Task { try await store.drain() }
        try await waitUntilRefusing(store)
        drain.cancel()
        await #expect(throws: CancellationError.self) { try await drain.value }
        #expect(await isRefusing { _ = try await store.head() })
        let other = Task { try await store.drain() }
        store.close()
        try await other.value
        for command in commands {
          let error = await #expect(throws: EventStoreError.self) { try await command.value }
          #expect(error?.code == .closed || error?.code == .unknownOutcome)
        }
      }
    }
  }
#endif
