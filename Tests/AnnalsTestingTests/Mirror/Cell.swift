public import Annals
import AnnalsTesting

/// A row for the lists that mirror tables are tested with.
struct Cell: Row {
  let id: String
  var group: String
  var rank: Int
  var text = ""
}

extension Results<Cell> {
  /// A list written as `"a: x y | b: z"`: sections and, in order, the ids of their rows.
  ///
  /// `x=t` is a row with a text.
  init(_ text: String, titles: [String: String] = [:]) {
    var rows = Rows<Cell>()
    for (number, section) in text.split(separator: "|").enumerated() {
      let parts = section.split(separator: ":")
      let key = parts[0].filter { $0 != " " }
      rows.numberSection(key, of: \.group, to: Double(number))
      for (rank, name) in (parts.count > 1 ? parts[1] : "").split(separator: " ").enumerated() {
        let words = name.split(separator: "=")
        let row = Cell(id: String(words[0]), group: key, rank: rank, text: words.count > 1 ? String(words[1]) : "")
        rows.insert(row)
      }
    }
    for (key, title) in titles { rows.renameSection(key, of: \.group, to: title) }
    let keys = text.split(separator: "|").map { $0.split(separator: ":")[0].filter { $0 != " " } }
    self.init(
      ListRequest(sort: [.ascending(\.rank)], section: .by(\.group, order: .byNumber, pinned: keys)), of: rows,
      at: 0)
  }
}

extension RowPath: ExpressibleByArrayLiteral {
  /// A section's index and a row's.
  public init(arrayLiteral elements: Int...) {
    self.init(section: elements[0], row: elements[1])
  }
}

extension RowChange<Cell> {
  static func delete(_ id: String, _ at: RowPath) -> Self { .delete(row: Cell(id), at: at, moved: false) }
  static func insert(_ id: String, _ at: RowPath) -> Self { .insert(row: Cell(id), at: at, moved: false) }
  static func move(_ id: String, _ from: RowPath, _ to: RowPath) -> Self {
    .move(row: Cell(id), from: from, to: to, contentChanged: false)
  }
  static func update(_ id: String, _ at: RowPath, _ newAt: RowPath, text: String = "new") -> Self {
    .update(row: Cell(id, text), at: at, newAt: newAt)
  }
}

extension Cell {
  init(_ id: String, _ text: String = "") {
    self.init(id: id, group: "", rank: 0, text: text)
  }
}

extension SectionChange {
  static func delete(_ index: Int, _ key: String) -> Self { .delete(index: index, key: .string(key)) }
  static func insert(_ index: Int, _ key: String) -> Self { .insert(index: index, key: .string(key), title: key) }
  static func move(_ from: Int, _ to: Int, _ key: String) -> Self { .move(from: from, to: to, key: .string(key)) }
  static func update(_ index: Int, _ newIndex: Int, _ key: String, _ title: String) -> Self {
    .update(index: index, newIndex: newIndex, key: .string(key), title: title)
  }
}
