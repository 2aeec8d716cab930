#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsSQLite
  import AnnalsStoreTesting
  import AnnalsTesting
  import Foundation
  import Testing

  /// Compactions in a real server, and the copies that follow them.
  @Suite struct PostgresCompactionTests {
    private let server: TestServer
    private let path = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)").path

    init() throws { server = try TestServer() }

    private func removeFiles() {
      for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    }

    private func everything(_ store: any EventStore) throws -> [StoredEvent] {
      try store.events(.all, after: 0, through: nil, limit: 1_000_000)
    }

    private func everything(_ store: PostgresEventStore) async throws -> [StoredEvent] {
      try await store.events(.all, after: 0, limit: 1_000_000)
    }

    /// Gives prices to some things, each with a transaction of its own.
    private func price(_ store: PostgresEventStore, _ count: Int, things: Int = 5) async throws {
      for number in 0..<count {
        try await store.execute(
          PriceEvent.priced(at: 1_000_000 + number, note: "secret \(number)"), on: PriceTag["\(number % things)"])
      }
    }

    /// Leaves the last price of each thing.
    private func lastPrices(through: Position? = nil) -> Compaction {
      var compaction = Compaction(through: through)
      compaction.rewrite(PriceEvent.self) { _, events in
        guard let first = events.first, let last = events.last else { return [] }
        return events.count < 2 ? events : [first.replaced(by: last.event)]
      }
      compaction.prove(Prices(), request: ListRequest(sort: [.descending(\.price)]))
      compaction.prove(PriceTag.self)
      return compaction
    }

    @Test(arguments: RemoteCompactingContract.rules)
    func `A store in PostgreSQL compacts as the contract says`(rule: RemoteCompactingContract.Rule) async throws {
      let server = try TestServer()
      try await rule.check { try await PostgresEventStore(url: server.url, options: server.options()) }
    }

    @Test func `A compaction is proven on a replica, done in the server, and followed by lists in files`() async throws
    {
      defer { removeFiles() }
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      try await price(store, 60)
      let local = try SQLiteEventStore(path: path)
      let replica = Replica(of: store, in: local)
      try await replica.catchUp()
      let list = FetchedResultsController(
        store: replica.log, projection: Prices(), request: ListRequest(sort: [.descending(\.price)]))
      try list.performFetch()
      let before = list.fetchedObjects.map { "\($0)" }
      let receipt = try await replica.compact(lastPrices())
      #expect(receipt.cut == 55 && receipt.replaced == 5 && receipt.horizon == 60)
      #expect(list.fetchedObjects.map { "\($0)" } == before && before.count == 5)
      #expect(try await everything(store).count == 5)
      // No table has what was cut.
      let dump = try await server.sql(
        """
        SELECT row_to_json(e)::text FROM \(options.schema).annals_event e
          UNION ALL SELECT row_to_json(p)::text FROM \(options.schema).annals_former p
        """)
      #expect(!dump.contains("secret 3\"") && dump.contains("secret 59"))
      #expect(try everything(replica.log) == (try await everything(store)))
      #expect(try await replica.compact(lastPrices()).isUnchanged)
      // Commands go on with what they know.
      try await replica.execute(.priced(at: 7, note: "next"), on: PriceTag["0"])
      #expect(list.fetchedObjects.last?.price == 7)
      let copy = MemoryEventStore()
      try await Replica(of: store, in: copy).catchUp()
      #expect(try everything(copy) == (try await everything(store)))
      let report = try local.verify()
      #expect(report.isSound, "\(report)")
      local.close()
    }

    @Test func `A rule that says something else, or nothing, changes nothing in the server`() async throws {
      let store = try await PostgresEventStore(url: server.url, options: server.options())
      try await price(store, 12)
      let replica = Replica(of: store, in: MemoryEventStore())
      let before = try await everything(store)
      var wrong = Compaction()
      wrong.rewrite(PriceEvent.self) { _, events in Array(events.prefix(1)) }
      wrong.prove(Prices())
      let error = await #expect(throws: CompactionError.self) { try await replica.compact(wrong) }
      #expect(error?.code == .notEqual)
      let empty = await #expect(throws: CompactionError.self) { try await replica.compact(Compaction()) }
      #expect(empty?.code == .incomplete)
      let bad = await #expect(throws: CompactionError.self) { try await replica.compact(lastPrices(through: 99)) }
      #expect(bad?.code == .badHorizon)
      #expect(try await everything(store) == before)
      #expect(try everything(replica.log) == before)
      #expect(try await store.revision() == .original)
    }

    @Test func `A compaction beside erasures, appends and another one is made again until it fits`() async throws {
      let store = try await PostgresEventStore(url: server.url, options: server.options())
      try await price(store, 40)
      for person in 0..<8 {
        try await store.append(
          Append(
            [NewEvent(type: "Said", payload: #"{"who":{"$personal":"p\#(person)","value":1}}"#)], to: "people"))
      }
      let replicas = (0..<2).map { _ in Replica(of: store, in: MemoryEventStore()) }
      let compaction = lastPrices()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for replica in replicas { group.addTask { try await replica.compact(compaction) } }
        group.addTask { for person in 0..<8 { try await store.erase(subject: "p\(person)") } }
        group.addTask { try await price(store, 40) }
        try await group.waitForAll()
      }
      try await replicas[0].compact(compaction)
      let there = try await everything(store)
      #expect(there.count { $0.type == "PricePriced" } == 5)
      for replica in replicas {
        try await replica.catchUp()
        #expect(try everything(replica.log) == there)
      }
    }

    @Test func `A role needs its grants, and what it may not do changes nothing`() async throws {
      let options = server.options()
      let (owner, schema) = (try await PostgresEventStore(url: server.url, options: options), options.schema)
      try await price(owner, 10)
      let role = "app_\(schema)"
      // As Docs/PostgreSQL.md says.
      try await server.sql(
        """
        CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA \(schema) TO \(role);
        GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA \(schema) TO \(role);
        GRANT UPDATE ON \(schema).annals_log_base TO \(role);
        """)
      let app = try await PostgresEventStore(url: server.url.replacing("annals@", with: "\(role)@"), options: options)
      let replica = Replica(of: app, in: MemoryEventStore())
      let error = await #expect(throws: EventStoreError.self) { try await replica.compact(lastPrices()) }
      #expect(error?.code == .refused, "\(String(describing: error))")
      #expect(try await everything(owner).count == 10)
      try await server.sql(
        """
        GRANT UPDATE ON \(schema).annals_rewriting, \(schema).annals_event, \(schema).annals_stream_base TO \(role);
        GRANT DELETE ON \(schema).annals_event, \(schema).annals_tag, \(schema).annals_personal TO \(role);
        """)
      #expect(try await replica.compact(lastPrices()).cut == 5)
      try await price(app, 5)
    }

    @Test func `A compaction whose connections are killed is done once, or not at all`() async throws {
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      var random = SplitMix64(seed: UInt64.random(in: 0 ... .max))
      let replica = Replica(of: store, in: MemoryEventStore())
      for round in 1...8 {
        try await price(store, 300, things: 100)
        let delay = Duration.microseconds(Int.random(in: 0...60_000, using: &random))
        async let killed: Void = {
          try await Task.sleep(for: delay)
          try await server.sql(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%\(options.schema).annals_%'
              AND pid <> pg_backend_pid()
            """)
        }()
        try await replica.compact(lastPrices())
        _ = try await killed
        let all = try await store.compacting?.compactions(after: 0, limit: 100) ?? []
        #expect(all.count == round && all.last?.horizon == Position(round * 300))
        #expect(try await everything(store).count == 100)
        #expect(try everything(replica.log) == (try await everything(store)))
      }
    }

    @Test func `A replica that is killed while it follows a compaction shows what was before or what is left`()
      async throws
    {
      defer { removeFiles() }
      var random = SplitMix64(seed: UInt64.random(in: 0 ... .max))
      let options = server.options()
      let store = try await PostgresEventStore(url: server.url, options: options)
      let other = Replica(of: store, in: MemoryEventStore())
      for round in 0..<12 {
        try await price(store, 400, things: 40)
        let before = try await everything(store)
        let isPast = round % 2 == 0
        if isPast {
          // It is past the horizon when that comes.
          let local = try SQLiteEventStore(path: path)
          try await Replica(of: store, in: local).catchUp()
          local.close()
        }
        let known = try shown()
        #expect(!isPast || known == before)
        try await other.compact(lastPrices())
        // Two moments are sure to come: the copy has followed, and it is halfway. All others come by chance.
        let moment: Moment =
          switch round {
          case 0, 1: .done
          case 3, 5: .halfway
          default: .after(.microseconds(Int.random(in: 0...60_000, using: &random)))
          }
        try await killFollowing(server, options.schema, isPast, moment)
        let (found, left) = (try shown(), try await everything(store))
        let isUnfinished = try raw().contains { $0.type == "annals.cut" }
        switch moment {
        case .done: #expect(found == left && !isUnfinished)
        case .halfway: #expect(found == known && isUnfinished)
        case .after: #expect(found == known || found == left, "\(found.count) of \(known.count) and \(left.count)")
        }
      }
      let local = try SQLiteEventStore(path: path)
      let replica = Replica(of: store, in: local)
      try await replica.catchUp()
      #expect(try everything(local) == (try await everything(store)))
      let report = try local.verify()
      #expect(report.isSound, "\(report)")
      local.close()
    }

    /// When a process that follows is killed.
    private enum Moment {
      /// It has followed.
      case done
      /// The copy has a part of what leads past the compaction.
      case halfway
      /// Some time after it began to follow: how long it takes to start does not matter.
      case after(Duration)
    }

    /// Lets a process follow, and kills it.
    private func killFollowing(
      _ server: TestServer, _ schema: String, _ isPast: Bool, _ moment: Moment
    ) async throws {
      let reader = try SQLiteEventStore(readingFrom: path)
      defer { reader.close() }
      let name = isPast ? "annals:replica" : "annals:replica:shown/\(try reader.revision().compacted.count + 1)"
      let old = try reader.checkpoints?.checkpoint(named: name)
      let isHalf = if case .halfway = moment { true } else { false }
      let child = try Child([isHalf ? "half-replicate" : "replicate", server.url, schema, path, "1"])
      let end = ContinuousClock.now + .seconds(300)
      switch moment {
      case .done: while !child.said.contains("has "), .now < end { try await Task.sleep(for: .milliseconds(5)) }
      // It does so itself.
      case .halfway:
        _ = await child.finish()
        return
      case .after(let time):
        while try reader.checkpoints?.checkpoint(named: name) == old, .now < end {
          try await Task.sleep(for: .milliseconds(1))
        }
        try await Task.sleep(for: time)
      }
      child.kill()
      _ = await child.finish()
    }

    /// What someone sees of the copy in the file.
    private func shown() throws -> [StoredEvent] {
      let local = try SQLiteEventStore(path: path)
      defer { local.close() }
      return try everything(Replica.copy(in: local))
    }

    private func raw() throws -> [StoredEvent] {
      let local = try SQLiteEventStore(path: path)
      defer { local.close() }
      return try everything(local)
    }

    @Test func `A server that was restored from before a compaction is noticed, and the copy stays`() async throws {
      let options = server.options()
      let (store, schema) = (try await PostgresEventStore(url: server.url, options: options), options.schema)
      try await price(store, 10)
      let local = MemoryEventStore()
      let replica = Replica(of: store, in: local)
      try await replica.compact(lastPrices())
      let kept = try everything(local)
      for (number, lineage) in [(0, 0), (1, 17)] {
        try await server.sql(
          """
          UPDATE \(schema).annals_compaction SET time = \(lineage);
          UPDATE \(schema).annals_log_base SET compactions = \(number), lineage = \(lineage)
          """)
        let error = await #expect(throws: EventStoreError.self) { try await replica.catchUp() }
        #expect(error?.code == .replaced)
        #expect(try everything(local) == kept)
      }
    }
  }

  private enum PriceEvent: Event {
    case priced(at: Int, note: String)
  }

  private struct PriceTag: Decider, Equatable {
    var price = 0

    func decide(_ command: PriceEvent) -> [PriceEvent] { [command] }

    mutating func evolve(_ event: PriceEvent) {
      if case .priced(let price, _) = event { self.price = price }
    }
  }

  private struct Priced: Row {
    let id: String
    var price: Int
  }

  private struct Prices: Projection {
    func project(_ recorded: Recorded<PriceEvent>, into rows: inout Rows<Priced>) {
      let id = recorded.stream.text
      if case .priced(let price, _) = recorded.event {
        if rows[id] == nil { rows.insert(Priced(id: id, price: price)) } else { rows[id]?.price = price }
      }
    }
  }
#endif
