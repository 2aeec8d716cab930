import Annals
import Foundation

/// The list of a record history, written from the contract's sentences: plain values, sorted by comparing them.
///
/// It uses nothing of the library but its reader of JSON: neither keys as bytes nor its lists.
struct NaiveModel {
  var rows: [(id: String, fields: [(name: String, value: JSONValue)])] = []
  var titles: [(key: JSONValue, title: String)] = []

  mutating func insert(_ id: String, _ fields: [(name: String, value: JSONValue)]) {
    rows.append((id, []))
    update(id, fields)
  }

  mutating func update(_ id: String, _ fields: [(name: String, value: JSONValue)]) {
    let row = rows.firstIndex { same($0.id, id) }!  // The generator updates only existing rows.
    for field in fields {
      rows[row].fields.removeAll { same($0.name, field.name) }
      if field.value != .null { rows[row].fields.append(field) }
    }
  }

  mutating func delete(_ id: String) { rows.removeAll { same($0.id, id) } }

  mutating func rename(_ key: JSONValue, _ title: String) {
    titles.removeAll { equal($0.key, key) }
    titles.append((key, title))
  }

  struct Options {
    var section: String?
    var sort: [(field: String, descends: Bool)] = []
    var conditions: [(field: String, comparison: String, value: JSONValue)] = []
    var limit: Int?

    var words: [String] {
      var words: [String] = []
      if let section { words += ["--section-by", section] }
      for key in sort { words += ["--sort", (key.descends ? "-" : "") + key.field] }
      for condition in conditions {
        words += ["--where", "\(condition.field) \(condition.comparison) \(condition.value.text)"]
      }
      if let limit { words += ["--limit", "\(limit)"] }
      return words
    }
  }

  /// The characters of an id, with each number as one word without zeros before it.
  private static func words(_ id: String) -> [String] {
    var words: [String] = []
    for scalar in id.unicodeScalars {
      let isDigit = ("0"..."9").contains(scalar)
      if isDigit, let last = words.last?.unicodeScalars.first, ("0"..."9").contains(last) {
        words[words.count - 1] += String(scalar)
      } else {
        words.append(String(scalar))
      }
    }
    return words.map { word in
      let significant = word.drop { $0 == "0" }
      return word.hasPrefix("0") ? significant.isEmpty ? "0" : String(significant) : word
    }
  }

  private static func precedes(_ left: String, _ right: String) -> Bool {
    if let one = Double(left), let other = Double(right) { return one < other }
    return utf8(left, right)
  }

  func list(_ options: Options) -> [JSONList.Section] {
    let shown = rows.filter { row in
      options.conditions.allSatisfy { holds(value(row.fields, $0.field), $0.comparison, $0.value) }
    }.sorted { left, right in
      for key in options.sort {
        let (one, other) = (value(left.fields, key.field), value(right.fields, key.field))
        let order = compare(one, other)
        if order != 0 { return key.descends ? order > 0 : order < 0 }
      }
      if options.sort.isEmpty {
        let (one, other) = (Self.words(left.id), Self.words(right.id))
        if one != other { return one.lexicographicallyPrecedes(other) { Self.precedes($0, $1) } }
      }
      return Array(left.id.utf8).lexicographicallyPrecedes(Array(right.id.utf8))
    }
    var sections: [JSONList.Section] = []
    for row in shown {
      let key = options.section.map { value(row.fields, $0) } ?? .null
      let one = JSONList.Row(
        id: row.id,
        fields: .object(row.fields.sorted { utf8($0.name, $1.name) }.map { .init(name: $0.name, value: $0.value) }))
      if let index = sections.firstIndex(where: { equal($0.key, key) }) {
        sections[index].rows.append(one)
      } else {
        sections.append(.init(key: key, title: options.section == nil ? "" : title(key), rows: [one]))
      }
    }
    sections.sort { left, right in
      let order = compare(left.key, right.key)
      return order != 0 ? order < 0 : utf8(canonical(left.key), canonical(right.key))
    }
    var room = options.limit ?? .max
    for index in sections.indices {
      sections[index].rows = Array(sections[index].rows.prefix(room))
      room -= sections[index].rows.count
    }
    sections.removeAll { $0.rows.isEmpty }
    return sections.isEmpty && options.section == nil ? [.init(key: .null, title: "", rows: [])] : sections
  }

  private func title(_ key: JSONValue) -> String {
    if let title = titles.first(where: { equal($0.key, key) })?.title { return title }
    switch key {
    case .null: return ""
    case .string(let text): return text
    default: return canonical(key)
    }
  }

  private func value(_ fields: [(name: String, value: JSONValue)], _ name: String) -> JSONValue {
    fields.first { same($0.name, name) }?.value ?? .null
  }
}

private func same(_ left: String, _ right: String) -> Bool { Array(left.utf8) == Array(right.utf8) }
private func utf8(_ left: String, _ right: String) -> Bool {
  Array(left.utf8).lexicographicallyPrecedes(Array(right.utf8))
}

private func equal(_ left: JSONValue, _ right: JSONValue) -> Bool { same(canonical(left), canonical(right)) }

/// Compact JSON that is the same for equal values.
///
/// It uses Foundation's decimals, which can hold every number of these tests.
private func canonical(_ value: JSONValue) -> String {
  switch value {
  case .null: "null"
  case .bool(let value): "\(value)"
  case .number(let number): "\(decimal(number))"
  case .string(let text): JSONValue.quoted(text)
  case .array(let values): "[" + values.map(canonical).joined(separator: ",") + "]"
  case .object(let members):
    "{" + members.map { JSONValue.quoted($0.name) + ":" + canonical($0.value) }.joined(separator: ",") + "}"
  }
}

private func decimal(_ number: JSONNumber) -> Decimal {
  Decimal(string: number.text, locale: Locale(identifier: "en_US_POSIX")) ?? .nan
}

private func rank(_ value: JSONValue) -> Int {
  switch value {
  case .null: 0
  case .bool(false): 1
  case .bool(true): 2
  case .number: 3
  case .string: 4
  case .array, .object: 5
  }
}

private func compare(_ left: JSONValue, _ right: JSONValue) -> Int {
  switch (left, right) {
  case (.number(let one), .number(let other)):
    let (one, other) = (decimal(one), decimal(other))
    return one < other ? -1 : one == other ? 0 : 1
  case (.string(let one), .string(let other)): return utf8(one, other) ? -1 : same(one, other) ? 0 : 1
  default: return rank(left) - rank(right)
  }
}

private func holds(_ found: JSONValue, _ comparison: String, _ value: JSONValue) -> Bool {
  switch (found, value) {
  // Without quotes, a value is also a string. A missing value matches only != and = null.
  case (.string, .bool), (.string, .number): return holds(found, comparison, .string(value.text))
  case (.string, .null) where comparison != "=" && comparison != "!=":
    return holds(found, comparison, .string(value.text))
  case (.null, _) where value != .null && comparison != "!=", (.null, .null) where comparison != "=": return false
  case (.array(let elements), _) where comparison == "contains":
    return elements.contains { holds($0, "=", value == .null ? .string("null") : value) }
  default: break
  }
  let isEqual = equal(found, value)
  switch comparison {
  case "=": return isEqual
  case "!=": return !isEqual
  case "contains":
    guard case .string(let text) = found, case .string(let part) = value else { return false }
    return text.data(using: .utf32LittleEndian)?.range(of: part.data(using: .utf32LittleEndian) ?? Data()) != nil
      || part.isEmpty
  default:
    let comparable: Bool =
      switch (found, value) {
      case (.number, .number), (.string, .string), (.bool, .bool): true
      default: false
      }
    let order = comparable ? compare(found, value) : 0
    return switch comparison {
    case "<": comparable && order < 0
    case "<=": isEqual || (comparable && order < 0)
    case ">": comparable && order > 0
    default: isEqual || (comparable && order > 0)
    }
  }
}
