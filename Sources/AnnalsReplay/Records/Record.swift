package import Annals

/// A row that the tool can show without the app's types: an id and JSON fields.
package struct Record: Row, Hashable {
  /// What tells the row from every other.
  package let id: String
  /// The fields that are not null, by name.
  package private(set) var fields: JSONValue

  /// - Parameters:
  ///   - id: What tells the row from every other.
  ///   - fields: An object.
  package init(id: String, fields: JSONValue = .object([])) {
    self.id = id
    self.fields = fields
  }

  /// The fields by name.
  package var members: [JSONValue.Member] {
    if case .object(let members) = fields { members } else { [] }
  }

  /// The value of a field as it is stored, a personal one with its subject; null if the field does not exist.
  func member(_ field: ExactString) -> JSONValue { members.first { ExactString($0.name) == field }?.value ?? .null }

  /// The value of a field; null if the field does not exist or was erased.
  subscript(field: ExactString) -> JSONValue {
    member(field).impersonal
  }

  /// Sets some fields to new values; null removes a field.
  mutating func update(_ changes: [JSONValue.Member]) {
    var values = Dictionary(uniqueKeysWithValues: members.map { (ExactString($0.name), $0.value) })
    for change in changes { values[ExactString(change.name)] = change.value == .null ? nil : change.value }
    fields = .object(values.sorted { $0.key < $1.key }.map { JSONValue.Member(name: $0.key.text, value: $0.value) })
  }

  package static func == (left: Record, right: Record) -> Bool {
    ExactString(left.id) == ExactString(right.id) && left.fields == right.fields
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(ExactString(id))
    hasher.combine(fields)
  }
}

extension Record {
  private enum CodingKeys: CodingKey {
    case id, fields
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(String.self, forKey: .id),
      fields: try JSONValue(parsing: container.decode(String.self, forKey: .fields)))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(fields.text, forKey: .fields)
  }
}
