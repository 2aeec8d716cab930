import Annals
import AnnalsLog

/// The form of a JSON value, as a JSON Schema of draft 2020-12.
///
/// A member that the schema doesn't name is allowed, because later versions add members.
struct JSONSchema: Sendable {
  /// The keywords, in the order in which they are written.
  private(set) var keywords: [JSONMember] = []
  /// The shared schemas that it refers to, by name.
  private(set) var definitions: [String: JSONSchema] = [:]

  /// The schema of any value.
  static let any = JSONSchema()
  static let text = any.with("type", "string")
  static let bool = any.with("type", "boolean")
  /// A whole number from 0.
  static let count = any.with("type", "integer").with("minimum", 0)

  /// One of some strings.
  static func text(in texts: [String]) -> JSONSchema { any.with("enum", .array(texts.map { .string($0) })) }

  /// This value and no other.
  static func just(_ value: JSONValue) -> JSONSchema { any.with("const", value) }

  /// A string with a match of a regular expression.
  static func text(matching pattern: String) -> JSONSchema { text.with("pattern", .string(pattern)) }

  /// An array.
  ///
  /// - Parameters:
  ///   - element: The schema of its elements.
  ///   - count: The number of elements, or nil for any number.
  /// - Returns: The schema.
  static func array(of element: JSONSchema, count: Int? = nil) -> JSONSchema {
    let schema = any.with("type", "array").with("items", element)
    guard let count = count.map({ JSONValue.number(JSONNumber($0)) }) else { return schema }
    return schema.with("minItems", count).with("maxItems", count)
  }

  /// An object whose members' names are data; all their values have one schema.
  static func map(of value: JSONSchema) -> JSONSchema {
    any.with("type", "object").with("additionalProperties", value)
  }

  /// An object.
  ///
  /// - Parameters:
  ///   - members: The schemas of its members by name.
  ///   - required: The names of the members that it always has.
  /// - Returns: The schema.
  static func object(_ members: [(name: String, schema: JSONSchema)], required: [String]) -> JSONSchema {
    var schema = any.with("type", "object")
    if !members.isEmpty {
      for (_, member) in members { schema.add(member.definitions) }
      schema = schema.with(
        "properties", .object(members.map { .init(name: $0.name, value: .object($0.schema.keywords)) }))
    }
    return required.isEmpty ? schema : schema.with("required", .array(required.map { .string($0) }))
  }

  /// The same schema for values that also have at least one of several schemas.
  func either(_ schemas: [JSONSchema]) -> JSONSchema {
    var schema = with("anyOf", .array(schemas.map { .object($0.keywords) }))
    for one in schemas { schema.add(one.definitions) }
    return schema
  }

  /// The same, or null.
  var orNull: JSONSchema { JSONSchema.any.either([self, .any.with("type", "null")]) }

  /// A copy of the schema that permits members with any other name, too.
  var open: JSONSchema { with("additionalProperties", true) }

  /// The same schema with a description for people, if there is one.
  func saying(_ sentence: String?) -> JSONSchema { sentence.map { with("description", .string($0)) } ?? self }

  /// A reference to this schema under a name in `$defs`.
  func shared(as name: String) -> JSONSchema {
    var schema = JSONSchema.any.with("$ref", .string("#/$defs/\(name)"))
    schema.add(definitions)
    schema.definitions[name] = self
    return schema
  }

  private mutating func add(_ more: [String: JSONSchema]) { definitions.merge(more) { first, _ in first } }

  private func with(_ name: String, _ schema: JSONSchema) -> JSONSchema {
    var new = with(name, .object(schema.keywords))
    new.add(schema.definitions)
    return new
  }

  private func with(_ name: String, _ value: JSONValue) -> JSONSchema {
    var new = self
    new.keywords.append(.init(name: name, value: value))
    return new
  }
}
