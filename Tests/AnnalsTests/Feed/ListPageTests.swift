import AnnalsTesting
import Foundation
import Testing

@testable import Annals
@testable import AnnalsRemote

/// Pages of a list, and their cursors.
@Suite struct ListPageTests {
  private func list(_ items: [Item], at position: Position = 7, _ request: ListRequest<Item> = .byGroup)
    -> Results<Item>
  {
    var rows = Rows<Item>()
    for item in items { rows.insert(item) }
    return Results(request, of: rows, at: position)
  }

  private let items = [
    Item("a", "x", 1), Item("b", "x", 2), Item("c", "x", 3), Item("d", "y", 1), Item("e", "z", 1), Item("f", "z", 2),
  ]

  private func sent<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
  }

  @Test func `the pages of a random list, appended, are the list`() throws {
    let input = zip(
      .array(of: .itemBatch, count: 1...8), .int(in: 0...ChangesTests.requests.count - 1),
      .array(of: .int(in: 1...5), count: 40))
    try check(input, settings: CheckSettings(examples: 300)) { batches, request, limits in
      var rows = Rows<Item>()
      for edit in batches.joined() { try edit.apply(to: &rows) }
      let list = Results(ChangesTests.requests[request], of: rows, at: 3)
      var limits = limits[...]
      func next(_ cursor: ListPage<Item>.Cursor?) throws -> ListPage<Item> {
        let limit = limits.popFirst() ?? 9
        let page = try sent(ListPage(of: list, from: cursor, limit: limit))
        let count = page.sections.map(\.rows.count).reduce(0, +)
        try ensure(count == limit || count < limit && page.next == nil, "\(count) rows of \(limit)")
        return page
      }
      var page = try next(nil)
      while let cursor = page.next {
        let text = cursor.description
        try ensure(text.wholeMatch(of: /[0-9a-z.]+/) != nil, text)
        try ensureEqual(try ListPage<Item>.Cursor(text), cursor)
        try page.append(next(cursor))
      }
      try ensureEqual(page, try ListPage(all: list))
      try ensureEqual(page.total, list.rows.count)
      try ensureEqual(page.sections.map(\.title), list.map(\.title))
      try ensureEqual(page.sections.flatMap(\.rows), Array(list.rows))
    }
  }

  @Test func `a page has the index and the title of its sections, and its JSON is as documented`() throws {
    let first = try ListPage(of: list(items), limit: 4)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let next = try #require(first.next)
    #expect(next.description.hasPrefix("7.2.0."))
    let small = try ListPage(of: list([Item("a", "x", 1), Item("b", "x", 2)]), limit: 1)
    let cursor = try #require(small.next)
    #expect(
      String(decoding: try encoder.encode(small), as: UTF8.self) == """
        {"next":"\(cursor)","offset":0,"position":7,\
        "sections":[{"index":0,"rows":[{"group":"x","id":"a","name":"","rank":1}],"title":"x"}],"total":2}
        """)
    let second = try ListPage(of: list(items), from: next, limit: 4)
    #expect(second.sections.map(\.index) == [2] && second.sections.map(\.title) == ["z"] && second.next == nil)
    #expect(first.total == 6 && second.total == 6)
    #expect(first.offset == 0 && second.offset == 4)
  }

  @Test func `an empty list is a page without sections`() throws {
    let page = try ListPage(of: list([]), limit: 1)
    #expect(page.sections.isEmpty && page.total == 0 && page.next == nil && page.position == 7)
  }

  @MainActor @Test func `sections without rows are on a page`() throws {
    let store = MemoryEventStore()
    for item in items { try store.put(.put(item)) }
    let controller = try controller(store)
    for key in ["x", "z"] as [SectionKey] { controller.collapseSection(key) }
    var page = try ListPage(of: controller.results, limit: 1)
    #expect(page.sections.map(\.rows.count) == [0, 1])
    try page.append(ListPage(of: controller.results, from: page.next, limit: 1))
    #expect(page.sections.map(\.rows.count) == [0, 1, 0] && page.next == nil)
    #expect(try page == ListPage(all: controller.results))
  }

  @Test(arguments: [0, -1, 11, Int.min, Int.max]) func `a limit outside the permitted range is refused`(limit: Int)
    throws
  {
    let error = #expect(throws: ListFeedError.self) { try ListPage(of: list(items), limit: limit, maximum: 10) }
    #expect(error?.code == .invalidLimit)
    #expect(error?.message == "expected a limit from 1 to 10, found \(limit)")
    #expect(try ListPage(of: list(items), limit: 10, maximum: 10).next == nil)
  }

  @Test(arguments: [
    "", ".", "...", "x", "7", "7.0.1", "7.0.1.", "7.0.1.a.b", "-7.0.1.a", "7.-1.0.a", "7.0.-1.a", "+7.0.1.a",
    "07.0.1.a", "7.0.1.A", "7.0.1.-a", "7.0.1.0a", " 7.0.1.a", "7.0.1.a\n", "7.0.1.ä", "٧.0.1.a", "7.0.1e3.a",
    "99999999999999999999.0.1.a", "7.99999999999999999999.1.a", "7.0.1.zzzzzzzzzzzzzzzz",
    String(repeating: "7", count: 200), String(repeating: ".", count: 200),
  ])
  func `a string that isn't a cursor is refused`(text: String) throws {
    let error = #expect(throws: ListFeedError.self) { try ListPage<Item>.Cursor(text) }
    #expect(error?.code == .invalidCursor)
    #expect((error?.message.count ?? 0) < 150)
  }

  @Test func `no string traps as a cursor`() throws {
    let (small, any) = (Generator<Int>.int(in: -1...9), Generator<Int>.int())
    let part = Generator<String>.frequency(
      (3, any.map { "\($0)" }), (3, small.map { "\($0)" }), (1, .string(count: 0...5)))
    let list = list(items)
    try check(.array(of: part, count: 0...5), settings: CheckSettings(examples: 2_000)) { parts in
      do {
        let cursor = try ListPage<Item>.Cursor(parts.joined(separator: "."))
        _ = try ListPage(of: list, from: cursor, limit: 1)
      } catch is ListFeedError {}
    }
  }

  @Test func `a cursor of another list, or of a place that the list doesn't have, is refused`() throws {
    let list = list(items)
    let (inSection, atSection) = (try ListPage(of: list, limit: 1).next, try ListPage(of: list, limit: 3).next)
    for cursor in [inSection, atSection] {
      let cursor = try #require(cursor)
      let parts = cursor.description.split(separator: ".").map(String.init)
      var others = [
        self.list(items, at: 8), self.list(Array(items.dropLast())), self.list([]),
        self.list(items, ListRequest(sort: [.ascending(\.rank)])),
        self.list(items.map { Item($0.id, "0\($0.group ?? "")", $0.rank) }),
      ]
      // At the beginning of a section, the order of the rows before it has no influence on the next page.
      if cursor == inSection {
        others.append(self.list(items, ListRequest(sort: [.descending(\.rank)], section: .by(\.group))))
      }
      for other in others {
        let error = #expect(throws: ListFeedError.self) { try ListPage(of: other, from: cursor, limit: 2) }
        #expect(error?.code == .otherList)
      }
      let places = [
        (parts[1], "\(Int.max)"), ("\(Int.max)", parts[2]), ("3", "0"), ("0", "4"), ("1", parts[2]), (parts[1], "9"),
      ]
      for (section, row) in places where [section, row] != [parts[1], parts[2]] {
        let forged = try ListPage<Item>.Cursor("\(parts[0]).\(section).\(row).\(parts[3])")
        let error = #expect(throws: ListFeedError.self) { try ListPage(of: list, from: forged, limit: 2) }
        #expect(error?.code == .otherList)
      }
      #expect(try ListPage(of: list, from: cursor, limit: 2).total == 6)
    }
  }

  @Test func `only the next page can be appended`() throws {
    let list = list(items)
    let first = try ListPage(of: list, limit: 2)
    let second = try ListPage(of: list, from: first.next, limit: 2)
    let third = try ListPage(of: list, from: second.next, limit: 2)
    let other = try ListPage(of: self.list(items, at: 8), limit: 2)
    for wrong in [first, third, other, try ListPage(of: self.list([]), limit: 2)] {
      var page = first
      let error = #expect(throws: ListFeedError.self) { try page.append(wrong) }
      #expect(error?.code == .otherList && page == first)
    }
    var page = first
    try page.append(second)
    try page.append(third)
    #expect(throws: ListFeedError.self) { try page.append(third) }
    #expect(try page == ListPage(all: list))
  }
}
