/// A JSON value inside a payload that is being read.
///
/// You access a member by name and read the member as the expected type. If the member is missing or has another type,
/// the error contains the member's path:
///
///     let id = try payload["id"].string()
///     let shelf = try payload["shelf"].ifPresent?.string()
///     let tags = try payload["tags"].elements.map { try $0.string() }
public struct PayloadValue {
  private let tape: JSONTape
  private let token: Int
  /// The token of the object that contains the value, or -1 for a value that was not accessed by name.
  private let object: Int
  private let name: String

  init(_ tape: JSONTape, _ token: Int, object: Int = -1, name: String = "") {
    (self.tape, self.token, self.object, self.name) = (tape, token, object, name)
  }

  /// Returns the object's member with a name, or the first of several members with this name.
  ///
  /// A missing member causes an error only when you read it.
  public subscript(name: String) -> PayloadValue {
    let found = tape.kind(token) == .object ? tape.member(name, of: token) : nil
    return PayloadValue(tape, found ?? JSONTape.missing, object: token, name: name)
  }

  /// The value's kind, which is null for a missing member.
  var kind: JSONTape.Kind { tape.kind(token) }

  /// The original string of a number.
  var numberText: String { String(decoding: tape.text(token), as: UTF8.self) }

  /// True for null and for a missing member.
  public var isNull: Bool { tape.kind(token) == .null }

  /// The value itself, or `nil` if it is null or missing.
  public var ifPresent: PayloadValue? { isNull ? nil : self }

  /// Reads a string.
  ///
  /// - Throws: `DecodingError` for a missing value or a value of another kind.
  public func string() throws -> String {
    if let value = tape.string(token) { return value }
    throw failure(String.self)
  }

  /// Reads an integer.
  ///
  /// - Throws: `DecodingError` for a missing value, a value of another kind, or a number that an `Int` cannot
  ///   represent.
  public func int() throws -> Int {
    if let value: Int = tape.integer(token) { return value }
    throw failure(Int.self)
  }

  /// Reads a number.
  ///
  /// - Throws: `DecodingError` for a missing value, a value of another kind, or a number that a `Double` cannot
  ///   represent.
  public func double() throws -> Double {
    if let value = tape.double(token) { return value }
    throw failure(Double.self)
  }

  /// Reads a Boolean value.
  ///
  /// - Throws: `DecodingError` for a missing value or a value of another kind.
  public func bool() throws -> Bool {
    if let value = tape.bool(token) { return value }
    throw failure(Bool.self)
  }

  /// Reads a value through its type's Codable conformance, for example a date or a rarely used part of the payload.
  ///
  /// - Parameter type: The type of the value.
  /// - Returns: The value.
  /// - Throws: The errors of the type's coding, or `DecodingError` for a missing value.
  public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if token == JSONTape.missing { throw failure(type) }
    return try PayloadDecoder(tape, token).decode(type)
  }

  /// The elements of an array.
  ///
  /// - Throws: `DecodingError` if the value is missing or isn't an array.
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

  /// The distinct members of an object, in order.
  ///
  /// - Throws: `DecodingError` if the value is missing or isn't an object.
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
