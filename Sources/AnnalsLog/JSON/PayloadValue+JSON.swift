extension PayloadValue {
  /// Returns the value as JSON, regardless of its kind, or null for a missing value.
  ///
  /// - Throws: `DecodingError` for a number that `JSONNumber` cannot represent.
  package func json() throws -> JSONValue {
    switch kind {
    case .null: return .null
    case .yes: return .bool(true)
    case .no: return .bool(false)
    case .plain, .escaped: return .string(try string())
    case .integer, .number:
      guard let number = JSONNumber(text: numberText) else { throw failure(JSONNumber.self) }
      return .number(number)
    case .array: return .array(try elements.map { try $0.json() })
    case .object:
      let members = try membersWithNulls().filter { $0.value != .null }
      return .object(members.sorted { ExactString($0.name) < ExactString($1.name) })
    }
  }

  /// Returns the distinct members of an object in order, including null members.
  ///
  /// - Throws: `DecodingError` if the value is missing or isn't an object.
  package func membersWithNulls() throws -> [JSONMember] {
    try members.map { JSONMember(name: $0.name, value: $0.value.isNull ? .null : try $0.value.json()) }
  }
}
