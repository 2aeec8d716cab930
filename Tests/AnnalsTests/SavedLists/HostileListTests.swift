import AnnalsTesting
import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog

/// Saved lists with wrong or unreadable bytes.
@Suite struct HostileListTests {
  /// A saved list, to be copied with a lie.
  private struct Saved {
    let fingerprint: String
    let list: SavedList
    let pages: [Int: [UInt8]]
    let events: [ItemEvent]

    init() throws {
      events =
        (0..<280).map { number in
          .put(Item("item \(number)", "group \(number % 6 == 0 ? 1 : number % 40)", number % 90, "\(number % 7)"))
        } + (0..<40).map { .renamed(group: "group \($0)", title: "title \($0 / 2)") }
      let store = FragileStore()
      try store.put(events)
      try HostileListTests.list(store).saveCache()
      fingerprint = try #require(store.fingerprint.withLock { $0 })
      let list = try #require(try store.memory.savedLists?.list(named: "works", fingerprint: fingerprint))
      self.list = list
      var pages: [Int: [UInt8]] = [:]
      for page in 1..<(try SavedListRoot(list.root)).nextPage {
        pages[page] = try store.memory.savedLists?.page(page, ofCache: list.cache)
      }
      self.pages = pages
    }

    func copy(_ lie: SavedListCopy.Lie) throws -> (root: [UInt8], copy: SavedListCopy) {
      let pages = pages
      var copy = SavedListCopy(lie) { pages[$0] ?? [] }
      return (try copy.list(list.root), copy)
    }

    /// A store with the same events and a list that contains a lie.
    func store(_ lie: SavedListCopy.Lie) throws -> FragileStore {
      let store = FragileStore()
      try store.put(events)
      let (root, copy) = try copy(lie)
      let lists = try #require(store.memory.savedLists)
      let cache = try #require(
        try lists.makeCache(named: "works", fingerprint: fingerprint, revision: .original))
      let pages = copy.pages.map { SavedPage(number: $0, bytes: $1) }
      let list = SavedList(cache: cache, generation: 1, position: list.position, root: root)
      #expect(try lists.save(list, adding: pages, removing: []))
      return store
    }
  }

  private static let request = ListRequest<Work>(sort: [.ascending(\.rank)], section: .by(\.group))

  private static func list(
    _ store: some EventStore, _ request: ListRequest<Work> = request, named name: String? = "works"
  ) throws -> FetchedResultsController<Work> {
    let list = FetchedResultsController(store: store, projection: Works(), request: request, cacheName: name)
    try list.performFetch()
    return list
  }

  /// How many lies to try; many of them take minutes.
  private static let rounds = ProcessInfo.processInfo.environment["ANNALS_DAMAGE_ROUNDS"].flatMap { Int($0) } ?? 14

  @Test func `a copy of a saved list that lies about nothing is the list`() throws {
    let saved = try Saved()
    let (root, copy) = try saved.copy(.nothing)
    #expect(root == saved.list.root && copy.pages == saved.pages)
    #expect(copy.numbers > 1_500 && copy.inner > 6)
    #expect(try Self.list(saved.store(.nothing)).cacheReport.restored == 320)
  }

  @Test func `a saved list that lies about any number is made again, or says that something is wrong`() throws {
    let saved = try Saved()
    let numbers = try saved.copy(.nothing).copy.numbers
    let ends: [SavedListCopy.Number] = [
      .other(0), .other(-1), .other(.max), .other(.min), .other(1), .other(15), .other(16), .other(1 << 32),
      .other(1 << 31), .other(1 << 62), .other(17), .other(280), .more(1), .more(-1), .more(16),
    ]
    var random = SplitMix(state: 7)
    for round in 0..<Self.rounds {
      let lie = SavedListCopy.Lie.number(
        Int(random.next() % UInt64(numbers)), ends[Int(random.next() % UInt64(ends.count))])
      try Self.live(with: lie, of: saved, reading: round % 4 != 3)
    }
    // The root's own numbers, which come last.
    for number in stride(from: numbers - 27, to: numbers, by: Self.rounds > 100 ? 1 : 4) {
      for end in ends.prefix(max(1, Self.rounds / 40)) {
        try Self.live(with: .number(number, end), of: saved, reading: true)
      }
    }
  }

  @Test func `a saved list whose pages name others than their own is made again, or says that something is wrong`()
    throws
  {
    let saved = try Saved()
    for trees in SavedListCopy.Trees.allCases { try Self.live(with: .trees(trees), of: saved, reading: true) }
    for index in 0..<(try saved.copy(.nothing).copy.inner) {
      for (number, kind) in SavedListCopy.Children.allCases.enumerated()
      where Self.rounds > 100 || (index + number) % 7 == 0 {
        try Self.live(with: .children(index, kind), of: saved, reading: index % 3 != 2)
      }
    }
  }

  @Test func `a list that lies is made again where it is kept in every append, and where a fetch goes slice by slice`()
    async throws
  {
    let saved = try Saved()
    let inner = try saved.copy(.nothing).copy.inner
    for index in 0..<inner {
      let lie = SavedListCopy.Lie.children(index, .missing)
      let store = try saved.store(lie).memory
      let kept = try store.keepList(of: Works(), request: Self.request, cacheName: "works")
      Self.look(at: kept.results)
      try store.put(.put(Item("item 7", "group 3", 5)), .renamed(group: "group 1", title: "another"))
      let plain = try Self.list(store, named: nil).results
      #expect(kept.results == plain && kept.results.defects == [], "\(lie)")
      #expect(kept.cacheReport.problem == nil && kept.cacheReport.saved == plain.position)
      let list = FetchedResultsController(
        store: try saved.store(lie), projection: Works(), request: Self.request, cacheName: "works")
      try list.store.put(.put(Item("item 7", "group 3", 5)), .renamed(group: "group 1", title: "another"))
      try await list.performFetch { _ in }
      Self.look(at: list.results)
      list.refresh()
      #expect(list.results == plain && list.failure == nil && list.results.defects == [], "\(lie)")
    }
  }

  /// Uses a list in every way, with the events available or missing for a while.
  private static func live(with lie: SavedListCopy.Lie, of saved: Saved, reading: Bool) throws {
    let store = try saved.store(lie)
    let list = FetchedResultsController(store: store, projection: Works(), request: request, cacheName: "works")
    store.failsToRead.withLock { $0 = !reading }
    try? list.performFetch()
    var table = MirrorTable(list.results, profile: .lenient)
    let watch = list.observe { changes in
      #expect(throws: Never.self, "\(lie)") { try table.apply(changes) }
      _ = (changes.difference, changes.edits, changes.diffable, changes.rangeEdits(headers: true))
    }
    defer { watch.cancel() }
    func says() -> Bool {
      list.cacheReport.miss != nil || list.cacheReport.problem != nil || list.failure != nil
    }
    look(at: list.results)
    if reading {
      let plain = try Self.list(store, named: nil)
      #expect(list.results == plain.results || says(), "\(lie)")
    }
    try store.put(
      .put(Item("item 7", "group 3", 5)), .removed(id: "item 100"), .put(Item("new", "group 1", 50)),
      .put(Item("newer", "nowhere", 5)), .renamed(group: "group 1", title: "another"))
    list.refresh()
    var byName = Self.request
    byName.sort = [.descending(\.name), .ascending(\.rank)]
    list.collapseSection("group 1")
    look(at: list.results)
    try list.update { $0 = byName }
    list.collapsedSections = .allExcept(["group 2"])
    try? list.saveCache()
    store.failsToRead.withLock { $0 = false }
    // The first fetch failed if it had to read events.
    try list.performFetch()
    list.collapsedSections = .none
    try list.update { $0.section = .by(\.title) }
    try? list.saveCache()
    try list.update { $0 = request }
    list.refresh()
    #expect(list.failure == nil, "\(lie)")
    #expect(try list.results == Self.list(store, named: nil).results, "\(lie)")
    #expect(list.results.defects == [], "\(lie)")
    #expect(table.shows(list.results), "\(lie)")
    try list.saveCache()
    let next = try Self.list(store)
    look(at: next.results)
    #expect(try next.results == Self.list(store, named: nil).results || next.cacheReport.problem != nil, "\(lie)")
  }

  /// Reads all of a list in every way.
  private static func look(at results: Results<Work>) {
    var count = 0
    for section in results {
      for row in section { count += row.id.isEmpty ? 0 : 1 }
    }
    #expect(count == results.rows.count && count == results.rows.reduce(0) { sum, _ in sum + 1 })
    for index in results.indices.suffix(3) where !results[index].isEmpty {
      _ = results[index][results[index].count - 1]
    }
    for index in stride(from: 0, to: results.rows.count, by: 37) { _ = results.rows[index] }
    for number in stride(from: 0, to: 280, by: 29) {
      if let path = results.path(forID: "item \(number)") { #expect(results.row(at: path) != nil) }
    }
    _ = (results.sectionIndex(forKey: "group 1"), results.row(at: RowPath(section: 2, row: 2)), results.description)
  }
}

private struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

private struct Work: Row {
  let id: String
  let group: String
  let rank: Int
  let name: String
  var title = ""
}

private struct Works: Projection {
  static let relations: [Relation<Work>] = [
    .to(Label.self, by: \.group) { work, label in work.title = label?.title ?? "none" }
  ]

  func project(_ event: ItemEvent, into rows: inout Rows<Work>) {
    switch event {
    case .put(let item):
      rows.insert(Work(id: item.id, group: item.group ?? "", rank: item.rank, name: item.name))
    case .removed(let id): rows[id] = nil
    case .renamed(let group, let title):
      rows.relate(Label(id: group ?? "", title: title))
      rows.renameSection(group ?? "", of: \.group, to: title)
    default: break
    }
  }
}

private struct Label: Row {
  let id: String
  let title: String
}
