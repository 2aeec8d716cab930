/// A JSON value as the contract of a log reads it: strings and names by their scalars, numbers by their value.
///
/// Foundation's readers join names that are canonically equal and lose the text of a number, so that a log read through
/// them would not be the log that was written.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  /// The members that are not null, by name; null and absent are the same.
  case object([Member])

  package struct Member: Hashable, Sendable {
    package let name: String
    package let value: JSONValue

    package init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }

    package static func == (left: Member, right: Member) -> Bool {
      ExactString(left.name) == ExactString(right.name) && left.value == right.value
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(ExactString(name))
      hasher.combine(value)
    }
  }

  /// Reads one value, and nothing after it.
  package init(parsing text: String) throws {
    self = try JSONScanner.value(of: text)
  }

  package static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let one), .bool(let other)): one == other
    case (.number(let one), .number(let other)): one == other
    case (.string(let one), .string(let other)): ExactString(one) == ExactString(other)
    case (.array(let one), .array(let other)): one == other
    case (.object(let one), .object(let other)): one == other
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): hasher.combine(ExactString(value))
    case .array(let values): hasher.combine(values)
    case .object(let members): hasher.combine(members)
    }
  }

  /// The value as compact JSON: numbers as they came, members by name.
  package var text: String {
    var text = ""
    write(to: &text) { $0.text }
    return text
  }

  /// The one text that all equal values share.
  package var canonicalText: String {
    var text = ""
    write(to: &text) { $0.canonicalText }
    return text
  }

  private func write(to text: inout String, number: (JSONNumber) -> String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let value): text += number(value)
    case .string(let value): text += Self.quoted(value)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text, number: number)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        text += Self.quoted(member.name) + ":"
        member.value.write(to: &text, number: number)
      }
      text += "}"
    }
  }
}
