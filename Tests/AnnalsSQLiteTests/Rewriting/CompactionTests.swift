import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Compacted logs: the lists that they give, and the bytes of their files.
@Suite struct CompactionTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  var path: String { folder.path("log") }

  func store() throws -> SQLiteEventStore { try SQLiteEventStore(path: path, durability: .process) }

  func list(_ store: some EventStore, named name: String? = nil) throws -> FetchedResultsController<Part> {
    let list = FetchedResultsController(
      store: store, projection: Parts(), request: Parts.request, cacheName: name)
    try list.performFetch()
    return list
  }

  /// A log of parts.
  ///
  /// Each part is inserted and then counted many times.
  func fill(_ store: some EventStore, parts: Int = 20, rounds: Int = 30) throws {
    let coder = try EventCoder<PartEvent>()
    for round in 0..<rounds {
      try store.append(
        Append(
          try (0..<parts).map { id in
            Append.Entry(
              stream: PartShelf.stream("\(id % 3)"),
              event: try coder.encode(round == 0 ? .put(Part(id: id, shelf: id % 3)) : .counted(id: id, count: round)))
          }))
    }
  }

  @Test func `the file of a log of many updates shrinks, and lists, states and checks are as before`() throws {
    let store = try store()
    try fill(store, rounds: 200)
    let shown = try list(store, named: "parts")
    try shown.saveCache()
    let before = shown.results
    let states = try (0..<3).map { try store.state(of: PartShelf["\($0)"]) }
    let steps = Mutex<[Compaction.Step]>([])
    let receipt = try store.compact(Parts.compaction(), progress: { step in steps.withLock { $0.append(step) } })
    #expect(steps.withLock { $0 } == Compaction.Step.allCases)
    #expect(receipt.counts == [3_980, 20, 20] && receipt.horizon == 4_000)
    let (large, small) = (try #require(receipt.bytesBefore), try #require(receipt.bytesAfter))
    #expect(large > 1_000_000 && small < 250_000 && receipt.remnants == nil, "\(large) to \(small)")
    let sizes = try ["log", "log-wal"].map { name in
      try FileManager.default.attributesOfItem(atPath: folder.path(name))[.size] as? Int ?? 0
    }
    #expect(sizes.reduce(0, +) == small)
    #expect(shown.results == before && shown.results.position == 4_000)
    #expect(try list(store).results == before && list(store, named: "parts").results == before)
    #expect(try (0..<3).map { try store.state(of: PartShelf["\($0)"]) } == states)
    #expect(try store.verify().isSound(events: 20))
    let statistics = try store.statistics()
    #expect(statistics.compacted == CompactedHistory(count: 1, horizon: 4_000) && !statistics.hasRemnants)
    #expect(statistics.events == 20 && statistics.transactions == 1)
    // A second compaction has nothing to do, and the file stays as it is.
    let again = try store.compact(Parts.compaction())
    #expect(again.isUnchanged && again.horizon == 4_000)
    store.close()
    let reopened = try self.store()
    #expect(try list(reopened).results == before && reopened.verify().isSound)
    try reopened.execute(.count(id: 3, 7), on: PartShelf["0"])
    #expect(try reopened.head() == 4_001 && reopened.version(of: PartShelf.stream("0")) == 1_401)
    #expect(try reopened.verify().isSound && list(reopened).results.row(forID: 3)?.count == 7)
  }

  @Test func `positions before the horizon cannot be shown, and 0 and those after it can`() throws {
    let store = try store()
    try fill(store, parts: 4, rounds: 5)
    let (seeking, past) = (try list(store), try list(store))
    try past.seek(to: 9)
    let shown = past.results
    let failures = FailureNote()
    past.delegate = failures
    try store.compact(Parts.compaction(through: 16))
    // A list that showed the past returns to the live end, and says why.
    #expect(past.results != shown && past.results.position == 20 && !past.isSeeking)
    #expect(
      failures.errors.map { "\($0)" } == [
        "the history before position 16 was compacted: expected 0 or a position from 16 to 20 (the log's last "
          + "position), found 9"
      ])
    for position in [1, 9, 15] {
      let error = #expect(throws: SeekError.self) { try seeking.seek(to: Position(position)) }
      #expect(error?.horizon == 16 && error?.end == 20 && error?.position == Position(position))
      #expect(seeking.results.position == 20)
    }
    for position in [16, 18, 0, 17, 20] {
      try seeking.seek(to: Position(position))
      #expect(seeking.results.position == Position(position))
      let counts = Set(seeking.results.rows.map(\.count))
      #expect(counts == (position == 0 ? [] : position == 16 ? [3] : position == 20 ? [4] : [3, 4]))
    }
  }

  @Test func `a rule that is wrong is refused with what would differ, and not a byte of the events changes`() throws {
    let store = try store()
    try fill(store, parts: 6, rounds: 4)
    store.close()
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let rules:
      [(String, @Sendable (StreamName, [Compaction.Candidate<PartEvent>]) -> [Compaction.Candidate<PartEvent>])] = [
        ("row 0. The result is Part(id: 0, shelf: 0, count: 3) before the compaction, and none after", { _, _ in [] }),
        (
          "row 0. The result is Part(id: 0, shelf: 0, count: 3) before the compaction, and "
            + "Part(id: 0, shelf: 0, count: 2)",
          { _, events in
            events.filter { if case .counted(_, 3) = $0.event { false } else { true } }
          }
        ),
        (
          "row 0. The result is Part(id: 0, shelf: 0, count: 3) before the compaction, and "
            + "Part(id: 0, shelf: 9, count: 3)",
          { _, events in
            events.map { event in
              if case .put(var part) = event.event {
                part.shelf = 9
                return event.replaced(by: .put(part))
              }
              return event
            }
          }
        ),
        (
          "row 40. The result is none before the compaction, and Part(id: 40, shelf: 0, count: 0) after",
          { _, events in
            Parts.rule("", events) + [events[2].replaced(by: .put(Part(id: 40, shelf: 0)))]
          }
        ),
        (
          "StrictParts at position 24. The result is a section with the title nil",
          { _, events in Parts.rule("", events) + [events[2].replaced(by: .shelfNamed(shelf: 0, "Zero"))] }
        ),
        (
          "StrictParts at position 24. The result is a result before the compaction, and the error ",
          { _, events in
            Array(events.dropFirst())
          }
        ),
        ("the rule for PartEvent must return only events that it received", { _, events in events.reversed() }),
        ("the rule for PartEvent must return only events that it received", { _, events in events + events }),
      ]
    for (message, rule) in rules {
      do {
        let store = try self.store()
        var compaction = Compaction()
        compaction.rewrite(PartEvent.self, rule)
        compaction.prove(StrictParts(), request: StrictParts.request)
        let error = #expect(throws: CompactionError.self) { try store.compact(compaction) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "done")\nexpected \(message)")
        #expect(try store.revision().compacted == .none && store.verify().isSound)
        store.close()
      }
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      // SQLite counts changes in its header; nothing else may differ.
      #expect(bytes.count == whole.count && bytes.dropFirst(100) == whole.dropFirst(100), "\(message)")
    }
  }

  @Test func `what is not asked completely is refused`() throws {
    let store = try store()
    try fill(store, parts: 3, rounds: 3)
    func refusal(_ make: (inout Compaction) -> Void, through: Position? = nil) -> CompactionError? {
      var compaction = Compaction(through: through)
      make(&compaction)
      return #expect(throws: CompactionError.self) { try store.compact(compaction) }
    }
    func all(_ compaction: inout Compaction) { compaction = Parts.compaction(through: compaction.through) }
    #expect(refusal { _ in }?.code == .incomplete && refusal { $0.prove(Parts()) }?.code == .incomplete)
    #expect(refusal { $0.rewrite(PartEvent.self) { _, events in events } }?.code == .incomplete)
    for through in [4, 10] as [Position] {
      let refusal = refusal(all, through: through)
      #expect(refusal?.code == .badHorizon && refusal?.position == through)
    }
    // No registered projection reads the events that would be cut.
    let unproven = refusal { compaction in
      compaction.rewrite(PartEvent.self) { _, events in [] }
      compaction.prove(Strangers())
    }
    #expect(unproven?.code == .unproven && unproven?.event?.position == 1)
    let twice = refusal { compaction in
      compaction = Parts.compaction()
      compaction.rewrite(PartEvent.self, Parts.rule)
    }
    #expect(twice?.code == .badRule && twice?.stream == PartShelf.stream("0"))
    let notFoldable = refusal { compaction in
      compaction = Parts.compaction()
      compaction.prove(Stopping())
    }
    #expect(notFoldable?.code == .notFoldable && notFoldable?.name == Stopping.name)
    struct Mine: Error {}
    var compaction = Compaction()
    compaction.rewrite(PartEvent.self) { _, _ in throw Mine() }
    compaction.prove(Parts())
    #expect(throws: Mine.self) { try store.compact(compaction) }
    for last in [Compaction.Step.reading, .remembering, .rewriting, .proving] {
      #expect(throws: Mine.self) {
        try store.compact(Parts.compaction(), progress: { if $0 == last { throw Mine() } })
      }
    }
    #expect(try store.revision().compacted == .none && store.verify().events == 9)
    // A compacted log cannot be compacted to an earlier position.
    try store.compact(Parts.compaction(through: 6))
    #expect(refusal(all, through: 3)?.code == .badHorizon)
    let reader = try SQLiteEventStore(readingFrom: path)
    let error = #expect(throws: EventStoreError.self) { try reader.compact(Parts.compaction()) }
    #expect(error?.code == .readOnly)
  }

  @Test func `a follower that is behind keeps the log from being compacted, until it has run or is forgotten`() throws {
    let store = try store()
    try fill(store, parts: 2, rounds: 3)
    struct Stop: Error {}
    let seen = Mutex<[Position]>([])
    let follower = try EventFollower("mail/er", version: 2, of: PartEvent.self, in: store, startingAt: .beginning) {
      recorded, _ in
      if recorded.position == 3, seen.withLock({ $0.count }) == 2 { throw Stop() }
      seen.withLock { $0.append(recorded.position) }
    }
    #expect(throws: ProjectionError.self) { try follower.catchUp() }
    let error = #expect(throws: CompactionError.self) { try store.compact(Parts.compaction()) }
    #expect(error?.code == .followerBehind && error?.name == "mail/er" && error?.version == 2 && error?.position == 2)
    #expect(error?.message.contains("compact only through position 2") == true)
    #expect(try !store.compact(Parts.compaction(through: 2)).isUnchanged == false)
    seen.withLock { $0.append(0) }
    #expect(try follower.catchUp() == 6)
    let old = try EventFollower("mail/er", version: 1, of: PartEvent.self, in: store, startingAt: .beginning) { _, _ in
      throw Stop()
    }
    #expect(throws: ProjectionError.self) { try old.catchUp() }
    #expect(throws: CompactionError.self) { try store.compact(Parts.compaction()) }
    try store.forgetFollower("mail/er", version: 1)
    #expect(try store.compact(Parts.compaction()).cut == 4)
    // A follower that begins now gets only the remaining events, and may stop on the way.
    let late = Mutex<[Position]>([])
    let mayEnd = Mutex(true)
    let new = try EventFollower("late", of: PartEvent.self, in: store, startingAt: .beginning) { recorded, _ in
      if recorded.position == 2, mayEnd.withLock({ $0 }) { throw Stop() }
      late.withLock { $0.append(recorded.position) }
    }
    #expect(throws: ProjectionError.self) { try new.catchUp() }
    mayEnd.withLock { $0 = false }
    #expect(try new.catchUp() == 6 && late.withLock { $0 } == [1, 2])
  }

  @Test func `a subscription that is behind the horizon ends with an error, and another goes on`() async throws {
    let store = try store()
    try fill(store, parts: 2, rounds: 5)
    var behind = store.subscription(after: 0, batchSize: 3).makeAsyncIterator()
    var beyond = store.subscription(after: 0, batchSize: 10).makeAsyncIterator()
    #expect(try await behind.next()?.position == 3)
    #expect(try await beyond.next()?.position == 10)
    try await store.compact(Parts.compaction(through: 8))
    do {
      _ = try await behind.next()
      Issue.record("nothing was thrown")
    } catch let error as EventStoreError {
      #expect(error.code == .compacted && error.position == 8 && error.message.contains("restart at position 0"))
    }
    var restarted = store.subscription(after: 0, batchSize: 1).makeAsyncIterator()
    var found: [Position] = []
    while let page = try await restarted.next() {
      found += page.events.map(\.position)
      if page.isLive { break }
    }
    #expect(found == [1, 2, 9, 10])
    var wrong = store.subscription(after: 5).makeAsyncIterator()
    await #expect(throws: EventStoreError.self) { _ = try await wrong.next() }
    try fill(store, parts: 1, rounds: 1)
    #expect(try await beyond.next()?.events.map(\.position) == [11])
  }

  @Test func `a flipped bit, a missing event and whatever else is not as it must be is found after a compaction`()
    throws
  {
    do {
      let store = try store()
      try fill(store, parts: 6, rounds: 4)
      try store.execute(.remove(id: 0), on: PartShelf["0"])
      try store.execute(.remove(id: 3), on: PartShelf["0"])
      try store.compact(Parts.compaction())
      #expect(try store.verify().isSound(events: 4) && store.version(of: PartShelf.stream("0")) == 10)
      try fill(store, parts: 2, rounds: 1)
      #expect(try store.verify().isSound(events: 6))
    }
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let drop =
      "DROP TRIGGER event_is_never_changed; DROP TRIGGER event_is_never_deleted; "
      + "DROP TRIGGER compaction_is_never_deleted; DROP TRIGGER cut_event_is_never_deleted; "
    for (sql, message, isRead) in [
      ("UPDATE event SET payload = replace(payload, '3', '4') WHERE position = 2", "event 2 is damaged", true),
      ("DELETE FROM event WHERE position = 2", "event 3: expected event 2, found event 3", true),
      ("DELETE FROM event WHERE position = 5", "event 6: expected event 5, found event 6", true),
      (
        "DELETE FROM event WHERE position IN (27, 28)",
        "the log's last event must be at position 28, but is at position 26", true
      ),
      ("DELETE FROM event WHERE position = 27", "expected event 27, found event 28", true),
      ("DELETE FROM gap WHERE first = 1", "expected event 1, found event 2", true),
      ("UPDATE gap SET last = last - 1 WHERE first > 5", "expected", true),
      ("DELETE FROM cut_stream", "expected version", false),
      ("UPDATE cut_stream SET version = version + 1", "version", false),
      (
        "DELETE FROM cut_event WHERE position = 9",
        "expected 26 identities of removed events in the table cut_event, found 25", false
      ),
      (
        "UPDATE cut_event SET position = 99 WHERE position = 9",
        "1 identities of removed events have positions outside the compacted part",
        false
      ),
      ("DELETE FROM compaction", "and no compaction removed the missing events", false),
      ("UPDATE compaction SET cut = 3", "compactions removed 3 events, but 22 positions are missing", false),
      ("UPDATE compaction SET \"transaction\" = 5", "expected transaction", false),
      ("UPDATE event SET \"transaction\" = 9 WHERE position = 2", "event 2 is damaged", true),
    ] {
      for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
      try whole.write(to: URL(fileURLWithPath: path))
      do { try TestDatabase(path).execute(drop + sql) }
      let store = try SQLiteEventStore(readingFrom: path)
      let report = try store.verify()
      #expect(!report.isSound && report.problems.contains { $0.description.contains(message) }, "\(sql): \(report)")
      guard isRead else { continue }
      #expect(throws: EventStoreError.self, "\(sql)") {
        _ = try store.head()
        try store.forEachEvent { _ in }
      }
    }
    // A log that lacks an event is not compacted, because the hole would then look like a cut.
    for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    try whole.write(to: URL(fileURLWithPath: path))
    do { try TestDatabase(path).execute(drop + "DELETE FROM event WHERE position = 2; \(Self.triggers)") }
    try store().execute(.count(id: 1, 5), on: PartShelf["1"])
    var compaction = Compaction()
    compaction.rewrite(PartEvent.self, Parts.rule)
    // Nothing that reads the whole log is proven for this one.
    compaction.prove(PartShelf.self)
    let error = #expect(throws: EventStoreError.self) { try store().compact(compaction) }
    #expect(error?.code == .corrupt)
  }
}
