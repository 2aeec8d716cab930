import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// A compacted log, with lists, states, followers and processes from before the compaction.
extension CompactionTests {
  static let triggers =
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
      var last: [Int: Compaction.Candidate<PersonEvent>] = [:]
      for event in events {
        // The value moves to another position, so that it is written again.
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

  func files(with secret: String) throws -> [String] {
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

  @Test func `a reader that began before keeps the file as it is and is reported, and the next compaction shrinks it`()
    throws
  {
    let store = try store()
    try fill(store, parts: 20, rounds: 60)
    do {
      let reader = try TestDatabase(path)
      try reader.execute("BEGIN; SELECT count(*) FROM event")
      let receipt = try store.commitCompaction(waiting: .milliseconds(30)) { try Parts.compaction().run(in: $0) }
      #expect(receipt.cut == 1_180 && receipt.remnants?.contains("repeat the compaction") == true)
      #expect(try store.statistics().hasRemnants && store.verify().isSound)
    }
    let again = try store.compact(Parts.compaction())
    let (before, after) = (try #require(again.bytesBefore), try #require(again.bytesAfter))
    #expect(again.isUnchanged && again.remnants == nil && after < before)
    #expect(try !store.statistics().hasRemnants)
  }

  @Test func `lists of other stores, saved ones and kept ones agree with a rebuild after a compaction`() throws {
    let (mine, other) = (try store(), try store())
    try fill(mine, parts: 900, rounds: 3)
    try list(other, named: "parts").saveCache()
    let kept = try mine.keepList(of: Parts(), request: Parts.request, cacheName: "kept")
    // Begins with a saved list and reads hardly any of its pages.
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
    // This list was taken before. It reads pages that cannot be rebuilt any more.
    #expect(stale.rows.map(\.count).allSatisfy { $0 == 2 } && stale.rows.count == 900)
    for list in [lazy, live] {
      list.refresh()
      #expect(list.results.position == 2_700 && list.results == stale)
    }
    #expect(kept.results == stale)
    let fresh = try list(mine, named: "kept")
    #expect(fresh.cacheReport.restored == 2_700 && fresh.results == stale)
    // This list was not proven. Its new content comes as a batch.
    behind.refresh()
    #expect(behind.results.rows.map(\.count).first == 1 && mirror.violations == [])
    let rebuilt = FetchedResultsController(store: mine, projection: Counting())
    try rebuilt.performFetch()
    #expect(behind.results == rebuilt.results)
    // A list from before the compaction is not saved any more.
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
    // A state from before the compaction is not saved either.
    let before = try mine.revision()
    try fill(mine, parts: 3, rounds: 3)
    try mine.compact(Parts.compaction())
    let state = DeciderSnapshot(fingerprint: "f", version: 1, position: 1, state: "{}")
    try mine.snapshots?.save(state, of: "s", decider: "d", revision: before)
    #expect(try mine.snapshots?.snapshot(of: "s", decider: "d") == nil)
    try mine.snapshots?.save(state, of: "s", decider: "d", revision: mine.revision())
    #expect(try mine.snapshots?.snapshot(of: "s", decider: "d") == state)
  }

  @Test func `boundaries, sections' order and numbers are proven, and a decider that is wrong is refused`() throws {
    let store = try store()
    try fill(store, parts: 6, rounds: 3)
    func difference(_ make: (inout Compaction) -> Void) throws -> CompactionError? {
      var compaction = Compaction()
      make(&compaction)
      do {
        try store.compact(compaction)
      } catch let error as CompactionError {
        if error.code == .notEqual { return error }
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
    #expect(boundary?.name?.contains("AllCounts, boundary 1 of 1") == true, "\(boundary as Any)")
    // The same rows, but the sections first appear in another order.
    let order = try difference { compaction in
      compaction.rewrite(PartEvent.self) { stream, events in
        // What remains of the first shelf comes after what remains of the others.
        guard stream.text.hasSuffix("0") else { return Parts.rule(stream, events) }
        return zip(events.suffix(2), [0, 3]).map { event, id in
          event.replaced(by: .put(Part(id: id, shelf: 0, count: 2)))
        }
      }
      compaction.prove(
        Parts(), request: ListRequest(sort: [.ascending(\.id)], section: .by(\.shelf, order: .byFirstAppearance)))
    }
    #expect(order?.before?.hasPrefix("section 0 with the key 0") == true, "\(order as Any)")
    #expect(order?.after?.hasPrefix("section 0 with the key 1") == true)
    #expect(try store.revision().compacted == .none)
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
    for _ in 0..<2 { _ = try store.state(of: KeptShelf["0"]) }
    #expect(try TestDatabase(path).int("SELECT count(*) FROM snapshot") == 1)
    try store.execute(.remove(id: 0), on: PartShelf["0"])
    try store.execute(.put(id: 30), on: PartShelf["0"])
    try store.execute(.remove(id: 30), on: PartShelf["0"])
    let state = try store.state(of: KeptShelf["1"])
    var compaction = Parts.compaction()
    compaction.prove(KeptShelf.self)
    try store.compact(compaction)
    #expect(try TestDatabase(path).int("SELECT count(*) FROM snapshot") == 0)
    #expect(
      try store.state(of: KeptShelf["0"]) == KeptShelf() && store.state(of: KeptShelf["1"]) == state)
    for round in 0..<30 {
      let receipt = try store.execute(.put(id: 30), on: KeptShelf["0", expecting: .exact(23 + 2 * round)])
      #expect(receipt.versions[PartShelf.stream("0")] == 24 + 2 * round)
      try store.execute(.remove(id: 30), on: PartShelf["0"])
    }
    #expect(try store.verify().isSound)
  }

  @Test func `a long stream and a boundary are read as they are while another store compacts the log`() throws {
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
              let state = try store.state(of: PartShelf["0"])
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

  /// The acknowledged positions of the children: for each volume, the last one.
  func places(_ lines: [String]) -> [String: Int] {
    var places: [String: Int] = [:]
    for line in lines {
      let words = line.split(separator: " ")
      // The last line may be incomplete.
      if words.count == 3, words[0] == "put", let place = Int(words[2]) { places[String(words[1])] = place }
    }
    return places
  }

  func check(_ places: [String: Int], isEnded: Bool) throws {
    let store = try store()
    let list = FetchedResultsController(store: store, projection: ChildVolumes())
    try list.performFetch()
    for (id, place) in places {
      let found = list.results.row(forID: id)?.place ?? 0
      // An event may be committed but not yet acknowledged.
      #expect(isEnded ? found == place : found == place || found == place + 1, "\(id): \(found), said \(place)")
      #expect(try store.receipt(ofCommand: "\(id)-\(place)") != nil)
    }
    let report = try store.verify()
    #expect(report.isSound, "\(report.problems)")
  }

  #if os(macOS) || os(Linux)
    @Test func `processes that append to a log and compact it at the same time lose no events`() throws {
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
  #endif

  /// A step of a history.
  enum Step: Hashable, Sendable {
    case events([PartEvent])
    case compact(back: Int)
    case reopen
    case command(number: Int)
    case remove(shelf: Int)
    case save
  }

  /// A plain model of the same history.
  struct Naive {
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

    /// Forgets all events of a stream, whose last event is at a position.
    mutating func remove(shelf: Int, through last: Int) {
      parts = parts.filter { $0.key % 3 != shelf }
      titles[shelf] = nil
      versions[PartShelf.stream("\(shelf)")] = nil
      receipts = receipts.filter { $0.key % 3 != shelf }
      horizon = max(horizon, ends.first { $0 >= last } ?? position)
    }

    var list: Results<Part> {
      var rows = Rows<Part>()
      for part in parts.values { rows.insert(part) }
      for (shelf, title) in titles { rows.renameSection(shelf, of: \.shelf, to: title) }
      return Results(Parts.request, of: rows, at: Position(position))
    }
  }

  /// The stream of an event.
  ///
  /// All events about one part are in one stream.
  static func stream(_ event: PartEvent) -> StreamName {
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
          (2, Generator<Int>.int(in: 0...3).map { Step.command(number: $0) }), (1, .constant(.save)),
          (1, Generator<Int>.int(in: 0...2).map { Step.remove(shelf: $0) })))
    }
    let cut = Mutex(0)
    let removed = Mutex(0)
    try AnnalsTesting.check(.array(of: step, count: 0...25), settings: CheckSettings(examples: 60)) { steps in
      for isMemory in [true, false] {
        let folder = try TemporaryFolder()
        func open() throws -> any EventStore {
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
            let event = PartEvent.counted(id: number, count: 9)
            if let first = naive.receipts[number] {
              let again = Append.Entry(stream: Self.stream(event), event: try coder.encode(event))
              try ensureEqual(try store.append(Append([again], commandID: "\(number)")), first)
            } else {
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
            // A second compaction has nothing to do.
            try ensure(try store.compact(Parts.compaction(through: Position(end))).isUnchanged, "it is not done")
          case .remove(let shelf):
            let stream = PartShelf.stream("\(shelf)")
            let last = try store.eventsBackwards(.stream(stream), after: 0, through: nil, limit: 1).first?.position
            var removal = Compaction()
            removal.removeStream(stream, expecting: .exact(naive.versions[stream] ?? 0), allowing: ["Parts"])
            removal.prove(Parts(), request: Parts.request)
            guard let last else {
              let error = #expect(throws: CompactionError.self) { try store.compact(removal) }
              try ensureEqual(error?.code, .noStream)
              continue
            }
            let planned = try store.rehearse(removal)
            let rows = planned.references.filter { $0.code == .notEqual && $0.row != nil && $0.after == nil }
            try ensureEqual(rows.count, naive.parts.keys.count { $0 % 3 == shelf })
            let receipt = try store.compact(removal)
            naive.remove(shelf: shelf, through: last.rawValue)
            try ensureEqual(receipt.references, planned.references)
            try ensureEqual(receipt.horizon.rawValue, naive.horizon)
            removed.withLock { $0 += receipt.cut }
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
          try ensure(try list(store).results == naive.list, "a rebuilt list is wrong after \(step)")
          try ensureEqual(try store.head().rawValue, naive.position)
          for shelf in 0..<3 {
            let stream = PartShelf.stream("\(shelf)")
            try ensureEqual(try store.version(of: stream), naive.versions[stream] ?? 0)
            try ensureEqual(
              try store.state(of: PartShelf["\(shelf)"]).counts,
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
    // A quick look has too few examples for it.
    let isQuickLook = ProcessInfo.processInfo.environment["ANNALS_EXAMPLES"].flatMap { Int($0) } ?? .max < 60
    #expect(isQuickLook || cut.withLock { $0 } > 0 && removed.withLock { $0 } > 0)
  }
}
