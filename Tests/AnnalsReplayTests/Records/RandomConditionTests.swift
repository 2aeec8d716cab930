import Annals
import AnnalsLog
import AnnalsTesting
import Testing
@testable import AnnalsReplay

/// Random conditions on random records, compared with a plain evaluation.
@Suite struct RandomConditionTests {
  private static let texts = ["", "x", "xy", "and", "or (x)", "\"q\"", "5", "a, b", "e\u{301}"]

  /// A value of any kind, with objects and arrays in each other.
  private static func value(_ draw: Draw, depth: Int = 2) throws -> JSONValue {
    switch try draw(.int(in: 0...(depth > 0 ? 8 : 5))) {
    case 0: .bool(try draw(.bool))
    case 1...2: .number(JSONNumber(try draw(.int(in: -2...5))))
    case 3...4: .string(try draw(.element(of: texts)))
    case 5: .null
    case 6: .array(try (0..<draw(.int(in: 0...3))).map { _ in try value(draw, depth: depth - 1) })
    default: .object(try members(["a", "b", "c"], draw, depth: depth - 1))
    }
  }

  /// Members without nulls: an object has none, as null and absent are the same.
  private static func members(_ names: [String], _ draw: Draw, depth: Int) throws -> [JSONMember] {
    try names.filter { _ in try draw(.bool) }.map { .init(name: $0, value: try value(draw, depth: depth)) }
      .filter { $0.value != .null }
  }

  private indirect enum Plain {
    case test(field: String, operation: String, values: [JSONValue])
    case not(Plain)
    case all([Plain])
    case any([Plain])

    static func draw(_ draw: Draw, depth: Int = 3) throws -> Plain {
      switch try draw(.int(in: 0...(depth > 0 ? 7 : 4))) {
      case 5: return .not(try Plain.draw(draw, depth: depth - 1))
      case 6: return .all(try (0...draw(.int(in: 1...2))).map { _ in try Plain.draw(draw, depth: depth - 1) })
      case 7: return .any(try (0...draw(.int(in: 1...2))).map { _ in try Plain.draw(draw, depth: depth - 1) })
      default:
        let field = try draw(
          .element(of: ["a", "b", "a.b", "a[0]", "a.b[1]", "a.b.c", "b[1].a", "b[0][1]", "id", "c.d"]))
        let operation = try draw(
          .element(of: ["=", "!=", "<", "<=", ">", ">=", "contains", "starts", "ends", "in", "exists"]))
        let count = operation == "in" ? try draw(.int(in: 1...3)) : operation == "exists" ? 0 : 1
        return .test(
          field: field, operation: operation, values: try (0..<count).map { _ in try value(draw, depth: 1) })
      }
    }

    /// The condition as a person may write it; `isPart` puts brackets around what would bind otherwise.
    func text(_ draw: Draw, isPart: Bool = false) throws -> String {
      func brackets(_ text: String, _ need: Bool) throws -> String {
        try need || draw(.bool(0.2)) ? "(\(text))" : text
      }
      switch self {
      case .test(let field, let operation, let values):
        let name = try draw(.bool(0.2)) ? JSONValue.quoted(field) : field
        let texts = try values.map { value in
          // A plain word may do without quotes.
          if case .string(let text) = value, ["x", "xy"].contains(text), try draw(.bool) { return text }
          return value.text
        }
        let right = operation == "in" ? "(\(texts.joined(separator: ", ")))" : texts.joined()
        let space = try "=!<>".contains(operation.first ?? " ") && draw(.bool(0.3)) ? "" : " "
        let words = operation == "exists" ? "\(name) exists" : "\(name)\(space)\(operation)\(space)\(right)"
        return try brackets(words, false)
      case .not(let condition): return "not " + (try condition.text(draw, isPart: true))
      case .all(let conditions):
        let parts = try conditions.map { try $0.text(draw, isPart: true) }
        return try brackets(parts.joined(separator: " and "), isPart)
      case .any(let conditions):
        let parts = try conditions.map { try $0.text(draw, isPart: true) }
        return try brackets(parts.joined(separator: try draw(.element(of: [" or ", " OR "]))), isPart)
      }
    }

    func holds(_ record: Record) -> Bool {
      switch self {
      case .not(let condition): return !condition.holds(record)
      case .all(let conditions): return conditions.allSatisfy { $0.holds(record) }
      case .any(let conditions): return conditions.contains { $0.holds(record) }
      case .test(let field, let operation, let values):
        let found = RandomConditionTests.find(field, record)
        // A number or a word is also a string, if the row has a string.
        func asString(_ value: JSONValue, _ found: JSONValue) -> JSONValue {
          switch (found, value) {
          case (.string, .number), (.string, .bool), (.string, .null): .string(value.text)
          default: value
          }
        }
        let wanted = values
        let isNull = !["in", "contains", "starts", "ends"].contains(operation) && wanted.first == .null
        if isNull, operation == "=" || operation == "!=" { return (found == .null) == (operation == "=") }
        let values = values.map { asString($0, found) }
        switch operation {
        case "exists": return found != .null
        case "in": return found != .null && values.contains(found)
        case "=": return found == values[0]
        case "!=": return found != values[0]
        case "contains":
          if case .array(let elements) = found {
            return elements.contains { $0 != .null && $0 == asString(wanted[0], $0) }
          }
          return RandomConditionTests.both(found, values[0]) { one, other in
            other.isEmpty || (0..<max(0, one.count)).contains { one.dropFirst($0).starts(with: other) }
          }
        case "starts": return RandomConditionTests.both(found, values[0]) { $0.starts(with: $1) }
        case "ends": return RandomConditionTests.both(found, values[0]) { $0.reversed().starts(with: $1.reversed()) }
        default:
          let order = RandomConditionTests.order(found, values[0])
          switch operation {
          case "<": return order == -1
          case ">": return order == 1
          case "<=": return order == -1 || found != .null && found == values[0]
          default: return order == 1 || found != .null && found == values[0]
          }
        }
      }
    }
  }

  private static func both(_ one: JSONValue, _ other: JSONValue, _ body: ([UInt8], [UInt8]) -> Bool) -> Bool {
    guard case .string(let one) = one, case .string(let other) = other else { return false }
    return body(Array(one.utf8), Array(other.utf8))
  }

  /// -1, 0 or 1 for values of one kind that has an order.
  private static func order(_ one: JSONValue, _ other: JSONValue) -> Int? {
    switch (one, other) {
    case (.bool(let one), .bool(let other)): return (one ? 1 : 0) - (other ? 1 : 0)
    case (.number(let one), .number(let other)): return ((one.int ?? 0) - (other.int ?? 0)).signum()
    case (.string(let one), .string(let other)):
      if Array(one.utf8) == Array(other.utf8) { return 0 }
      return Array(one.utf8).lexicographicallyPrecedes(Array(other.utf8)) ? -1 : 1
    default: return nil
    }
  }

  /// The value of a field: of that whole name, else of the names and indices that it is made of.
  private static func find(_ field: String, _ record: Record) -> JSONValue {
    func member(_ value: JSONValue, _ name: String) -> JSONValue {
      guard case .object(let members) = value else { return .null }
      return members.first { $0.name == name }?.value ?? .null
    }
    let whole = member(record.fields, field)
    if whole != .null { return whole }
    if field == "id" { return .string(record.id) }
    var value = record.fields
    for part in field.split(separator: ".") {
      let words = part.split(separator: "[")
      value = member(value, String(words[0]))
      for word in words.dropFirst() {
        guard case .array(let elements) = value, let index = Int(word.dropLast()), index < elements.count else {
          value = .null
          break
        }
        value = elements[index]
      }
    }
    return value
  }

  private struct Case: SourcePrintable {
    let record: Record
    let plain: Plain
    let text: String

    var swiftSource: String { "\(record.id) \(record.fields.text)\n  \(text)" }

    static let generator = Generator<Case> { draw in
      let plain = try Plain.draw(draw)
      let fields = try members(["a", "a.b", "b", "c.d"], draw, depth: 3)
      return Case(
        record: Record(id: try draw(.element(of: ["5", "x", "", "true"])), fields: .object(fields)), plain: plain,
        text: try plain.text(draw))
    }
  }

  @Test func `a member that is null is no member, in a record and in a condition`() throws {
    let empty = Record(id: "5", fields: .object([.init(name: "c", value: .object([]))]))
    for text in [#"c = {"d":null}"#, #"c in (false, {"d": null})"#, "c = {}", "c.d = null", "not c.d exists"] {
      #expect(try RowCondition(text).includes(empty), "\(text)")
    }
  }

  @Test func `a condition holds of a record where a plain evaluation says so`() throws {
    try check(Case.generator, settings: CheckSettings(examples: 3_000)) { one in
      let condition = try RowCondition(one.text)
      try ensureEqual(condition.includes(one.record), one.plain.holds(one.record))
    }
  }

  @Test func `no text of a condition makes the parser hang or trap`() throws {
    let words = [
      "a", "and", "or", "not", "(", ")", "=", ">", "in", "exists", "\"", "\\", "[", "]", ",", "5", "OR", "matches",
    ]
    let texts = Generator<String> { draw in
      try draw(.array(of: Generator<String>.element(of: words), count: 0...40)).joined(separator: " ")
    }
    try check(texts, settings: CheckSettings(examples: 500)) { text in
      _ = try? RowCondition(text)
      _ = try? FindCondition(text)
    }
    // Each bracket, and each word that joins, is looked at once.
    let deep = String(repeating: "a = 1 and (", count: 39) + "a = 1" + String(repeating: ")", count: 39)
    _ = try RowCondition(deep)
    _ = try FindCondition(deep)
    _ = try FindCondition((0..<500).map { "exists(b\($0))" }.joined(separator: " or "))
  }
}
