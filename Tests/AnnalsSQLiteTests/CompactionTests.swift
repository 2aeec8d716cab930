import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Logs that are compacted: what they say, and what is in their files.
@Suite struct CompactionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.path("log") }

  private func store() throws -> SQLiteEventStore { try SQLiteEventStore(path: path, durability: .process) }

  private func list(_ store: some EventStore, named name: String? = nil) throws -> FetchedResultsController<Part> {
    let list = FetchedResultsController(
      store: store, projection: Parts(), request: Parts.request, cacheName: name)
    try list.performFetch()
    return list
  }

  /// A log of parts of which each is put and then counted again and again.
  private func fill(_ store: some EventStore, parts: Int = 20, rounds: Int = 30) throws {
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
    let states = try (0..<3).map { try store.state(of: PartShelf.self, id: "\($0)") }
    let steps = Mutex<[Compaction.Step]>([])
    let receipt = try store.compact(Parts.compaction(), progress: { step in steps.withLock { $0.append(step) } })
    #expect(steps.withLock { $0 } == Compaction.Step.allCases)
    #expect(receipt.counts == [3_980, 20, 20] && receipt.horizon == 4_000)
    let bytes = try #require(receipt.bytes)
    #expect(bytes.before > 1_000_000 && bytes.after < 250_000 && receipt.remnants == nil, "\(bytes)")
    let sizes = try ["log", "log-wal"].map { name in
      try FileManager.default.attributesOfItem(atPath: folder.path(name))[.size] as? Int ?? 0
    }
    #expect(sizes.reduce(0, +) == bytes.after)
    #expect(shown.results == before && shown.results.position == 4_000)
    #expect(try list(store).results == before && list(store, named: "parts").results == before)
    #expect(try (0..<3).map { try store.state(of: PartShelf.self, id: "\($0)") } == states)
    #expect(try store.verify().isSound(events: 20))
    let statistics = try store.statistics()
    #expect(statistics.compacted == CompactedHistory(count: 1, horizon: 4_000) && !statistics.hasRemnants)
    #expect(statistics.events == 20 && statistics.transactions == 1)
    // Again there is nothing to do, and the file stays as it is.
    let again = try store.compact(Parts.compaction())
    #expect(again.isUnchanged && again.horizon == 4_000)
    store.close()
    let reopened = try self.store()
    #expect(try list(reopened).results == before && reopened.verify().isSound)
    try reopened.execute(.count(id: 3, 7), on: PartShelf.self, id: "0")
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
        "the history before position 16 was compacted: expected 0 or a position from 16 to 20, the log's last one, found 9"
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
    let rules: [(String, @Sendable (StreamName, [PastEvent<PartEvent>]) -> [PastEvent<PartEvent>])] = [
      ("row 0: it was Part(id: 0, shelf: 0, count: 3), and would be not there", { _, _ in [] }),
      (
        "row 0: it was Part(id: 0, shelf: 0, count: 3), and would be Part(id: 0, shelf: 0, count: 2)",
        { _, events in
          events.filter { if case .counted(_, 3) = $0.event { false } else { true } }
        }
      ),
      (
        "row 0: it was Part(id: 0, shelf: 0, count: 3), and would be Part(id: 0, shelf: 9, count: 3)",
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
        "row 40: it was not there, and would be Part(id: 40, shelf: 0, count: 0)",
        { _, events in
          Parts.rule("", events) + [events[2].replaced(by: .put(Part(id: 40, shelf: 0)))]
        }
      ),
      (
        "would not be equal at position 24: it was a section with the title nil",
        { _, events in Parts.rule("", events) + [events[2].replaced(by: .shelfNamed(shelf: 0, "Zero"))] }
      ),
      (
        "would not be equal at position 24: it was folded from all events, and would be stopped: ",
        { _, events in
          Array(events.dropFirst())
        }
      ),
      ("expected the rule for PartEvent to return events that it was given", { _, events in events.reversed() }),
      ("expected the rule for PartEvent to return events that it was given", { _, events in events + events }),
    ]
    for (message, rule) in rules {
      do {
        let store = try self.store()
        var compaction = Compaction()
        compaction.rewrite(PartEvent.self, rule)
        compaction.prove(StrictParts(), request: StrictParts.request)
        let error = #expect(throws: CompactionError.self) { try store.compact(compaction) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "done")\nexpected \(message)")
        #expect(try store.compacted() == .none && store.verify().isSound)
        store.close()
      }
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      // SQLite counts changes in its header, and nothing else may differ.
      #expect(bytes.count == whole.count && bytes.dropFirst(100) == whole.dropFirst(100), "\(message)")
    }
  }

  @Test func `what is not asked completely is refused`() throws {
    let store = try store()
    try fill(store, parts: 3, rounds: 3)
    func code(_ make: (inout Compaction) -> Void, through: Position? = nil) -> CompactionError.Code? {
      var compaction = Compaction(through: through)
      make(&compaction)
      return #expect(throws: CompactionError.self) { try store.compact(compaction) }?.code
    }
    func all(_ compaction: inout Compaction) { compaction = Parts.compaction(through: compaction.through) }
    #expect(code { _ in } == .incomplete && code { $0.prove(Parts()) } == .incomplete)
    #expect(code { $0.rewrite(PartEvent.self) { _, events in events } } == .incomplete)
    #expect(code(all, through: 4) == .badHorizon(4) && code(all, through: 10) == .badHorizon(10))
    // Nothing that is registered reads what would be cut.
    let unproven = code { compaction in
      compaction.rewrite(PartEvent.self) { _, events in [] }
      compaction.prove(Strangers())
    }
    if case .unproven(let event)? = unproven {
      #expect(event.position == 1)
    } else {
      Issue.record("\(unproven as Any)")
    }
    let twice = code { compaction in
      compaction = Parts.compaction()
      compaction.rewrite(PartEvent.self, Parts.rule)
    }
    #expect(twice == .badRule(stream: PartShelf.stream("0")))
    let notFoldable = code { compaction in
      compaction = Parts.compaction()
      compaction.prove(Stopping())
    }
    #expect(notFoldable == .notFoldable(Stopping.name))
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
    #expect(try store.compacted() == .none && store.verify().events == 9)
    // After it was compacted a log is not compacted to an earlier position.
    try store.compact(Parts.compaction(through: 6))
    #expect(code(all, through: 3) == .badHorizon(3))
    let reader = try SQLiteEventStore(readingFrom: path)
    let error = #expect(throws: EventStoreError.self) { try reader.compact(Parts.compaction()) }
    #expect(error?.code == .readOnly)
  }

  @Test func `a follower that is behind keeps the log from being compacted, until it has run or is forgotten`() throws {
    let store = try store()
    try fill(store, parts: 2, rounds: 3)
    struct Stop: Error {}
    let seen = Mutex<[Position]>([])
    let follower = try EventFollower("mail/er", version: 2, of: PartEvent.self, in: store) { recorded, _ in
      if recorded.position == 3, seen.withLock({ $0.count }) == 2 { throw Stop() }
      seen.withLock { $0.append(recorded.position) }
    }
    #expect(throws: ProjectionError.self) { try follower.catchUp() }
    let error = #expect(throws: CompactionError.self) { try store.compact(Parts.compaction()) }
    #expect(error?.code == .followerBehind(name: "mail/er", version: 2, at: 2))
    #expect(error?.message.contains("compact through 2") == true)
    #expect(try !store.compact(Parts.compaction(through: 2)).isUnchanged == false)
    seen.withLock { $0.append(0) }
    #expect(try follower.catchUp() == 6)
    let old = try EventFollower("mail/er", version: 1, of: PartEvent.self, in: store) { _, _ in throw Stop() }
    #expect(throws: ProjectionError.self) { try old.catchUp() }
    #expect(throws: CompactionError.self) { try store.compact(Parts.compaction()) }
    try store.forgetFollower("mail/er", version: 1)
    #expect(try store.compact(Parts.compaction()).cut == 4)
    // A follower that begins now is told what is left, and may end on the way.
    let late = Mutex<[Position]>([])
    let mayEnd = Mutex(true)
    let new = try EventFollower("late", of: PartEvent.self, in: store) { recorded, _ in
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
    var behind = store.subscription(after: 0, pageSize: 3).makeAsyncIterator()
    var beyond = store.subscription(after: 0, pageSize: 10).makeAsyncIterator()
    #expect(try await behind.next()?.position == 3)
    #expect(try await beyond.next()?.position == 10)
    try store.compact(Parts.compaction(through: 8))
    do {
      _ = try await behind.next()
      Issue.record("nothing was thrown")
    } catch let error as EventStoreError {
      #expect(error.code == .compacted(through: 8) && error.message.contains("begin anew at 0"))
    }
    var anew = store.subscription(after: 0, pageSize: 1).makeAsyncIterator()
    var found: [Position] = []
    while let page = try await anew.next() {
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
      try store.execute(.remove(id: 0), on: PartShelf.self, id: "0")
      try store.execute(.remove(id: 3), on: PartShelf.self, id: "0")
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
      ("DELETE FROM event WHERE position IN (27, 28)", "expected 28 events, which the log counted, found 26", true),
      ("DELETE FROM event WHERE position = 27", "expected event 27, found event 28", true),
      ("DELETE FROM gap WHERE first = 1", "expected event 1, found event 2", true),
      ("UPDATE gap SET last = last - 1 WHERE first > 5", "expected", true),
      ("DELETE FROM cut_stream", "expected version", false),
      ("UPDATE cut_stream SET version = version + 1", "version", false),
      ("DELETE FROM cut_event WHERE position = 9", "expected 26 identities of cut events, found 25", false),
      (
        "UPDATE cut_event SET position = 99 WHERE position = 9", "1 identities are of events that cannot have been cut",
        false
      ),
      ("DELETE FROM compaction", "positions have no holes", false),
      ("UPDATE compaction SET cut = 3", "expected 3 events to be cut, found that 22 are", false),
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
    // A log that lacks an event is not compacted, which would make the hole look like a cut.
    for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    try whole.write(to: URL(fileURLWithPath: path))
    do { try TestDatabase(path).execute(drop + "DELETE FROM event WHERE position = 2; \(Self.triggers)") }
    try store().execute(.count(id: 1, 5), on: PartShelf.self, id: "1")
    var compaction = Compaction()
    compaction.rewrite(PartEvent.self, Parts.rule)
    // Of this one nothing is proven that reads the whole log.
    compaction.prove(PartShelf.self)
    let error = #expect(throws: EventStoreError.self) { try store().compact(compaction) }
    #expect(error?.code == .corrupt)
  }

  private static let triggers =
    "CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'events stay'); END;"

  @Test func `values of a person that are left can be erased, and those that were cut are in no file`() throws {
    let secret = "SECRET-\(UUID().uuidString)"
    let store = try store()
    let coder = try EventCoder<PersonEvent>()
    for round in 0..<40 {
      try store.append(
        Append(
          try (0..<3).map { id in
            try coder.encode(.named(id: id, name: Personal("\(secret)-\(round)-\(id)", of: "p\(id)")))
          }, to: Person.stream("all")))
    }
    try store.erase(subject: "p2")
    var compaction = Compaction()
    compaction.rewrite(PersonEvent.self) { _, events in
      var last: [Int: PastEvent<PersonEvent>] = [:]
      for event in events {
        // In another place than the one where it was said, so that it is written anew.
        if case .named(let id, _) = event.event { last[id] = (last[id] ?? event).replaced(by: event.event) }
      }
      return last.values.sorted { $0.recorded.position < $1.recorded.position }
    }
    compaction.prove(People())
    let receipt = try store.compact(compaction)
    #expect(receipt.counts == [117, 2, 3])
    #expect(try files(with: "\(secret)-17-") == [] && files(with: "\(secret)-39-2") == [])
    #expect(try files(with: "\(secret)-39-0") == ["log"] && files(with: "\(secret)-39-1") == ["log"])
    #expect(try store.verify().isSound(events: 3))
    #expect(try store.statistics().personalFields == 2)
    #expect(try store.erase(subject: "p1").fields == 1)
    #expect(try files(with: "\(secret)-39-1") == [] && files(with: "\(secret)-39-0") == ["log"])
    let people = FetchedResultsController(store: store, projection: People())
    try people.performFetch()
    #expect(people.results.rows.map { $0.name.value } == ["\(secret)-39-0", nil, nil])
    #expect(try store.verify().isSound)
    #expect(try store.compact(compaction).isUnchanged)
  }

  private func files(with secret: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path("")).filter { name in
      try Data(contentsOf: URL(fileURLWithPath: folder.path(name))).range(of: Data(secret.utf8)) != nil
    }
  }

  @Test func `streams with what cannot be read are left as they are, and other types' events stay where they are`()
    throws
  {
    let store = try store()
    try fill(store, parts: 2, rounds: 3)
    try store.append(
      Append(
        [NewEvent(type: "Stranger", payload: "{}"), NewEvent(type: "Stranger", payload: "{}")],
        to: PartShelf.stream("0")))
    try store.append(Append([NewEvent(type: "PartMelted", payload: "{}")], to: PartShelf.stream("1")))
    var compaction = Compaction()
    compaction.rewrite(PartEvent.self, Parts.rule)
    compaction.prove(LenientParts())
    let receipt = try store.compact(compaction)
    #expect(receipt.counts == [2, 1, 7])
    #expect(receipt.leftAlone.map(\.stream) == [PartShelf.stream("1")] && receipt.leftAlone.map(\.position) == [9])
    #expect(receipt.leftAlone.first?.reason.contains("PartMelted") == true)
    let left = try store.events(.all, after: 0, through: nil, limit: 99)
    #expect(left.map(\.position) == [1, 2, 4, 6, 7, 8, 9])
    #expect(try store.verify().isSound)
  }

  @Test func `a reader that began before keeps the file as it is, is told of, and the next compaction shrinks it`()
    throws
  {
    let store = try store()
    try fill(store, parts: 20, rounds: 60)
    do {
      let reader = try TestDatabase(path)
      try reader.execute("BEGIN; SELECT count(*) FROM event")
      let receipt = try store.commitCompaction(Parts.compaction(), waiting: .milliseconds(30))
      #expect(receipt.cut == 1_180 && receipt.remnants?.contains("compact the log again") == true)
      #expect(try store.statistics().hasRemnants && store.verify().isSound)
    }
    let again = try store.compact(Parts.compaction())
    let bytes = try #require(again.bytes)
    #expect(again.isUnchanged && again.remnants == nil && bytes.after < bytes.before)
    #expect(try !store.statistics().hasRemnants)
  }

  @Test func `lists of other stores, saved ones and kept ones agree with a rebuild after a compaction`() throws {
    let (mine, other) = (try store(), try store())
    try fill(mine, parts: 900, rounds: 3)
    try list(other, named: "parts").saveCache()
    let kept = try mine.keepList(of: Parts(), request: Parts.request, cacheName: "kept")
    // Begun with a saved list of which hardly a page was read.
    let lazy = try list(other, named: "parts")
    #expect(lazy.cacheReport.restored == 2_700)
    let stale = lazy.results
    let live = try list(other)
    let behind = FetchedResultsController(store: other, projection: Counting())
    try behind.performFetch()
    let mirror = MirrorDelegate(behind.results)
    behind.delegate = mirror
    #expect(behind.results.rows.map(\.count).first == 3)
    try mine.compact(Parts.compaction())
    // Of a list that was taken before, pages are read that nobody can make again.
    #expect(stale.rows.map(\.count).allSatisfy { $0 == 2 } && stale.rows.count == 900)
    for list in [lazy, live] {
      list.refresh()
      #expect(list.results.position == 2_700 && list.results == stale)
    }
    #expect(kept.results == stale)
    let fresh = try list(mine, named: "kept")
    #expect(fresh.cacheReport.restored == 2_700 && fresh.results == stale)
    // A list that nobody had proven is told in a batch what it says now.
    behind.refresh()
    #expect(behind.results.rows.map(\.count).first == 1 && mirror.violations == [])
    let rebuilt = FetchedResultsController(store: mine, projection: Counting())
    try rebuilt.performFetch()
    #expect(behind.results == rebuilt.results)
    // What was made before is not saved any more.
    let raw = try TestDatabase(path)
    #expect(try raw.int("SELECT count(*) FROM cache WHERE generation > 0") == 1)
    try lazy.saveCache()
    #expect(try raw.int("SELECT count(*) FROM cache WHERE generation > 0") == 2)
    #expect(try list(mine, named: "parts").cacheReport.restored == 2_700)
    try raw.execute("UPDATE cache SET used = used - 7200")
    try fill(mine, parts: 900, rounds: 1)
    try mine.compact(Parts.compaction())
    #expect(try raw.int("SELECT count(*) FROM cache WHERE generation < 0") == 2)
  }

  @Test func `a list that was made before a compaction is not saved after it`() throws {
    let (mine, other) = (try store(), try store())
    try fill(mine, parts: 3, rounds: 3)
    let unsaved = try list(other, named: "unsaved")
    try mine.compact(Parts.compaction())
    let raw = try TestDatabase(path)
    #expect(throws: Never.self) { try unsaved.saveCache() }
    #expect(try raw.int("SELECT count(*) FROM sqlite_schema WHERE name = 'cache'") == 0)
    unsaved.refresh()
    try unsaved.saveCache()
    #expect(try raw.int("SELECT count(*) FROM cache WHERE generation > 0") == 1)
    #expect(try list(mine, named: "unsaved").cacheReport.restored == 9)
    // Nor is a state that was folded before it.
    let before = try mine.rewrites()
    try fill(mine, parts: 3, rounds: 3)
    try mine.compact(Parts.compaction())
    let state = DeciderSnapshot(fingerprint: "f", version: 1, position: 1, state: "{}")
    try mine.save(state, of: "s", decider: "d", rewrites: before)
    #expect(try mine.snapshot(of: "s", decider: "d") == nil)
    try mine.save(state, of: "s", decider: "d", rewrites: before + 1)
    #expect(try mine.snapshot(of: "s", decider: "d") == state)
  }

  @Test func `boundaries, sections' order and numbers are proven, and a decider that is wrong is refused`() throws {
    let store = try store()
    try fill(store, parts: 6, rounds: 3)
    func difference(_ make: (inout Compaction) -> Void) throws -> CompactionError.Difference? {
      var compaction = Compaction()
      make(&compaction)
      do {
        try store.compact(compaction)
      } catch let error as CompactionError {
        if case .notEqual(let difference) = error.code { return difference }
        throw error
      }
      return nil
    }
    let state = try difference { compaction in
      compaction.rewrite(PartEvent.self) { _, events in [events[0]] }
      compaction.prove(PartShelf.self)
    }
    #expect(state?.name == "AnnalsSQLiteTests.PartShelf, stream \"PartShelf-0\"" && state?.position == 18)
    #expect(state?.before?.hasPrefix("PartShelf(counts: [") == true && state?.row == nil)
    let boundary = try difference { compaction in
      compaction.rewrite(PartEvent.self) { _, events in [events[0]] }
      compaction.prove(AllCounts.self, for: [()])
    }
    #expect(boundary?.name.contains("AllCounts, boundary 1 of 1") == true, "\(boundary as Any)")
    // The same rows in sections that first appeared in another order.
    let order = try difference { compaction in
      compaction.rewrite(PartEvent.self) { stream, events in
        // What is left of the first shelf stands after what is left of the others.
        guard stream.text.hasSuffix("0") else { return Parts.rule(stream, events) }
        return zip(events.suffix(2), [0, 3]).map { event, id in
          event.replaced(by: .put(Part(id: id, shelf: 0, count: 2)))
        }
      }
      compaction.prove(
        Parts(), request: FetchRequest(sort: [.ascending(\.id)], section: .by(\.shelf, order: .byFirstAppearance)))
    }
    #expect(order?.before?.hasPrefix("section 0 with the key 0") == true, "\(order as Any)")
    #expect(order?.after?.hasPrefix("section 0 with the key 1") == true)
    #expect(try store.compacted() == .none)
    #expect(
      try difference { compaction in
        compaction = Parts.compaction()
        compaction.prove(AllCounts.self, for: [()])
      } == nil)
  }

  @Test func `states that are kept are those of a rebuild, and a command on a stream without its last events goes on`()
    throws
  {
    let store = try store()
    try fill(store, parts: 3, rounds: 20)
    for _ in 0..<2 { _ = try store.state(of: KeptShelf.self, id: "0") }
    #expect(try TestDatabase(path).int("SELECT count(*) FROM snapshot") == 1)
    try store.execute(.remove(id: 0), on: PartShelf.self, id: "0")
    try store.execute(.put(id: 30), on: PartShelf.self, id: "0")
    try store.execute(.remove(id: 30), on: PartShelf.self, id: "0")
    let state = try store.state(of: KeptShelf.self, id: "1")
    var compaction = Parts.compaction()
    compaction.prove(KeptShelf.self)
    try store.compact(compaction)
    #expect(try TestDatabase(path).int("SELECT count(*) FROM snapshot") == 0)
    #expect(
      try store.state(of: KeptShelf.self, id: "0") == KeptShelf() && store.state(of: KeptShelf.self, id: "1") == state)
    for round in 0..<30 {
      let receipt = try store.execute(.put(id: 30), on: KeptShelf.self, id: "0", expecting: .exact(23 + 2 * round))
      #expect(receipt.versions[PartShelf.stream("0")] == 24 + 2 * round)
      try store.execute(.remove(id: 30), on: PartShelf.self, id: "0")
    }
    #expect(try store.verify().isSound)
  }

  @Test func `a long stream and a boundary are read as they are, whoever compacts meanwhile`() throws {
    let store = try store()
    try fill(store, parts: 3, rounds: 700)
    let wrong = Mutex<[String]>([])
    let isDone = Mutex(false)
    onThreads(3) { lane in
      do {
        if lane == 0 {
          for round in 0..<4 {
            try fill(store, parts: 3, rounds: 1)
            try fill(store, parts: 3, rounds: 300)
            let receipt = try store.compact(Parts.compaction())
            if receipt.isUnchanged { wrong.withLock { $0.append("round \(round) cut nothing") } }
          }
          isDone.withLock { $0 = true }
        } else {
          while !isDone.withLock({ $0 }) {
            if lane == 1 {
              let state = try store.state(of: PartShelf.self, id: "0")
              if state.counts.keys.sorted() != [0] { wrong.withLock { $0.append("\(state)") } }
            } else {
              let results = try list(store).results
              if results.rows.map(\.id).sorted() != [0, 1, 2] {
                wrong.withLock { $0.append("\(results.rows.map(\.id))") }
              }
            }
          }
        }
      } catch {
        wrong.withLock { $0.append("\(error)") }
        isDone.withLock { $0 = true }
      }
    }
    #expect(wrong.withLock { $0 } == [])
    #expect(try store.verify().isSound)
  }

  /// What children said that they had acknowledged: by volume, the place where it stood last.
  private func places(_ lines: [String]) -> [String: Int] {
    var places: [String: Int] = [:]
    for line in lines {
      let words = line.split(separator: " ")
      // The last line may have been cut by the end.
      if words.count == 3, words[0] == "put", let place = Int(words[2]) { places[String(words[1])] = place }
    }
    return places
  }

  private func check(_ places: [String: Int], isEnded: Bool) throws {
    let store = try store()
    let list = FetchedResultsController(store: store, projection: ChildVolumes())
    try list.performFetch()
    for (id, place) in places {
      let found = list.results.row(forID: id)?.place ?? 0
      // What was committed and not said yet may be there as well.
      #expect(isEnded ? found == place : found == place || found == place + 1, "\(id): \(found), said \(place)")
      #expect(try store.receipt(ofCommand: "\(id)-\(place)") != nil)
    }
    let report = try store.verify()
    #expect(report.isSound, "\(report.problems)")
  }

  @Test func `processes that append and compact a log at a time lose nothing of it`() throws {
    _ = try store()
    let children = try (0..<3).map { _ in try ChildProcess("compactions", path, "2", "25") }
    var lines: [String] = []
    for child in children {
      let (said, talk, status) = child.finish()
      #expect(talk == "" && status == 0)
      lines += said
    }
    #expect(lines.contains { $0.hasPrefix("compacted ") && $0 != "compacted 0" })
    try check(places(lines), isEnded: true)
    #expect(try store().statistics().compacted.count > 3)
  }

  @Test func `a process that is killed while it compacts leaves the log whole as it was before or as it is after`()
    throws
  {
    var (states, cut) = (Set<Int>(), 0)
    for _ in 0..<30 {
      let child = try ChildProcess("compactions", path, "2", "1000000")
      let first = child.firstWords()
      usleep(UInt32.random(in: 0...60_000))
      child.kill()
      let (rest, talk, _) = child.finish()
      #expect(talk == "")
      try check(
        places(
          (String(decoding: first, as: UTF8.self) + rest.joined(separator: "\n")).split(separator: "\n").map(
            String.init)),
        isEnded: false)
      let statistics = try store().statistics()
      if statistics.hasRemnants { cut += 1 }
      states.insert(statistics.compacted.count)
    }
    #expect(states.count > 1 && cut > 0)
  }

  /// A step of a history.
  private enum Step: Hashable, Sendable {
    case events([PartEvent])
    case compact(back: Int)
    case reopen
    case command(number: Int)
    case save
  }

  /// What a plain program makes of the same history.
  private struct Naive {
    var parts: [Int: Part] = [:]
    var titles: [Int: String] = [:]
    var versions: [StreamName: Int] = [:]
    var receipts: [Int: Receipt] = [:]
    var position = 0
    var transaction = 0
    /// The last positions of transactions.
    var ends = [0]
    var horizon = 0

    mutating func append(_ events: [(StreamName, PartEvent)]) {
      if events.isEmpty { return }
      for (stream, event) in events {
        versions[stream, default: 0] += 1
        position += 1
        switch event {
        case .put(let part): parts[part.id] = part
        case .counted(let id, let count): parts[id]?.count = count
        case .removed(let id): parts[id] = nil
        case .shelfNamed(let shelf, let title): titles[shelf] = title
        }
      }
      transaction += 1
      ends.append(position)
    }

    var list: Results<Part> {
      var rows = Rows<Part>()
      for part in parts.values { rows.insert(part) }
      for (shelf, title) in titles { rows.renameSection(shelf, of: \.shelf, to: title) }
      return Results(Parts.request, of: rows, at: Position(position))
    }
  }

  /// The stream of what an event is about: of a part's life all is in one.
  private static func stream(_ event: PartEvent) -> StreamName {
    switch event {
    case .put(let part): PartShelf.stream("\(part.id % 3)")
    case .counted(let id, _), .removed(let id): PartShelf.stream("\(id % 3)")
    case .shelfNamed(let shelf, _): PartShelf.stream("\(shelf)")
    }
  }

  @Test func `after any history with any compactions in between a log answers what a plain program does`() throws {
    let event = Generator<PartEvent> { draw in
      let (id, number) = (try draw(.int(in: 0...7)), try draw(.int(in: 0...3)))
      return try draw(
        .frequency(
          (3, .constant(.put(Part(id: id, shelf: number)))), (5, .constant(.counted(id: id, count: number))),
          (2, .constant(.removed(id: id))), (1, .constant(.shelfNamed(shelf: number % 3, title: "t\(id)")))))
    }
    let step = Generator<Step> { draw in
      try draw(
        .frequency(
          (6, Generator.array(of: event, count: 1...5).map { Step.events($0) }),
          (3, Generator<Int>.int(in: 0...3).map { Step.compact(back: $0) }), (1, .constant(.reopen)),
          (2, Generator<Int>.int(in: 0...3).map { Step.command(number: $0) }), (1, .constant(.save))))
    }
    let cut = Mutex(0)
    try AnnalsTesting.check(.array(of: step, count: 0...25), settings: CheckSettings(examples: 60)) { steps in
      for isMemory in [true, false] {
        let folder = try TemporaryFolder()
        func open() throws -> any CompactingStore {
          isMemory ? MemoryEventStore() : try SQLiteEventStore(path: folder.path("log"), durability: .process)
        }
        var store = try open()
        var naive = Naive()
        let coder = try EventCoder<PartEvent>()
        var shown = try list(store, named: "parts")
        var ids: [EventID] = []
        func append(_ events: [PartEvent], _ commandID: String? = nil) throws -> Receipt {
          let entries = try events.map { event in
            var new = try coder.encode(event)
            new.id = EventID(source: "given", id: "\(naive.position)-\(ids.count)")
            if let id = new.id { ids.append(id) }
            return Append.Entry(stream: Self.stream(event), event: new)
          }
          let versions = Dictionary(
            entries.map { ($0.stream, ExpectedVersion.exact(naive.versions[$0.stream] ?? 0)) }
          ) { first, _ in first }
          return try store.append(Append(entries, expectations: versions, commandID: commandID))
        }
        for step in steps {
          switch step {
          case .events(let events):
            let receipt = try append(events)
            naive.append(events.map { (Self.stream($0), $0) })
            try ensureEqual(receipt.position.rawValue, naive.position)
            try ensureEqual(receipt.transaction, naive.transaction)
          case .command(let number):
            if let first = naive.receipts[number] {
              try ensureEqual(
                try store.append(
                  Append([.init(stream: "s", event: coder.encode(.removed(id: 0)))], commandID: "\(number)")), first)
            } else {
              let event = PartEvent.counted(id: number, count: 9)
              naive.receipts[number] = try append([event], "\(number)")
              naive.append([(Self.stream(event), event)])
            }
          case .compact(let back):
            let end = naive.ends.dropLast(min(back, naive.ends.count - 1)).last ?? 0
            if end < naive.horizon { continue }
            let receipt = try store.compact(Parts.compaction(through: Position(end)))
            if !receipt.isUnchanged { naive.horizon = end }
            cut.withLock { $0 += receipt.cut }
            try ensureEqual(receipt.horizon.rawValue, naive.horizon)
            // Again there is nothing to do.
            try ensure(try store.compact(Parts.compaction(through: Position(end))).isUnchanged, "it is not done")
          case .save: try shown.saveCache()
          case .reopen:
            guard let file = store as? SQLiteEventStore else { continue }
            file.close()
            store = try open()
            shown = try list(store, named: "parts")
          }
          shown.refresh()
          try ensure(shown.results == naive.list, "the list is wrong after \(step)")
          try ensureEqual(shown.results.position.rawValue, naive.position)
          try ensure(try list(store).results == naive.list, "a list that is made anew is wrong after \(step)")
          try ensureEqual(try store.head().rawValue, naive.position)
          for shelf in 0..<3 {
            let stream = PartShelf.stream("\(shelf)")
            try ensureEqual(try store.version(of: stream), naive.versions[stream] ?? 0)
            try ensureEqual(
              try store.state(of: PartShelf.self, id: "\(shelf)").counts,
              naive.parts.filter { $0.key % 3 == shelf }.mapValues(\.count))
          }
          for (index, id) in ids.enumerated() { try ensureEqual(try store.position(of: id)?.rawValue, index + 1) }
        }
        if let file = store as? SQLiteEventStore {
          let report = try file.verify()
          try ensure(report.isSound, "\(report.problems)")
        }
      }
    }
    #expect(cut.withLock { $0 } > 0)
  }
}

/// As the child process has them.
private struct ChildVolume: Row {
  let id: String
  let shelf: Int
  let place: Int
}

private enum ChildVolumeEvent: Event {
  static var typePrefix: String { "Volume" }
  case put(ChildVolume)
  case removed(id: String)
}

private struct ChildVolumes: Projection {
  func project(_ event: ChildVolumeEvent, into rows: inout Rows<ChildVolume>) {
    switch event {
    case .put(let volume): rows.insert(volume)
    case .removed(let id): rows[id] = nil
    }
  }
}

extension CompactionReceipt {
  /// How many events were cut and replaced, and how many are left.
  fileprivate var counts: [Int] { [cut, replaced, remaining] }
}

extension LogReport {
  /// True of a log with so many events in which all is as it must be.
  fileprivate func isSound(events: Int) -> Bool { isSound && self.events == events }
}

/// Notes what a controller says of failures.
private final class FailureNote: FetchedResultsControllerDelegate {
  typealias Row = Part
  var errors: [any Error] = []

  func controller(_ controller: FetchedResultsController<Part>, didFailWith error: any Error) { errors.append(error) }
}

struct Part: Row, Hashable {
  let id: Int
  var shelf: Int
  var count = 0
}

enum PartEvent: Event, Hashable {
  case put(Part)
  case counted(id: Int, count: Int)
  case removed(id: Int)
  case shelfNamed(shelf: Int, title: String)

  static func shelfNamed(shelf: Int, _ title: String) -> PartEvent { .shelfNamed(shelf: shelf, title: title) }
}

struct Parts: Projection {
  static let request = FetchRequest<Part>(sort: [.descending(\.count)], section: .by(\.shelf))

  func project(_ event: PartEvent, into rows: inout Rows<Part>) {
    switch event {
    case .put(let part): rows.insert(part)
    case .counted(let id, let count): rows[id]?.count = count
    case .removed(let id): rows[id] = nil
    case .shelfNamed(let shelf, let title): rows.renameSection(shelf, of: \.shelf, to: title)
    }
  }

  /// Leaves a put of each part that is there, with its count, and the last title of each shelf.
  static let rule: @Sendable (StreamName, [PastEvent<PartEvent>]) -> [PastEvent<PartEvent>] = { _, events in
    var parts: [Int: (place: PastEvent<PartEvent>, part: Part)] = [:]
    var titles: [Int: PastEvent<PartEvent>] = [:]
    for event in events {
      switch event.event {
      case .put(let part): parts[part.id] = (event, part)
      case .counted(let id, let count): parts[id]?.part.count = count
      case .removed(let id): parts[id] = nil
      case .shelfNamed(let shelf, _): titles[shelf] = event
      }
    }
    let puts = parts.values.map { place, part in place.replaced(by: .put(part)) }
    return (puts + titles.values).sorted { $0.recorded.position < $1.recorded.position }
  }

  static func compaction(through end: Position? = nil) -> Compaction {
    var compaction = Compaction(through: end)
    compaction.rewrite(PartEvent.self, rule)
    compaction.prove(Parts(), request: request)
    compaction.prove(PartShelf.self)
    return compaction
  }
}

/// Parts that must be there to be counted.
private struct StrictParts: Projection {
  struct Missing: Error {}
  static let request = FetchRequest<Part>(sort: [.ascending(\.count)], section: .by(\.shelf, order: .byFirstAppearance))

  func project(_ event: PartEvent, into rows: inout Rows<Part>) throws {
    if case .counted(let id, _) = event, rows[id] == nil { throw Missing() }
    Parts().project(event, into: &rows)
  }
}

/// Parts of a log in which there is more.
private struct LenientParts: Projection {
  static var unknownEvents: UnknownEventPolicy { .skip }

  func project(_ event: PartEvent, into rows: inout Rows<Part>) { Parts().project(event, into: &rows) }
}

/// Counts how often something was said of a part.
private struct Counting: Projection {
  func project(_ event: PartEvent, into rows: inout Rows<Part>) {
    switch event {
    case .put(let part): rows.insert(Part(id: part.id, shelf: 0, count: 1))
    case .counted(let id, _): rows[id]?.count += 1
    default: break
    }
  }
}

private struct Stopping: Projection {
  struct Refusal: Error {}

  func project(_ event: PartEvent, into rows: inout Rows<Part>) throws { throw Refusal() }
}

private enum StrangeEvent: Event {
  case met(id: Int)
}

private struct Strangers: Projection {
  func project(_ event: StrangeEvent, into rows: inout Rows<Part>) {}
}

enum PartCommand {
  case put(id: Int), count(id: Int, Int), remove(id: Int)
}

struct PartShelf: Decider, Equatable {
  var counts: [Int: Int] = [:]

  func decide(_ command: PartCommand) -> [PartEvent] {
    switch command {
    case .put(let id): [.put(Part(id: id, shelf: 0))]
    case .count(let id, let count): [.counted(id: id, count: count)]
    case .remove(let id): [.removed(id: id)]
    }
  }

  mutating func evolve(_ event: PartEvent) {
    switch event {
    case .put(let part): counts[part.id] = part.count
    case .counted(let id, let count): if counts[id] != nil { counts[id] = count }
    case .removed(let id): counts[id] = nil
    case .shelfNamed: break
    }
  }
}

/// The same, kept every few events.
struct KeptShelf: SnapshotDecider, Equatable {
  static var category: String { PartShelf.category }
  static var snapshotInterval: Int { 5 }
  var shelf: [Int: Int] = [:]

  func decide(_ command: PartCommand) -> [PartEvent] { PartShelf(counts: shelf).decide(command) }

  mutating func evolve(_ event: PartEvent) {
    var state = PartShelf(counts: shelf)
    state.evolve(event)
    shelf = state.counts
  }
}

/// The counts of all shelves.
private struct AllCounts: BoundaryDecider, Equatable {
  var counts: [Int: Int] = [:]

  static func boundary(for command: Void) -> EventQuery { .types("PartPut", "PartCounted", "PartRemoved") }

  func decide(_ command: Void) -> [PartEvent] { [] }

  mutating func evolve(_ event: PartEvent) {
    var shelf = PartShelf(counts: counts)
    shelf.evolve(event)
    counts = shelf.counts
  }
}

private struct Human: Row {
  let id: Int
  var name: Personal<String>
}

private enum PersonEvent: Event {
  case named(id: Int, name: Personal<String>)
}

private enum Person {
  static func stream(_ id: String) -> StreamName { StreamName("Person-\(id)") }
}

private struct People: Projection {
  func project(_ event: PersonEvent, into rows: inout Rows<Human>) {
    if case .named(let id, let name) = event { rows.insert(Human(id: id, name: name)) }
  }
}
