/// A JSON value of a payload that is being read.
///
/// A member is asked for by name and read as what it must be; a member that is missing, or of another kind, is an
/// error that says where:
///
///     let id = try payload["id"].string()
///     let shelf = try payload["shelf"].ifPresent?.string()
///     let tags = try payload["tags"].elements.map { try $0.string() }
public struct PayloadValue {
  private let tape: JSONTape
  private let token: Int
  /// The object in which it was looked for, and the name; -1 for what was not looked for by name.
  private let object: Int
  private let name: String

  init(_ tape: JSONTape, _ token: Int, object: Int = -1, name: String = "") {
    (self.tape, self.token, self.object, self.name) = (tape, token, object, name)
  }

  /// The member of an object; of two of one name the first.
  ///
  /// Whether it is there shows when you read it.
  public subscript(name: String) -> PayloadValue {
    let found = tape.kind(token) == .object ? tape.member(name, of: token) : nil
    return PayloadValue(tape, found ?? JSONTape.missing, object: token, name: name)
  }

  /// The kind of value; null also of a member that is missing.
  var kind: JSONTape.Kind { tape.kind(token) }

  /// The text of a number.
  var numberText: String { String(decoding: tape.text(token), as: UTF8.self) }

  /// True of null, and of a member that is missing.
  public var isNull: Bool { tape.kind(token) == .null }

  /// The value itself, nil if it is null or missing.
  public var ifPresent: PayloadValue? { isNull ? nil : self }

  /// Reads a string.
  ///
  /// - Throws: `DecodingError` for what is missing or another kind of value.
  public func string() throws -> String {
    if let value = tape.string(token) { return value }
    throw failure(String.self)
  }

  /// Reads an integer.
  ///
  /// - Throws: `DecodingError` for what is missing, another kind of value, or a number that an `Int` does not hold.
  public func int() throws -> Int {
    if let value: Int = tape.integer(token) { return value }
    throw failure(Int.self)
  }

  /// Reads a number.
  ///
  /// - Throws: `DecodingError` for what is missing, another kind of value, or a number that a `Double` does not hold.
  public func double() throws -> Double {
    if let value = tape.double(token) { return value }
    throw failure(Double.self)
  }

  /// Reads true or false.
  ///
  /// - Throws: `DecodingError` for what is missing or another kind of value.
  public func bool() throws -> Bool {
    if let value = tape.bool(token) { return value }
    throw failure(Bool.self)
  }

  /// Reads a value as its own Codable does, such as a date or a part that is rarely there.
  ///
  /// - Parameter type: The type.
  /// - Returns: The value.
  /// - Throws: What the type's coding throws; `DecodingError` for what is missing.
  public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if token == JSONTape.missing { throw failure(type) }
    return try PayloadDecoder(tape, token).decode(type)
  }

  /// The elements of an array.
  ///
  /// - Throws: `DecodingError` for what is missing or no array.
  public var elements: [PayloadValue] {
    get throws {
      guard tape.kind(token) == .array else { throw failure([Any].self) }
      var elements: [PayloadValue] = []
      elements.reserveCapacity(Int(tape.tokens[token].count))
      var element = token + 1
      while element < Int(tape.tokens[token].next) {
        elements.append(PayloadValue(tape, element))
        element = Int(tape.tokens[element].next)
      }
      return elements
    }
  }

  /// The members of an object in their order, each name once.
  ///
  /// - Throws: `DecodingError` for what is missing or no object.
  public var members: [(name: String, value: PayloadValue)] {
    get throws {
      guard tape.kind(token) == .object, let names = tape.names(of: token) else { throw failure([String: Any].self) }
      return names.map { ($0, self[$0]) }
    }
  }

  func failure(_ type: Any.Type) -> DecodingError {
    guard token == JSONTape.missing, object >= 0 else { return tape.failure(type, at: token, tape.path(to: token)) }
    let path = object == JSONTape.missing ? [] : tape.path(to: object)
    // If the object is missing itself, the error is about the object.
    guard tape.kind(object) == .object else { return tape.containerFailure(.object, at: object, path) }
    let key = PayloadKey(stringValue: name)
    return .keyNotFound(
      key, .init(codingPath: path, debugDescription: "No value associated with the name \"\(name)\"."))
  }
}
