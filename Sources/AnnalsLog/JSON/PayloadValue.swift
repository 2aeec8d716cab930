/// A JSON value inside a payload that is being read.
///
/// You access a member by name, and read it as the type that you expect. If the member is missing or has another type,
/// reading it throws an error with the member's path:
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
    self.tape = tape
    self.token = token
    self.object = object
    self.name = name
  }

  /// Returns the member of this object that has the given name.
  ///
  /// If several members have the name, the first one is returned. If no member has the name, or if this value isn't an
  /// object, reading the returned value throws an error.
  public subscript(name: String) -> PayloadValue {
    let found = tape.kind(token) == .object ? tape.member(name, of: token) : nil
    return PayloadValue(tape, found ?? JSONTape.missing, object: token, name: name)
  }

  /// The value's kind, which is null for a missing member.
  var kind: JSONTape.Kind { tape.kind(token) }

  /// The original string of a number.
  var numberText: String { String(decoding: tape.text(token), as: UTF8.self) }

  /// True if the value is null, or if it is a missing member.
  public var isNull: Bool { tape.kind(token) == .null }

  /// This value, or `nil` if it is null or a missing member.
  public var ifPresent: PayloadValue? { isNull ? nil : self }

  /// Reads the value as a string.
  ///
  /// - Throws: `DecodingError` for a missing value or a value of another kind.
  public func string() throws -> String {
    if let value = tape.string(token) { return value }
    throw failure(String.self)
  }

  /// Reads the value as an integer.
  ///
  /// - Throws: `DecodingError` for a missing value, a value of another kind, or a number that an `Int` cannot
  ///   represent.
  public func int() throws -> Int {
    if let value: Int = tape.integer(token) { return value }
    throw failure(Int.self)
  }

  /// Reads the value as a floating-point number.
  ///
  /// The result is the `Double` that is nearest to the number.
  ///
  /// - Throws: `DecodingError` for a missing value, a value of another kind, or a number outside the range of `Double`.
  public func double() throws -> Double {
    if let value = tape.double(token) { return value }
    throw failure(Double.self)
  }

  /// Reads the value as a Boolean.
  ///
  /// - Throws: `DecodingError` for a missing value or a value of another kind.
  public func bool() throws -> Bool {
    if let value = tape.bool(token) { return value }
    throw failure(Bool.self)
  }

  /// Reads the value through a type's `Decodable` conformance.
  ///
  /// Use this method, for example, for a date, or for a rarely used part of the payload.
  ///
  /// - Parameter type: The type to decode.
  /// - Returns: The decoded value.
  /// - Throws: The errors of the type's `init(from:)`, or `DecodingError` for a missing value.
  public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if token == JSONTape.missing { throw failure(type) }
    return try PayloadDecoder(tape, token).decode(type)
  }

  /// The elements of this array, in order.
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

  /// The members of this object, in the order in which they were written.
  ///
  /// If several members have the same name, only the first one is included.
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
