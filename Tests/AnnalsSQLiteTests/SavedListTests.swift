import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Lists that are saved in a log's file.
@Suite struct SavedListTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func store(_ name: String = "log") throws -> SQLiteEventStore {
    try SQLiteEventStore(path: folder.path(name), durability: .process)
  }

  private func append(_ numbers: Range<Int>, to store: SQLiteEventStore) throws {
    let coder = try EventCoder<ShelfEvent>()
    try store.append(
      Append(numbers.map { try coder.encode(.put(Volume(id: "v\($0)", shelf: $0 % 4, place: $0 * 7 % 100))) }, to: "s"))
  }

  private let request = ListRequest<Volume>(sort: [.ascending(\.place)], section: .by(\.shelf))

  private func list(
    _ store: some EventStore, named name: String? = "volumes", catching: Bool = false
  ) throws -> FetchedResultsController<Volume> {
    let list = FetchedResultsController(
      store: store, projection: ShelfProjection(), request: request, cacheName: name)
    do {
      try list.performFetch()
    } catch is ProjectionError where catching {
      // The list stops before the event.
    }
    return list
  }

  @Test func `a list that one process saved is read by the next, with what was appended since`() throws {
    do {
      let store = try store()
      try append(0..<1_000, to: store)
      try list(store).saveCache()
      try append(1_000..<1_010, to: store)
    }
    let store = try store()
    let saved = try list(store)
    #expect(saved.cacheReport.restored == 1_000 && saved.results.position == 1_010)
    #expect(try saved.results == list(store, named: nil).results)
    #expect(try store.verify().isSound)
  }

  @Test func `the list of a log that is only read is taken, and nothing is written`() throws {
    do {
      let store = try store()
      try append(0..<600, to: store)
      try list(store).saveCache()
      try append(600..<605, to: store)
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.path("log")))
    do {
      let store = try SQLiteEventStore(readingFrom: folder.path("log"))
      let saved = try list(store)
      #expect(saved.cacheReport.restored == 600)
      let error = #expect(throws: EventStoreError.self) { try saved.saveCache() }
      #expect(error?.code == .readOnly)
      #expect(try saved.results == list(store, named: nil).results)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("log"))) == before)
  }

  @Test func `every byte of a saved page flipped in turn is a miss, and never a wrong list`() throws {
    let store = try store()
    try append(0..<90, to: store)
    let whole = try list(store, named: nil).results
    try list(store).saveCache()
    let database = try TestDatabase(folder.path("log"))
    let pages = try #require(try database.int("SELECT count(*) FROM cache_page"))
    #expect(pages > 15)
    var missed = 0
    for column in ["root", "bytes"] {
      let (table, key) = column == "root" ? ("cache", "number") : ("cache_page", "id")
      for row in 0..<(column == "root" ? 1 : pages) {
        let which = "\(key) = (SELECT \(key) FROM \(table) ORDER BY \(key) LIMIT 1 OFFSET \(row))"
        let size = try #require(try database.int("SELECT length(\(column)) FROM \(table) WHERE \(which)"))
        // Every byte of some pages, and some bytes of every page.
        for place in stride(from: row % 5, to: size, by: row % 16 == 0 ? 1 : 37) {
          try database.flip(column, at: place, of: table, where: which)
          let shown = try list(store)
          #expect(shown.results == whole, "byte \(place) of \(column) in row \(row)")
          _ = shown.results.path(forID: "v5")
          if shown.cacheReport.miss != nil || shown.cacheReport.problem != nil { missed += 1 }
          try database.flip(column, at: place, of: table, where: which)
        }
      }
    }
    #expect(missed > 250)
    #expect(try list(store).cacheReport.restored == 90)
  }

  @Test func `what is wrong with a page is a miss also where its key, its cache or its position is another`() throws {
    let store = try store()
    try append(0..<300, to: store)
    let whole = try list(store, named: nil).results
    for change in [
      "UPDATE cache_page SET id = id + 1000000", "UPDATE cache SET position = position - 1",
      "UPDATE cache SET position = 400", "UPDATE cache SET generation = generation + 1", "UPDATE cache SET root = x''",
      "DELETE FROM cache_page", "DELETE FROM cache", "DROP TABLE cache_page", "UPDATE cache SET fingerprint = 'x'",
      "UPDATE cache_page SET bytes = x''", "UPDATE cache_page SET bytes = substr(bytes, 2)",
    ] {
      try list(store).saveCache()
      let database = try TestDatabase(folder.path("log"))
      try database.execute(change)
      let shown = try list(store)
      #expect(shown.results == whole, "\(change)")
      _ = shown.results.path(forID: "v5")
      #expect(shown.cacheReport.miss != nil || shown.cacheReport.problem != nil, "\(change)")
      try shown.saveCache()
      #expect(try list(store).results == whole)
      try store.deleteCache(withName: nil)
    }
    #expect(try store.verify().isSound)
  }

  @Test func `of one name the lists that were saved last are kept, and deleting a cache leaves the others`() throws {
    let store = try store()
    try append(0..<100, to: store)
    func list(_ place: Int, _ name: String) throws -> FetchedResultsController<Volume> {
      let list = FetchedResultsController(
        store: store, projection: ShelfProjection(),
        request: ListRequest(filter: .where("from \(place)") { $0.place >= place }), cacheName: name)
      try list.performFetch()
      return list
    }
    for place in 0..<20 { try list(place, "places").saveCache() }
    try list(5, "other").saveCache()
    let database = try TestDatabase(folder.path("log"))
    #expect(try database.int("SELECT count(*) FROM cache") == 17)
    #expect(try list(19, "places").cacheReport.restored == 100 && list(4, "places").cacheReport.restored == 100)
    #expect(try list(3, "places").cacheReport.restored == nil)
    try store.deleteCache(withName: "places")
    #expect(try database.int("SELECT count(*) FROM cache") == 1)
    #expect(try list(5, "other").cacheReport.restored == 100 && list(19, "places").cacheReport.restored == nil)
    try store.deleteCache(withName: nil)
    #expect(try database.int("SELECT count(*) FROM cache_page") == 0)
  }

  @Test func `two programs that save one list in turn do not fold the events again for each other's rows`() throws {
    var environment = StoreEnvironment()
    environment.pageBudget = 4
    let stores = try (0..<2).map { _ in
      try SQLiteEventStore(path: folder.path("log"), durability: .process, environment: environment)
    }
    try append(0..<800, to: stores[0])
    let folded = FoldedCounter()
    let lists = try stores.map { store in
      let list = FetchedResultsController(
        store: store, projection: CountedShelves(counter: folded), request: request, cacheName: "volumes")
      try list.performFetch()
      return list
    }
    for round in 0..<8 {
      try append(800 + round * 20..<820 + round * 20, to: stores[round % 2])
      for list in lists { list.refresh() }
      let before = folded.count
      // Each is the newest in its turn, and takes the place of the other's.
      try lists[round % 2].saveCache()
      let whole = try list(stores[0], named: nil).results
      for list in lists { #expect(list.results == whole) }
      #expect(folded.count - before < 800, "round \(round)")
    }
    #expect(lists.allSatisfy { $0.cacheReport.problem == nil })
    let database = try TestDatabase(folder.path("log"))
    // One that is shown, and two that others took the place of.
    #expect(try database.int("SELECT count(*) FROM cache WHERE generation <> 0").map { $0 <= 3 } == true)
    #expect(try stores[0].verify().isSound)
  }

  #if os(macOS) || os(Linux)
    @Test func `a process that is killed while it saves lists leaves right ones`() throws {
      let path = folder.path("log")
      var begun = 0
      for round in 0..<12 {
        let child = try ChildProcess("lists", path, "1", "100000")
        _ = child.firstWords()
        Thread.sleep(forTimeInterval: 0.02 + Double(round) * 0.02)
        child.kill()
        let (_, talk, _) = child.finish()
        #expect(talk == "")
        let (lines, complaint, status) = try ChildProcess("lists", path, "1", "1").finish()
        #expect(complaint == "")
        #expect(status == 0)
        if lines.first?.hasPrefix("right ") == true, lines.first != "right 0" { begun += 1 }
        #expect(try SQLiteEventStore(readingFrom: path).verify().isSound)
      }
      #expect(begun > 8)
    }
  #endif

  @Test func `a list is saved although another store has just saved an older one in its cache`() throws {
    let (one, other) = (try store(), try store())
    try append(0..<10, to: one)
    let first = try list(one)
    try first.saveCache()
    let second = try list(other)
    #expect(second.cacheReport.restored == 10)
    try append(10..<20, to: other)
    second.refresh()
    try append(20..<30, to: one)
    first.refresh()
    try second.saveCache()
    try first.saveCache()
    #expect(try list(store()).cacheReport.restored == 30)
    // And the older list of the two does not take the newer one's place.
    try append(30..<31, to: other)
    second.refresh()
    try append(31..<32, to: one)
    first.refresh()
    try first.saveCache()
    try second.saveCache()
    #expect(try list(store()).cacheReport.restored == 32)
  }

  #if os(macOS) || os(Linux)
    @Test func `processes that save one list at a time get right lists`() throws {
      let path = folder.path("log")
      let children = try (0..<3).map { _ in try ChildProcess("lists", path, "1", "40") }
      for child in children {
        let (_, talk, status) = child.finish()
        #expect(talk == "")
        #expect(status == 0)
      }
      let (lines, _, _) = try ChildProcess("lists", path, "1", "1").finish()
      #expect(lines.first == "right 1800")
    }

    @Test func `a list that is kept in every append is at the log's end, on disk too, whenever a process is killed`()
      throws
    {
      let path = folder.path("log")
      var begun = 0
      for round in 0..<12 {
        let child = try ChildProcess("inline", path, "3", "100000")
        _ = child.firstWords()
        Thread.sleep(forTimeInterval: 0.02 + Double(round) * 0.02)
        child.kill()
        let (_, talk, _) = child.finish()
        #expect(talk == "")
        let (lines, complaint, status) = try ChildProcess("inline", path, "1", "1").finish()
        #expect(complaint == "")
        #expect(status == 0)
        if lines.first?.hasPrefix("right ") == true, lines.first != "right 0" { begun += 1 }
        #expect(try SQLiteEventStore(readingFrom: path).verify().isSound)
      }
      #expect(begun > 8)
    }
  #endif

  @Test func `an append that is refused leaves the list that is kept as it was`() throws {
    let store = try store()
    let kept = try store.keepList(of: ShelfProjection(), request: request, cacheName: "volumes")
    try append(0..<50, to: store)
    let before = kept.results
    #expect(before.position == 50)
    let coder = try EventCoder<ShelfEvent>()
    let event = try coder.encode(.put(Volume(id: "x", shelf: 1, place: 1)))
    #expect(throws: EventStoreError.self) { try store.append(Append([event], to: "s", expecting: .exact(7))) }
    #expect(kept.results.position == 50 && kept.results == before)
    try append(50..<60, to: store)
    #expect(kept.results.position == 60)
    #expect(try kept.results == list(store, named: nil).results)
    #expect(try list(store).cacheReport.restored == 60)
  }

  @Test func `what another store appends is in the list that is kept with the next append`() throws {
    let (one, other) = (try store(), try store())
    let kept = try one.keepList(of: ShelfProjection(), request: request, cacheName: "volumes")
    try append(0..<20, to: other)
    #expect(kept.results.position == 0)
    try append(20..<21, to: one)
    #expect(kept.results.position == 21 && kept.results.rows.count == 21)
  }

  @Test func `a list is kept as long as the app holds it, and found again`() throws {
    let store = try store()
    do {
      let kept = try store.keepList(of: ShelfProjection(), request: request, cacheName: "volumes")
      try append(0..<20, to: store)
      #expect(kept.results.position == 20)
    }
    try append(20..<30, to: store)
    #expect(try list(store).cacheReport.restored == 20)
    let kept = try store.keepList(of: ShelfProjection(), request: request, cacheName: "volumes")
    #expect(kept.results.position == 30 && kept.cacheReport.restored == 20)
  }

  @Test func `an append reads pages for a list that is kept, with the writing connection in use`() throws {
    let store = try store()
    do {
      let kept = try store.keepList(of: ShelfProjection(), request: request, cacheName: "volumes")
      try append(0..<2_000, to: store)
      #expect(kept.results.rows.count == 2_000)
    }
    let kept = try store.keepList(of: ShelfProjection(), request: request, cacheName: "volumes")
    let read = kept.cacheReport.pagesRead
    try append(500..<540, to: store)
    try append(2_000..<2_040, to: store)
    #expect(kept.cacheReport.pagesRead > read && kept.results.position == 2_080)
    #expect(try kept.results == list(store, named: nil).results)
  }

  @Test func `an event that cannot be folded stops the list that is kept and no append`() throws {
    let store = try store()
    let kept = try store.keepList(of: ShelfProjection(), request: request, cacheName: "volumes")
    try append(0..<5, to: store)
    try store.append(Append([NewEvent(type: "ShelfPut", payload: #"{"nothing":1}"#)], to: "s"))
    try append(5..<9, to: store)
    #expect(try store.head() == 10)
    #expect(kept.failure?.event.position == 6 && kept.failure?.code == .undecodable)
    #expect(kept.results.position == 5 && kept.results.rows.count == 5)
    let saved = try list(store, catching: true)
    #expect(saved.cacheReport.restored == 5)
  }

  @Test func `a list is kept by stores that can, and others say that they cannot`() throws {
    let memory = MemoryEventStore()
    let kept = try memory.keepList(of: ShelfProjection(), request: request, cacheName: "volumes")
    let coder = try EventCoder<ShelfEvent>()
    try memory.append(Append([try coder.encode(.put(Volume(id: "x", shelf: 1, place: 1)))], to: "s"))
    #expect(kept.results.rows.map(\.id) == ["x"])
    let reader = try {
      try append(0..<3, to: store())
      return try SQLiteEventStore(readingFrom: folder.path("log"))
    }()
    let error = #expect(throws: EventStoreError.self) {
      _ = try reader.keepList(of: ShelfProjection(), request: request, cacheName: "volumes")
    }
    #expect(error?.code == .readOnly)
    #expect(throws: ListRequestError.self) {
      _ = try memory.keepList(
        of: ShelfProjection(), request: ListRequest(filter: .where { $0.place > 1 }), cacheName: "volumes")
    }
  }

  @Test func `a decider's state that was kept is taken by the next process, unless a byte of it is another`() throws {
    struct Volumes: SnapshotDecider {
      static let snapshotInterval = 20
      var places: [String: Int] = [:]
      func decide(_ command: Volume) -> [ShelfEvent] { [.put(command)] }
      mutating func evolve(_ event: ShelfEvent) {
        if case .put(let volume) = event { places[volume.id] = volume.place }
      }
    }
    var wanted: [String: Int] = [:]
    do {
      let store = try store()
      for number in 0..<70 {
        wanted["v\(number % 9)"] = number
        try store.execute(Volume(id: "v\(number % 9)", shelf: 0, place: number), on: Volumes["a"])
      }
    }
    let store = try store()
    let database = try TestDatabase(folder.path("log"))
    #expect(try database.int("SELECT version FROM snapshot") ?? 0 >= 40)
    #expect(try store.state(of: Volumes["a"]).places == wanted)
    for place in 0..<30 {
      try database.flip("state", at: place, of: "snapshot", where: "stream = 'Volumes-a'")
      #expect(try store.state(of: Volumes["a"]).places == wanted)
      try database.flip("state", at: place, of: "snapshot", where: "stream = 'Volumes-a'")
    }
    try database.execute("UPDATE snapshot SET version = version - 1")
    #expect(try store.state(of: Volumes["a"]).places == wanted)
    try store.deleteSnapshots()
    #expect(try database.int("SELECT count(*) FROM snapshot") == 0)
    #expect(try store.state(of: Volumes["a"]).places == wanted && store.verify().isSound)
  }

  @Test func `a state that was folded before an erasure is not kept after it`() throws {
    let store = try store()
    let text = "somebody's name"
    try store.append(
      Append([NewEvent(type: "T", payload: #"{"a":{"$personal":"ann","value":"\#(text)"}}"#)], to: "s"))
    let before = try store.revision()
    let state = DeciderSnapshot(fingerprint: "1", version: 1, position: 1, state: "\"\(text)\"")
    try store.snapshots?.save(state, of: "s", decider: "d", revision: before)
    #expect(try store.snapshots?.snapshot(of: "s", decider: "d") == state)
    try store.erase(subject: "ann")
    #expect(try store.snapshots?.snapshot(of: "s", decider: "d") == nil)
    try store.snapshots?.save(state, of: "s", decider: "d", revision: before)
    #expect(try store.snapshots?.snapshot(of: "s", decider: "d") == nil)
    store.close()
    for end in ["", "-wal"] {
      let bytes = (try? Data(contentsOf: URL(fileURLWithPath: folder.path("log" + end)))) ?? Data()
      #expect(bytes.range(of: Data(text.utf8)) == nil)
    }
  }

  @Test func `a follower goes on in the next process where it was`() throws {
    let seen = Mutex<[Position]>([])
    for round in 0..<3 {
      let store = try store()
      try append(round * 10..<round * 10 + 10, to: store)
      let follower = try EventFollower("index", of: ShelfEvent.self, in: store, startingAt: .beginning) { recorded, _ in
        seen.withLock { $0.append(recorded.position) }
      }
      try follower.catchUp()
      #expect(try follower.position == store.head())
    }
    #expect(seen.withLock { $0.map(\.rawValue) } == Array(1...30))
  }

  @Test func `long lists are saved on another thread without being asked for`() throws {
    let store = try store()
    try append(0..<2_000, to: store)
    let shown = try list(store)
    // An explicit save waits for the one in progress.
    try shown.saveCache()
    #expect(shown.cacheReport.saved == 2_000)
    try append(2_000..<7_000, to: store)
    shown.refresh()
    try shown.saveCache()
    #expect(try list(store).cacheReport.restored == 7_000)
  }
}

private enum ShelfEvent: Event {
  case put(Volume)
}

private struct Volume: Row {
  let id: String
  let shelf: Int
  let place: Int
}

private struct ShelfProjection: Projection {
  func project(_ event: ShelfEvent, into rows: inout Rows<Volume>) {
    if case .put(let volume) = event { rows.insert(volume) }
  }
}

/// Counts the events that a projection folds.
private final class FoldedCounter: Sendable {
  private let number = Mutex(0)
  var count: Int { number.withLock { $0 } }

  func add() { number.withLock { $0 += 1 } }
}

private struct CountedShelves: Projection {
  let counter: FoldedCounter
  var identity: String? { "counted" }

  func project(_ event: ShelfEvent, into rows: inout Rows<Volume>) {
    counter.add()
    ShelfProjection().project(event, into: &rows)
  }
}
