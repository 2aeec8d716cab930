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

  /// The same order by places, as on systems without sort keys.
  private static func ranked(_ collation: Collation) -> Collation {
    var collation = collation
    collation.comparison = .foundation
    return collation
  }

  /// Sort keys by the bytes of a language, and the same order by places.
  private static func sorts(_ collation: Collation, descending: Bool) -> [[SortKey<Item>]] {
    [collation, ranked(collation)].flatMap { collation -> [[SortKey<Item>]] in
      [
        [descending ? .descending(\.name, in: collation) : .ascending(\.name, in: collation), .ascending(\.rank)],
        [
          descending ? .descending(in: collation) { $0.name } : .ascending(in: collation) { $0.name },
          .ascending(\.rank),
        ],
        [
          descending ? .descending(\.name, in: collation) : .ascending(\.name, in: collation),
          .ascending(\.rank) { $0 < $1 ? .orderedAscending : $0 > $1 ? .orderedDescending : .orderedSame },
        ],
      ]
    }
  }

  @Test func `Rows stand in the order of the language, and where it takes them for the same by what follows`() throws {
    let items = Generator<[(String, Int)]>.array(of: zip(Self.names, .int(in: 0...3)), count: 0...60)
    try check(items, .bool, .bool, settings: CheckSettings(examples: 200)) { items, isSwedish, descending in
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
    #expect(ids(.ascending(\.group, in: Self.ranked(Self.german))) == "14320")
    #expect(ids(.descending(\.group, in: Self.ranked(Self.german))) == "02341")
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
    for collation in [Self.german, Self.ranked(Self.german)] {
      #expect(try titles(collation) == ["", "#", "A", "O", "Z"])
    }
    for collation in [Self.swedish, Self.ranked(Self.swedish)] {
      #expect(try titles(collation) == ["", "#", "A", "Z", "Å", "Ä", "Ö"])
    }
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

  /// The letters of a text as a language counts them, for a naive search.
  private static func letters(_ text: String, _ locale: String) -> [String] {
    let own: Set<Character> = ["sv": ["å", "ä", "ö"], "tr": ["ı", "ö", "ç"], "es": ["ñ"]][locale] ?? []
    return text.lowercased(with: Locale(identifier: locale)).flatMap { letter -> [String] in
      let composed = String(letter).precomposedStringWithCanonicalMapping
      if composed.count == 1, own.contains(composed) { return [composed] }
      if composed == "ß" { return ["s", "s"] }
      let base = composed.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
        $0.properties.canonicalCombiningClass == .notReordered
      }
      return base.map { String($0) }
    }
  }

  @Test func `A search finds the same rows by places, by sort keys and by a look at all rows`() throws {
    let piece = Generator<String>.element(of: [
      "", "a", "A", "ä", "a\u{308}", "Å", "b", "c", "Ç", "e", "É", "h", "i", "I", "ı", "n", "Ñ", "o", "Ö", "s",
      "ß",
      "z", "1", "12", " ", "-", "漢", "😀", "q\u{301}",
    ])
    let text = Generator<[String]>.array(of: piece, count: 0...4).map { $0.joined() }
    let items = Generator<[(String, String?)]>.array(
      of: zip(text, .frequency((4, text.map { $0 }), (1, .constant(nil)))), count: 0...40)
    try check(
      items, text, .element(of: ["de", "sv", "fr", "tr", "es", "en", ""]), .int(in: 0...7),
      settings: CheckSettings(examples: 600)
    ) { items, prefix, locale, kind in
      var rows = Rows<Item>()
      // Foundation never takes "ß" for "ss", which sort keys do if they ignore case or accents.
      func plain(_ text: String) -> String { kind & 6 == 0 ? text : text.replacing("ß", with: "ss") }
      for (id, item) in items.enumerated() { rows.insert(Item("\(id)", item.1.map(plain), id, plain(item.0))) }
      let keys = Collation(
        locale: Locale(identifier: locale), ignoresCase: kind & 2 != 0, ignoresDiacritics: kind & 4 != 0)
      let descending = kind & 1 != 0
      func ids(_ collation: Collation, isOptional: Bool) throws -> (all: [String], found: [String]) {
        let sort: SortKey<Item> =
          isOptional
          ? descending ? .descending(\.group, in: collation) : .ascending(\.group, in: collation)
          : descending ? .descending(\.name, in: collation) : .ascending(\.name, in: collation)
        let list = Results(ListRequest(sort: [sort]), of: rows, at: 0)
        let range = list.rows(beginningWith: prefix, inSection: 0)
        let first = list.firstPath(beginningWith: prefix)
        try ensureEqual(first, range.first.map { RowPath(section: 0, row: $0) })
        return (list.rows.map(\.id), range.map { list[0][$0].id })
      }
      for isOptional in [false, true] {
        let (one, other) = (
          try ids(keys, isOptional: isOptional), try ids(Self.ranked(keys), isOptional: isOptional)
        )
        try ensureEqual(one.all, other.all)
        try ensureEqual(one.found, other.found)
        let wanted = one.all.filter { id in
          let text = isOptional ? rows[id]?.group : rows[id]?.name
          return text.map { Self.letters($0, locale).starts(with: Self.letters(prefix, locale)) } ?? false
        }
        try ensureEqual(one.found, wanted)
        sometimes(!wanted.isEmpty && wanted.count < one.all.count && !prefix.isEmpty, "some rows are found")
      }
    }
  }

  @Test(arguments: [("cs", ["ch", "Chata"]), ("da", ["aa", "Aarhus", "Århus"]), ("de", [])])
  func `Two characters that are one letter do not begin with the first`(_ locale: String, _ others: [String]) {
    var rows = Rows<Item>()
    for (id, name) in (others + ["a", "Cena", "ab", "c"]).enumerated() { rows.insert(Item("\(id)", nil, 0, name)) }
    for collation in [
      Collation(locale: Locale(identifier: locale)), Self.ranked(.init(locale: Locale(identifier: locale))),
    ] {
      let list = Results(ListRequest(sort: [.ascending(\.name, in: collation)]), of: rows, at: 0)
      func found(_ prefix: String) -> [String] {
        list.rows(beginningWith: prefix, inSection: 0).map { list[0][$0].name }
      }
      #expect(found("a") == ["a", "ab"] && found("c") == ["c", "Cena"])
      #expect(Set(found(others.first ?? "x")) == Set(others))
    }
  }

  @Test func `A number in a search is complete, and the highest character is a character`() {
    var rows = Rows<Item>()
    let names = ["Part 1", "Part 1a", "Part 10", "part 01", "x", "x\u{FFFF}", "x\u{FFFF}\u{FFFF}a", "x\u{FFFE}", "y"]
    for (id, name) in names.enumerated() { rows.insert(Item("\(id)", nil, 0, name)) }
    let german = Collation(locale: Locale(identifier: "de"), isNumeric: true)
    for collation in [german, Self.ranked(german)] {
      let list = Results(ListRequest(sort: [.ascending(\.name, in: collation)]), of: rows, at: 0)
      func found(_ prefix: String) -> Set<String> {
        Set(list.rows(beginningWith: prefix, inSection: 0).map { list[0][$0].name })
      }
      #expect(found("part 1") == ["Part 1", "Part 1a", "part 01"] && found("part 10") == ["Part 10"])
      #expect(found("x") == ["x", "x\u{FFFF}", "x\u{FFFF}\u{FFFF}a", "x\u{FFFE}"])
    }
  }

  private struct Guest: Row {
    var id: Int
    var plain: String
    var optional: String?
    var name: Personal<String>
    var nickname: Personal<String>?
  }

  @Test func `Personal strings, optional strings and strings of closures are sorted and grouped as plain ones`() throws
  {
    let name = zip(Self.names, Generator<Int>.int(in: 0...3)).map { $1 == 0 ? String?.none : $0 }
    try check(.array(of: name, count: 0...40), .bool, .bool, settings: CheckSettings(examples: 200)) {
      names, isSwedish, descending in
      let language = isSwedish ? Self.swedish : Self.german
      var rows = Rows<Guest>()
      for (id, name) in names.enumerated() {
        let personal = name.map { Personal($0, of: "\(id)") } ?? erased("\(id)")
        rows.insert(
          Guest(
            id: id, plain: name ?? "", optional: name, name: personal,
            nickname: id % 2 == 0 && name == nil ? nil : personal))
      }
      for collation in [language, Self.ranked(language)] {
        func ids(_ sort: SortKey<Guest>, _ section: Sectioning<Guest>?) -> [String] {
          Results(ListRequest(sort: [sort], section: section), of: rows, at: 0).map { section in
            "\(section.key == .null) \(section.key): \(section.map(\.id))"
          }
        }
        func sort(_ ascending: SortKey<Guest>, _ down: SortKey<Guest>) -> SortKey<Guest> {
          descending ? down : ascending
        }
        let wanted = ids(
          sort(.ascending(\.optional, in: collation), .descending(\.optional, in: collation)),
          .byInitial(\.optional, in: collation))
        let others: [(SortKey<Guest>, Sectioning<Guest>)] = [
          (
            sort(.ascending(\.name, in: collation), .descending(\.name, in: collation)),
            .byInitial(\.name, in: collation)
          ),
          (
            sort(.ascending(\.nickname, in: collation), .descending(\.nickname, in: collation)),
            .byInitial(\.nickname, in: collation)
          ),
          (
            sort(.ascending(in: collation) { $0.name.value }, .descending(in: collation) { $0.name.value }),
            .byInitial("name", in: collation) { $0.name.value }
          ),
        ]
        for (sort, section) in others { try ensureEqual(ids(sort, section), wanted) }
        // Without missing strings, the sections are those of a plain string.
        let plain = Results(
          ListRequest(sort: [.ascending(\.plain, in: collation)], section: .byInitial(\.plain, in: collation)),
          of: rows, at: 0)
        let optional = Results(
          ListRequest(sort: [.ascending(\.optional, in: collation)], section: .byInitial(\.optional, in: collation)),
          of: rows, at: 0)
        try ensureEqual(
          plain.filter { $0.key != "" }.map { "\($0.title) \($0.map(\.id))" },
          optional.filter { $0.key != "" && $0.key != .null }.map { "\($0.title) \($0.map(\.id))" })
        for row in Results(ListRequest(sort: [.ascending(\.name, in: collation)]), of: rows, at: 0).rows.prefix(5) {
          guard let prefix = row.optional?.prefix(1) else { continue }
          let list = Results(ListRequest(sort: [.ascending(\.name, in: collation)]), of: rows, at: 0)
          let other = Results(ListRequest(sort: [.ascending(\.optional, in: collation)]), of: rows, at: 0)
          try ensureEqual(
            list.rows(beginningWith: String(prefix), inSection: 0),
            other.rows(beginningWith: String(prefix), inSection: 0))
        }
      }
      sometimes(names.contains(nil) && names.count > 5, "an erased name")
    }
  }

  @Test func `A saved list in the order of a language is found again, and not by another language`() throws {
    let store = MemoryEventStore()
    for (id, name) in ["Zebra", "Ångström", "Adam"].enumerated() { try store.put(.put(Item("\(id)", nil, 0, name))) }
    let requests: [@Sendable (Collation) -> ListRequest<Item>] = [
      { ListRequest(sort: [.ascending(\.name, in: $0)], section: .by(\.name, order: .byKey(in: $0))) },
      { ListRequest(sort: [.ascending(\.name, in: $0)]) },
      { ListRequest(sort: [.ascending(in: $0) { $0.name }.named("name")]) },
    ]
    for (index, request) in requests.enumerated() {
      func list(_ collation: Collation) throws -> (ids: [String], folded: Bool) {
        let controller = FetchedResultsController(
          store: store, projection: Items(), request: request(collation), cacheName: "names \(index)")
        var folded = false
        try controller.performFetch { _ in folded = true }
        try controller.saveCache()
        return (controller.results.rows.map(\.id), folded)
      }
      for change in [{ $0 }, Self.ranked] {
        #expect(try list(change(Self.german)) == (["2", "1", "0"], true))
        #expect(try list(change(Self.german)) == (["2", "1", "0"], false))
        #expect(try list(change(Self.swedish)) == (["2", "0", "1"], true))
        #expect(try list(change(Self.swedish)) == (["2", "0", "1"], false))
      }
      let numeric = Collation(locale: Self.german.locale, isNumeric: true)
      #expect(try list(numeric) == (["2", "1", "0"], true) && list(numeric) == (["2", "1", "0"], false))
    }
  }
}
