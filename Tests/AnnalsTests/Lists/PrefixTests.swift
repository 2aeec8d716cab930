import Annals
import AnnalsTesting
import Testing

/// Rows that are found by what their first sort key begins with, beside a look at all rows.
@Suite struct PrefixTests {
  private static let texts: [String] = [
    "", "a", "ab", "abc", "abcdefgh", "abcdefghi", "abcdefgh\u{0}", "a\u{0}", "a\u{0}b", "b", "\u{0}", "é", "e\u{301}",
    "\u{10FFFF}", "abcdefgé", "aé",
  ]

  private static let sorts: [[SortKey<Item>]] = [
    [.ascending(\.name)], [.descending(\.name), .ascending(\.rank)], [.ascending(\.group)], [.descending(\.group)],
    [.ascending { $0.name }, .descending(\.rank)],
  ]

  private static func begins(_ text: String?, with prefix: String) -> Bool {
    text.map { $0.unicodeScalars.starts(with: prefix.unicodeScalars) } ?? false
  }

  @Test func `Rows that begin with a text are those that a look at all rows finds`() throws {
    let text = Generator<String>.element(of: Self.texts)
    let items = Generator<[(String, String?, Int)]>.array(
      of: zip(text, .frequency((4, text.map { $0 }), (1, .constant(nil))), .int(in: 0...2)), count: 0...60)
    try check(items, text, .int(in: 0...Self.sorts.count - 1), settings: CheckSettings(examples: 300)) {
      items, prefix, sort in
      var rows = Rows<Item>()
      for (id, item) in items.enumerated() { rows.insert(Item("\(id)", item.1, item.2, item.0)) }
      let cut = Sectioning<Item>.by(\.rank)
      let list = Results(ListRequest(sort: Self.sorts[sort], section: cut, limit: 50, offset: 1), of: rows, at: 0)
      var first: RowPath?
      for (section, rows) in list.enumerated() {
        let wanted = rows.indices.filter { index in
          Self.begins(sort == 2 || sort == 3 ? rows[index].group : rows[index].name, with: prefix)
        }
        let range = list.rows(beginningWith: prefix, inSection: section)
        try ensureEqual(Array(range), wanted)
        if first == nil, let row = wanted.first { first = RowPath(section: section, row: row) }
      }
      try ensureEqual(list.firstPath(beginningWith: prefix), first)
      sometimes(first != nil && !prefix.isEmpty, "a row begins with the text")
    }
  }

  @Test func `Without a text as the first sort key nothing is found by a text`() {
    var rows = Rows<Item>()
    rows.insert(Item("1", "a", 1, "a"))
    for sort in [[], [SortKey<Item>.ascending(\.rank), .ascending(\.name)]] {
      let list = Results(ListRequest<Item>(sort: sort), of: rows, at: 0)
      #expect(list.rows(beginningWith: "a", inSection: 0).isEmpty && list.firstPath(beginningWith: "a") == nil)
    }
  }
}
