import Annals

/// A condition on a field, as `--where` says it: `FIELD OP VALUE`.
struct RecordFilter: Sendable {
  private enum Operator: String, CaseIterable {
    case notEqual = "!="
    case atMost = "<="
    case atLeast = ">="
    case equal = "="
    case less = "<"
    case greater = ">"
    case contains = " contains "
  }

  private let field: ExactString
  private let comparison: Operator
  private let value: JSONValue

  /// Parses a condition; nil if it has no field or no operator.
  ///
  /// The field ends at the first operator. The value is JSON if it parses as JSON, otherwise text.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    var found: (place: Int, comparison: Operator)?
    search: for place in bytes.indices {
      // The longer operators come first.
      for candidate in Operator.allCases where bytes[place...].starts(with: candidate.rawValue.utf8) {
        found = (place, candidate)
        break search
      }
    }
    guard let (place, comparison) = found else { return nil }
    func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
      let start = bytes.drop { $0 == 0x20 }
      return String(decoding: start.prefix(start.count - start.reversed().prefix { $0 == 0x20 }.count), as: UTF8.self)
    }
    let field = trimmed(bytes[..<place])
    if field.isEmpty { return nil }
    let text = trimmed(bytes[(place + comparison.rawValue.utf8.count)...])
    self.field = ExactString(field)
    self.comparison = comparison
    value = (try? JSONValue(parsing: text)) ?? .string(text)
  }

  /// True if a record meets the condition.
  ///
  /// Values of different kinds never compare.
  func includes(_ record: Record) -> Bool {
    let found = record[field]
    let isEqual = found == value
    switch comparison {
    case .equal: return isEqual
    case .notEqual: return !isEqual
    case .less: return precedes(found, value)
    case .greater: return precedes(value, found)
    case .atMost: return isEqual || precedes(found, value)
    case .atLeast: return isEqual || precedes(value, found)
    case .contains:
      guard case .string(let text) = found, case .string(let part) = value else { return false }
      return Array(text.utf8).contains(bytesOf: Array(part.utf8))
    }
  }

  private func precedes(_ left: JSONValue, _ right: JSONValue) -> Bool {
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
