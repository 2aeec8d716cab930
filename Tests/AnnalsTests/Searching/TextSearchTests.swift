import Annals
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Searches in the texts of rows: what they find, and what they look at for it.
@Suite struct TextSearchTests {
  private static let pieces = [
    "ann", "AN", "n", "a", "\u{C4}nn", "A\u{308}n", "e\u{301}", "\u{C9}", "stra\u{DF}e", "SS", "2", "12", " ", " ", "-",
    ".", "'", "\u{6771}", "\u{4EAC}", "\u{304B}", "\u{30AB}", "\u{FF21}", "\u{AC00}", "\u{3C3}", "\u{1F600}", "\n",
  ]
  private static let text = Generator.array(of: .element(of: pieces), count: 0...6).map { $0.joined() }

  /// What a reader expects, by characters instead of bytes.
  private static func finds(_ typed: String, in texts: [String], _ matching: SearchMatching) -> Bool {
    func folded(_ text: String) -> [Character] {
      Array(
        text.precomposedStringWithCanonicalMapping
          .folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil))
    }
    func isOwnWord(_ character: Character) -> Bool {
      character.unicodeScalars.contains {
        $0.properties.isIdeographic || (0x3040...0x30FF).contains($0.value)
      }
    }
    func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }
    func has(_ part: [Character], in text: [Character]) -> Bool {
      text.indices.contains { start in
        guard text[start...].starts(with: part) else { return false }
        if matching == .anywhere || isOwnWord(text[start]) { return true }
        return start == 0 || !isWord(text[start - 1]) || isOwnWord(text[start - 1])
      }
    }
    let parts =
      matching == .anywhere
      ? folded(typed).split(whereSeparator: \.isWhitespace) : folded(typed).split { !isWord($0) }
    return parts.allSatisfy { part in texts.contains { has(Array(part), in: folded($0)) } }
  }

  private struct Titled: Row {
    var id: String
    var title = ""
    var author: String?
    var tags: [String] = []
  }

  @Test(arguments: [SearchMatching.wordBeginnings, .anywhere])
  func `a search finds what a reader of the texts would`(matching: SearchMatching) throws {
    let search = TextSearch<Titled>(matching, in: \.title, \.author, \.tags)
    var found = 0
    try check(Self.text, Self.text, Self.text, Self.text, settings: CheckSettings(examples: 3_000)) {
      typed, title, author, tag in
      let row = Titled(id: "1", title: title, author: author.isEmpty ? nil : author, tags: [tag])
      let expected = Self.finds(typed, in: [title, author, tag], matching)
      if expected, !typed.isEmpty { found += 1 }
      try ensureEqual(search.filter(typed).includes(row), expected)
    }
    #expect(isQuickLook || found > 100)
  }

  @Test func `case, accents and the order of what was typed do not count`() {
    let row = Titled(id: "1", title: "Tacitus: The Annals", author: "\u{C9}mile Zola")
    let words = TextSearch<Titled>(.wordBeginnings, in: \.title, \.author)
    let parts = TextSearch<Titled>(.anywhere, in: \.title, \.author)
    for typed in ["ann tac", "ANNALS", "emi", "zola the", "e\u{301}mile", "", " \n", "-"] {
      #expect(words.filter(typed).includes(row), "\(typed)")
    }
    for typed in ["nal", "ann tom", "annalss"] { #expect(!words.filter(typed).includes(row), "\(typed)") }
    for typed in ["nal cit", ": the", "", "mile zol"] { #expect(parts.filter(typed).includes(row), "\(typed)") }
    for typed in ["nal x", "annals tacitus:the"] { #expect(!parts.filter(typed).includes(row), "\(typed)") }
  }

  @Test func `a filter of a named search has a name, and no other has it`() {
    let search = TextSearch<Titled>(.wordBeginnings, in: \.title, named: "titles")
    #expect(TextSearch<Titled>(.anywhere, in: \.title).filter("a").name == nil)
    #expect(search.filter("Tac ann").name == search.filter("ann  TAC").name)
    let others = [
      search.filter("ann"), search.filter("ann tac"), search.filter(""), search.filter("anntac"),
      TextSearch<Titled>(.anywhere, in: \.title, named: "titles").filter("ann"),
      TextSearch<Titled>(.wordBeginnings, in: \.title, named: "titles has").filter("ann"),
      TextSearch<Titled>(.anywhere, in: \.title, named: "t").filter("a\" \"b"),
      TextSearch<Titled>(.anywhere, in: \.title, named: "t").filter("a b"),
    ]
    #expect(Set(others.map { $0.name ?? "" }).count == others.count)
  }

  /// Counts the rows whose texts are read.
  private final class Looks: Sendable {
    private let count = Mutex(0)
    func add() { count.withLock { $0 += 1 } }
    func take() -> Int {
      count.withLock { count in
        defer { count = 0 }
        return count
      }
    }
  }

  private static func counted(_ looks: Looks, _ matching: SearchMatching = .wordBeginnings) -> TextSearch<Item> {
    TextSearch(matching) { row, body in
      looks.add()
      body(row.name)
    }
  }

  /// 1,000 rows; ten have a word that begins with "ab", and one of them "abc".
  private func filled() throws -> MemoryEventStore {
    let store = MemoryEventStore(environment: .quiet)
    try store.put(
      (0..<1_000).map { number in
        let name = number % 100 > 0 ? "x \(number)" : number == 500 ? "x abc" : "x abd"
        return .put(Item("\(number)", "g\(number % 7)", number % 13, name))
      })
    return store
  }

  @Test func `a letter more looks only at the rows that are shown`() throws {
    let (store, looks) = (try filled(), Looks())
    let search = Self.counted(looks)
    let controller = try controller(store)
    try controller.update { $0.filter = search.filter("a") }
    #expect(controller.fetchedObjects.count == 10 && looks.take() == 1_000)
    try controller.update { $0.filter = search.filter("ab") }
    #expect(controller.fetchedObjects.count == 10 && looks.take() == 10)
    // Another filter beside it changes nothing of that, if it was there before or comes with it.
    let low = RowFilter<Item>.where { $0.rank < 100 }
    try controller.update { $0.filter = low && search.filter("ab x") }
    #expect(looks.take() == 10)
    try controller.update { $0.filter = low && search.filter("abc") }
    #expect(controller.fetchedObjects.map(\.id) == ["500"])
    // "abc" says nothing of "x", so that all are looked at; and so it is for a letter less.
    #expect(looks.take() == 1_000)
    try controller.update { $0.filter = low && search.filter("ab") }
    #expect(controller.fetchedObjects.count == 10 && looks.take() == 1_000)
    // A row that came meanwhile is looked at too.
    try store.put(.put(Item("new", "g1", 1, "abcd")), .removed(id: "0"))
    _ = looks.take()
    try controller.update { $0.filter = low && search.filter("abc") }
    #expect(Set(controller.fetchedObjects.map(\.id)) == ["500", "new"])
    #expect(looks.take() <= 10)
  }

  @Test(arguments: [SearchMatching.wordBeginnings, .anywhere])
  func `with an index a search looks only at rows that may have what was typed`(matching: SearchMatching) throws {
    let (store, looks) = (try filled(), Looks())
    let search = Self.counted(looks, matching)
    let controller = FetchedResultsController(
      store: store, projection: Items(),
      request: ListRequest(sort: [.ascending(\.rank)], section: .by(\.group), searchIndex: search))
    try controller.performFetch()
    #expect(looks.take() == 0)
    try controller.update { $0.filter = search.filter("abd") }
    // The index is made of all, and then nine rows are looked at.
    #expect(controller.fetchedObjects.count == 9 && looks.take() == 1_009)
    for (typed, count) in [("abc", 1), ("abd", 9), ("987", 1), ("zzz", 0)] {
      try controller.update { $0.filter = search.filter(typed) }
      #expect(controller.fetchedObjects.count == count, "\(typed)")
      #expect(looks.take() <= count, "\(typed)")
    }
    try store.put(.put(Item("987", "g1", 1, "abde")), .put(Item("new", "g1", 1, "x abde")), .removed(id: "100"))
    _ = looks.take()
    try controller.update { $0.filter = search.filter("abd") }
    #expect(controller.fetchedObjects.count == 10)
    // Two rows are noted, and eleven candidates are looked at.
    #expect(looks.take() <= 14)
    try controller.update { $0.filter = search.filter("987") }
    #expect(controller.fetchedObjects.isEmpty)
    // A row that has the text before and after a change is there once.
    try store.put(.put(Item("500", "g1", 1, "abc x")))
    try controller.update { $0.filter = search.filter("abc") }
    #expect(controller.fetchedObjects.map(\.id) == ["500"])
  }

  @Test func `sections stand by the first row that a narrower search lets through`() throws {
    let store = MemoryEventStore(environment: .quiet)
    try store.put(.put(Item("1", "late", 1, "a")), .put(Item("2", "early", 1, "ab")), .put(Item("3", "late", 1, "ab")))
    let search = TextSearch<Item>(.wordBeginnings, in: \.name)
    let request = ListRequest<Item>(filter: search.filter("a"), section: .by(\.group, order: .byFirstAppearance))
    let controller = try controller(store, request)
    #expect(controller.sections.map(\.title) == ["late", "early"])
    try controller.update { $0.filter = search.filter("ab") }
    #expect(controller.sections.map(\.title) == ["early", "late"])
  }

  @Test func `a section that was renamed while delivery was suspended has its new name in a narrower search`() throws {
    let store = MemoryEventStore(environment: .quiet)
    try store.put(.put(Item("1", "g", 1, "a")), .put(Item("2", "g", 1, "ab")))
    let search = TextSearch<Item>(.wordBeginnings, in: \.name)
    let controller = try controller(store, ListRequest(filter: search.filter("a"), section: .by(\.group)))
    controller.suspendDelivery()
    try store.put(.renamed(group: "g", title: "new"))
    try controller.update { $0.filter = search.filter("ab") }
    controller.resumeDelivery()
    #expect(controller.sections.map(\.title) == ["new"] && controller.fetchedObjects.map(\.id) == ["2"])
  }
}
