import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsSQLite
import AnnalsStoreTesting
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Replicas of a log that is compacted.
@Suite struct ReplicaCompactionTests {
  private let remote = MemoryRemoteStore()

  private func price(_ things: Int..., at price: Int) throws {
    for thing in things {
      let coder = try EventCoder<DistantPriceEvent>()
      try remote.server.append(
        Append([try coder.encode(.set(thing: thing, price: price))], to: DistantPrice.stream("\(thing)")))
    }
  }

  private func everything(_ store: any EventStore) throws -> [StoredEvent] {
    try store.events(.all, after: 0, through: nil, limit: 100_000)
  }

  /// Leaves the last price of each thing, at the place of the first one.
  private static func lastPrices(through: Position? = nil) -> Compaction {
    var compaction = Compaction(through: through)
    compaction.rewrite(DistantPriceEvent.self) { _, events in
      guard let first = events.first, let last = events.last else { return [] }
      return events.count < 2 ? events : [first.replaced(by: last.event)]
    }
    compaction.prove(DistantPrices())
    compaction.prove(DistantPrice.self)
    return compaction
  }

  private func compact(through: Position? = nil) async throws {
    try await Replica(of: remote, in: MemoryEventStore()).compact(Self.lastPrices(through: through))
  }

  @Test @MainActor func `a list on a replica past the horizon is made again, and says why`() async throws {
    for price in 1...5 { try self.price(1, 2, at: price) }
    let replica = Replica(of: remote, in: MemoryEventStore())
    try await replica.catchUp()
    let list = FetchedResultsController(store: replica.log, projection: DistantPrices())
    try list.performFetch()
    let receipt = try await replica.compact(Self.lastPrices())
    #expect(receipt.cut == 8 && receipt.replaced == 2)
    #expect(list.fetchedObjects.map(\.price) == [5, 5])
    #expect(try everything(replica.log) == everything(remote.server))
    #expect(throws: SeekError.self) { try list.seek(to: 3) }
    // And goes on.
    try price(1, at: 6)
    try await replica.catchUp()
    #expect(list.fetchedObjects.map(\.price) == [6, 5])
  }

  @Test func `the removal of a stream is refused in a remote log, and on a copy with changes of a remote log`()
    async throws
  {
    for price in 1...3 { try self.price(1, at: price) }
    let local: any EventStore = MemoryEventStore()
    let replica = Replica(of: remote, in: local)
    try await replica.compact(Self.lastPrices())
    var removal = Compaction()
    removal.removeStream(DistantPrice.stream("1"))
    removal.prove(DistantPrice.self)
    for isRemote in [true, false] {
      let error = await #expect(throws: EventStoreError.self) {
        if isRemote { try await replica.compact(removal) } else { _ = try await local.compact(removal) }
      }
      #expect(error?.code == .unsupported && error?.message.contains("remote log") == true)
    }
    #expect(try everything(local) == everything(remote.server))
    #expect(try remote.server.revision().number == 1 && local.revision().number == 1)
    try price(1, at: 4)
    try await replica.catchUp()
    #expect(try everything(local) == everything(remote.server))
  }

  @Test(arguments: [false, true]) @MainActor
  func `a copy before the horizon is shown as it was until it is past it, whatever reads it`(isFile: Bool) async throws
  {
    let path = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)").path
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
    let local: any EventStore =
      isFile
      ? try SQLiteEventStore(path: path, durability: .process, observesExternalWriters: false) : MemoryEventStore()
    try price(1, 2, 3, at: 1)
    // The price of thing 9 is at the place of its first one; between there and the horizon it never was.
    try price(9, at: 1)
    let replica = Replica(of: remote, in: local, pageSize: 2)
    try await replica.catchUp()
    for price in 2...9 { try self.price(1, 4, 9, at: price) }
    try await compact()
    try price(2, at: 50)

    let list = FetchedResultsController(store: replica.log, projection: DistantPrices())
    try list.performFetch()
    let kept = try replica.log.keepList(of: DistantPrices(), request: DistantPrices.request, cacheName: "prices")
    let before = list.fetchedObjects.map(\.text)
    let shown = try everything(replica.log)
    let last = try #require(try everything(remote.server).last?.id)
    var seen: Set<[String]> = []
    var batches: [ChangeCause] = []
    let watch = list.observe { batches.append($0.cause) }
    var unfinished = 0
    try await replica.catchUp { progress in
      seen.insert(list.fetchedObjects.map(\.text))
      // What anyone reads, also one who comes now, and in the transactions of the copy.
      let log = Replica.copy(in: local)
      guard try log.head() == 4 else { return }
      if try local.head() > 4 { unfinished += 1 }
      #expect(try everything(log) == shown)
      #expect(try log.read { try $0.version(of: DistantPrice.stream("1")) } == 1)
      #expect(try log.read { try $0.position(of: last) } == nil)
      let other = FetchedResultsController(store: log, projection: DistantPrices())
      try other.performFetch()
      #expect(other.fetchedObjects.map(\.text) == before)
      #expect(kept.results.flatMap { $0.map(\.text) } == before)
    }
    #expect(unfinished > 3)
    let after = ["1: 9", "2: 50", "3: 1", "4: 9", "9: 9"]
    #expect(list.fetchedObjects.map(\.text) == after)
    #expect(seen.isSubset(of: [before, after]), "\(seen)")
    #expect(batches.first?.contains(.compaction) == true, "\(batches)")
    #expect(try everything(local) == everything(remote.server))
    #expect(try local.version(of: DistantPrice.stream("9")) == 9)
    if let file = local as? SQLiteEventStore {
      #expect(try file.verify().isSound)
      file.close()
    }
    withExtendedLifetime((watch, kept)) {}
  }

  @Test func `a follower on a copy handles what is about to be cut, or says that it never can`() async throws {
    for price in 1...4 { try self.price(1, 2, at: price) }
    let replica = Replica(of: remote, in: MemoryEventStore())
    try await replica.catchUp()
    let handled = Mutex<[Int]>([])
    let follower = try EventFollower("mailer", of: DistantPriceEvent.self, in: replica.log, startingAt: .beginning) {
      recorded, _ in
      if case .set(_, let price) = recorded.event { handled.withLock { $0.append(price) } }
    }
    try await compact()
    // It has begun, and handled nothing.
    try replica.log.checkpoints?.setCheckpoint(named: "follower/mailer/version/1", to: 2, from: nil).ensure()
    let error = await #expect(throws: CompactionError.self) { try await replica.catchUp() }
    #expect(error?.code == .followerBehind && error?.name == "mailer" && error?.position == 2)
    #expect(try everything(replica.log).count == 8)
    try await follower.catchUp()
    #expect(handled.withLock { $0 } == [2, 2, 3, 3, 4, 4])
    try await replica.catchUp()
    #expect(try everything(replica.log).count == 2)
    // What comes before the copy is there again is gone for it.
    for price in 5...8 { try self.price(1, 2, at: price) }
    try await compact()
    let lost = await #expect(throws: EventStoreError.self) { try await replica.catchUp() }
    #expect(lost?.code == .compacted && lost?.message.contains("forgetFollower") == true)
    #expect(try everything(replica.log).count == 2)
    try replica.log.forgetFollower("mailer", version: 1)
    try await replica.catchUp()
    #expect(try everything(replica.log) == everything(remote.server))
  }

  @Test func `a follower that began on an empty copy gets what is left`() async throws {
    for price in 1...4 { try self.price(1, 2, at: price) }
    try await compact()
    try price(1, at: 9)
    let replica = Replica(of: remote, in: MemoryEventStore())
    let handled = Mutex<[Int]>([])
    let follower = try EventFollower("mailer", of: DistantPriceEvent.self, in: replica.log, startingAt: .beginning) {
      recorded, _ in
      if case .set(_, let price) = recorded.event { handled.withLock { $0.append(price) } }
    }
    try await follower.catchUp()
    try await replica.catchUp()
    try await follower.catchUp()
    #expect(handled.withLock { $0 } == [4, 4, 9])
  }

  @Test(arguments: [false, true])
  func `a copy whose last events were all cut goes on behind them, page by page`(isRestCut: Bool) async throws {
    try price(1, at: 1)
    for price in 2...40 { try self.price(2, at: price) }
    let local = MemoryEventStore()
    try await Replica(of: remote, in: local, pageSize: 3).catchUp()
    func cut(_ positions: [Int], _ id: String) throws {
      var changes = CompactionEdits()
      for position in positions { changes.add(.cut, at: Position(position)) }
      try remote.server.compact(
        RemoteCompaction(
          id: id, revision: remote.server.revision(), horizon: Position(positions.max() ?? 0), changes: changes))
    }
    try cut(Array(2...40), "1")
    try await Replica(of: remote, in: local, pageSize: 3).catchUp()
    #expect(try local.head() == 40 && everything(local).count == 1)
    for price in 41...90 { try self.price(3, at: price) }
    // The last event that the copy has may be cut now, too: it is behind what the copy gets next.
    try cut((isRestCut ? [1] : []) + Array(41...89), "2")
    #expect(try await Replica(of: remote, in: local, pageSize: 3).catchUp() == 90)
    #expect(try everything(local) == everything(remote.server))
    #expect(local.version(of: DistantPrice.stream("3")) == 50 && local.version(of: DistantPrice.stream("2")) == 39)
  }

  @Test func `a compaction of many thousand events is followed by one that is past it and by a new one`() async throws {
    let coder = try EventCoder<DistantPriceEvent>()
    for start in stride(from: 0, to: 20_000, by: 2_000) {
      try await remote.server.append(
        Append(
          try (start..<start + 2_000).map { number in
            Append.Entry(
              stream: DistantPrice.stream("\(number % 300)"),
              event: try coder.encode(.set(thing: number % 300, price: number)))
          }))
    }
    let local = MemoryEventStore()
    let replica = Replica(of: remote, in: local)
    let receipt = try await replica.compact(Self.lastPrices())
    #expect(receipt.cut == 19_700 && receipt.replaced == 300)
    #expect(try everything(local) == everything(remote.server))
    let new = MemoryEventStore()
    try await Replica(of: remote, in: new).catchUp()
    #expect(try everything(new) == everything(remote.server))
  }

  /// Cuts and replaces events of the server.
  private static func compact(
    _ remote: MemoryRemoteStore, _ id: String, through horizon: Position, cut: [Position] = [],
    replaced: [Position: String] = [:]
  ) throws {
    var changes = CompactionEdits()
    for position in cut { changes.add(.cut, at: position) }
    for (position, name) in replaced {
      let payload = #"{"thing":1,"price":7}"#
      changes.add(
        .replaced(
          by: NewEvent(type: "DistantPriceSet", payload: payload, id: EventID(source: "urn:test", id: name))),
        at: position)
    }
    try remote.server.compact(
      RemoteCompaction(id: id, revision: remote.server.revision(), horizon: horizon, changes: changes))
  }

  @Test func `a replica does not do to a copy what another one has gone beyond`() async throws {
    for price in 1...4 { try self.price(1, at: price) }
    let (remote, local) = (remote, MemoryEventStore())
    try await Replica(of: remote, in: local).catchUp()
    try Self.compact(remote, "1", through: 4, cut: [1], replaced: [2: "x"])
    let seen = Mutex<[StoreFault.Call]>([])
    remote.onCalls { call, leg in
      guard leg == .response else { return }
      let calls = seen.withLock { seen in
        seen.append(call)
        return seen
      }
      // The replica has read the compactions, the former events, the replacement and the revision, and hasn't changed
      // the copy yet.
      guard calls.suffix(3) == [.compaction, .read, .read] else { return }
      remote.onCalls(nil)
      try Self.compact(remote, "2", through: 4, cut: [3], replaced: [2: "y"])
      try await Replica(of: remote, in: local).catchUp()
    }
    try await Replica(of: remote, in: local).catchUp()
    #expect(remote.server.rewritings.compactions.count == 2)
    #expect(try everything(local) == everything(remote.server))
    try price(1, at: 9)
    try await Replica(of: remote, in: local).catchUp()
    #expect(try everything(local) == everything(remote.server))
  }

  @Test func `a compaction that comes while another one is read is followed after it, and nothing half is shown`()
    async throws
  {
    for answers in 0..<14 {
      let (remote, local) = (MemoryRemoteStore(), MemoryEventStore())
      for number in 1...12 {
        try await remote.server.append(Append([NewEvent(type: "T", payload: "\(number)")], to: "s"))
      }
      try await Replica(of: remote, in: local, pageSize: 2).catchUp()
      let before = try everything(local)
      try Self.compact(remote, "1", through: 12, cut: [2, 3, 5, 6])
      let first = try everything(remote.server)
      let count = Mutex(0)
      // The first page is there. The network is cut somewhere afterwards, so that it shows what was done by then.
      remote.onCalls { call, leg in
        // The first call reads the compactions, and the later calls read the former events.
        guard call == .compaction, leg == .response,
          count.withLock({
            $0 += 1; return $0
          }) == 3
        else { return }
        remote.onCalls(nil)
        // Of this one something is before that page, and something after it.
        try Self.compact(remote, "2", through: 12, cut: [1, 8])
        remote.fail(StoreFault(number: answers + 1, way: .notDone))
      }
      do { try await Replica(of: remote, in: local, pageSize: 2).catchUp() } catch let error as EventStoreError
        where error.code == .unreachable
      {}
      let found = try everything(Replica.copy(in: local))
      #expect([before, first, try everything(remote.server)].contains(found), "\(answers): \(found.map(\.position))")
      remote.mend()
      try await Replica(of: remote, in: local, pageSize: 2).catchUp()
      #expect(try everything(local) == everything(remote.server))
      #expect(count.withLock { $0 } == 3)
    }
  }

  @Test func `what is erased after a copy was read is not brought back by a compaction that was made of it`()
    async throws
  {
    let remote = remote
    func say(_ number: Int) throws {
      try remote.server.append(
        Append(
          [NewEvent(type: "DistantSaidHeard", payload: #"{"words":{"$personal":"ann","value":"secret \#(number)"}}"#)],
          to: "DistantSayings-1"))
    }
    for number in 1...4 { try say(number) }
    var compaction = Compaction()
    compaction.rewrite(DistantSaid.self) { _, events in
      guard let first = events.first, let last = events.last else { return [] }
      return events.count < 2 ? events : [first.replaced(by: last.event)]
    }
    compaction.prove(DistantSayings.self)
    let replica = Replica(of: remote, in: MemoryEventStore())
    try await replica.catchUp()
    // Erased when the copy is up to date, before the replica reads the revision of the proof.
    remote.onCalls { call, leg in
      guard call == .read, leg == .response else { return }
      remote.onCalls(nil)
      try await remote.server.erase(subject: "ann")
    }
    #expect(try await replica.compact(compaction).cut == 3)
    #expect(try everything(remote.server).map { $0.payload?.contains("secret") } == [false])
    #expect(try everything(replica.log) == everything(remote.server))
  }

  @Test func `a copy that someone else compacted, and a store that cannot follow, end with an error`() async throws {
    for price in 1...4 { try self.price(1, 2, at: price) }
    let local = MemoryEventStore()
    try await Replica(of: remote, in: local).catchUp()
    try await local.compact(Self.lastPrices())
    let own = await #expect(throws: EventStoreError.self) { try await Replica(of: remote, in: local).catchUp() }
    #expect(own?.code == .rewritten)
    for isEmpty in [false, true] {
      let plain = PlainCopy()
      if !isEmpty { try await Replica(of: remote, in: plain).catchUp() }
      let before = try everything(plain)
      try price(1, at: 5)
      try await compact()
      let error = await #expect(throws: EventStoreError.self) { try await Replica(of: remote, in: plain).catchUp() }
      #expect(error?.code == .rewritten)
      #expect(try everything(plain) == before)
    }
    let unsupported = await #expect(throws: EventStoreError.self) {
      try await Replica(of: SilentRemote(remote), in: local).compact(Self.lastPrices())
    }
    #expect(unsupported?.code == .unsupported)
  }

  @Test func `a store that gives identities of its own holds no copy, and stays as it was`() async throws {
    for price in 1...4 { try self.price(1, 2, at: price) }
    let local = PlainCopy(compacts: true)
    try await Replica(of: remote, in: local).catchUp()
    try await compact()
    let error = await #expect(throws: EventStoreError.self) { try await Replica(of: remote, in: local).catchUp() }
    #expect(error?.code == .corrupt && error?.message.contains("`StoreContract`") == true)
    #expect(try everything(local).count == 8)
  }

  @Test func `a compaction is stopped from its progress, and nothing was changed`() async throws {
    struct Stop: Error {}
    for price in 1...4 { try self.price(1, 2, at: price) }
    let before = try everything(remote.server)
    let replica = Replica(of: remote, in: MemoryEventStore())
    for step in [CompactionStep.reading, .remembering, .rewriting, .proving] {
      await #expect(throws: Stop.self) {
        try await replica.compact(Self.lastPrices()) { if $0 == step { throw Stop() } }
      }
    }
    #expect(try everything(remote.server) == before && everything(replica.log) == before)
    #expect(try await replica.compact(Self.lastPrices()).cut == 6)
  }

  @Test func `a compaction that was done, and whose copy cannot be reached, says so`() async throws {
    for price in 1...4 { try self.price(1, 2, at: price) }
    let local = FaultyStore(MemoryEventStore())
    let replica = Replica(of: remote, in: local)
    try await replica.catchUp()
    // The first one of the copy's compactions is the rehearsal.
    local.fail(StoreFault(.compaction, number: 400, way: .notDone))
    let counted = Mutex(0)
    await #expect(throws: Replica.BehindError.self) {
      try await replica.compact(Self.lastPrices()) { step in
        if step == .proving { local.fail(StoreFault(.compaction, number: 2 + counted.withLock { $0 }, way: .notDone)) }
      }
    }
    #expect(try everything(remote.server).count == 2)
    try await replica.catchUp()
    #expect(try everything(replica.log) == everything(remote.server))
  }
}

extension Bool {
  fileprivate func ensure() { #expect(self) }
}

/// A store of someone else's: it compacts nothing, or gives identities of its own to what stands in others' places.
private final class PlainCopy: EventStore {
  private let inner = MemoryEventStore()
  private let compacts: Bool
  var source: String { inner.source }
  var environment: StoreEnvironment { inner.environment }
  var runtime: StoreRuntime { inner.runtime }
  var checkpoints: (any CheckpointStore)? { inner.checkpoints }
  var compacting: (any CompactingStore)? { compacts ? Compacting(inner: inner) : nil }

  init(compacts: Bool = false) { self.compacts = compacts }

  func commit(_ append: Append) throws -> Receipt { try inner.commit(append) }
  func read<T>(_ body: (any EventLog) throws -> T) throws -> T { try inner.read(body) }

  private struct Compacting: CompactingStore {
    let inner: MemoryEventStore

    func commitCompaction(
      progress: (CompactionStep) throws -> Void, _ work: (any CompactionTransaction) throws -> CompactionReceipt
    ) throws -> CompactionReceipt {
      try inner.compacting!.commitCompaction(progress: progress) { try work(Renaming(log: $0)) }
    }
  }

  private struct Renaming: CompactionTransaction {
    let log: any CompactionTransaction

    func head() throws -> Position { try log.head() }
    func revision() throws -> LogRevision { try log.revision() }
    func version(of stream: StreamName) throws -> Int { try log.version(of: stream) }
    func position(of id: EventID) throws -> Position? { try log.position(of: id) }
    func receipt(ofCommand commandID: String) throws -> Receipt? { try log.receipt(ofCommand: commandID) }
    func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
      try log.events(query, after: after, through: through, limit: limit)
    }
    func streams() throws -> [StreamName] { try log.streams() }
    func checkpoints() throws -> [Checkpoint] { try log.checkpoints() }
    func rewrite(_ plan: CompactionPlan) throws -> Int {
      try log.rewrite(
        plan.mapReplacements {
          var event = $0
          event.id = nil
          return event
        })
    }
  }
}

private enum DistantPriceEvent: Event {
  case set(thing: Int, price: Int)
}

private struct DistantPrice: Decider, Equatable {
  var price = 0

  func decide(_ command: DistantPriceEvent) -> [DistantPriceEvent] { [command] }

  mutating func evolve(_ event: DistantPriceEvent) {
    if case .set(_, let price) = event { self.price = price }
  }

  static func stream(_ id: String) -> StreamName { StreamName("\(category)-\(id)") }
}

private enum DistantSaid: Event {
  case heard(words: Personal<String>)
}

private struct DistantSayings: Decider, Equatable {
  var last: Personal<String>?

  func decide(_ command: DistantSaid) -> [DistantSaid] { [command] }

  mutating func evolve(_ event: DistantSaid) {
    if case .heard(let words) = event { last = words }
  }
}

private struct DistantPriceRow: Row, Codable {
  let id: Int
  var price: Int
  var text: String { "\(id): \(price)" }
}

private struct DistantPrices: Projection {
  static let version = 1
  static let request = ListRequest<DistantPriceRow>(sort: [.ascending(\.id)])

  func project(_ event: DistantPriceEvent, into rows: inout Rows<DistantPriceRow>) {
    guard case .set(let thing, let price) = event else { return }
    if rows[thing] == nil {
      rows.insert(DistantPriceRow(id: thing, price: price))
    } else {
      rows[thing]?.price = price
    }
  }
}
