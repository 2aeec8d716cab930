import Annals
import AnnalsTesting
import Foundation
import Testing

/// Lists in the order of a language, by keys and by places, compared with plain sorting.
@Suite struct CollatedListTests {
  private static let german = Collation(locale: Locale(identifier: "de"))
  private static let swedish = Collation(locale: Locale(identifier: "sv"), isNumeric: true)

  private static let names = Generator<String>.element(of: [
    "", "Äpfel", "Apfel", "apfel", "Birne", "Öl", "Ol", "Zebra", "zebra", "Ångström", "Angström", "9", "10", "e\u{301}",
    "é",
    "#", "Straße", "Strasse",
  ])

  /// Sort keys by the bytes of a language, and the same order by places.
  private static func sorts(_ collation: Collation, descending: Bool) -> [[SortKey<Item>]] {
    [
      [descending ? .descending(\.name, in: collation) : .ascending(\.name, in: collation), .ascending(\.rank)],
      [
        descending ? .descending(in: collation) { $0.name } : .ascending(in: collation) { $0.name }, .ascending(\.rank),
      ],
      [.ranked({ $0.name }, collation, descending: descending), .ascending(\.rank)],
    ]
  }

  @Test func `Rows stand in the order of the language, and where it takes them for the same by what follows`() throws {
    let items = Generator<[(String, Int)]>.array(of: zip(Self.names, .int(in: 0...3)), count: 0...60)
    try check(items, .bool, .bool) { items, isSwedish, descending in
      let collation = isSwedish ? Self.swedish : Self.german
      var rows = Rows<Item>()
      for (id, item) in items.enumerated() { rows.insert(Item(String(format: "%03d", id), nil, item.1, item.0)) }
      let all = items.enumerated().map { Item(String(format: "%03d", $0), nil, $1.1, $1.0) }
      let wanted = all.sorted { left, right in
        let order = collation.compare(left.name, right.name)
        if order != .orderedSame { return (order == .orderedAscending) != descending }
        return left.rank != right.rank ? left.rank < right.rank : left.id < right.id
      }
      for sort in Self.sorts(collation, descending: descending) {
        let list = Results(ListRequest(sort: sort), of: rows, at: 0)
        try ensureEqual(list.rows.map(\.id), wanted.map(\.id))
      }
    }
  }

  @Test func `Rows without a text come first, and last where the order descends`() {
    var rows = Rows<Item>()
    for (id, group) in ["b", nil, "Ä", "a", ""].enumerated() { rows.insert(Item("\(id)", group, 0)) }
    func ids(_ key: SortKey<Item>) -> String {
      Results(ListRequest(sort: [key]), of: rows, at: 0).rows.map(\.id).joined()
    }
    #expect(ids(.ascending(\.group, in: Self.german)) == "14320")
    #expect(ids(.descending(\.group, in: Self.german)) == "02341")
    #expect(ids(.ranked({ $0.group }, Self.german, descending: false)) == "14320")
    #expect(ids(.ranked({ $0.group }, Self.german, descending: true)) == "02341")
  }

  @Test func `Sections by first letters stand as the language has them`() throws {
    let store = MemoryEventStore()
    for (id, name) in ["Zebra", "Ångström", "Adam", "ärlig", "9 liv", "", "öl"].enumerated() {
      try store.put(.put(Item("\(id)", nil, 0, name)))
    }
    func titles(_ collation: Collation) throws -> [String] {
      let list = try controller(
        store, ListRequest(sort: [.ascending(\.name, in: collation)], section: .byInitial(\.name, in: collation)))
      #expect(list.sectionIndexTitles == list.results.map(\.indexTitle))
      #expect(list.results.rows.count == 7)
      return list.results.map(\.title)
    }
    #expect(try titles(Self.german) == ["", "#", "A", "O", "Z"])
    #expect(try titles(Self.swedish) == ["", "#", "A", "Z", "Å", "Ä", "Ö"])
  }

  @Test func `Sections stand in the language's order of their keys or titles, also if a sort asks for it`() throws {
    let store = MemoryEventStore()
    for (id, group) in ["Zebra", "Äpfel", nil, "apfel", "Birne"].enumerated() {
      try store.put(.put(Item("\(id)", group, id)))
    }
    try store.put(.renamed(group: "Birne", title: "Ärger"))
    func keys(_ request: ListRequest<Item>) throws -> [String] {
      try controller(store, request).results.map { $0.key.description }
    }
    let sort = SortKey<Item>.ascending(\.rank)
    #expect(
      try keys(ListRequest(sort: [sort], section: .by(\.group, order: .byKey(in: Self.german))))
        == ["", "apfel", "Äpfel", "Birne", "Zebra"])
    #expect(
      try keys(ListRequest(sort: [sort], section: .by(\.group, order: .byKey(in: Self.german).descending)))
        == ["Zebra", "Birne", "Äpfel", "apfel", ""])
    #expect(
      try keys(ListRequest(sort: [sort], section: .by(\.group, order: .byTitle(in: Self.german))))
        == ["", "apfel", "Äpfel", "Birne", "Zebra"])
    #expect(
      try keys(ListRequest(sort: [.descending(\.group, in: Self.swedish)], section: .by(\.group)))
        == ["Äpfel", "Zebra", "Birne", "apfel", ""])
    let list = try controller(
      store, ListRequest(sort: [sort], section: .by(\.group, order: .byTitle(in: Self.german))))
    #expect(list.sectionIndexTitles == ["", "A", "A", "A", "Z"])
    let plain = try controller(store, ListRequest(sort: [sort], section: .by(\.group, order: .byTitle)))
    #expect(plain.sectionIndexTitles == ["", "Z", "A", "Ä", "Ä"])
  }

  @Test func `A text finds the rows that begin with its letters, whatever their case and accents`() throws {
    let names = ["Émile", "EMILE", "emil", "em", "E", "Emma", "ende", "e\u{301}milie", "Zem"]
    var rows = Rows<Item>()
    for (id, name) in names.enumerated() { rows.insert(Item("\(id)", name, 0, name)) }
    let sorts: [SortKey<Item>] = [
      .ascending(\.name, in: Self.german), .descending(\.name, in: Self.german), .ascending(\.group, in: Self.german),
    ]
    for sort in sorts {
      let list = Results(ListRequest(sort: [sort]), of: rows, at: 0)
      for text in ["em", "EM", "ém", "emi", "e", "z", "", "emilie", "x"] {
        let letters = { (name: String) in
          name.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        }
        let wanted = Set(names.filter { letters($0).hasPrefix(letters(text)) })
        let range = try #require(list.rows(beginningWith: text, inSection: 0))
        #expect(Set(range.map { list[0][$0].name }) == wanted)
        #expect((list.firstPath(beginningWith: text) == nil) == wanted.isEmpty)
      }
    }
  }

  @Test func `A saved list in the order of a language is found again, and not by another language`() throws {
    let store = MemoryEventStore()
    for (id, name) in ["Zebra", "Ångström", "Adam"].enumerated() { try store.put(.put(Item("\(id)", nil, 0, name))) }
    func list(_ collation: Collation) throws -> (ids: [String], folded: Bool) {
      let request = ListRequest<Item>(
        sort: [.ascending(\.name, in: collation)], section: .by(\.name, order: .byKey(in: collation)))
      let controller = FetchedResultsController(
        store: store, projection: Items(), request: request, cacheName: "names")
      var folded = false
      try controller.performFetch { _ in folded = true }
      try controller.saveCache()
      return (controller.results.rows.map(\.id), folded)
    }
    #expect(try list(Self.german) == (["2", "1", "0"], true))
    #expect(try list(Self.german) == (["2", "1", "0"], false))
    #expect(try list(Self.swedish) == (["2", "0", "1"], true))
    #expect(try list(Self.swedish) == (["2", "0", "1"], false))
  }
}
