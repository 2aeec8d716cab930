import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Testing

/// `find` and `why` on random histories, compared with a look at every position.
@Suite struct RandomFindTests {
  private typealias History = RandomHistoryTests.History

  /// A condition on a whole list, and its plain evaluation.
  private indirect enum Plain {
    case count(String, Int)
    case exists(String)
    case row(String, field: String, JSONValue)
    case index(String, Int)
    case some(field: String, JSONValue)
    case not(Plain)
    case all([Plain])
    case any([Plain])

    static func draw(_ draw: Draw, depth: Int = 2) throws -> Plain {
      let id = Generator<String>.element(of: ["1", "2", "10", "a", "é", "e\u{301}", "Z", "x y", "\"q\"", "~"])
      let field = Generator<String>.element(of: ["kind", "rank"])
      func value() throws -> JSONValue { parsed(try draw(.element(of: RandomHistoryTests.values))) }
      switch try draw(.int(in: 0...(depth > 0 ? 7 : 4))) {
      case 0: return .count(try draw(.element(of: ["=", "!=", "<", "<=", ">", ">="])), try draw(.int(in: 0...6)))
      case 1: return .exists(try draw(id))
      case 2: return .row(try draw(id), field: try draw(field), try value())
      case 3: return .index(try draw(id), try draw(.int(in: 0...4)))
      case 4: return .some(field: try draw(field), try value())
      case 5: return .not(try Plain.draw(draw, depth: depth - 1))
      case 6: return .all(try (0...1).map { _ in try Plain.draw(draw, depth: depth - 1) })
      default: return .any(try (0...1).map { _ in try Plain.draw(draw, depth: depth - 1) })
      }
    }

    var text: String {
      switch self {
      case .count(let sign, let number): "count \(sign) \(number)"
      case .exists(let id): "exists(\(JSONValue.quoted(id)))"
      case .row(let id, let field, let value): "row(\(JSONValue.quoted(id))).\(field) = \(value.text)"
      case .index(let id, let row): "index(\(JSONValue.quoted(id))) = [0, \(row)]"
      // A count, because conditions on rows that are joined are about one row.
      case .some(let field, let value): "count(\(field) = \(value.text)) > 0"
      case .not(let plain): "not (\(plain.text))"
      case .all(let all): all.map { "(\($0.text))" }.joined(separator: " and ")
      case .any(let any): any.map { "(\($0.text))" }.joined(separator: " or ")
      }
    }

    func holds(_ rows: [JSONList.Row]) -> Bool {
      func find(_ id: String) -> Int? { rows.firstIndex { Array($0.id.utf8) == Array(id.utf8) } }
      func has(_ row: JSONList.Row, _ name: String, _ value: JSONValue) -> Bool {
        let found = row.fields[name] ?? .null
        // A value without quotes is compared with a string, a number or a Boolean, whichever the row has.
        if case .number = value, case .string(let text) = found { return text == value.text }
        return found == value
      }
      switch self {
      case .count(let sign, let number):
        return switch sign {
        case "=": rows.count == number
        case "!=": rows.count != number
        case "<": rows.count < number
        case "<=": rows.count <= number
        case ">": rows.count > number
        default: rows.count >= number
        }
      case .exists(let id): return find(id) != nil
      case .row(let id, let name, let value): return find(id).map { has(rows[$0], name, value) } ?? false
      case .index(let id, let row): return find(id) == row
      case .some(let name, let value): return rows.contains { has($0, name, value) }
      case .not(let plain): return !plain.holds(rows)
      case .all(let all): return all.allSatisfy { $0.holds(rows) }
      case .any(let any): return any.contains { $0.holds(rows) }
      }
    }
  }

  private struct Inquiry: SourcePrintable {
    let history: History
    let conditions: [Plain]

    var swiftSource: String { (history.lines + conditions.map(\.text)).joined(separator: "\n  ") }

    static let generator = Generator<Inquiry> { draw in
      let history = try draw(History.generator(transactions: 8))
      return Inquiry(history: history, conditions: try (0..<6).map { _ in try Plain.draw(draw) })
    }
  }

  private let settings = CheckSettings(examples: 8, maxChoices: 100_000)

  @Test func `find says at which transactions a condition begins and ends to hold, as a look at each does`() throws {
    try check(Inquiry.generator, settings: settings) { inquiry in
      let (tool, history) = (try ToolRunner(), inquiry.history)
      try ensure(try tool.importLines(history.lines).status == 0)
      let options = ["--sort", "rank,-kind", "--json"]
      let lists = try ([0] + history.ends).map { end in
        let words = ["show", tool.log, "\(end)"] + options
        return (end: end, rows: try JSONList(tool.run(words).output).sections.flatMap(\.rows))
      }
      for condition in inquiry.conditions {
        let holding = lists.map { (end: $0.end, holds: condition.holds($0.rows)) }
        var changes: [String] = []
        for (index, one) in holding.enumerated() where one.holds != (index > 0 && holding[index - 1].holds) {
          changes.append("\(one.end) \(one.holds)")
        }
        let every = try answers(tool.run(["find", tool.log, condition.text, "--each"] + options))
        try ensureEqual(every, changes)
        try ensureEqual(try answers(tool.run(["find", tool.log, condition.text] + options)), Array(changes.prefix(1)))
      }
    }
  }

  private func answers(_ answer: ToolRunner.Answer) throws -> [String] {
    // A name that never was in the list is an error, and so is a comparison with a value of another kind.
    let isUnknown = answer.talk.contains(" ever had ") || answer.talk.contains(" never had ") || answer.refusesKind
    let status: Int32 = answer.lines.isEmpty ? (isUnknown ? 2 : 1) : 0
    try ensure(answer.status == status, "\(answer.status) \(answer.talk)")
    return try answer.lines.map { line in
      let value = try JSONValue(parsing: line)
      return "\(value["position"]?.int ?? -1) \(value["holds"] == .bool(true))"
    }
  }

  @Test func `why names each change of each field, as a look at each event does`() throws {
    try check(History.generator(transactions: 8).map { FieldCase(history: $0) }, settings: settings) { one in
      let (tool, history) = (try ToolRunner(), one.history)
      try ensure(try tool.importLines(history.lines).status == 0)
      for id in RandomHistoryTests.ids {
        var expected: [Caused] = []
        var isKnown = false
        for position in 1..<history.states.count {
          let (before, after) = (Self.row(id, history.states[position - 1]), Self.row(id, history.states[position]))
          isKnown = isKnown || after != nil
          let names = Set(((before ?? []) + (after ?? [])).map { ExactString($0.name) }).sorted()
          for name in names {
            let (old, new) = (Self.value(name, before), Self.value(name, after))
            if old != new { expected.append(Caused(position: position, field: name.text, old: old, new: new)) }
          }
        }
        let answer = tool.run("why", tool.log, id, "--each", "--json")
        let isThere = Self.row(id, history.states[history.states.count - 1]) != nil
        try ensureEqual(answer.status, isThere ? 0 : 1)
        if !isKnown { continue }
        let changes = try JSONValue(parsing: answer.output)["changes"]?.array ?? []
        let found = changes.map { change in
          Caused(
            position: change["event"]?["position"]?.int ?? 0, field: change["field"]?.string ?? "",
            old: change["old"] ?? .null, new: change["new"] ?? .null)
        }
        try ensureEqual(found, expected)
      }
    }
  }

  /// A change; numbers are equal by their value, however they are written.
  private struct Caused: Equatable {
    let position: Int
    let field: String
    let old: JSONValue
    let new: JSONValue
  }

  private struct FieldCase: SourcePrintable {
    let history: History
    var swiftSource: String { history.lines.joined(separator: "\n  ") }
  }

  private static func row(_ id: String, _ model: NaiveModel) -> [(name: String, value: JSONValue)]? {
    model.rows.first { Array($0.id.utf8) == Array(id.utf8) }?.fields
  }

  private static func value(_ name: ExactString, _ fields: [(name: String, value: JSONValue)]?) -> JSONValue {
    fields?.first { ExactString($0.name) == name }?.value ?? .null
  }
}

private func parsed(_ json: String) -> JSONValue { (try? JSONValue(parsing: json)) ?? .null }
