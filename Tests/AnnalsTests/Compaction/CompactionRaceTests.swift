import Annals
import AnnalsLog
import Synchronization
import Testing

/// Reads in several steps while a compaction happens between them.
@Suite struct CompactionRaceTests {
  private let store = MeddledStore()

  private func fill(_ counts: ClosedRange<Int>) throws {
    let coder = try EventCoder<GaugeEvent>()
    try store.append(
      Append(try counts.map { try coder.encode(.set(id: $0 % 3, to: $0)) }, to: KeptGauge.stream("a")))
  }

  private var compaction: Compaction {
    var compaction = Compaction()
    compaction.rewrite(GaugeEvent.self) { _, events in
      // The result is at the position of the first event, so that a reader in the middle would miss it.
      var first: [Int: Compaction.Candidate<GaugeEvent>] = [:]
      for event in events {
        guard case .set(let id, let count) = event.event else { continue }
        first[id] = (first[id] ?? event).replaced(by: .set(id: id, to: count))
      }
      return first.values.sorted { $0.recorded.position < $1.recorded.position }
    }
    compaction.prove(Gauges())
    compaction.prove(KeptGauge.self)
    return compaction
  }

  private func meddle(_ moment: MeddledStore.Moment, after reads: Int = 0) {
    let (memory, compaction) = (store.memory, compaction)
    // Without a notification, as in another process.
    store.meddle(moment, after: reads) { _ = try memory.commitCompaction(compaction) }
  }

  private static let last = [1200, 1198, 1199]

  @Test(arguments: [0, 1, 2]) func `a list that is being made is of one log`(reads: Int) throws {
    for moment in MeddledStore.Moment.allCases {
      let test = Self()
      try test.fill(1...1200)
      test.meddle(moment, after: reads)
      let list = FetchedResultsController(
        store: test.store, projection: Gauges(), request: ListRequest(section: .by(\.id, order: .byFirstAppearance)))
      try list.performFetch()
      #expect(test.store.hasMeddled && list.failure == nil)
      #expect(list.results.rows.map(\.count).sorted() == Self.last.sorted())
      #expect(list.results.position == 1200)
    }
  }

  @Test
  func `a list whose end was asked for before the log went on and was compacted shows no state before the horizon`()
    throws
  {
    try fill(1...1200)
    let (memory, compaction) = (store.memory, compaction)
    let more = try (1201...1205).map { try EventCoder<GaugeEvent>().encode(.set(id: $0 % 3, to: $0)) }
    store.meddle(.beforeReading, after: 0) {
      _ = try memory.commit(Append(more, to: KeptGauge.stream("a")))
      _ = try memory.commitCompaction(compaction)
    }
    let list = FetchedResultsController(store: store, projection: Gauges())
    try list.performFetch()
    #expect(store.hasMeddled && list.results.position == 1205)
    #expect(list.results.rows.map(\.count).sorted() == [1203, 1204, 1205])
  }

  @Test func `a list that can't be read to the end of compacted history shows no rows until it can`() throws {
    let coder = try EventCoder<GaugeEvent>()
    var compaction = Compaction()
    compaction.rewrite(GaugeEvent.self) { _, events in
      var last: [Int: Compaction.Candidate<GaugeEvent>] = [:]
      for event in events { if case .set(let id, _) = event.event { last[id] = event } }
      return last.values.sorted { $0.recorded.position < $1.recorded.position }
    }
    compaction.prove(Gauges())
    // The read with each of these numbers fails once, until there is no such read.
    var (reads, failures, isDone) = (0, 0, false)
    while !isDone {
      let store = MeddledStore()
      for first in stride(from: 1, through: 1_300, by: 10) {
        let events = try (first..<first + 10).map { try coder.encode(.set(id: $0 % 1_200, to: $0)) }
        try store.append(Append(events, to: KeptGauge.stream("a")))
      }
      let list = FetchedResultsController(store: store, projection: Gauges())
      try list.performFetch()
      _ = try store.memory.commitCompaction(compaction)
      store.meddle(.beforeReading, after: reads) { throw EventStoreError(.io, "the disk is away") }
      list.refresh()
      isDone = !store.hasMeddled
      if list.failure != nil { failures += 1 }
      let count = list.results.rows.count
      #expect(list.position == 0 ? count == 0 : list.position == 1_300 && count == 1_200, "\(list.position), \(count)")
      store.meddle(.beforeReading, after: .max) {}
      list.refresh()
      #expect(list.failure == nil && list.position == 1_300 && list.results.rows.count == 1_200)
      reads += 1
    }
    #expect(failures > 2)
  }

  @Test func `a list that is current, and one in the past, stay of one log`() throws {
    for moment in MeddledStore.Moment.allCases {
      let test = Self()
      try test.fill(1...10)
      let (live, past) = (
        FetchedResultsController(store: test.store, projection: Gauges()),
        FetchedResultsController(store: test.store, projection: Gauges())
      )
      try live.performFetch()
      try past.performFetch()
      try past.seek(to: 5)
      _ = try test.store.memory.commit(
        Append([EventCoder<GaugeEvent>().encode(.set(id: 0, to: 50))], to: KeptGauge.stream("a")))
      test.meddle(moment)
      live.refresh()
      #expect(test.store.hasMeddled && live.failure == nil)
      #expect(live.results.position == 11 && live.results.rows.map(\.count).sorted() == [8, 10, 50])
      past.refresh()
      #expect(!past.isSeeking && past.results == live.results)
      #expect(throws: SeekError.self) { try past.seek(to: 10) }
    }
  }

  @Test func `a seek on whose way the log is compacted fails, and does not show what is left`() throws {
    try fill(1...1200)
    let list = FetchedResultsController(store: store, projection: Gauges())
    try list.performFetch()
    meddle(.afterReading)
    #expect(throws: SeekError.self) { try list.seek(to: 700) }
    #expect(store.hasMeddled && list.results.rows.count == 3)
  }

  @Test(arguments: [0, 1, 2]) func `a stream, a kept state and a boundary are of one log`(reads: Int) throws {
    for moment in MeddledStore.Moment.allCases {
      let test = Self()
      try test.fill(1...1200)
      test.meddle(moment, after: reads)
      #expect(try test.store.state(of: Gauge["a"]).counts.values.sorted() == Self.last.sorted())
      #expect(test.store.hasMeddled)

      let bounded = Self()
      try bounded.fill(1...1200)
      bounded.meddle(moment, after: reads)
      try bounded.store.execute(Self.last.sorted(), on: .boundary(WholeGauge.self))
      #expect(bounded.store.hasMeddled && bounded.store.memory.head() == 1201)

      let kept = Self()
      try kept.fill(1...300)
      _ = try kept.store.state(of: KeptGauge["a"])
      try kept.fill(301...1200)
      kept.meddle(moment, after: reads == 2 ? 0 : reads)
      #expect(try kept.store.state(of: KeptGauge["a"]).counts.values.sorted() == Self.last.sorted())
      #expect(kept.store.hasMeddled)
      #expect(try kept.store.state(of: KeptGauge["a"]).counts.values.sorted() == Self.last.sorted())
    }
  }

  @Test func `a kept state is not joined with what is left after it`() throws {
    try fill(1...300)
    _ = try store.state(of: KeptGauge["a"])
    let coder = try EventCoder<GaugeEvent>()
    try store.append(Append([coder.encode(.cleared), coder.encode(.set(id: 1, to: 7))], to: KeptGauge.stream("a")))
    var compaction = Compaction()
    compaction.rewrite(GaugeEvent.self) { _, events in [events[events.count - 1]] }
    compaction.prove(KeptGauge.self)
    let (memory, ready) = (store.memory, compaction)
    store.meddle(.beforeReading, after: 0) { _ = try memory.commitCompaction(ready) }
    #expect(try store.state(of: KeptGauge["a"]).counts == [1: 7])
    #expect(store.hasMeddled)
  }

  @Test func `a subscription that is overtaken while it reads ends with an error`() async throws {
    try fill(1...20)
    var pages = store.subscription(after: 0, batchSize: 5).makeAsyncIterator()
    #expect(try await pages.next()?.position == 5)
    meddle(.afterReading)
    // This batch is of one moment, that of before.
    #expect(try await pages.next()?.position == 10)
    #expect(store.hasMeddled)
    do {
      _ = try await pages.next()
      Issue.record("nothing was thrown")
    } catch let error as EventStoreError {
      #expect(error.code == .compacted && error.position == 20)
    }
  }

  @Test func `a follower that has begun is not overtaken before its first event is handled`() throws {
    try fill(1...20)
    let (memory, compaction) = (store.memory, compaction)
    let refused = Mutex<CompactionError?>(nil)
    let seen = Mutex<[Position]>([])
    let follower = try EventFollower("slow", of: GaugeEvent.self, in: memory, startingAt: .beginning) { recorded, _ in
      if recorded.position == 1 {
        do { try memory.compact(compaction) } catch let error as CompactionError {
          refused.withLock { $0 = error }
        }
      }
      seen.withLock { $0.append(recorded.position) }
    }
    try follower.catchUp()
    let error = refused.withLock { $0 }
    #expect(error?.code == .followerBehind && error?.name == "slow" && error?.version == 1 && error?.position == 0)
    #expect(seen.withLock { $0 } == (1...20).map { Position($0) })
  }
}

/// A store in memory that performs an action during a read.
final class MeddledStore: StoreAroundMemory {
  enum Moment: CaseIterable {
    case beforeReading, afterReading
  }

  private struct Meddling {
    var moment: Moment
    var reads: Int
    var body: @Sendable () throws -> Void
  }

  let memory = MemoryEventStore()
  private let meddling = Mutex<Meddling?>(nil)

  /// True if the action was performed.
  var hasMeddled: Bool { meddling.withLock { $0 == nil } }

  /// Performs an action once, before or after the read that follows a number of reads.
  func meddle(_ moment: Moment, after reads: Int, _ body: @escaping @Sendable () throws -> Void) {
    meddling.withLock { $0 = Meddling(moment: moment, reads: reads, body: body) }
  }

  private func pass(_ moment: Moment) throws {
    let due = meddling.withLock { meddling -> (@Sendable () throws -> Void)? in
      guard let found = meddling, found.moment == moment else { return nil }
      if found.reads > 0 {
        meddling?.reads -= 1
        return nil
      }
      meddling = nil
      return found.body
    }
    try due?()
  }

  func events(
    in log: any EventLog, _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    try pass(.beforeReading)
    let found = try log.events(query, after: after, through: through, limit: limit)
    try pass(.afterReading)
    return found
  }

  var snapshots: (any SnapshotStore)? { memory.snapshots }
}

private enum GaugeEvent: Event {
  case set(id: Int, to: Int)
  case cleared
}

private struct Reading: Row {
  let id: Int
  var count: Int
}

private struct Gauges: Projection {
  func project(_ event: GaugeEvent, into rows: inout Rows<Reading>) {
    switch event {
    case .set(let id, let count): rows.insert(Reading(id: id, count: count))
    case .cleared: for row in rows.all { rows[row.id] = nil }
    }
  }
}

private struct Gauge: Decider, Equatable {
  static var category: String { "Gauge" }
  var counts: [Int: Int] = [:]

  func decide(_ command: Int) -> [GaugeEvent] { [] }

  mutating func evolve(_ event: GaugeEvent) {
    switch event {
    case .set(let id, let count): counts[id] = count
    case .cleared: counts = [:]
    }
  }
}

private struct KeptGauge: SnapshotDecider, Equatable {
  static var category: String { "Gauge" }
  var counts: [Int: Int] = [:]

  func decide(_ command: Int) -> [GaugeEvent] { [] }

  mutating func evolve(_ event: GaugeEvent) {
    switch event {
    case .set(let id, let count): counts[id] = count
    case .cleared: counts = [:]
    }
  }
}

/// Decides only on the expected counts.
private struct WholeGauge: BoundaryDecider {
  struct Other: Error {}
  var counts: [Int: Int] = [:]

  static func boundary(for command: [Int]) -> EventQuery { .types("GaugeSet") }

  func decide(_ command: [Int]) throws -> [GaugeEvent] {
    guard counts.values.sorted() == command else { throw Other() }
    return [.set(id: 9, to: 9)]
  }

  mutating func evolve(_ event: GaugeEvent) {
    if case .set(let id, let count) = event { counts[id] = count }
  }
}
