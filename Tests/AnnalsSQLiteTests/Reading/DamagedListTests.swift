import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// Saved lists whose file is damaged, closed or cut while they are shown.
@Suite struct DamagedListTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("log")
  }

  private static let request = ListRequest<Tome>(sort: [.ascending(\.place)], section: .by(\.shelf))

  private func append(_ numbers: Range<Int>, to store: SQLiteEventStore) throws {
    let coder = try EventCoder<TomeEvent>()
    try store.append(
      Append(numbers.map { try coder.encode(.put(Tome(id: "b\($0)", shelf: $0 % 23, place: $0 * 7 % 100))) }, to: "s"))
  }

  private func list(_ store: some EventStore, named name: String? = "books") throws -> FetchedResultsController<Tome> {
    let list = FetchedResultsController(
      store: store, projection: Tomes(), request: Self.request, cacheName: name)
    try list.performFetch()
    return list
  }

  /// A closed log with a saved list.
  private func saved(_ count: Int) throws -> Results<Tome> {
    let store = try SQLiteEventStore(path: path, durability: .process)
    try append(0..<count, to: store)
    let list = try list(store)
    try list.saveCache()
    store.close()
    return list.results
  }

  /// Reads all of a list in every way.
  private func look(at results: Results<Tome>) {
    for section in results {
      for row in section { _ = row.place }
    }
    for index in stride(from: 0, to: results.rows.count, by: 19) { _ = results.rows[index] }
    for number in stride(from: 0, to: 300, by: 23) {
      if let path = results.path(forID: "b\(number)") { _ = results.row(at: path) }
    }
    _ = results.sectionIndex(forKey: 3)
  }

  @Test func `flipped bits anywhere in a log end no program, and lead to no wrong list in silence`() throws {
    let whole = try saved(260)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let rounds = ProcessInfo.processInfo.environment["ANNALS_DAMAGE_ROUNDS"].flatMap { Int($0) } ?? 60
    var (random, opened, reported, silent) = (SplitMix(state: 11), 0, 0, 0)
    for round in 0..<rounds {
      var damaged = bytes
      for _ in 0..<1 + random.below(8) { damaged[random.below(bytes.count)] ^= 1 << UInt8(random.below(8)) }
      let path = folder.path("damaged")
      for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
      try damaged.write(to: URL(fileURLWithPath: path))
      guard let store = try? SQLiteEventStore(path: path, durability: .process) else { continue }
      let shown = FetchedResultsController(
        store: store, projection: Tomes(), request: Self.request, cacheName: "books")
      var table = MirrorTable(shown.results, profile: .lenient)
      let watch = shown.observe { changes in #expect(throws: Never.self) { try table.apply(changes) } }
      try? shown.performFetch()
      look(at: shown.results)
      // Damaged events may give another list; other tests check the events.
      let plain = FetchedResultsController(store: store, projection: Tomes(), request: Self.request)
      try? plain.performFetch()
      func says() -> Bool {
        shown.cacheReport.miss != nil || shown.cacheReport.problem != nil || shown.failure != nil
      }
      if says() { reported += 1 }
      let isRight = shown.results == whole || shown.results == plain.results || says()
      #expect(isRight, "round \(round)")
      if plain.failure == nil, plain.results != whole { silent += 1 }
      opened += 1
      try? append(260..<270, to: store)
      shown.refresh()
      try? shown.update { $0.sort = [.descending(\.place)] }
      shown.collapseSection(3)
      try? shown.saveCache()
      look(at: shown.results)
      #expect(table.shows(shown.results), "round \(round)")
      watch.cancel()
      store.close()
    }
    #expect(opened > rounds / 4 && reported > 0)
    if rounds > 1_000 { print("of \(rounds) logs \(opened) opened, \(reported) reported, \(silent) had other events") }
  }

  @Test func `no number in the row of a list ends a program, and each that is not as it was is a miss`() throws {
    let whole = try saved(90)
    let ends = ["-1", "0", "9223372036854775807", "-9223372036854775807 - 1", "4294967296", "2147483648", "1 << 60"]
    for column in ["number", "generation", "position", "checksum", "used"] {
      for end in ends {
        let store = try SQLiteEventStore(path: path, durability: .process)
        let database = try TestDatabase(path)
        try database.execute("UPDATE cache SET \(column) = \(end)")
        let shown = try list(store)
        #expect(shown.results == whole, "\(column) = \(end)")
        let isMiss = shown.cacheReport.miss != nil
        #expect(isMiss == (column != "used"), "\(column) = \(end)")
        if column != "number" || end == "0" || end.hasPrefix("-") {
          try shown.saveCache()
          #expect(try list(store).cacheReport.restored == 90, "\(column) = \(end)")
        }
        try store.deleteCache(withName: nil)
        try database.execute("DELETE FROM cache; DELETE FROM sqlite_sequence WHERE name = 'cache'")
        try list(store).saveCache()
        #expect(try list(store).cacheReport.restored == 90)
        store.close()
      }
    }
  }

  @Test func `a list whose number is beyond all that there can be is not saved, and says what to do`() throws {
    _ = try saved(20)
    let store = try SQLiteEventStore(path: path, durability: .process)
    try TestDatabase(path).execute(
      "DELETE FROM cache; UPDATE sqlite_sequence SET seq = 9000000000 WHERE name = 'cache'")
    let error = #expect(throws: EventStoreError.self) { try list(store).saveCache() }
    #expect(error?.message.contains("Drop the tables cache and cache_page") == true)
  }

  @Test func `a list that was saved can be used after its store was closed, and nothing is left beside the log`() throws
  {
    let whole = try saved(400)
    for writing in [true, false] {
      let store = try writing ? SQLiteEventStore(path: path) : SQLiteEventStore(readingFrom: path)
      let shown = try list(store)
      #expect(shown.cacheReport.restored == 400)
      var table = MirrorTable(whole)
      let watch = shown.observe { changes in #expect(throws: Never.self) { try table.apply(changes) } }
      store.close()
      #expect(shown.results.row(at: RowPath(section: 3, row: 2))?.shelf == 3)
      #expect(shown.results == whole && shown.results[5].map(\.id) == whole[5].map(\.id))
      shown.collapseSection(4)
      #expect(shown.results[4].isEmpty && table.shows(shown.results))
      try shown.update { $0.sort = [.descending(\.place)] }
      #expect(shown.results[5].map(\.place) == whole[5].map(\.place).sorted(by: >) && table.shows(shown.results))
      #expect((shown.failure as? EventStoreError)?.code == .closed)
      #expect(shown.cacheReport.problem == nil)
      watch.cancel()
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")) == ["log"])
    }
  }

  // The file system can give the new file the number of a deleted file, but not of a file that still exists.
  @Test(arguments: [true, false])
  func `after a store is closed, a list doesn't read another log at the same path`(keepsFile: Bool) throws {
    _ = try saved(400)
    let store = try SQLiteEventStore(path: path)
    let shown = try list(store)
    store.close()
    if keepsFile {
      try FileManager.default.moveItem(atPath: path, toPath: folder.path("former"))
    } else {
      try FileManager.default.removeItem(atPath: path)
    }
    _ = try saved(400)
    #expect(shown.results.row(at: RowPath(section: 3, row: 2)) == nil)
    let problem = shown.cacheReport.problem?.lowercased()
    #expect(problem?.contains("reopen the log") == true, "\(shown.cacheReport)")
  }

  @Test func `a log that is cut while its list is shown ends no program`() throws {
    for size in [0, 4_096, 60_000] {
      let whole = try saved(600)
      do {
        let store = try SQLiteEventStore(path: path)
        let shown = try list(store)
        #expect(shown.cacheReport.restored == 600)
        let counts = shown.results.map(\.count)
        #expect(counts == whole.map(\.count))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: UInt64(size))
        try file.close()
        // A view still asks for the rows of the sections that it knows.
        #expect(shown.results.map { $0.map(\.id).count } == counts)
        look(at: shown.results)
        try? shown.update { $0.sort = [.descending(\.place)] }
        shown.collapseSection(2)
        #expect(throws: (any Error).self) { try shown.saveCache() }
        look(at: shown.results)
        #expect(shown.failure != nil && shown.cacheReport.problem != nil)
        #expect(shown.results.map(\.count) == counts)
        store.close()
      }
      for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    }
  }
}

private struct SplitMix {
  var state: UInt64

  mutating func below(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((z ^ (z >> 31)) % UInt64(bound))
  }
}

private enum TomeEvent: Event {
  case put(Tome)
}

private struct Tome: Row {
  let id: String
  let shelf: Int
  let place: Int
}

private struct Tomes: Projection {
  func project(_ event: TomeEvent, into rows: inout Rows<Tome>) {
    if case .put(let book) = event { rows.insert(book) }
  }
}
