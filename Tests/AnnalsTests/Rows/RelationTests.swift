import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

extension RelationGuide.Track {
  fileprivate var halfAlbum: Int { album / 2 }
}

/// Rows that depend on entities of other kinds.
@Suite struct RelationTests {
  struct Country: Row {
    var id: String
    var name: String
  }

  struct Author: Row {
    var id: Int
    var name: String
    var country: String?
  }

  struct Topic: Row {
    var id: Int
    var label: String
  }

  struct Book: Row {
    var id: String
    var author: Int
    var translator: Int?
    var topics: [Int]
    var byline = ""
    var country: String?
    var place = ""
    var line = ""
    var firstTopic: Int { topics.first ?? -1 }
  }

  enum LibraryEvent: Event {
    case put(Book)
    case removed(id: String)
    case retopic(id: String, topics: [Int])
    case author(Author)
    case forgotten(author: Int)
    case country(Country)
    case renamed(author: Int, name: String)
    case topic(Topic)
  }

  struct Library: Projection {
    static let relations: [Relation<Book>] = [
      .to(Author.self, by: \.author) { book, author in
        book.byline = author?.name ?? "?"
        book.country = author?.country
        fills.withLock { $0 += 1 }
      },
      .to(Author.self, by: \.translator) { book, translator in
        if let translator { book.byline += ", tr. \(translator.name)" }
      },
      .to(Country.self, by: \.country) { book, country in book.place = country?.name ?? "" },
      .toEach(Topic.self, by: \.topics) { book, topics in book.line = topics.map(\.label).joined(separator: "+") },
      .index(\.byline), .index(\.translator), .index(\.firstTopic),
    ]
    /// How often a book was filled in.
    static let fills = Mutex(0)

    func project(_ event: LibraryEvent, into rows: inout Rows<Book>) {
      switch event {
      case .put(let book): rows.insert(book)
      case .removed(let id): rows[id] = nil
      case .retopic(let id, let topics): rows.update(id) { $0.topics = topics }
      case .author(let author): rows.relate(author)
      case .forgotten(let author): rows[Author.self, author] = nil
      case .country(let country): rows[Country.self, country.id] = country
      case .renamed(let author, let name): rows[Author.self, author]?.name = name
      case .topic(let topic): rows.relate(topic)
      }
    }
  }

  /// The same with plain dictionaries.
  ///
  /// All rows are made again for each event.
  private struct Naive {
    var books: [String: Book] = [:]
    var authors: [Int: Author] = [:]
    var countries: [String: Country] = [:]
    var topics: [Int: Topic] = [:]

    mutating func apply(_ event: LibraryEvent) {
      switch event {
      case .put(let book): books[book.id] = book
      case .removed(let id): books[id] = nil
      case .retopic(let id, let topics): books[id]?.topics = topics
      case .author(let author): authors[author.id] = author
      case .forgotten(let author): authors[author] = nil
      case .country(let country): countries[country.id] = country
      case .renamed(let author, let name): authors[author]?.name = name
      case .topic(let topic): topics[topic.id] = topic
      }
    }

    var rows: [Book] {
      books.values.map { book in
        var book = book
        let author = authors[book.author]
        book.byline = author?.name ?? "?"
        if let translator = book.translator.flatMap({ authors[$0] }) { book.byline += ", tr. \(translator.name)" }
        book.country = author?.country
        book.place = author?.country.flatMap { countries[$0]?.name } ?? ""
        book.line = book.topics.compactMap { topics[$0]?.label }.joined(separator: "+")
        return book
      }.sorted { $0.id < $1.id }
    }
  }

  private static let event: Generator<LibraryEvent> = {
    let (id, author, topic) = (
      Generator<Int>.int(in: 0...9).map { "b\($0)" }, Generator<Int>.int(in: 0...4), Generator<Int>.int(in: 0...3)
    )
    let name = Generator<String>.element(of: ["p", "q", "r"])
    let country = Generator<String?>.element(of: [nil, "x", "y"])
    let translator = author.map { $0 == 0 ? nil : $0 } as Generator<Int?>
    let book = zip(id, author, translator, .array(of: topic, count: 0...3)).map { id, author, translator, topics in
      Book(id: id, author: author, translator: translator, topics: topics)
    }
    return .frequency(
      (6, book.map { .put($0) }), (2, id.map { .removed(id: $0) }),
      (2, zip(id, .array(of: topic, count: 0...3)).map { .retopic(id: $0, topics: $1) }),
      (3, zip(author, name, country).map { .author(Author(id: $0, name: $1, country: $2)) }),
      (1, author.map { .forgotten(author: $0) }), (2, zip(author, name).map { .renamed(author: $0, name: $1) }),
      (2, zip(.element(of: ["x", "y"]), name).map { .country(Country(id: $0, name: $1)) }),
      (2, zip(topic, name).map { .topic(Topic(id: $0, label: $1)) }))
  }()

  private static let requests: [ListRequest<Book>] = [
    ListRequest(sort: [.ascending(\.line)], section: .by(\.byline)),
    ListRequest(sort: [.descending(\.place), .ascending(\.byline)]),
    ListRequest(filter: .where { $0.place != "p" }, sort: [.ascending(\.byline)], section: .by(\.place), limit: 6),
  ]

  @Test(arguments: requests.indices)
  func `rows contain the current values of their entities, and change like any other rows`(request: Int) throws {
    let histories = Generator.array(of: .array(of: Self.event, count: 1...4), count: 10...40)
    try check(histories, settings: CheckSettings(examples: 150)) { batches in
      var (rows, naive) = (Rows(for: Library.self), Naive())
      let prepared = PreparedRequest(Self.requests[request])
      var list = Results(prepared, of: &rows, at: 0, knowing: nil)
      var table = MirrorTable(list)
      var kept: [(rows: Rows<Book>, naive: Naive)] = []
      for (number, batch) in batches.enumerated() {
        for event in batch {
          Library().project(event, into: &rows)
          naive.apply(event)
        }
        try ensureEqual(rows.all, naive.rows)
        try ensureDependents(of: rows, naive)
        let next = Results(prepared, of: &rows, at: Position(number + 1), knowing: list)
        try table.apply(Changes(from: list, to: next))
        try table.ensureShows(next)
        list = next
        // Sometimes continues from another state, because a saved state is a value.
        kept.append((rows, naive))
        if number % 7 == 6 { (rows, naive) = kept[number / 2] }
      }
      for (rows, naive) in kept {
        var again = rows
        try ensureEqual(rows.all, naive.rows)
        again.relate(Author(id: 1, name: "another", country: nil))
        try ensureEqual(rows.all, naive.rows)
      }
    }
  }

  /// Compares the rows that depend on each entity with those that say so, given or not.
  private func ensureDependents(of rows: Rows<Book>, _ naive: Naive) throws {
    let all = naive.rows
    for id in 0...5 {
      try ensureEqual(rows.all(dependingOn: Author.self, id), all.filter { $0.author == id || $0.translator == id })
      try ensureEqual(rows.all(dependingOn: Topic.self, id), all.filter { $0.topics.contains(id) })
    }
    for id in ["x", "y", ""] {
      try ensureEqual(rows.all(dependingOn: Country.self, id), all.filter { $0.country == id })
    }
    for id in [nil, 0, 1, 2, 9] {
      try ensureEqual(rows.all(where: \.translator, is: id), all.filter { $0.translator == id })
      try ensureEqual(rows.all(where: \.firstTopic, is: id ?? -1), all.filter { $0.firstTopic == id ?? -1 })
    }
    // The first relations fill in this property, so an entity's name moves rows in the index.
    for byline in Set(all.map(\.byline)).union(["p", "p, tr. q", "?"]) {
      try ensureEqual(rows.all(where: \.byline, is: byline), all.filter { $0.byline == byline })
    }
  }

  @Test func `what many events do at once has the dependents that single ones lead to`() throws {
    try check(.array(of: Self.event, count: 0...60), settings: CheckSettings(examples: 100)) { events in
      var (rows, naive) = (Rows(for: Library.self), Naive())
      rows.expect(1_000)
      for event in events {
        Library().project(event, into: &rows)
        naive.apply(event)
        try ensureDependents(of: rows, naive)
      }
      rows.settle()
      try ensureDependents(of: rows, naive)
    }
  }

  private typealias Track = RelationGuide.Track
  private typealias AlbumEvent = RelationGuide.AlbumEvent
  private typealias Tracks = RelationGuide.Tracks

  @Test func `an event on many rows finds them by what they have in common, also those of a saved list`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)").path
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
    let request = ListRequest<Track>(sort: [.ascending(\.title)], section: .by(\.album))
    func tracks(_ album: Int) -> [String] { (0..<300).filter { $0 % 3 == album }.map { "title \($0 + 1_000)" } }
    func open(_ body: (SQLiteEventStore, FetchedResultsController<Track>) throws -> Void) throws {
      let store = try SQLiteEventStore(path: path, durability: .process)
      defer { store.close() }
      let list = FetchedResultsController(store: store, projection: Tracks(), request: request, cacheName: "tracks")
      try list.performFetch()
      try body(store, list)
      try list.saveCache()
    }
    try open { store, list in
      let added = (0..<300).map { AlbumEvent.added(Track(id: $0, title: "title \($0 + 1_000)", album: $0 % 3)) }
      try store.append(added, to: "tracks")
      #expect(list.results.map(\.count) == [100, 100, 100])
    }
    try open { store, list in
      try store.append([AlbumEvent.albumMerged(from: 2, into: 0)], to: "tracks")
      #expect(list.results.map { $0.map(\.title) } == [(tracks(0) + tracks(2)).sorted(), tracks(1)])
    }
    try open { store, list in
      try store.append([AlbumEvent.albumRemoved(0), .albumRemoved(7)], to: "tracks")
      #expect(list.results.map { $0.map(\.title) } == [tracks(1)])
    }
  }

  @Test func `a saved list with an index of a computed property is rebuilt in another process, and never wrong`() throws
  {
    enum Computed: Projection {
      case one

      // A computed property gives the index another name at each call, as another process does.
      static var relations: [Relation<Track>] { [.index(\.halfAlbum)] }

      func project(_ event: AlbumEvent, into rows: inout Rows<Track>) {
        switch event {
        case .added(let track): rows.insert(track)
        case .albumMerged: break
        case .albumRemoved(let half): for track in rows.all(where: \.halfAlbum, is: half) { rows[track.id] = nil }
        }
      }
    }
    let store = MemoryEventStore()
    func list() throws -> (ids: [Int], isNew: Bool) {
      let list = FetchedResultsController(
        store: store, projection: Computed.one, request: ListRequest(), cacheName: "computed")
      var isNew = false
      try list.performFetch { _ in isNew = true }
      try list.saveCache()
      return (list.results.rows.map(\.id), isNew)
    }
    try store.append((0..<8).map { AlbumEvent.added(Track(id: $0, title: "t", album: $0)) }, to: "tracks")
    #expect(try list() == (Array(0..<8), true))
    try store.append([AlbumEvent.albumRemoved(1)], to: "tracks")
    #expect(try list() == ([0, 1, 4, 5, 6, 7], true))
  }

  @Test func `a projection with relations keeps every law`() throws {
    let histories = Generator.array(of: Self.event, count: 0...14)
    try check(histories, settings: CheckSettings(examples: 25)) {
      try Library().ensureAllLaws($0, in: Self.requests[0])
    }
  }

  @Test func `a changed entity updates only the rows that depend on it`() {
    struct Counted: Projection {
      static let relations: [Relation<Book>] = [
        .to(Author.self, by: \.author) { book, author in
          book.byline = author?.name ?? "?"
          count.withLock { $0 += 1 }
        }
      ]
      static let count = Mutex(0)
      func project(_ event: LibraryEvent, into rows: inout Rows<Book>) {}
    }
    var rows = Rows(for: Counted.self)
    for number in 0..<10_000 {
      rows.insert(Book(id: "\(number)", author: number % 1_000, translator: nil, topics: []))
    }
    let prepared = PreparedRequest(ListRequest<Book>(sort: [.ascending(\.byline)]))
    let old = Results(prepared, of: &rows, at: 0, knowing: nil)
    Counted.count.withLock { $0 = 0 }
    rows.relate(Author(id: 7, name: "Livy"))
    rows.relate(Author(id: 7, name: "Livy"))
    rows[Author.self, 5_000] = Author(id: 5_000, name: "nobody's")
    #expect(Counted.count.withLock { $0 } == 10)
    let changes = Changes(from: old, to: Results(prepared, of: &rows, at: 1, knowing: old))
    #expect(changes.rows.count == 10)
    rows["7"]?.author = 8
    rows["1007"] = nil
    Counted.count.withLock { $0 = 0 }
    rows[Author.self, 7] = nil
    #expect(Counted.count.withLock { $0 } == 8 && rows[Author.self, 7] == nil)
    #expect(rows.all.filter { $0.byline == "Livy" }.isEmpty)
  }

  @Test func `a seek shows the names of that time, and an author's new name moves the author's books`() throws {
    typealias Guide = RelationGuide
    let store = MemoryEventStore()
    func put(_ events: Guide.CatalogueEvent...) throws {
      let coder = try EventCoder<Guide.CatalogueEvent>()
      try store.append(Append(events.map { try coder.encode($0) }, to: "catalogue"))
    }
    try put(
      .bookAdded(id: "1", title: "Ab urbe condita", author: "a"), .bookAdded(id: "2", title: "Annales", author: "b"))
    let controller = Guide.controller(store)
    try controller.performFetch()
    #expect(controller.sections.map(\.title) == ["unknown"])
    let delegate = MirrorDelegate(controller.results)
    controller.delegate = delegate
    try put(.authorNamed(Guide.Author(id: "a", name: "Livy")))
    try put(.authorNamed(Guide.Author(id: "b", name: "Tacitus")))
    try put(.authorNamed(Guide.Author(id: "a", name: "Titus Livius")), .bookRemoved(id: "2"))
    try put(.bookAdded(id: "3", title: "Periochae", author: "a"))
    #expect(controller.sections.map(\.title) == ["Titus Livius"] && controller.fetchedObjects.count == 2)
    try controller.seek(to: 3)
    #expect(controller.sections.map(\.title) == ["Livy", "unknown"])
    try controller.returnToLive()
    #expect(controller.sections.map(\.title) == ["Titus Livius"])
    #expect(delegate.violations == [] && delegate.table.shows(controller.results))
  }

  @Test func `the code of Docs slash Relations is code that runs here`() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let root = (0..<3).reduce(tests) { url, _ in url.deletingLastPathComponent() }
    func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    let code = words(try String(contentsOf: tests.appendingPathComponent("RelationGuide.swift"), encoding: .utf8))
    let page = try String(contentsOf: root.appendingPathComponent("Docs/Relations.md"), encoding: .utf8)
    let blocks = page.components(separatedBy: "```swift\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
    #expect(blocks.count == 3)
    for block in blocks { #expect(code.contains(words(block)), "\(block)") }
  }

  #if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    @Test func `an entity that no relation leads to ends the program with a sentence`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var rows = Rows<Book>()
        rows.relate(Topic(id: 1, label: "x"))
      }
      let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(
        said.contains(
          "no relation of the rows has the entity type Topic. Add a relation to the projection's `relations`"),
        "\(said)")
    }

    @Test func `a search without an index ends the program with a sentence`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Rows(for: Library.self).all(where: \.place, is: "x")
      }
      let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(
        said.contains("no index of the rows has the property \\Book.place. Add `.index(\\Book.place)`"), "\(said)")
    }

    @Test func `a relation that changes a row's id ends the program with a sentence, whatever made it run`() async {
      struct Renaming: Projection {
        static let relations: [Relation<Place>] = [
          .to(Topic.self, by: \.topic) { place, topic in if topic != nil { place.id = "another" } }
        ]
        struct Place: Annals.Row {
          var id: String
          var topic: Int
        }
        func project(_ event: LibraryEvent, into rows: inout Rows<Place>) {}
      }
      let results = [
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          var rows = Rows(for: Renaming.self)
          rows.relate(Topic(id: 1, label: "x"))
          rows.insert(Renaming.Place(id: "a", topic: 1))
        },
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          var rows = Rows(for: Renaming.self)
          rows.insert(Renaming.Place(id: "a", topic: 1))
          rows.relate(Topic(id: 1, label: "x"))
        },
        await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
          var rows = Rows(for: Renaming.self)
          rows.insert(Renaming.Place(id: "a", topic: 0))
          rows.relate(Topic(id: 1, label: "x"))
          rows.update("a") { $0.topic = 1 }
        },
      ]
      for result in results {
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
          said.contains("a row must keep its id: the row with the id another was assigned to another id"), "\(said)")
      }
    }
  #endif
}
