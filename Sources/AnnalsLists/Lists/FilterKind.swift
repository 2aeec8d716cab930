import AnnalsLog
import Foundation

/// The kind of a filter field's values.
package enum FilterKind: Equatable, Sendable {
  case text
  case bool
  case integer
  case number
  case date
  case duration
  case identifier
  /// A string that must be one of the given names.
  case names([String])
  /// A value of a type that is written as JSON.
  case other(String)
  /// A value of any kind, which only the rows decide.
  case any

  /// The operators that error messages list.
  package var operators: String {
    let words = self == .any ? "contains starts ends matches " : self == .text ? "contains starts ends " : ""
    return "= != < <= > >= \(words)in exists"
  }

  /// The description of a value for error messages.
  package var expectation: String {
    switch self {
    case .text: "a string"
    case .bool: "true or false"
    case .integer: "a whole number"
    case .number: "a number"
    case .date: "a day or a time, such as 2026-03-31 or 2026-03-31T18:30:00Z"
    case .duration: "a number of seconds"
    case .identifier: "a UUID"
    case .names(let names): "one of " + names.joined(separator: ", ")
    case .other(let type): "a value of \(type) as JSON"
    case .any: "a value"
    }
  }

  /// Returns the kind of a type, and whether it is optional.
  static func of(_ type: Any.Type) -> (kind: FilterKind, isOptional: Bool) {
    if let type = type as? any OptionalValue.Type { return (of(type.wrapped).kind, true) }
    if let cases = cases(of: type) { return (.names(cases.map(\.sectionKey.description)), false) }
    switch type {
    // A URL is written as a string in JSON, too.
    case is String.Type, is URL.Type: return (.text, false)
    case is Bool.Type: return (.bool, false)
    case is Date.Type: return (.date, false)
    case is UUID.Type: return (.identifier, false)
    case is Duration.Type: return (.duration, false)
    case is Decimal.Type: return (.number, false)
    case is any FixedWidthInteger.Type: return (.integer, false)
    case is any BinaryFloatingPoint.Type: return (.number, false)
    case let type as any RawRepresentable.Type: return (of(rawType(type)).kind, false)
    default: return (.other(String(describing: type)), false)
    }
  }

  /// Returns the value of a literal, or `nil` if the literal has another kind.
  func value<V: OrderedValue & Decodable>(_ type: V.Type, _ literal: FilterLiteral) -> V? {
    let json: String
    switch self {
    case .text, .identifier: json = JSONValue.quoted(literal.text)
    case .bool:
      guard literal.kind == .word || literal.kind == .implied else { return nil }
      json = literal.text.lowercased()
    case .integer, .number:
      guard literal.kind == .number else { return nil }
      json = literal.text
    case .any: return nil
    case .date:
      guard let time = RFC3339.parts(ofTimeOrDay: literal.text) else { return nil }
      // Dates can be decoded from this number, which is exact for every `Double`.
      json = "\(Date(time).timeIntervalSinceReferenceDate)"
    case .duration:
      guard literal.kind == .number else { return nil }
      return Self.duration(literal.text) as? V
    case .names:
      let wrapped = (type as? any OptionalValue.Type)?.wrapped ?? type
      let found = Self.cases(of: wrapped)?.first { ExactString.exactlyEqual($0.sectionKey.description, literal.text) }
      return found as? V
    case .other:
      for json in literal.kind == .text
        ? [JSONValue.quoted(literal.text)] : [literal.text, JSONValue.quoted(literal.text)]
      {
        if let value = try? PayloadCoder().decode(type, from: json) { return value }
      }
      return nil
    }
    return try? PayloadCoder().decode(type, from: json)
  }

  /// Returns a duration for an exact number of seconds, or `nil` if no duration has this number of seconds.
  private static func duration(_ text: String) -> Duration? {
    guard let number = JSONNumber(text: text) else { return nil }
    if number.digits.isEmpty { return .zero }
    let zeros = number.exponent - number.digits.count + 1 + 18
    guard (0...39).contains(zeros) else { return nil }
    let digits = String(decoding: number.digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
    let attoseconds = (number.isNegative ? "-" : "") + digits + String(repeating: "0", count: zeros)
    return Int128(attoseconds).map { Duration(attoseconds: $0) }
  }

  private static func cases(of type: Any.Type) -> [any OrderedValue]? {
    guard let type = type as? any CaseIterable.Type else { return nil }
    func all<C: CaseIterable>(_ type: C.Type) -> [any OrderedValue]? {
      let values = type.allCases.compactMap { $0 as? any OrderedValue }
      return values.isEmpty ? nil : values
    }
    return all(type)
  }

  private static func rawType<R: RawRepresentable>(_ type: R.Type) -> Any.Type { R.RawValue.self }
}

/// An operator that compares a field with a literal.
package enum FilterOperator: String, Sendable, CaseIterable {
  case equals = "="
  case differs = "!="
  case less = "<"
  case atMost = "<="
  case greater = ">"
  case atLeast = ">="
  case contains
  case starts
  case ends
  /// The operator of regular expressions, which only the replay tool has.
  case matches

  /// True for operators that search in a string.
  package var isOfTexts: Bool { self == .contains || self == .starts || self == .ends || self == .matches }

  /// True for operators that compare the order of two values.
  var isOfOrder: Bool { self == .less || self == .atMost || self == .greater || self == .atLeast }

  package func holds<Value: Comparable>(_ found: Value, _ wanted: Value) -> Bool {
    switch self {
    case .equals: found == wanted
    case .differs: found != wanted
    case .less: found < wanted
    case .atMost: !(wanted < found)
    case .greater: wanted < found
    case .atLeast: !(found < wanted)
    case .contains, .starts, .ends, .matches: false
    }
  }

  /// Returns whether the operator's condition is true for two strings, which are compared by their Unicode scalars.
  package func holds(_ found: String, _ wanted: String) -> Bool {
    switch self {
    case .contains: Self.contains(found, wanted)
    case .starts: found.utf8.starts(with: wanted.utf8)
    case .ends: found.utf8.reversed().starts(with: wanted.utf8.reversed())
    default: holds(OrderKey(found), OrderKey(wanted))
    }
  }

  private static func contains(_ text: String, _ part: String) -> Bool {
    var (text, part) = (text, part)
    return part.withUTF8 { part in text.withUTF8 { SearchText.has(part, anywhereIn: $0) } }
  }
}

private protocol OptionalValue {
  static var wrapped: Any.Type { get }
}

extension Optional: OptionalValue {
  static var wrapped: Any.Type { Wrapped.self }
}

extension String {
  /// The string without case and accents, independent of a locale.
  var foldedForFilters: String { folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil) }
}
