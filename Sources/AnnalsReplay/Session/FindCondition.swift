import Annals
import AnnalsLists

/// A condition on a whole list, as `find` takes it: `count(price > 50) > 3`, `row(b3).price > 50`, `exists(b3)`,
/// `section(odd).count = 0`, `index(b3) = [0, 0]`, `changed(b3.price)`, or a condition that some row meets.
struct FindCondition {
  enum Test: Sendable {
    /// The number of rows, or of those that meet a condition.
    case count(RowCondition?, Number)
    case row(String, RowCondition)
    case exists(String)
    case section(String, Number)
    case index(String, RowPath)
    /// A row or a field of it, in each way to read the text: an id may have dots, and so may a field.
    case changed([(id: String, field: String?)])
    case some(RowCondition)
  }

  /// A comparison with a number.
  struct Number: Sendable {
    let operation: FilterOperator
    let value: Int

    func holds(_ found: Int) -> Bool { operation.holds(found, value) }
  }

  let tree: FilterTree<Test>

  /// The names of rows in the condition, and one of a group is enough.
  var namedRows: [[String]] {
    tree.tests.compactMap {
      switch $0 {
      case .row(let id, _), .exists(let id), .index(let id, _): [id]
      case .changed(let readings): readings.map(\.id)
      case .count, .section, .some: nil
      }
    }
  }

  /// True if the number of rows and the events of the named rows decide whether the condition holds.
  var hasTurns: Bool {
    tree.tests.allSatisfy {
      switch $0 {
      case .count(nil, _), .row, .exists: true
      case .count, .section, .index, .changed, .some: false
      }
    }
  }

  /// The positions after which the condition may begin or cease to hold, by an index, in order.
  func turns(_ index: ListIndex) -> [Position] {
    let turns = tree.tests.flatMap { test -> [Position] in
      switch test {
      case .count(nil, let number): index.turns { number.holds($0) }
      case .row(let id, _), .exists(let id):
        index.events(ofHash: OrderKey(id).fingerprint, through: index.end).map { Position(Int($0)) }
      case .count, .section, .index, .changed, .some: []
      }
    }
    return Set(turns).sorted()
  }

  /// The conditions on rows.
  var rows: [RowCondition] {
    tree.tests.compactMap {
      switch $0 {
      case .count(let condition, _): condition
      case .row(_, let condition), .some(let condition): condition
      case .exists, .section, .index, .changed: nil
      }
    }
  }

  /// The keys or titles of sections in the condition.
  var sections: [String] { tree.tests.compactMap { if case .section(let key, _) = $0 { key } else { nil } } }

  /// The condition on one row, if it is no more.
  var ofOneRow: RowCondition? { if case .test(.some(let condition)) = tree { condition } else { nil } }

  /// The regular expressions of the condition.
  var patterns: [TextPattern] { rows.flatMap(\.patterns) }

  /// What a condition may be, as help and errors list it.
  static let forms =
    "count > 3, count(CONDITION) > 3, row(ID).FIELD > 50, exists(ID), section(KEY).count = 0, index(ID) = [0, 0], "
    + "changed(ID), changed(ID.FIELD), or a condition that some row meets, joined by and, or, not"

  /// Reads a condition.
  ///
  /// - Parameter text: The condition.
  /// - Throws: ``ReplayError``.
  init(_ text: String) throws {
    do throws(FilterError) {
      var parser = FilterParser<FindField>(try FilterTokens(text), expecting: FindField.expectation, FindField.init)
      parser.special = FindField.special
      let whole = try parser.parse()
      tree = Self.joined(whole.tree, in: text)
    } catch {
      throw error.usage("", text)
    }
    if case .all(let parts) = tree, parts.isEmpty {
      throw ReplayError.usage("expected \(FindField.expectation), found \"\(text)\"")
    }
  }

  /// The condition, in which comparisons that "and" or "or" joins are one condition on one and the same row.
  private static func joined(_ tree: FilterTree<FindField.Test>, in text: String) -> FilterTree<Test> {
    func some(_ parts: [FilterTree<FindField.Test>], _ join: ([FilterTree<FieldTest>]) -> FilterTree<FieldTest>)
      -> [FilterTree<Test>]
    {
      let rows = parts.compactMap(\.ofRow)
      return rows.isEmpty ? [] : [.test(.some(RowCondition(rows.count == 1 ? rows[0] : join(rows), in: text)))]
    }
    switch tree {
    case .test(.list(let test)): return .test(test)
    case .test(.row(let comparison)): return .test(.some(RowCondition(.test(comparison), in: text)))
    case .not(let part): return .not(joined(part, in: text))
    case .all(let parts):
      let all = some(parts) { .all($0) } + parts.filter { $0.ofRow == nil }.map { joined($0, in: text) }
      return all.count == 1 ? all[0] : .all(all)
    case .any(let parts):
      if parts.allSatisfy({ $0.ofRow != nil }) { return some(parts) { .any($0) }[0] }
      return .any(parts.map { joined($0, in: text) })
    }
  }
}

extension FilterTree<FindField.Test> {
  /// The condition on one row, if it is no more; that no row meets a condition is one on the list.
  fileprivate var ofRow: FilterTree<FieldTest>? {
    func all(_ parts: [FilterTree]) -> [FilterTree<FieldTest>]? {
      let rows = parts.compactMap(\.ofRow)
      return rows.count == parts.count ? rows : nil
    }
    return switch self {
    case .test(.row(let comparison)): .test(comparison)
    case .test(.list), .not: nil
    case .all(let parts): all(parts).map { .all($0) }
    case .any(let parts): all(parts).map { .any($0) }
    }
  }
}

/// A field of rows in a condition on a list.
private struct FindField: FilterTarget {
  enum Test: Sendable {
    case row(FieldTest)
    case list(FindCondition.Test)
  }

  static let expectation = "a condition such as price > 50, count > 3 or exists(b3)"

  private let field: RowField

  var name: String { field.name }
  var kind: FilterKind { field.kind }
  var isOptional: Bool { field.isOptional }
  var exists: Test { .row(field.exists) }

  init?(_ literal: FilterLiteral) {
    guard let field = RowField(literal) else { return nil }
    self.field = field
  }

  func compare(_ operation: FilterOperator, _ literal: FilterLiteral) -> Test? {
    field.compare(operation, literal).map { .row($0) }
  }

  /// Reads a condition on the list, such as `exists(b3)`.
  static func special(_ parser: inout FilterParser<Self>) throws(FilterError) -> FilterTree<Test>? {
    guard let (word, sign) = parser.nextWord else { return nil }
    if word == "count", let sign, sign != "(", FilterOperator(rawValue: sign) != nil {
      _ = try parser.takeLiteral("count")
      return .test(.list(.count(nil, try number(&parser))))
    }
    guard sign == "(", ["count", "row", "exists", "section", "index", "changed"].contains(word) else { return nil }
    _ = try parser.takeLiteral(word)
    _ = parser.take(sign: "(")
    if word == "count" {
      let condition = try rows(&parser) { parser throws(FilterError) in try parser.filter() }
      try close(&parser)
      return .test(.list(.count(condition, try number(&parser))))
    }
    let id = try parser.takeLiteral("an id or a key in the parentheses of \(word)()")
    var rest = ""
    if word == "changed", id.kind == .text, let (word, _) = parser.nextWord, word.hasPrefix(".") {
      rest = try parser.takeLiteral("").text
    }
    try close(&parser)
    switch word {
    case "exists": return .test(.list(.exists(id.text)))
    case "changed": return .test(.list(.changed(readings(of: id, rest))))
    case "row":
      return .test(
        .list(.row(id.text, try rows(&parser) { parser throws(FilterError) in try parser.comparison(after: ".") })))
    case "section":
      guard parser.nextWord?.word == ".count" else { throw parser.expected("`.count` with an operator and a number") }
      _ = try parser.takeLiteral(".count")
      return .test(.list(.section(id.text, try number(&parser))))
    default:
      guard parser.takeComparison() == .equals else { throw parser.expected("`= [SECTION, ROW]`") }
      let value = try parser.takeLiteral("[SECTION, ROW]")
      guard let path = (try? JSONValue(parsing: value.text))?.array, path.count == 2, let section = path[0].int,
        let row = path[1].int
      else { throw FilterError(column: value.column, expected: "[SECTION, ROW]", found: "\"\(value.text)\"") }
      return .test(.list(.index(id.text, RowPath(section: section, row: row))))
    }
  }

  /// The ways to read what has changed.
  private static func readings(of id: FilterLiteral, _ rest: String) -> [(id: String, field: String?)] {
    if id.kind == .text { return [(id.text, rest.isEmpty ? nil : String(rest.dropFirst()))] }
    let text = id.text
    let dots = text.indices.filter { text[$0] == "." && $0 > text.startIndex }
    return [(text, nil)] + dots.map { (String(text[..<$0]), String(text[text.index(after: $0)...])) }
  }

  private static func close(_ parser: inout FilterParser<Self>) throws(FilterError) {
    guard parser.take(sign: ")") else { throw parser.expected("`)`, or quotes around an id with spaces or signs") }
  }

  private static func number(_ parser: inout FilterParser<Self>) throws(FilterError) -> FindCondition.Number {
    guard let operation = parser.takeComparison() else { throw parser.expected("an operator and a whole number") }
    let literal = try parser.takeLiteral("a whole number of 0 or more")
    guard literal.kind == .number, let value = Arguments.wholeNumber(literal.text) else {
      throw FilterError(
        column: literal.column,
        expected: "a whole number of 0 or more (a field named count is written \"count\", with the quotes)",
        found: "\"\(literal.text)\"")
    }
    return .init(operation: operation, value: value)
  }

  /// Reads a condition on rows, in which words such as `count` are fields.
  private static func rows(
    _ parser: inout FilterParser<Self>,
    _ read: (inout FilterParser<Self>) throws(FilterError) -> FilterParser<Self>.Part
  ) throws(FilterError) -> RowCondition {
    parser.special = nil
    let tree = try read(&parser).tree
    parser.special = special
    return RowCondition(
      tree.map { test in
        guard case .row(let comparison) = test else { preconditionFailure("a condition on rows has no other tests") }
        return comparison
      }, in: parser.text)
  }
}
