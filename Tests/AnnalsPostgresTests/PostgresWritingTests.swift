#if Postgres
  import Annals
  @testable import AnnalsPostgres
  import AnnalsRemote
  import AnnalsTesting
  import Foundation
  import Testing

  /// Groups of appends, statements that are prepared, and what databases say by default.
  @Suite struct PostgresWritingTests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    /// An append by chance, that others of its group may meet: four streams, few identities, expectations, conditions.
    private static func append(_ number: Int, _ dice: inout some RandomNumberGenerator) -> Append {
      let count = [0, 1, 1, 1, 1, 2, 3].randomElement(using: &dice) ?? 1
      let entries = (0..<count).map { index in
        let isOwn = Int.random(in: 0..<4, using: &dice) == 0
        let tags: [EventTag] = ["a", "b", "c"].filter { _ in Bool.random(using: &dice) }
        let id = isOwn ? "own-\(Int.random(in: 0..<20, using: &dice))" : "\(number)-\(index)"
        let event = NewEvent(
          type: Bool.random(using: &dice) ? "A" : "B",
          payload: #"{"who":{"$personal":"p","value":\#(number)}}"#, tags: Set(tags), metadata: ["n": "\(number)"],
          id: EventID(source: "urn:test", id: id), time: Date(timeIntervalSince1970: Double(number)))
        return Append.Entry(stream: StreamName("s\(Int.random(in: 0..<4, using: &dice))"), event: event)
      }
      var append = Append(entries)
      if Bool.random(using: &dice) {
        let expected: [ExpectedVersion] = [.any, .exists, .doesNotExist, .exact(Int.random(in: 0..<4, using: &dice))]
        append.expectations["s\(Int.random(in: 0..<5, using: &dice))"] = expected.randomElement(using: &dice)
      }
      if Int.random(in: 0..<3, using: &dice) == 0 {
        append.conditions = [
          .init(noneMatching: .types("C"), after: 0),
          .init(noneMatching: .tagged("a", "b"), after: Position(Int.random(in: 0..<40, using: &dice))),
        ]
      }
      if Int.random(in: 0..<4, using: &dice) == 0 { append.commandID = "c\(Int.random(in: 0..<6, using: &dice))" }
      return append
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `Appends of a group do what they do one after the other in memory`(seed: UInt64) async throws {
      var dice = SplitMix64(seed: seed)
      let store = try await PostgresEventStore(url: server.url, options: server.options())
      let memory = MemoryEventStore()
      for round in 0..<6 {
        let appends = (0..<20).map { Self.append(round * 20 + $0, &dice) }
        let found = await store.appendGroup(appends)
        try #require(found.count == appends.count)
        for (append, found) in zip(appends, found) {
          let expected = Result { try memory.commit(append) }
          switch (found, expected) {
          case (.success(let found), .success(let expected)): #expect(found == expected, "\(append)")
          case (.failure(let found as EventStoreError), .failure(let expected as EventStoreError)):
            #expect(found.code == expected.code && found.position == expected.position, "\(append)")
            #expect(found.version == expected.version && found.event == expected.event, "\(append)")
          default: Issue.record("\(append): expected \(expected), found \(found)")
          }
        }
      }
      let (events, expected) = (
        try await store.events(.all, after: 0, limit: 1_000), memory.events(.all, after: 0, through: nil, limit: 1_000)
      )
      #expect(events == expected && events.count > 20)
    }

    @Test func `An append of a chain is refused if the previous append wasn't committed, whatever the version`()
      async throws
    {
      let (store, memory) = (
        try await PostgresEventStore(url: server.url, options: server.options()), MemoryRemoteStore()
      )
      let event = NewEvent(type: "A", payload: nil)
      func append(_ version: Int, _ id: String? = nil) -> Append {
        var append = Append([event], to: "s", expecting: .exact(version))
        append.commandID = id
        return append
      }
      let chains = [
        [append(0), append(1, "b"), append(2)],
        // The first append's version is outdated, but the version of the append after it isn't.
        [append(2), append(3), append(4)],
        // A command that was committed before adds no events.
        [append(3), append(4, "b"), append(4)],
        [append(4), append(5)],
      ]
      let conflict = "versionConflict"
      let expected = [
        ["1", "2", "3"], [conflict, conflict, conflict], ["4", "2 repeated", conflict], ["5", "6"],
      ]
      for store in [store, memory] as [any RemoteGroupingStore] {
        for (chain, expected) in zip(chains, expected) {
          let words = await store.appendGroup(chain, isChain: true).map { result in
            switch result {
            case .success(let receipt): "\(receipt.position)" + (receipt.isRepeated ? " repeated" : "")
            case .failure(let error as EventStoreError): error.code.rawValue
            case .failure(let error): "\(error)"
            }
          }
          #expect(words == expected)
        }
      }
    }

    @Test func `If the server can't store an append of a chain, the appends before it are committed`() async throws {
      let store = try await PostgresEventStore(url: server.url, options: server.options())
      var random = SplitMix64(seed: 1)
      // The server's index doesn't accept a string of this length, even compressed.
      let long = (0..<4_000).map { _ in String(UnicodeScalar(UInt8.random(in: 97...122, using: &random))) }.joined()
      var chain = (0..<5).map { Append([NewEvent(type: "A", payload: nil)], to: "s", expecting: .exact($0)) }
      chain[3] = Append([NewEvent(type: "A", payload: nil, tags: [EventTag(long)])], to: "s", expecting: .exact(3))
      let results = await store.appendGroup(chain, isChain: true)
      #expect(results.map { (try? $0.get())?.position } == [1, 2, 3, nil, nil])
      for (result, code) in zip(results[3...], [EventStoreError.Code.invalidAppend, .versionConflict]) {
        let error = #expect(throws: EventStoreError.self) { try result.get() }
        #expect(error?.code == code)
      }
      #expect(try await store.head() == 3)
    }

    @Test func `A chain is one group, however long it is`() async throws {
      let store = try await PostgresEventStore(url: server.url, options: server.options())
      let event = NewEvent(type: "A", payload: nil)
      func chain(from version: Int) -> [Append] {
        (0..<300).map { Append([event], to: "s", expecting: .exact(version + $0)) }
      }
      let committed = await store.appendGroup(chain(from: 0), isChain: true)
      #expect(try committed.map { try $0.get().position } == (1...300).map { Position($0) })
      // The version of the 257th append isn't outdated, but the version of the first append is.
      let refused = await store.appendGroup(chain(from: 44), isChain: true)
      #expect(refused.count == 300)
      for result in refused {
        let error = #expect(throws: EventStoreError.self) { try result.get() }
        #expect(error?.code == .versionConflict)
      }
      #expect(try await store.head() == 300)
    }

    @Test func `A statement that the server has not prepared, or another one of its name, is sent as it is`()
      async throws
    {
      // Behind a pooler in transaction mode a connection is another one each time.
      let pool = try SQLPool(
        .init(
          conninfo: server.url, size: 1, patience: .seconds(120), answerTimeout: .seconds(120),
          listen: .init("SELECT 1")))
      defer { pool.close() }
      func ask(_ name: String) async throws -> Int? {
        try await pool.run([SQLStatement("SELECT $1 + 1", [.int(1)], name: name)])[0].int(0, 0)
      }
      let prepared = SQLStatement("SELECT count(*) FROM pg_prepared_statements")
      #expect(try await ask("one") == 2)
      #expect(try await pool.run([prepared])[0].int(0, 0) == 1)
      _ = try await pool.run([SQLStatement("DEALLOCATE ALL")])
      #expect(try await ask("one") == 2)
      // It does not try again.
      #expect(try await ask("two") == 2)
      #expect(try await pool.run([prepared])[0].int(0, 0) == 0)

      let other = try SQLPool(
        .init(
          conninfo: server.url, size: 1, patience: .seconds(120), answerTimeout: .seconds(120),
          listen: .init("SELECT 1")))
      defer { other.close() }
      _ = try await other.run([SQLStatement("PREPARE three AS SELECT 77")])
      #expect(
        try await other.run([SQLStatement("SELECT $1 + 1", [.int(1)], name: "three")])[0].int(0, 0) == 2)
    }

    @Test func `Each append that is acknowledged was synced to the server's disk`() async throws {
      // Of its own: the server counts the syncs of all.
      try await TestServer.own { server, _ in
        let store = try await PostgresEventStore(url: server.url, options: server.options())
        try await server.sql("SELECT pg_stat_reset_shared('wal')")
        for number in 0..<30 {
          try await store.append(Append([NewEvent(type: "A", payload: "\(number)")], to: "s"))
        }
        store.close()
        // A backend hands its counts in at its end.
        while try await server.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'Annals'") != "0\n" {
        }
        let text = try await server.sql("SELECT wal_sync FROM pg_stat_wal")
        let syncs = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(syncs >= 30)
      }
    }

    /// Appends once, holds the append in the server, and queues another append, which then waits for the first group.
    ///
    /// - Parameters:
    ///   - store: A store whose monitor is `notes`.
    ///   - notes: The measurements of the store.
    ///   - afterFirst: A closure that runs immediately after the first append.
    /// - Throws: The error of an append, or of the closure.
    private func appendTwice(
      to store: PostgresEventStore, _ notes: Notes, afterFirst: @escaping @Sendable () async throws -> Void
    ) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        try await server.holding(store.options.schema) { release in
          group.addTask {
            try await store.append(Append([NewEvent(type: "A", payload: nil)], to: "first"))
            try await afterFirst()
          }
          #expect(try await server.appendWaits(in: store.options.schema))
          group.addTask { try await store.append(Append([NewEvent(type: "A", payload: nil)], to: "second")) }
          try await notes.wait(for: 1, of: .appendQueue)
          // The next group waits for an eighth of this time.
          try await Task.sleep(for: .milliseconds(200))
          try await release()
        }
        try await group.waitForAll()
      }
    }

    @Test func `After a slow group, the next group also contains the next appends of the same callers`() async throws {
      let notes = Notes()
      let store = try await PostgresEventStore(
        url: server.url, options: server.options(), environment: StoreEnvironment(monitor: notes))
      var rounds = 0
      // On a full machine, the next append can be too late, so the test repeats.
      while rounds < 100, !notes[.appendGroup].contains(where: { $0.value == .size(2) }) {
        rounds += 1
        try await appendTwice(to: store, notes) {
          try await store.append(Append([NewEvent(type: "A", payload: nil)], to: "first"))
        }
      }
      #expect(notes[.appendGroup].contains { $0.value == .size(2) })
      #expect(try await store.head() == Position(3 * rounds))
    }

    @Test func `After a slow group, an append is sent although the other caller has no next append`() async throws {
      let notes = Notes()
      let store = try await PostgresEventStore(
        url: server.url, options: server.options(), environment: StoreEnvironment(monitor: notes))
      try await appendTwice(to: store, notes) {}
      #expect(notes[.appendGroup].map(\.value) == [.size(1), .size(1)])
      #expect(try await store.head() == 2)
    }

    @Test func `An append that waits for the next group ends when its store is closed`() async throws {
      let notes = Notes()
      let store = try await PostgresEventStore(
        url: server.url, options: server.options(), environment: StoreEnvironment(monitor: notes))
      // The second append is committed if the time has passed before the call of `close`.
      do { try await appendTwice(to: store, notes) { store.close() } } catch let error as EventStoreError {
        #expect(error.code == .closed)
      }
      store.close()
    }

    @Test(arguments: ["default_transaction_isolation=serializable", "default_transaction_read_only=on"])
    func `Appends keep their rules where the database has other defaults`(setting: String) async throws {
      let options = server.options { $0.connections = 2 }
      _ = try await PostgresEventStore(url: server.url, options: options)
      let url = server.url + "&options=-c%20" + setting.replacing("=", with: "%3D")
      let stores = [
        try await PostgresEventStore(url: url, options: options),
        try await PostgresEventStore(url: url, options: options),
      ]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<8 {
          group.addTask {
            for number in 0..<20 {
              try await stores[writer % 2].append(
                Append([NewEvent(type: "A", payload: "\(number)")], to: "s\(writer)", expecting: .exact(number)))
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await stores[0].events(.all, after: 0, limit: 999).map(\.position) == (1...160).map { Position($0) })
    }
  }
#endif
