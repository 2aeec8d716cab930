import Annals
import AnnalsTesting
import Foundation
import Testing

/// Where sections stand, compared with what is found by looking at all rows.
@Suite struct SectionOrderTests {
  /// What is known of a section.
  private struct Facts {
    let key: String?
    let title: String
    let number: Double?
    /// The first row of the section by the sort: larger ranks first, then ids.
    let first: Item?
  }

  /// Tells whether two sections are in the wrong order: more than 0 if the left one stands after the right one.
  private typealias Order = @Sendable (Facts, Facts) -> Int

  private static func compare<T: Comparable>(_ left: T, _ right: T) -> Int { left == right ? 0 : left < right ? -1 : 1 }

  private static func scalars(_ left: String, _ right: String) -> Int {
    left.unicodeScalars.elementsEqual(right.unicodeScalars)
      ? 0 : left.unicodeScalars.lexicographicallyPrecedes(right.unicodeScalars) ? -1 : 1
  }

  private static func keys(_ left: Facts, _ right: Facts) -> Int {
    switch (left.key, right.key) {
    case (nil, nil): 0
    case (nil, _): -1
    case (_, nil): 1
    case (let one?, let other?): scalars(one, other)
    }
  }

  /// Compares values that a section may not have, and then it comes last in both directions.
  private static func order<T>(
    _ isDescending: Bool, _ value: @escaping @Sendable (Facts) -> T?, _ compare: @escaping @Sendable (T, T) -> Int
  ) -> Order {
    { left, right in
      let (one, other) = (value(left), value(right))
      if (one == nil) != (other == nil) { return one == nil ? 1 : -1 }
      var result = 0
      if let one, let other { result = compare(one, other) }
      if result == 0 { result = keys(left, right) }
      return isDescending ? -result : result
    }
  }

  private static let rows: @Sendable (Item, Item) -> Int = { left, right in
    left.rank != right.rank ? compare(right.rank, left.rank) : scalars(left.id, right.id)
  }

  private static let listed: [String?] = ["a", nil, "never", "a", "c"]

  private static let orders: [(SectionOrder, @Sendable (Bool) -> Order)] = [
    (.automatic, { order($0, { $0 }, { _, _ in 0 }) }),
    (.byKey, { order($0, { $0 }, { _, _ in 0 }) }),
    (.byTitle, { order($0, \.title, scalars) }),
    (.byNumber, { order($0, \.number, compare) }),
    (.byRows, { order($0, \.first, rows) }),
    (.inOrder(of: listed), { order($0, { facts in listed.firstIndex { $0 == facts.key } }, compare) }),
  ]

  @Test(arguments: [false, true])
  func `Sections stand where an order puts them, found by looking at all rows`(isDescending: Bool) throws {
    let histories = Generator<[[ItemEdit]]>.array(of: .itemBatch, count: 5...25)
    try check(.int(in: 0...Self.orders.count - 1), histories, .bool, settings: CheckSettings(examples: 250)) {
      index, batches, isCustom in
      let (order, model) = (Self.orders[index].0, Self.orders[index].1(isDescending))
      let pinned: [String?] = ["never", "b", nil]
      let rank: SortKey<Item> =
        isCustom
        ? .descending(\.rank, by: { $0 == $1 ? .orderedSame : $0 < $1 ? .orderedAscending : .orderedDescending })
        : .descending(\.rank)
      let request = ListRequest(
        filter: .where { $0.name != "q" }, sort: [rank],
        section: .by(\.group, order: isDescending ? order.descending : order, pinned: pinned))
      let prepared = PreparedRequest(request)
      var rows = Rows<Item>()
      var (titles, numbers): ([String?: String], [String?: Double]) = ([:], [:])
      var list = Results(prepared, of: &rows, at: 0, knowing: nil)
      var table = MirrorTable(list)
      for (number, batch) in batches.enumerated() {
        for edit in batch {
          try edit.apply(to: &rows)
          if case .event(.renamed(let group, let title)) = edit { titles[group] = title }
          if case .event(.numbered(let group, let number)) = edit { numbers[group] = number }
        }
        let next = Results(prepared, of: &rows, at: Position(number + 1), knowing: list)
        let shown = rows.all.filter { $0.name != "q" }
        let facts = Set(shown.map(\.group)).union(pinned).map { key in
          Facts(
            key: key, title: titles[key] ?? key ?? "", number: numbers[key],
            first: shown.filter { $0.group == key }.min { Self.rows($0, $1) < 0 })
        }
        let wanted = facts.sorted { model($0, $1) < 0 }.map(\.key.sectionKey)
        try ensureEqual(next.map(\.key), wanted)
        try ensureEqual(next.defects, [])
        let changes = Changes(from: list, to: next)
        try table.apply(changes)
        try ensure(table.shows(next), "the table shows another list")
        sometimes(changes.sections.contains { if case .move = $0 { true } else { false } }, "a section moves")
        list = next
      }
    }
  }

  // MARK: As Core Data orders sections

  private func keys(_ items: [Item], _ request: ListRequest<Item>) -> [SectionKey] {
    var rows = Rows<Item>()
    for item in items { rows.insert(item) }
    return Results(request, of: rows, at: 0).map(\.key)
  }

  private let books = [Item("1", "b", 3), Item("2", "a", 1), Item("3", "c", 2), Item("4", "B", 9), Item("5", nil, 7)]

  @Test func `A sort whose first key is the section's property orders the sections`() {
    let caseless: @Sendable (String?, String?) -> ComparisonResult = { left, right in
      let (one, other) = ((left ?? "").lowercased(), (right ?? "").lowercased())
      return one == other ? .orderedSame : one < other ? .orderedAscending : .orderedDescending
    }
    #expect(
      keys(books, ListRequest(sort: [.ascending(\.group), .ascending(\.rank)], section: .by(\.group)))
        == [.null, "B", "a", "b", "c"])
    #expect(
      keys(books, ListRequest(sort: [.descending(\.group), .ascending(\.rank)], section: .by(\.group)))
        == ["c", "b", "a", "B", .null])
    // Two sections that the comparator calls the same stand as their first rows do.
    #expect(
      keys(books, ListRequest(sort: [.ascending(\.group, by: caseless), .ascending(\.rank)], section: .by(\.group)))
        == [.null, "a", "b", "B", "c"])
    #expect(
      keys(books, ListRequest(sort: [.descending(\.group, by: caseless), .descending(\.rank)], section: .by(\.group)))
        == ["c", "B", "b", "a", .null])
    // Any other first key says nothing of sections.
    #expect(
      keys(books, ListRequest(sort: [.descending(\.rank)], section: .by(\.group))) == [.null, "B", "a", "b", "c"])
  }

  @Test func `A pinned section has its place among sections that follow their own property`() {
    let request = ListRequest<Item>(
      sort: [.descending(\.group)], section: .by(\.group, order: .byRows, pinned: ["aa"]))
    #expect(keys(books, request) == ["c", "b", "aa", "a", "B", .null])
  }

  @Test func `Chapters that are cut by name stand in the order of their numbers, as the sort says`() {
    // The course of the tutorials: names as sections, numbers as the order.
    let lessons = [
      Item("1", "Introduction", 1), Item("2", "Basics", 2), Item("3", "Advanced", 3), Item("4", "Basics", 2),
    ]
    let byName = Sectioning<Item>.by(\.group, order: .byRows)
    #expect(
      keys(lessons, ListRequest(sort: [.ascending(\.rank)], section: byName)) == [
        "Introduction", "Basics", "Advanced",
      ])
    #expect(
      keys(lessons, ListRequest(sort: [.descending(\.rank)], section: byName))
        == ["Advanced", "Basics", "Introduction"])
  }

  // MARK: Moves

  @Test func `a section ordered by its rows moves only if its place among the sections changes`() throws {
    var rows = Rows<Item>()
    for group in 0..<6 {
      for place in 0..<10 { rows.insert(Item("\(group) \(place)", "g\(group)", group * 100 + place)) }
    }
    let prepared = PreparedRequest(
      ListRequest<Item>(sort: [.ascending(\.rank)], section: .by(\.group, order: .byRows)))
    func changes(_ body: (inout Rows<Item>) -> Void) -> Changes<Item> {
      let old = Results(prepared, of: &rows, at: 0, knowing: nil)
      body(&rows)
      return Changes(from: old, to: Results(prepared, of: &rows, at: 1, knowing: old))
    }
    let first = changes { $0["3 0"]?.rank = 250 }
    let nothing = changes { $0["3 0"]?.rank = 250 }
    let deleted = changes { $0["3 0"] = nil }
    let passing = changes { $0["3 1"]?.rank = 150 }
    #expect(first.sections == [] && first.rows.count == 1)
    #expect(nothing.isEmpty)
    #expect(deleted.sections == [] && deleted.rows.count == 1)
    #expect(passing.sections == [.move(from: 3, to: 2, key: "g3")] && passing.rows.count == 1)
  }

  @Test func `a small section with row changes is reinserted if otherwise many sections would have to move`() {
    var rows = Rows<Item>()
    for group in 0..<50 {
      for place in 0..<9 { rows.insert(Item("\(group) \(place)", "g\(group)", group * 10 + place)) }
    }
    rows.insert(Item("late", "late", 1_000))
    let request = ListRequest<Item>(sort: [.ascending(\.rank)], section: .by(\.group, order: .byRows))
    let old = Results(request, of: rows, at: 0)
    rows.insert(Item("early", "late", -1))
    let changes = Changes(from: old, to: Results(request, of: rows, at: 1))
    #expect(changes.sections == [.delete(index: 50, key: "late"), .insert(index: 0, key: "late", title: "late")])
    #expect(changes.rows.count == 3)
  }
}
