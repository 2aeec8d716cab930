package import Annals
import AnnalsLists
import AnnalsLog

/// A condition on the fields of a record, such as `shelf = odd and (price >= 50 or not title exists)`.
///
/// The library's parser of filters reads it, so that a filter of an app is a condition of the tool. `Docs/Filters.md`
/// describes the language. The rows decide the kind of a field.
package struct RowCondition: Sendable {
  /// The text that contains the condition.
  let text: String
  private let tree: FilterTree<FieldTest>

  init(_ tree: FilterTree<FieldTest>, in text: String) { (self.tree, self.text) = (tree, text) }

  /// Parses a condition.
  ///
  /// - Parameter text: Such as `price >= 50 and shelf in (a, b)`.
  /// - Throws: `FilterError`.
  init(_ text: String) throws(FilterError) {
    var parser = FilterParser<RowField>(try FilterTokens(text), expecting: RowField.expectation, RowField.init)
    self.init(try parser.parse().tree, in: text)
  }

  /// Creates the condition that a field has a value.
  init(_ field: FieldPath, equals value: String) {
    self.init(.test(FieldTest(field: field, test: .compares(.equals, FilterLiteral(value)))), in: value)
  }

  /// True if a record meets the condition.
  package func includes(_ record: Record) -> Bool { tree.holds { $0.holds($0.field.value(in: record)) } }

  /// True if any JSON value, such as an event's payload, meets the condition.
  package func includes(_ json: JSONValue) -> Bool { tree.holds { $0.holds($0.field.value(in: json)) } }

  /// The comparisons of the condition, from left to right.
  var comparisons: [FieldTest] { tree.tests }

  /// The regular expressions of the condition.
  var patterns: [TextPattern] {
    comparisons.compactMap { if case .matches(let pattern) = $0.test { pattern } else { nil } }
  }

  /// The fields in the condition.
  package var fields: [FieldPath] { comparisons.map(\.field) }
}

/// A field in a condition, whose kind the rows decide.
struct RowField: FilterTarget {
  static let expectation = "a field"

  let name: String
  private let path: FieldPath

  let kind = FilterKind.any
  let isOptional = true

  /// Creates a field for a word or for a name in quotes.
  init?(_ literal: FilterLiteral) {
    let isJoining = ["and", "or"].contains(literal.text.lowercased())
    guard literal.kind == .text || literal.kind == .word && !isJoining else { return nil }
    name = literal.text
    path = FieldPath(literal.text)
  }

  var exists: FieldTest { FieldTest(field: path, test: .exists) }

  func compare(_ operation: FilterOperator, _ literal: FilterLiteral) -> FieldTest? {
    if operation != .matches { return FieldTest(field: path, test: .compares(operation, literal)) }
    return (try? TextPattern(literal.text)).map { FieldTest(field: path, test: .matches($0)) }
  }
}

/// The comparison of a field in a condition.
struct FieldTest: Sendable {
  enum Test: Sendable {
    case exists
    case compares(FilterOperator, FilterLiteral)
    case matches(TextPattern)
  }

  let field: FieldPath
  let test: Test
  /// The literal as a number, array or object.
  private let json: JSONValue?
  /// The literal as a time, if it is a time or a day, such as 2026-03-31.
  private let time: RFC3339.Parts?

  init(field: FieldPath, test: Test) {
    (self.field, self.test) = (field, test)
    guard case .compares(_, let literal) = test else {
      (json, time) = (nil, nil)
      return
    }
    json = literal.kind == .number || literal.kind == .json ? try? JSONValue(parsing: literal.text) : nil
    time = RFC3339.parts(ofTimeOrDay: literal.text)
  }

  /// True if a value passes.
  func holds(_ found: JSONValue) -> Bool {
    switch test {
    case .exists: return found != .null
    case .matches(let pattern): return found.string.map { pattern.matches($0) } ?? false
    case .compares(.contains, let literal):
      if case .array(let elements) = found { return elements.contains { holds(.equals, $0.impersonal, literal) } }
      return holds(.contains, found, literal)
    case .compares(let operation, let literal): return holds(operation, found, literal)
    }
  }

  private func holds(_ operation: FilterOperator, _ found: JSONValue, _ literal: FilterLiteral) -> Bool {
    if operation.isOfTexts {
      guard literal.kind != .json, case .string(let text) = found else { return false }
      return operation.holds(text, literal.text)
    }
    if let time, let found = found.storedTime { return operation.holds(found, time) }
    switch (found, json) {
    case (.number(let number), .number(let wanted)?): return operation.holds(number, wanted)
    case (.array, let json?), (.object, let json?):
      return operation == .differs ? found != json : found == json && operation.holds(0, 0)
    case (.string(let text), _) where literal.kind != .json: return operation.holds(text, literal.text)
    case (.bool(let bool), _):
      guard let wanted = literal.bool else { return operation == .differs }
      return operation.holds(bool ? 1 : 0, wanted ? 1 : 0)
    default: return operation == .differs
    }
  }

  /// The error if a value is of a kind that the comparison doesn't accept, as in `price > cheap` for numbers.
  func problem(with found: JSONValue) -> FilterError? {
    guard case .compares(let operation, let literal) = test else { return nil }
    let expected: String
    switch found {
    case .bool where literal.kind == .implied: return nil
    case _ where literal.kind == .implied: expected = "an operator after \(field.text)"
    case .number where operation.isOfTexts, .bool where operation.isOfTexts:
      expected = "another operator after \(field.text), which isn't a string"
    case .number where !isNumber && (time == nil || found.storedTime == nil): expected = "a number for \(field.text)"
    case .bool where literal.bool == nil: expected = "true or false for \(field.text)"
    case .string where literal.kind == .json: expected = "a string for \(field.text)"
    case .array where literal.kind != .json && operation != .contains, .object where literal.kind != .json:
      expected = "a JSON array or object for \(field.text)"
    default: return nil
    }
    return FilterError(
      column: literal.column, expected: expected, found: literal.kind == .implied ? "none" : "\"\(literal.text)\"")
  }

  private var isNumber: Bool { if case .number? = json { true } else { false } }

  /// True if the comparison is a field alone, such as `sold`.
  var isImplied: Bool { if case .compares(_, let literal) = test { literal.kind == .implied } else { false } }
}

extension FilterLiteral {
  /// The value if the literal is true or false without quotes.
  fileprivate var bool: Bool? {
    kind == .word || kind == .implied ? ["true": true, "false": false][text.lowercased()] : nil
  }
}

extension FilterError {
  /// The error of a condition that an option or an operand gives.
  func usage(_ name: String, _ text: String) -> ReplayError {
    let isInValue = expected.hasPrefix("`and`") && found != "the end" || found == "none"
    let hint = isInValue ? "; put a value of several words in quotes" : ""
    return .usage("\(name.isEmpty ? "" : name + ": ")\(message)\(hint), in \"\(text)\"")
  }
}
