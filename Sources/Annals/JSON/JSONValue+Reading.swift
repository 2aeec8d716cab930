// What is written where a payload is read and changed by hand, in an upcaster say.

extension JSONValue {
  /// The text; nil if the value is none.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The whole number; nil if the value is none, or beyond `Int`.
  public var int: Int? {
    if case .number(let number) = self { number.int } else { nil }
  }

  /// The nearest double; nil if the value is no number, or beyond `Double`.
  public var double: Double? {
    if case .number(let number) = self { number.double } else { nil }
  }

  /// True or false; nil if the value is neither.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The values of an array; nil if the value is none.
  public var array: [JSONValue]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// The member of a name; nil if there is none, or if the value is no object.
  ///
  /// Setting nil or null takes the member out. Setting a member makes an object of null; it changes nothing in a value
  /// of any other kind, which the event's type then refuses.
  ///
  /// - Parameter name: The member's name.
  /// - Complexity: O(m) for m members.
  public subscript(name: String) -> JSONValue? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.first { ExactString.exactlyEqual($0.name, name) }?.value
    }
    set {
      var members: [Member]
      switch self {
      case .object(let known): members = known.filter { !ExactString.exactlyEqual($0.name, name) }
      case .null: members = []
      default: return
      }
      if let newValue, newValue != .null {
        let index = members.firstIndex { ExactString(name) < ExactString($0.name) } ?? members.endIndex
        members.insert(Member(name: name, value: newValue), at: index)
      }
      self = .object(members)
    }
  }

  /// Gives a member another name; what had that name is replaced, and nothing happens if there is no such member.
  ///
  /// - Parameters:
  ///   - old: The name that it has.
  ///   - new: The name that it gets.
  /// - Complexity: O(m) for m members.
  public mutating func rename(_ old: String, to new: String) {
    guard let value = self[old] else { return }
    self[old] = nil
    self[new] = value
  }

  /// Creates the JSON of a value, as an event's payload would hold it.
  ///
  /// - Parameter value: The value.
  /// - Throws: `EncodingError` for what JSON cannot hold.
  public init(encoding value: some Encodable) throws {
    try self.init(parsing: PayloadCoder().encode(value))
  }

  /// Reads a value, as it would be read from an event's payload.
  ///
  /// - Parameter type: The value's type.
  /// - Returns: The value.
  /// - Throws: `DecodingError` if the JSON does not fit.
  public func decoded<T: Decodable>(as type: T.Type) throws -> T {
    try PayloadCoder().decode(type, from: text)
  }
}

// There is no literal for null: `isEmpty ? nil : value` would then be a null where an optional is meant to be nil.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByStringInterpolation {
  /// Creates true or false.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates a text.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Creates a number.
  public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }

  /// Creates a number, which must be finite.
  public init(floatLiteral value: Double) {
    guard let number = JSONNumber(value) else {
      preconditionFailure("the number must be finite, because JSON can't represent \(value)")
    }
    self = .number(number)
  }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
  /// Creates an array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// Creates an object; of a name given twice the last value holds.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object([])
    for (name, value) in elements { self[name] = value }
  }
}
