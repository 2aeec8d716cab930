#if Postgres
  import Annals
  import AnnalsRemote
  import AnnalsTesting
  import Foundation
  import Networks
  import Testing

  @testable import AnnalsPostgres

  /// Commands that another process's events on the same stream precede: the response to the refused append contains
  /// these events, so the command is re-decided without a read.
  @Suite(.timeLimit(.minutes(60))) struct PostgresConflictTests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    /// Two stores of one log, and the measurements of the first store.
    private struct Pair {
      let notes = Notes()
      let store: PostgresEventStore
      let other: PostgresEventStore

      init(_ server: TestServer, url: String? = nil, _ options: PostgresOptions) async throws {
        other = try await PostgresEventStore(url: server.url, options: options)
        store = try await PostgresEventStore(
          url: url ?? server.url, options: options, environment: StoreEnvironment(monitor: notes))
      }

      var reads: Int { notes[.operation].count { $0.labels["operation"] == "read" } }
      var conflicts: Int { notes[.conflicts].count }

      func names() async throws -> [String] {
        try await other.events(.all, after: 0, limit: 1_000).map { event in
          event.payload?.firstMatch(of: #/"value":"(.*?)"/#).map { String($0.1) } ?? "erased"
        }
      }
    }

    @Test func `A command that lost a race is retried on the other process's events`() async throws {
      let pair = try await Pair(server, server.options())
      try await pair.store.execute("ann", on: Guests["a"])
      let reads = pair.reads
      for round in 1...3 {
        try await pair.other.execute("bob \(round)", on: Guests["a"])
        try await pair.store.execute("cid \(round)", on: Guests["a"])
        #expect(pair.conflicts == round)
      }
      // The decider refuses a name that only the other process's events contain.
      try await pair.other.execute("eve", on: Guests["a"])
      try await pair.other.execute("dan", on: Guests["a"])
      await #expect(throws: Guests.Known.self) { try await pair.store.execute("eve", on: Guests["a"]) }
      #expect(pair.conflicts == 4)
      #expect(pair.reads == reads)
      try await pair.store.execute("fay", on: Guests["a"])
      #expect(pair.conflicts == 4 && pair.reads == reads)
      #expect(
        try await pair.names() == ["ann", "bob 1", "cid 1", "bob 2", "cid 2", "bob 3", "cid 3", "eve", "dan", "fay"])
    }

    @Test(arguments: [64, 65])
    func `More than 64 events aren't part of the response, so they are read`(count: Int) async throws {
      let pair = try await Pair(server, server.options())
      try await pair.store.execute("ann", on: Guests["a"])
      let reads = pair.reads
      let events = (0..<count).map { GuestEvent.arrived(Personal("guest \($0)", of: "guest \($0)")) }
      try await pair.other.append(events, to: "Guests-a")
      try await pair.store.execute("bob", on: Guests["a"])
      #expect(pair.conflicts == 1 && pair.reads - reads == (count > 64 ? 1 : 0))
      #expect(try await pair.names().count == count + 2)
    }

    @Test func `Events that are too large for the response are read`() async throws {
      let pair = try await Pair(server, server.options())
      try await pair.store.execute("ann", on: Guests["a"])
      let reads = pair.reads
      try await pair.other.execute(String(repeating: "b", count: 80_000), on: Guests["a"])
      try await pair.store.execute("cid", on: Guests["a"])
      #expect(pair.conflicts == 1 && pair.reads - reads == 1)
    }

    @Test(arguments: [64, 65])
    func `A refusal behind a committed append of the same call has its own events, or none`(count: Int) async throws {
      let store = try await PostgresEventStore(url: server.url, options: server.options())
      for _ in 0..<count { try await store.append(Append([NewEvent(type: "A", payload: nil)], to: "s")) }
      var refused = Append([NewEvent(type: "B", payload: nil)], to: "s", expecting: .exact(0))
      refused.revision = .original
      let other = Append([NewEvent(type: "C", payload: nil)], to: "t")
      var appends = try [other, refused].map { try AppendSQL($0, source: store.source, StoreEnvironment()) }
      appends[1].link = .first
      let results = await store.writer.commit(appends)
      #expect(try results[0].get().position == Position(count + 1))
      let error = #expect(throws: (any Error).self) { try results[1].get() }
      if count > 64 {
        #expect((error as? EventStoreError)?.code == .versionConflict, "\(error)")
      } else {
        #expect(try (error as? EventsConflict)?.events().map(\.version) == Array(1...64), "\(error)")
      }
    }

    @Test func `The first command on a stream can lose to the first command of another process`() async throws {
      let proxy = try FaultyProxy(to: server.url, SplitMix64(seed: 1))
      defer { proxy.close() }
      // Otherwise, the store checks the server process while the proxy holds the message, and retries the append.
      proxy.hideProcesses()
      let pair = try await Pair(server, url: proxy.url, server.options { $0.connections = 1 })
      let release = proxy.hold(at: "late guest")
      let command = Task { try await pair.store.execute("late guest", on: Guests["a"]) }
      while !proxy.hasHeld { try await Task.sleep(for: .milliseconds(5)) }
      let reads = pair.reads
      try await pair.other.execute("early guest", on: Guests["a"])
      release()
      #expect(try await command.value.position == 2)
      #expect(pair.conflicts == 1 && pair.reads == reads)
      #expect(try await pair.names() == ["early guest", "late guest"])
    }

    @Test func `All commands of a refused group are retried without a read`() async throws {
      let proxy = try FaultyProxy(to: server.url, SplitMix64(seed: 1))
      defer { proxy.close() }
      // Otherwise, the store checks the server process while the proxy holds the message, and retries the append.
      proxy.hideProcesses()
      let pair = try await Pair(server, url: proxy.url, server.options { $0.connections = 1 })
      try await pair.store.execute("ann", on: Guests["a"])
      let release = proxy.hold(at: "guest 0")
      let first = Task { try await pair.store.execute("guest 0", on: Guests["a"]) }
      while !proxy.hasHeld { try await Task.sleep(for: .milliseconds(5)) }
      // These commands wait for the first command, and then form a group.
      let rest = (1...8).map { number in
        Task { try await pair.store.execute("guest \(number)", on: Guests["a"]) }
      }
      while pair.store.commands.lastNumber(.stream("Guests-a")) < 9 { try await Task.sleep(for: .milliseconds(5)) }
      let reads = pair.reads
      try await pair.other.execute("bob", on: Guests["a"])
      release()
      _ = try await first.value
      for task in rest { _ = try await task.value }
      #expect(pair.conflicts >= 1 && pair.reads == reads)
      #expect(try await Set(pair.names()) == Set(["ann", "bob"] + (0...8).map { "guest \($0)" }))
    }

    @Test func `A command is decided on the log after an erasure, and not on earlier events`() async throws {
      let pair = try await Pair(server, server.options())
      try await pair.store.execute("ann", on: Guests["a"])
      try await pair.other.execute("bob", on: Guests["a"])
      try await pair.other.erase(subject: "bob")
      try await pair.store.execute("bob", on: Guests["a"])
      #expect(try await pair.names() == ["ann", "erased", "bob"])
    }
  }

  private struct Guests: Decider {
    struct Known: Error {}

    var names: [String] = []

    func decide(_ name: String) throws(Known) -> [GuestEvent] {
      if names.contains(name) { throw Known() }
      return [.arrived(Personal(name, of: name))]
    }

    mutating func evolve(_ event: GuestEvent) {
      switch event {
      case .arrived(let name): names.append(name.value ?? "erased")
      }
    }
  }

  private enum GuestEvent: Event, Equatable {
    case arrived(Personal<String>)
  }
#endif
