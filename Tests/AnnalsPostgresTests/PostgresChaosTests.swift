#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsTesting
  import Foundation
  import Networks
  import Synchronization
  import Testing

  @Suite struct PostgresChaosTests {
    /// How often something is killed; more by hand.
    private static let rounds = ProcessInfo.processInfo.environment["ANNALS_POSTGRES_MOMENTS"].flatMap(Int.init) ?? 30

    @Test func `Writers of several stores leave no hole, and lose and repeat nothing`() async throws {
      let server = try TestServer()
      let options = server.options()
      let journal = Journal()
      let stores = try await journal.stores(4, server, options)
      try await journal.write(to: stores, tasks: 4, appends: 25)
      #expect(journal.failures == [])
      try await journal.check(stores[0])
      #expect(try await stores[0].head() == 400)
    }

    @Test func `What was acknowledged is there once, however many backends are killed`() async throws {
      try await TestServer.own { server, _ in
        let options = server.options()
        let journal = Journal()
        let stores = try await journal.stores(2, server, options)
        let killer = Task {
          var count = 0
          while !Task.isCancelled, count < Self.rounds {
            try await server.sql(
              """
              SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = 'Annals' AND random() < 0.7
              """)
            count += 1
          }
          return count
        }
        // They write until the last kill.
        let isDone = Mutex(false)
        async let rounds = {
          defer { isDone.withLock { $0 = true } }
          return try await killer.value
        }()
        try await journal.write(to: stores, tasks: 4, appends: 100_000) { isDone.withLock { $0 } }
        #expect(try await rounds == Self.rounds)
        #expect(journal.failures == [])
        try await journal.check(stores[0])
      }
    }

    @Test func `Commands of two stores on one stream are committed once, although backends are killed`() async throws {
      try await TestServer.own { server, _ in
        let options = server.options()
        let journal = Journal()
        let stores = try await journal.stores(2, server, options)
        let isDone = Mutex(false)
        async let kills: Void = {
          defer { isDone.withLock { $0 = true } }
          for _ in 0..<Self.rounds {
            // The backends are killed under load.
            let head = try await stores[0].head().rawValue
            while try await stores[0].head().rawValue < head + 20 {}
            try await server.sql(
              """
              SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE application_name = 'Annals' AND random() < 0.7
              """)
          }
        }()
        try await journal.write(to: stores, tasks: 12, appends: 100_000, isHot: true) { isDone.withLock { $0 } }
        try await kills
        #expect(journal.failures == [])
        try await journal.check(stores[0])
      }
    }

    @Test(arguments: [true, false])
    func `What was acknowledged is there once after a crash or a restart of the server`(isCrash: Bool) async throws {
      try await TestServer.own { server, crash in
        let options = server.options()
        let journal = Journal()
        let stores = try await journal.stores(2, server, options)
        let isDone = Mutex(false)
        async let crashes: Void = {
          defer { isDone.withLock { $0 = true } }
          for _ in 0..<max(2, Self.rounds / 10) {
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...400)))
            if isCrash { try await crash() } else { try await server.restart() }
          }
        }()
        try await journal.write(to: stores, tasks: 4, appends: 100_000) { isDone.withLock { $0 } }
        try await crashes
        #expect(journal.failures == [])
        try await journal.check(stores[1])
      }
    }

    @Test func `An append whose answer does not come is there once, though its first try is still on its way`()
      async throws
    {
      let server = try TestServer()
      let proxy = try FaultyProxy(to: server.url, SplitMix64(seed: 1))
      defer { proxy.close() }
      var options = server.options()
      // It makes the log, since on a full machine that takes longer than the other one waits for an answer.
      try await PostgresEventStore(url: server.url, options: options).close()
      options.answerTimeout = .seconds(5)
      // On a full machine, the store can also lose its first connections, so the name selects all of them.
      let store = try await PostgresEventStore(
        url: proxy.url.replacingOccurrences(of: "annals?", with: "annals?application_name=\(options.schema)&"),
        options: options)
      let release = proxy.hold(at: "annals_write")
      let append = Append([NewEvent(type: "A", payload: nil)], to: "s", expecting: .doesNotExist)
      #expect(try await store.append(append) == Receipt(position: 1, count: 1, transaction: 1, versions: ["s": 1]))
      #expect(proxy.hasHeld)
      release()
      store.close()
      // The server gets the first try now, and then the end of its connection.
      let backends = "FROM pg_stat_activity WHERE application_name = '\(options.schema)'"
      while try await server.sql("SELECT count(*) \(backends)") != "0\n" {}
      let other = try await PostgresEventStore(url: server.url, options: server.options { $0.schema = options.schema })
      #expect(try await other.head() == 1)
      other.close()
    }

    @Test func `A restart of a server that speaks French ends no call`() async throws {
      try await TestServer.own { server, crash in
        do {
          try await server.sql("ALTER SYSTEM SET lc_messages = 'fr_FR.UTF-8'", isQuiet: true)
        } catch {
          return print("SKIPPED: the system lacks the locale fr_FR.UTF-8 (localedef -i fr_FR -f UTF-8 fr_FR.UTF-8)")
        }
        try await server.sql("SELECT pg_reload_conf()")
        let journal = Journal()
        let stores = try await journal.stores(2, server, server.options())
        let isDone = Mutex(false)
        async let crashes: Void = {
          defer { isDone.withLock { $0 = true } }
          for _ in 0..<max(2, Self.rounds / 10) {
            // The restarts are under load.
            let head = try await stores[0].head().rawValue
            while try await stores[0].head().rawValue < head + 20 {}
            try await crash()
          }
        }()
        try await journal.write(to: stores, tasks: 4, appends: 100_000) { isDone.withLock { $0 } }
        try await crashes
        #expect(journal.failures == [])
        try await journal.check(stores[1])
        let message = try await server.sql(
          """
          DO $$ BEGIN
            PERFORM 1/0;
            EXCEPTION WHEN division_by_zero THEN PERFORM set_config('a.b', SQLERRM, false);
          END $$;
          SELECT current_setting('a.b')
          """)
        #expect(message == "division par zéro\n")
      }
    }
  }

  /// What several writers were answered, to be compared with the log.
  final class Journal: Sendable {
    private struct Entry: Hashable, Sendable {
      let word: String
      let position: Position
    }

    private let entries = Mutex<Set<Entry>>([])
    private let problems = Mutex<[String]>([])
    var failures: [String] { problems.withLock { $0 } }

    func stores(
      _ count: Int, _ server: TestServer, _ options: PostgresOptions
    ) async throws -> [PostgresEventStore] {
      var stores: [PostgresEventStore] = []
      for _ in 0..<count { stores.append(try await PostgresEventStore(url: server.url, options: options)) }
      return stores
    }

    /// Appends by several tasks on each store, some with a command's id and some by commands.
    ///
    /// With `isHot`, all appends are by commands on one stream, some with an id.
    func write(
      to stores: [PostgresEventStore], tasks: Int, appends: Int, isHot: Bool = false,
      until isDone: @escaping @Sendable () -> Bool = { false }
    ) async throws {
      await withTaskGroup(of: Void.self) { group in
        for (storeNumber, store) in stores.enumerated() {
          for task in 0..<tasks {
            group.addTask {
              for number in 0..<appends where !isDone() {
                let word = "\(storeNumber).\(task).\(number)"
                do {
                  let receipt = try await self.append(word, isHot ? number * 3 + 2 : number, to: store, task)
                  if receipt.isRepeated || receipt.count != 1 {
                    self.problems.withLock { $0.append("\(word) was answered \(receipt)") }
                  }
                  self.entries.withLock { _ = $0.insert(Entry(word: word, position: receipt.position)) }
                } catch { self.problems.withLock { $0.append("\(word): \(error)") } }
              }
            }
          }
        }
      }
    }

    private func append(
      _ word: String, _ number: Int, to store: PostgresEventStore, _ task: Int
    ) async throws -> Receipt {
      let event = NewEvent(type: "PostgresLineWritten", payload: #"{"word":"\#(word)"}"#, tags: ["task:\(task)"])
      return switch number % 3 {
      case 0: try await store.append(Append([.init(stream: "plain-\(task)", event: event)]))
      case 1: try await store.append(Append([.init(stream: "with-id", event: event)], commandID: word))
      default:
        try await store.execute(word, on: PostgresLines["shared"], commandID: number % 2 == 0 ? word : nil)
      }
    }

    /// Compares the log with what was answered.
    func check(_ store: PostgresEventStore) async throws {
      let events = try await store.events(.all, after: 0, limit: 1_000_000)
      #expect(events.map(\.position.rawValue) == Array(1...max(1, events.count)))
      var versions: [StreamName: Int] = [:]
      var words: Set<String> = []
      for event in events {
        versions[event.stream, default: 0] += 1
        #expect(event.version == versions[event.stream])
        let word = event.payload?.split(separator: "\"").dropFirst(2).first { $0 != ":" }.map(String.init) ?? ""
        #expect(words.insert(word).inserted, "\(word) is there twice")
        // All that was tried was acknowledged in the end, so that nothing else may be there.
        #expect(
          entries.withLock { $0.contains(Entry(word: word, position: event.position)) },
          "\(word) is at \(event.position), and was not acknowledged there")
      }
      #expect(entries.withLock { $0.count } == events.count)
      for (stream, version) in versions { #expect(try await store.version(of: stream) == version) }
    }
  }

  enum PostgresLineEvent: Event {
    case written(word: String)
  }

  /// Lines of a stream, each written once.
  struct PostgresLines: Decider {
    struct Twice: Error {}

    var words: Set<String> = []

    func decide(_ command: String) throws -> [PostgresLineEvent] {
      if words.contains(command) { throw Twice() }
      return [.written(word: command)]
    }

    mutating func evolve(_ event: PostgresLineEvent) {
      if case .written(let word) = event { words.insert(word) }
    }
  }
#endif
