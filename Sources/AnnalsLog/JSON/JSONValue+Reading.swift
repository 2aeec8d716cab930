// Accessors for code that reads and changes payloads manually, for example in an upcaster.

extension JSONValue {
  /// The value as a string, or `nil` if it isn't a JSON string.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The value as an `Int`, or `nil` if it isn't an integer or is outside the range of `Int`.
  public var int: Int? {
    if case .number(let number) = self { number.int } else { nil }
  }

  /// The nearest `Double`, or `nil` if the value isn't a number or is outside the range of `Double`.
  public var double: Double? {
    if case .number(let number) = self { number.double } else { nil }
  }

  /// The value as a `Bool`, or `nil` if it isn't a Boolean.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The array's elements, or `nil` if the value isn't an array.
  public var array: [JSONValue]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// Accesses the member of this object that has the given name.
  ///
  /// The result is `nil` if no member has the name, or if this value isn't an object. Setting `nil` or null removes the
  /// member. If this value is null, setting a member turns the value into an object. If this value is neither an object
  /// nor null, setting a member has no effect.
  ///
  /// - Parameter name: The member's name.
  /// - Complexity: O(m) for m members.
  public subscript(name: String) -> JSONValue? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.first { ExactString.exactlyEqual($0.name, name) }?.value
    }
    set {
      var members: [JSONMember]
      switch self {
      case .object(let known): members = known.filter { !ExactString.exactlyEqual($0.name, name) }
      case .null: members = []
      default: return
      }
      if let newValue, newValue != .null {
        let index = members.firstIndex { ExactString(name) < ExactString($0.name) } ?? members.endIndex
        members.insert(JSONMember(name: name, value: newValue), at: index)
      }
      self = .object(members)
    }
  }

  /// Renames a member of an object, and removes any other member with the new name.
  ///
  /// If no member has the current name, the call has no effect.
  ///
  /// - Parameters:
  ///   - old: The current name.
  ///   - new: The new name.
  /// - Complexity: O(m) for m members.
  public mutating func rename(_ old: String, to new: String) {
    guard let value = self[old] else { return }
    self[old] = nil
    self[new] = value
  }

  /// Creates JSON by encoding a value in the same way as an event's payload.
  ///
  /// - Parameter value: The value to encode.
  /// - Throws: `EncodingError` for a value that JSON cannot represent.
  public init(encoding value: some Encodable) throws {
    try self.init(parsing: PayloadCoder().encode(value))
  }

  /// Decodes the JSON as a type, in the same way as an event's payload is decoded.
  ///
  /// - Parameter type: The type to decode.
  /// - Returns: The decoded value.
  /// - Throws: `DecodingError` if the JSON does not match the type.
  public func decoded<T: Decodable>(as type: T.Type) throws -> T {
    try PayloadCoder().decode(type, from: text)
  }
}

// There is no literal for null, because `isEmpty ? nil : value` would then be a null instead of an optional without
// value.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByStringInterpolation {
  /// Creates a Boolean value from a literal.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates a string from a literal.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Creates a number from an integer literal.
  public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }

  /// Creates a number from a floating-point literal, which must be finite.
  public init(floatLiteral value: Double) {
    guard let number = JSONNumber(value) else {
      preconditionFailure("the number must be finite, because JSON can't represent \(value)")
    }
    self = .number(number)
  }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Creates an array from a literal.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// Creates an object from a dictionary literal.
  ///
  /// If a name occurs several times, the last value is used.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object([])
    for (name, value) in elements { self[name] = value }
  }
}
