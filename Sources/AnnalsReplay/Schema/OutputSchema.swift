import Annals
import AnnalsLog

/// What a subcommand prints with `--json`.
struct OutputSchema: Sendable {
  /// How many values are printed.
  enum Form: String, Sendable {
    /// One value.
    case object
    /// Any number of values, each in a line of its own.
    case lines
  }

  /// The subcommand.
  let name: String
  let form: Form
  /// What a value says.
  let summary: String
  /// The schema of a value.
  let value: JSONSchema

  /// The schema of a subcommand that prints one value.
  init(_ name: String, _ summary: String, _ value: JSONSchema) {
    self.name = name
    form = .object
    self.summary = summary
    self.value = value
  }

  /// The schema of a subcommand that prints values, a line each.
  init(lines name: String, _ summary: String, _ value: JSONSchema) {
    self.name = name
    form = .lines
    self.summary = summary
    self.value = value
  }

  /// The subcommands that have a schema, in the order of help.
  static let all = showing + asking + changing + keeping + about

  /// The schema as a document, for a tool of a name.
  func document(tool: String) -> JSONValue {
    let comment =
      form == .lines
      ? "The output is one such value a line; it may have no lines." : "The output is one such value."
    var members: [JSONMember] = [
      .init(name: "$schema", value: "https://json-schema.org/draft/2020-12/schema"),
      .init(name: "title", value: .string("\(tool) \(name) --json")),
      .init(name: "description", value: .string(summary)),
      .init(name: "$comment", value: .string(comment + " Members may be added, and never change or go away.")),
    ]
    // The value's own sentence, if it has one, would be a second description.
    members += value.keywords.filter { $0.name != "description" }
    let shared = SharedSchema.allCases.filter(allUses.contains)
    if !shared.isEmpty {
      let schemas = shared.map { JSONMember(name: $0.rawValue, value: .object($0.schema.keywords)) }
      members.append(.init(name: "$defs", value: .object(schemas)))
    }
    return .object(members)
  }

  /// The shared schemas that it refers to, and those that they refer to.
  private var allUses: Set<SharedSchema> {
    var (found, rest) = (Set<SharedSchema>(), Array(value.uses))
    while let next = rest.popLast() {
      if found.insert(next).inserted { rest += next.schema.uses }
    }
    return found
  }
}
