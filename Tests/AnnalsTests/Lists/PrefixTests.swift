import Annals
import AnnalsTesting
import Testing

/// The rows of a section that begin with a text.
@Suite struct PrefixTests {
  private static let texts = Generator<String>.array(
    of: .element(of: ["a", "b", "A", "\u{0}", "\u{301}", "é", "🙂", "\u{10FFFF}", " "]), count: 0...4
  ).map { $0.joined() }

  @Test(arguments: [false, true])
  func `the rows with a prefix are those that a pass over all rows finds`(isDescending: Bool) throws {
    let sort: SortKey<Item> = isDescending ? .descending(\.name) : .ascending(\.name)
    let request = FetchRequest(sort: [sort, .descending(\.rank)], section: .by(\.group))
    try check(.array(of: Self.texts, count: 0...60), .array(of: Self.texts, count: 1...8)) { names, prefixes in
      var rows = Rows<Item>()
      for (id, name) in names.enumerated() { rows.insert(Item("\(id)", id % 3 == 0 ? "x" : "y", id, name)) }
      for section in Results(request, of: rows, at: 0) {
        for prefix in prefixes + [""] {
          let found = section.indices(withPrefix: prefix)
          let expected = section.indices.filter { section[$0].name.unicodeScalars.starts(with: prefix.unicodeScalars) }
          try ensureEqual(Array(found), expected)
          sometimes(found.count > 1, "several rows begin with a text")
        }
      }
    }
  }

  @Test func `a section of many rows and one of none are searched too`() {
    var rows = Rows<Item>()
    for number in 0..<3_000 { rows.insert(Item("\(number)", "x", 0, String(100_000 + number * 7))) }
    let list = Results(
      FetchRequest<Item>(sort: [.ascending(\.name)], section: .by(\.group, pinned: ["empty"])), of: rows, at: 0)
    #expect(list[key: "empty"]?.indices(withPrefix: "1") == 0..<0)
    for prefix in ["1", "10", "105", "1059", "2", "0", "12"] {
      let found = list[key: "x"]?.indices(withPrefix: prefix)
      let expected = list[key: "x"]?.indices.filter { list[key: "x"]?[$0].name.hasPrefix(prefix) == true }
      #expect(found.map(Array.init) == expected)
    }
  }
}
