extension PayloadValue {
  /// The value as JSON, whatever its kind is; null for what is missing.
  ///
  /// - Throws: `DecodingError` for a number that `JSONNumber` does not hold.
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

  /// The members of an object in their order, each name once, those that are null too.
  ///
  /// - Throws: `DecodingError` for what is missing or no object.
  package func membersWithNulls() throws -> [JSONValue.Member] {
    try members.map { JSONValue.Member(name: $0.name, value: $0.value.isNull ? .null : try $0.value.json()) }
  }
}
