package import Annals
import AnnalsLog

/// A condition on the fields of a record, as `--where` says it: `shelf = odd and (price >= 50 or not title exists)`.
///
/// `Docs/Tool.md` has its grammar. It is parsed once, and asked of each row.
package indirect enum RowCondition: Sendable {
  case comparison(Comparison)
  case not(RowCondition)
  case all([RowCondition])
  case any([RowCondition])

  /// A field, an operator and a value.
  package struct Comparison: Sendable {
    let field: FieldPath
    let test: Test
  }

  /// What is asked of a field's value.
  enum Test: Sendable {
    case equals(Literal)
    case differs(Literal)
    case less(Literal)
    case greater(Literal)
    case atMost(Literal)
    case atLeast(Literal)
    case contains(Literal)
    case starts(Literal)
    case ends(Literal)
    case matches(TextPattern)
    case isIn([Literal])
    case exists
  }

  /// A value as it was written: JSON if it parses as JSON, otherwise text.
  struct Literal: Sendable {
    let text: String
    let value: JSONValue
    /// The time, if the text is a time or a day, such as 2026-03-31.
    let time: RFC3339.Parts?

    init(_ text: String) {
      self.text = text
      value = (try? JSONValue(parsing: text)) ?? .string(text)
      time = value.string.flatMap { RFC3339.parts(ofTimeOrDay: $0) }
    }

    /// The value as it is compared with a row's id, which is text.
    var asID: JSONValue { .string(value.string ?? text) }
  }

  /// True if a record meets the condition.
  ///
  /// Values of different kinds never compare.
  package func includes(_ record: Record) -> Bool {
    switch self {
    case .comparison(let comparison):
      let isOwnID = comparison.field.isID && record[ExactString("id")] == .null
      return comparison.test.holds(of: comparison.field.value(in: record), isID: isOwnID)
    case .not(let condition): return !condition.includes(record)
    case .all(let conditions): return conditions.allSatisfy { $0.includes(record) }
    case .any(let conditions): return conditions.contains { $0.includes(record) }
    }
  }

  /// True if any JSON value, such as an event's payload, meets the condition.
  package func includes(_ json: JSONValue) -> Bool {
    switch self {
    case .comparison(let comparison): comparison.test.holds(of: comparison.field.value(in: json), isID: false)
    case .not(let condition): !condition.includes(json)
    case .all(let conditions): conditions.allSatisfy { $0.includes(json) }
    case .any(let conditions): conditions.contains { $0.includes(json) }
    }
  }

  /// The regular expressions of the condition.
  var patterns: [TextPattern] {
    switch self {
    case .comparison(let comparison): if case .matches(let pattern) = comparison.test { [pattern] } else { [] }
    case .not(let condition): condition.patterns
    case .all(let conditions), .any(let conditions): conditions.flatMap(\.patterns)
    }
  }

  /// The fields that the condition asks for.
  package var fields: [FieldPath] {
    switch self {
    case .comparison(let comparison): [comparison.field]
    case .not(let condition): condition.fields
    case .all(let conditions), .any(let conditions): conditions.flatMap(\.fields)
    }
  }
}

extension RowCondition.Test {
  /// True if a value passes.
  fileprivate func holds(of found: JSONValue, isID: Bool) -> Bool {
    func value(_ literal: RowCondition.Literal) -> JSONValue { isID ? literal.asID : literal.value }
    func texts(_ literal: RowCondition.Literal, _ body: (String, String) -> Bool) -> Bool {
      guard case .string(let text) = found, case .string(let part) = value(literal) else { return false }
      return body(text, part)
    }
    func equals(_ literal: RowCondition.Literal) -> Bool {
      Self.times(found, literal).map { $0 == $1 } ?? (found == value(literal))
    }
    func precedes(_ literal: RowCondition.Literal) -> Bool {
      Self.times(found, literal).map { $0 < $1 } ?? Self.precedes(found, value(literal))
    }
    func follows(_ literal: RowCondition.Literal) -> Bool {
      Self.times(found, literal).map { $0 > $1 } ?? Self.precedes(value(literal), found)
    }
    switch self {
    case .equals(let literal): return equals(literal)
    case .differs(let literal): return !equals(literal)
    case .less(let literal): return precedes(literal)
    case .greater(let literal): return follows(literal)
    case .atMost(let literal): return equals(literal) || precedes(literal)
    case .atLeast(let literal): return equals(literal) || follows(literal)
    case .contains(let literal):
      if case .array(let elements) = found { return elements.contains(value(literal)) }
      return texts(literal) { Array($0.utf8).contains(bytesOf: Array($1.utf8)) }
    case .starts(let literal): return texts(literal) { $0.utf8.starts(with: $1.utf8) }
    case .ends(let literal): return texts(literal) { $0.utf8.reversed().starts(with: $1.utf8.reversed()) }
    case .matches(let pattern): return found.string.map { pattern.matches($0) } ?? false
    case .isIn(let literals): return literals.contains { equals($0) }
    case .exists: return found != .null
    }
  }

  /// Returns a value and a literal as times, or `nil` unless both are times.
  private static func times(
    _ found: JSONValue, _ literal: RowCondition.Literal
  ) -> (RFC3339.Parts, RFC3339.Parts)? {
    literal.time.flatMap { time in found.storedTime.map { ($0, time) } }
  }

  private static func precedes(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left, right) {
    case (.bool(let one), .bool(let other)): !one && other
    case (.number(let one), .number(let other)): one < other
    case (.string(let one), .string(let other)): ExactString(one) < ExactString(other)
    default: false
    }
  }
}

extension [UInt8] {
  fileprivate func contains(bytesOf part: [UInt8]) -> Bool {
    part.isEmpty || (part.count <= count && (0...count - part.count).contains { self[$0...].starts(with: part) })
  }
}
