#if Postgres
  import Annals
  import AnnalsLog
  import AnnalsPostgres
  import AnnalsRemote
  import AnnalsTesting
  import Foundation
  import Synchronization
  import Testing

  /// The log's end and the streams' versions, which an append doesn't store.
  @Suite struct PostgresFrontierTests {
    private let server: TestServer

    init() throws { server = try TestServer() }

    fileprivate static func event(_ number: Int = 0) -> NewEvent {
      NewEvent(type: "A", payload: #"{"n":\#(number),"who":{"$personal":"ann","value":1}}"#, tags: ["t"])
    }

    private static func append(_ streams: StreamName...) -> Append {
      Append(streams.map { Append.Entry(stream: $0, event: event()) })
    }

    /// Returns a compaction of the whole log that removes events.
    private static func compaction(of store: PostgresEventStore, cut: [Position]) async throws -> RemoteCompaction {
      var changes = CompactionEdits()
      for position in cut { changes.add(.cut, at: position) }
      return RemoteCompaction(
        id: UUID().uuidString, revision: try await store.revision(), horizon: try await store.head(), changes: changes)
    }

    /// Removes events from the log.
    static func compact(_ store: PostgresEventStore, cut: [Position]) async throws {
      let compaction = try await compaction(of: store, cut: cut)
      _ = try await #require(store.compacting).commitCompaction(compaction)
    }

    /// Returns the rows of all tables, with the columns that identify the version of a row and its lock.
    private func rows(in schema: String) async throws -> Set<String> {
      var rows: Set<String> = []
      for table in try await server.sql("SELECT tablename FROM pg_tables WHERE schemaname = '\(schema)'")
        .split(separator: "\n")
      {
        let found = try await server.sql("SELECT r.ctid, r.xmin, r.xmax, r FROM \(schema).\(table) r")
        for row in found.split(separator: "\n") { rows.insert("\(table) \(row)") }
      }
      return rows
    }

    @Test func `An append updates and locks no row`() async throws {
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      let other = try await PostgresEventStore(url: server.url, options: options)
      try await store.append(Self.append("s", "t"))
      let before = try await rows(in: options.schema)
      #expect(before.contains { $0.hasPrefix("annals_log_base ") })
      for (number, store) in [store, other, store].enumerated() {
        try await store.append(Self.append("s"))
        try await store.append(Self.append("new-\(number)"))
        try await store.append(Self.append("s", "t", "s", "several-\(number)"))
        try await store.append(Append([], expectations: ["s": .exists], commandID: "empty-\(number)"))
        try await store.append(
          Append(
            [.init(stream: "s", event: Self.event())], expectations: ["t": .exists],
            conditions: [.init(noneMatching: .types("B"), after: 0)], commandID: "command-\(number)"))
        await #expect(throws: EventStoreError.self) {
          try await store.append(Append([Self.event()], to: "s", expecting: .doesNotExist))
        }
        let group = await store.appendGroup([Self.append("s"), Self.append("t"), Self.append("group-\(number)", "s")])
        for result in group { _ = try result.get() }
      }
      #expect(try await rows(in: options.schema).isSuperset(of: before))
    }

    @Test(arguments: [false, true])
    func `Positions, transactions and versions continue after the last events were removed`(isOld: Bool) async throws {
      let options = server.options { $0.setup = .migrate }
      var store =
        isOld
        ? try await FormatSeven.open(on: server, options)
        : try await PostgresEventStore(url: server.url, options: options)
      for stream in ["s", "t", "s", "u"] as [StreamName] { try await store.append(Self.append(stream)) }
      try await Self.compact(store, cut: [2, 3, 4])
      if isOld { store = try await PostgresEventStore(url: server.url, options: options) }
      #expect(try await server.sql("SELECT head, transaction FROM \(options.schema).annals_log") == "4|4\n")
      #expect(try await store.head() == 4)
      for (stream, version) in [("s", 2), ("t", 1), ("u", 1), ("v", 0)] as [(StreamName, Int)] {
        #expect(try await store.version(of: stream) == version)
      }
      let error = await #expect(throws: EventStoreError.self) {
        try await store.append(Append([Self.event()], to: "t", expecting: .doesNotExist))
      }
      #expect(error?.version == 1)
      let next = try await store.append(Append([Self.event()], to: "t", expecting: .exact(1)))
      #expect(next == Receipt(position: 5, count: 1, transaction: 5, versions: ["t": 2]))
      let several = try await store.append(Self.append("s", "u", "v", "u"))
      #expect(several == Receipt(position: 9, count: 4, transaction: 6, versions: ["s": 3, "u": 3, "v": 1]))
      #expect(try await store.events(.all, after: 1, limit: 9).map(\.version) == [2, 3, 2, 1, 3])
      // All events are removed.
      try await Self.compact(store, cut: [1, 5, 6, 7, 8, 9])
      #expect(try await store.head() == 9)
      let last = try await store.append(Append([Self.event()], to: "u", expecting: .exact(3)))
      #expect(last == Receipt(position: 10, count: 1, transaction: 7, versions: ["u": 4]))
    }

    /// The expected end of a log.
    private struct Model {
      var (head, transaction) = (0, 0)
      var versions: [StreamName: Int] = [:]
      var events: Set<Int> = []

      mutating func append(_ streams: [StreamName]) -> Receipt {
        for stream in streams {
          head += 1
          events.insert(head)
          versions[stream, default: 0] += 1
        }
        transaction += 1
        return Receipt(
          position: Position(head), count: streams.count, transaction: transaction,
          versions: versions.filter { streams.contains($0.key) })
      }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `Appends, compactions, erasures and a migration keep the end and the versions`(seed: UInt64) async throws {
      var dice = SplitMix64(seed: seed)
      let (options, names) = (server.options { $0.setup = .migrate }, (0..<6).map { StreamName("s\($0)") })
      // The first store sends the statements of format 7 to the end, also after the migration.
      var stores = [try await FormatSeven.open(on: server, options)]
      var (model, migration) = (Model(), Int.random(in: 0..<40, using: &dice))
      for round in 0..<60 {
        if round == migration { stores.append(try await PostgresEventStore(url: server.url, options: options)) }
        let store = try #require(stores.randomElement(using: &dice))
        switch Int.random(in: 0..<12, using: &dice) {
        case 0:
          let count = Int.random(in: 0...model.events.count, using: &dice)
          // The last events are removed in every second compaction.
          let sorted = model.events.sorted()
          let cut = Bool.random(using: &dice) ? sorted.suffix(count) : sorted.shuffled(using: &dice).prefix(count)
          try await Self.compact(store, cut: cut.map { Position($0) })
          model.events.subtract(cut)
        case 1: try await store.erase(subject: "ann")
        default:
          let streams = (0..<Int.random(in: 1...3, using: &dice)).compactMap { _ in names.randomElement(using: &dice) }
          let receipt = try await store.append(Append(streams.map { .init(stream: $0, event: Self.event(round)) }))
          #expect(receipt == model.append(streams), "round \(round)")
        }
        #expect(try await store.head() == Position(model.head), "round \(round)")
        for name in names {
          #expect(try await store.version(of: name) == model.versions[name, default: 0], "round \(round)")
        }
        #expect(try await store.events(.all, after: 0, limit: 999).map(\.position.rawValue) == model.events.sorted())
      }
      #expect(try await server.sql("SELECT format FROM \(options.schema).annals_log") == "8\n")
    }

    @Test func `An empty log is migrated, and its first append has position 1`() async throws {
      let options = server.options { $0.setup = .migrate }
      let first = try await FormatSeven.open(on: server, options)
      let store = try await PostgresEventStore(url: server.url, options: options)
      for store in [first, store] {
        #expect(try await store.head() == 0)
        #expect(try await store.version(of: "s") == 0)
      }
      #expect(
        try await first.append(Self.append("s")) == Receipt(position: 1, count: 1, transaction: 1, versions: ["s": 1]))
      #expect(try await store.append(Self.append("s")).versions == ["s": 2])
    }

    /// The receipts of several writers.
    private final class Writers: Sendable {
      private let receipts = Mutex<[Receipt]>([])
      private let isDone = Mutex(false)
      private let isOpen = Mutex(false)
      var all: [Receipt] { receipts.withLock { $0 } }

      /// Appends to a stream that all writers share, and to a separate stream, until the writers are stopped.
      func write(_ store: PostgresEventStore, _ name: String) async throws {
        var count = 0
        while !isDone.withLock({ $0 }) {
          let streams: [StreamName] = count % 3 == 0 ? ["shared", StreamName(name)] : ["shared"]
          let entries = streams.map { Append.Entry(stream: $0, event: PostgresFrontierTests.event(count)) }
          let receipt = try await store.append(Append(entries))
          receipts.withLock { $0.append(receipt) }
          count += 1
        }
        #expect(count > 0)
      }

      /// Waits for appends, opens a store, and appends to it.
      func writeLater(_ open: @Sendable () async throws -> PostgresEventStore) async throws {
        while all.count < 20, !isDone.withLock({ $0 }) { await Task.yield() }
        let store = try await open()
        isOpen.withLock { $0 = true }
        try await write(store, "new")
      }

      /// Stops the writers after some appends of all writers.
      func stopLater() async {
        while !isOpen.withLock({ $0 }), !isDone.withLock({ $0 }) { await Task.yield() }
        let count = all.count
        while all.count < count + 100, !isDone.withLock({ $0 }) { await Task.yield() }
        stop()
      }

      func stop() { isDone.withLock { $0 = true } }
    }

    @Test func `Programs of format 7 and of this format append during and after a migration`() async throws {
      let options = server.options { $0.setup = .migrate }
      let old = try await FormatSeven.open(on: server, options)
      let writers = Writers()
      try await withThrowingTaskGroup(of: Void.self) { [server] group in
        for number in 0..<4 { group.addTask { try await writers.write(old, "old-\(number)") } }
        group.addTask {
          try await writers.writeLater { try await PostgresEventStore(url: server.url, options: options) }
        }
        group.addTask { await writers.stopLater() }
        do { try await group.waitForAll() } catch {
          // After an error, the other tasks wouldn't end.
          writers.stop()
          throw error
        }
      }
      let events = try await old.events(.all, after: 0, limit: 1_000_000)
      #expect(events.map(\.position.rawValue) == Array(1...max(1, events.count)))
      var versions: [StreamName: Int] = [:]
      for event in events {
        versions[event.stream, default: 0] += 1
        #expect(event.version == versions[event.stream])
      }
      for (name, version) in versions { #expect(try await old.version(of: name) == version) }
      let all = writers.all
      #expect(all.reduce(0) { $0 + $1.count } == events.count)
      for receipt in all {
        let event = events[receipt.position.rawValue - 1]
        #expect(event.transaction == receipt.transaction && event.version == receipt.versions[event.stream])
      }
    }

    private enum Call: CaseIterable {
      case append, erasure, compaction
    }

    @Test(arguments: Call.allCases)
    private func `A call that waits for a migration inside a function of format 7 is done once`(call: Call) async throws
    {
      let options = server.options { $0.setup = .migrate }
      let schema = options.schema
      let old = try await FormatSeven.open(on: server, options)
      try await old.append(Self.append("s"))
      try await old.append(Self.append("t"))
      let compaction = try await Self.compaction(of: old, cut: [2])
      var (calling, opening): (Task<Void, any Error>?, Task<PostgresEventStore, any Error>?)
      try await server.holding(schema) { _ in
        opening = Task { [server] in try await PostgresEventStore(url: server.url, options: options) }
        let migrationWaits = try await server.migrationWaits(in: schema)
        #expect(migrationWaits)
        calling = Task {
          switch call {
          case .append: try await old.append(Self.append("s"))
          case .erasure:
            let receipt = try await old.erase(subject: "ann")
            #expect(receipt.fields == 2)
          case .compaction: _ = try await #require(old.compacting).commitCompaction(compaction)
          }
        }
        // A compaction first reads the log's revision, and waits for the migration during this read.
        let callWaits = try await server.callWaits(in: schema)
        #expect(callWaits)
      }
      let store = try await #require(opening).value
      try await #require(calling).value
      // A function of format 7 can't change the log's properties anymore.
      await #expect(throws: TestServer.Failed.self) {
        try await server.sql("UPDATE \(schema).annals_log SET erasures = 7", isQuiet: true)
      }
      let versions = call == .append ? 2 : 1
      #expect(try await store.head() == (call == .append ? 3 : 2))
      #expect(try await store.version(of: "s") == versions)
      #expect(try await store.version(of: "t") == 1)
      #expect(
        try await store.append(Self.append("s", "t")).versions == ["s": versions + 1, "t": 2])
      let revision = try await store.revision()
      #expect(revision.erasures == (call == .erasure ? 1 : 0))
      #expect(revision.compacted.count == (call == .compaction ? 1 : 0))
    }

    @Test func `Roles keep their privileges on a log of format 7`() async throws {
      let options = server.options { $0.setup = .migrate }
      let (schema, role) = (options.schema, "\"\(options.schema)-app\"")
      let first = try await FormatSeven.open(on: server, options)
      try await first.append(Self.append("s"))
      // As the documentation of format 7 describes.
      try await server.sql(
        """
        CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(schema) TO \(role);
        GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA \(schema) TO \(role);
        GRANT UPDATE ON \(schema).annals_log, \(schema).annals_stream TO \(role);
        GRANT UPDATE ON \(schema).annals_rewriting, \(schema).annals_event TO \(role);
        GRANT DELETE ON \(schema).annals_event, \(schema).annals_tag, \(schema).annals_personal TO \(role);
        GRANT SELECT ON \(schema).annals_log TO PUBLIC
        """)
      let url = server.url.replacing("annals@", with: "\(schema)-app@")
      _ = try await PostgresEventStore(url: server.url, options: options)
      let app = try await PostgresEventStore(url: url, options: options)
      #expect(try await app.append(Self.append("s", "t")).versions == ["s": 2, "t": 1])
      try await Self.compact(app, cut: [2, 3])
      #expect(try await app.version(of: "s") == 2)
      #expect(
        try await server.sql(
          """
          SELECT privilege_type FROM information_schema.role_table_grants
            WHERE table_schema = '\(schema)' AND table_name = 'annals_log' AND grantee = 'PUBLIC'
          """) == "SELECT\n")
    }

    @Test func `An open snapshot doesn't slow down the search for the log's end after a compaction`() async throws {
      let options = server.options()
      let schema = options.schema
      let store = try await PostgresEventStore(url: server.url, options: options)
      for _ in 0..<3 {
        try await store.append(Append((0..<1_000).map { .init(stream: "s", event: Self.event($0)) }))
      }
      /// Returns the number of pages that a query reads.
      func pages(_ query: String) async throws -> Int {
        let plan = try await server.sql("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) \(query)")
        let counts = plan.split(separator: "\n").filter { $0.contains("Shared Hit") || $0.contains("Shared Read") }
        // The first two lines are about the whole plan.
        return counts.prefix(2).reduce(0) { $0 + (Int($1.filter(\.isNumber)) ?? 0) }
      }
      try await server.holdingSnapshot(schema) {
        try await Self.compact(store, cut: (2...3_000).map { Position($0) })
        let end = try await pages("SELECT head, transaction FROM \(schema).annals_log")
        #expect((1..<20).contains(end))
        let version = try await pages("SELECT version FROM \(schema).annals_stream WHERE stream = 's'")
        #expect((1..<20).contains(version))
      }
    }
  }
#endif
