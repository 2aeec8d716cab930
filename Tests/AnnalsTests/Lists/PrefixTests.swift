import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
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

  #if os(macOS) || os(Linux)
    @Test func `a search in a list that isn't sorted by a string ends the program`() async {
      await #expect(processExitsWith: .failure) { _ = Self.list([]).rows(beginningWith: "a", inSection: 0) }
      await #expect(processExitsWith: .failure) {
        _ = Self.list([.ascending(\.rank), .ascending(\.name)]).rows(beginningWith: "a", inSection: 0)
      }
      await #expect(processExitsWith: .failure) { _ = Self.list([.ascending(\.rank)]).firstPath(beginningWith: "a") }
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Self.list([.descending(\.rank)]).firstPath(beginningWith: "a")
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("the list is sorted by `descending \\Item.rank`"), "\(text)")
    }
  #endif

  private static func list(_ sort: [SortKey<Item>]) -> Results<Item> {
    var rows = Rows<Item>()
    rows.insert(Item("1", "a", 1, "a"))
    return Results(ListRequest<Item>(sort: sort), of: rows, at: 0)
  }

  private struct Guest: Row {
    var id: Int
    var name: Personal<String>
    var nickname: Personal<String>?
    var town: String?
  }

  @Test func `personal strings that begin with a text are found, and erased ones are not`() throws {
    let text = Generator<String?>.element(of: Self.texts.map { $0 } + [nil])
    let sorts: [[SortKey<Guest>]] = [
      [.ascending(\.name)], [.descending(\.name)], [.ascending(\.nickname)], [.descending(\.nickname)],
      [.ascending { $0.name.value }],
    ]
    try check(
      .array(of: text, count: 0...30), text, .int(in: 0...sorts.count - 1), settings: CheckSettings(examples: 200)
    ) { names, prefix, index in
      let prefix = prefix ?? ""
      var rows = Rows<Guest>()
      for (id, name) in names.enumerated() {
        let personal = name.map { Personal($0, of: "\(id)") } ?? erased("\(id)")
        rows.insert(Guest(id: id, name: personal, nickname: id % 3 == 0 && name == nil ? nil : personal))
      }
      let list = Results(ListRequest(sort: sorts[index]), of: rows, at: 0)
      let found = list.isEmpty ? 0..<0 : list.rows(beginningWith: prefix, inSection: 0)
      let wanted = names.indices.filter { Self.begins(names[$0], with: prefix) }
      try ensureEqual(found.map { list.rows[$0].id }.sorted(), wanted)
      sometimes(!wanted.isEmpty && names.contains(nil), "an erased name")
    }
  }
}

/// Returns a personal string that was erased.
func erased(_ subject: String) -> Personal<String> {
  let json = "{\"$personal\":\"\(subject)\"}"
  return (try? PayloadCoder().decode(Personal<String>.self, from: json)) ?? Personal("not erased", of: subject)
}
