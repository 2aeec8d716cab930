import Annals
import AnnalsLog

/// What a JSON value looks like, as JSON Schema (draft 2020-12) says it.
///
///     .object(["position": .position, "rows": .array(of: .row)], optional: ["time": .time])
///
/// A member that is not named is allowed: JSON only grows, and a reader must not mind a new member.
struct JSONSchema: Sendable {
  /// The keywords, in the order in which they are written.
  private(set) var keywords: [JSONMember] = []
  /// The shared schemas that it refers to.
  private(set) var uses: Set<SharedSchema> = []

  /// The schema of any value.
  static let any = JSONSchema()

  static let text = JSONSchema(type: "string")
  static let bool = JSONSchema(type: "boolean")
  /// A whole number from 0.
  static let count = JSONSchema(type: "integer").with("minimum", 0)

  private init() {}

  private init(type: String) { keywords = [.init(name: "type", value: .string(type))] }

  /// One of some texts.
  static func text(in texts: [String]) -> JSONSchema { any.with("enum", .array(texts.map { .string($0) })) }

  /// This value and no other.
  static func just(_ value: JSONValue) -> JSONSchema { any.with("const", value) }

  /// A text that a regular expression finds.
  static func text(matching pattern: String) -> JSONSchema { text.with("pattern", .string(pattern)) }

  /// An array.
  ///
  /// - Parameters:
  ///   - element: The schema of its elements.
  ///   - count: How many it has; nil for any number.
  /// - Returns: The schema.
  static func array(of element: JSONSchema, count: Int? = nil) -> JSONSchema {
    var schema = JSONSchema(type: "array").with("items", element)
    if let count { schema = schema.with("minItems", .number(.init(count))).with("maxItems", .number(.init(count))) }
    return schema
  }

  /// An object whose members' names are data; all their values have one schema.
  static func map(of value: JSONSchema) -> JSONSchema { JSONSchema(type: "object").with("additionalProperties", value) }

  /// An object.
  ///
  /// - Parameters:
  ///   - required: The members that it always has.
  ///   - optional: The members that it may have.
  /// - Returns: The schema.
  static func object(
    _ required: KeyValuePairs<String, JSONSchema>, optional: KeyValuePairs<String, JSONSchema> = [:]
  ) -> JSONSchema {
    let members = required.map { ($0.key, $0.value) } + optional.map { ($0.key, $0.value) }
    var schema = JSONSchema(type: "object")
    for (_, member) in members { schema.uses.formUnion(member.uses) }
    schema = schema.with(
      "properties", .object(members.map { .init(name: $0.0, value: .object($0.1.keywords)) }))
    return required.isEmpty ? schema : schema.with("required", .array(required.map { .string($0.key) }))
  }

  /// A value that meets one of several schemas at least.
  static func either(_ schemas: [JSONSchema]) -> JSONSchema {
    var schema = any.with("anyOf", .array(schemas.map { .object($0.keywords) }))
    for one in schemas { schema.uses.formUnion(one.uses) }
    return schema
  }

  /// A value that meets two schemas.
  static func both(_ one: JSONSchema, _ other: JSONSchema) -> JSONSchema {
    var schema = any.with("allOf", .array([.object(one.keywords), .object(other.keywords)]))
    schema.uses = one.uses.union(other.uses)
    return schema
  }

  /// A reference to a shared schema.
  static func shared(_ shared: SharedSchema) -> JSONSchema {
    var schema = any.with("$ref", .string("#/$defs/\(shared.rawValue)"))
    schema.uses = [shared]
    return schema
  }

  /// The same, or null.
  var orNull: JSONSchema { .either([self, JSONSchema(type: "null")]) }

  /// A copy of the schema that permits members with any other name, too.
  var open: JSONSchema { with("additionalProperties", true) }

  /// The same with a sentence for people.
  func saying(_ sentence: String) -> JSONSchema { with("description", .string(sentence)) }

  private func with(_ name: String, _ schema: JSONSchema) -> JSONSchema {
    var new = with(name, .object(schema.keywords))
    new.uses.formUnion(schema.uses)
    return new
  }

  private func with(_ name: String, _ value: JSONValue) -> JSONSchema {
    var new = self
    new.keywords.append(.init(name: name, value: value))
    return new
  }
}
