import Annals
import AnnalsLog

/// Values of the tool's JSON output.
extension JSONValue {
  /// Returns an object whose members keep the order of the literal.
  static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue { .object(JSONMember.list(members)) }

  /// Returns a string, or null.
  static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// Returns an array of strings.
  static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

  /// Returns a whole number, or null.
  static func count(_ count: Int?) -> JSONValue { count.map { .number(JSONNumber($0)) } ?? .null }
}

extension JSONMember {
  /// Returns the members of a literal in their order.
  static func list(_ members: KeyValuePairs<String, JSONValue>) -> [JSONMember] {
    members.map { JSONMember(name: $0.key, value: $0.value) }
  }
}
