package import Annals
import AnnalsLog

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
  package var members: [JSONMember] {
    if case .object(let members) = fields { members } else { [] }
  }

  /// The value of a field as it is stored, a personal one with its subject; null if the field does not exist.
  func member(_ field: ExactString) -> JSONValue { members.first { ExactString($0.name) == field }?.value ?? .null }

  /// The value of a field; null if the field does not exist or was erased.
  subscript(field: ExactString) -> JSONValue {
    member(field).impersonal
  }

  /// Sets some fields to new values; null removes a field.
  mutating func update(_ changes: [JSONMember]) {
    var members = members
    // Nothing else holds the members now, so that they are changed in place.
    fields = .null
    for change in changes {
      let name = ExactString(change.name)
      // There are some fields, in the order of their names.
      let place = members.firstIndex { ExactString($0.name) >= name } ?? members.endIndex
      let isThere = place < members.endIndex && ExactString(members[place].name) == name
      if change.value == .null {
        if isThere { members.remove(at: place) }
      } else if isThere {
        members[place] = change
      } else {
        members.insert(change, at: place)
      }
    }
    fields = .object(members)
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
