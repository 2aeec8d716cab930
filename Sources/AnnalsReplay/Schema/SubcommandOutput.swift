import Annals
import AnnalsLog

/// The JSON that a subcommand prints.
struct SubcommandOutput: Sendable {
  /// The number of values.
  enum Form: String, Sendable {
    /// One value.
    case object
    /// Any number of values, one per line.
    case lines
  }

  let form: Form
  /// The contents of a value, in a sentence.
  let summary: String
  private let schemas: @Sendable () -> [JSONSchema]

  /// - Parameters:
  ///   - form: The number of values.
  ///   - summary: The contents of a value, in a sentence.
  ///   - schemas: The schemas, of which each value has at least one.
  init(_ form: Form, _ summary: String, _ schemas: @escaping @autoclosure @Sendable () -> [JSONSchema]) {
    (self.form, self.summary, self.schemas) = (form, summary, schemas)
  }

  /// The schema of such a document.
  static var documentSchema: JSONSchema {
    let names = ["$schema", "title", "description", "$comment"]
    return .object(names.map { ($0, .text) }, required: names).open
  }

  /// The schema of a value as a document.
  ///
  /// - Parameter title: The words of the command line.
  /// - Returns: The document.
  func document(title: String) -> JSONValue {
    let comment =
      form == .lines
      ? "The output is one such value a line; it may have no lines." : "The output is one such value."
    let schemas = schemas()
    let schema = schemas.count == 1 ? schemas[0] : JSONSchema.any.either(schemas)
    var members: [JSONMember] = [
      .init(name: "$schema", value: "https://json-schema.org/draft/2020-12/schema"),
      .init(name: "title", value: .string(title)),
      .init(name: "description", value: .string(summary)),
      .init(name: "$comment", value: .string(comment + " Members may be added, and never change or go away.")),
    ]
    members += schema.keywords
    let definitions = schema.definitions.sorted { $0.key < $1.key }
    if !definitions.isEmpty {
      let schemas = definitions.map { JSONMember(name: $0.key, value: .object($0.value.keywords)) }
      members.append(.init(name: "$defs", value: .object(schemas)))
    }
    return .object(members)
  }
}
