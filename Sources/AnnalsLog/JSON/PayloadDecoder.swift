import Foundation

/// A decoder for a token of a tape, which decodes values like Foundation's decoder.
///
/// It differs from Foundation's decoder in a few respects. Foundation accepts some invalid JSON, such as commas before
/// closing brackets and errors in unread parts. Foundation also treats canonically equal names as equal. This decoder
/// refuses such JSON, and distinguishes such names. If a number or a string doesn't match the requested type, the error
/// contains the path to this value.
struct PayloadDecoder: Decoder, SingleValueDecodingContainer {
  /// The place of a decoder that has no token, because a superclass wrote no values.
  final class Nowhere {
    let path: [any CodingKey]

    init(_ path: [any CodingKey]) { self.path = path }
  }

  let tape: JSONTape
  let token: Int
  let nowhere: Nowhere?

  init(_ tape: JSONTape, _ token: Int) {
    self.tape = tape
    self.token = token
    nowhere = nil
  }

  init(_ tape: JSONTape, nowhere path: [any CodingKey]) {
    self.tape = tape
    token = JSONTape.missing
    nowhere = Nowhere(path)
  }

  var codingPath: [any CodingKey] { nowhere?.path ?? tape.path(to: token) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard tape.kind(token) == .object else { throw tape.containerFailure(.object, at: token, codingPath) }
    return KeyedDecodingContainer(PayloadMembers<Key>(tape, token))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard tape.kind(token) == .array else { throw tape.containerFailure(.array, at: token, codingPath) }
    return PayloadElements(tape, token)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { tape.kind(token) == .null }

  func decode(_ type: String.Type) throws -> String {
    if let value = tape.string(token) { return value }
    throw tape.failure(type, at: token, codingPath)
  }

  func decode(_ type: Double.Type) throws -> Double {
    if let value = tape.double(token) { return value }
    throw tape.failure(type, at: token, codingPath)
  }

  func decode(_ type: Int.Type) throws -> Int {
    if let value: Int = tape.integer(token) { return value }
    throw tape.failure(type, at: token, codingPath)
  }

  func decode(_ type: Bool.Type) throws -> Bool {
    if let value = tape.bool(token) { return value }
    throw tape.failure(type, at: token, codingPath)
  }

  // This function decodes all other types, including the other integers. It compares the type at run time, which is
  // necessary anyway for types such as Date.
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if let value = try tape.known(type, token, path: { codingPath }) { return value }
    return try T(from: self)
  }
}

extension JSONTape {
  /// Returns the value of a token if the tape can read the type itself, or `nil` for any other type.
  func known<T>(_ type: T.Type, _ token: Int, path: () -> [any CodingKey]) throws -> T? {
    // Every branch has checked the type T, so the cast does not change the type.
    func same<V>(_ value: V?) throws -> T {
      if let value { return unsafeBitCast(value, to: T.self) }
      throw failure(type, at: token, path())
    }
    if type == String.self { return try same(string(token)) }
    if type == Int.self { return try same(integer(token) as Int?) }
    if type == Double.self { return try same(double(token)) }
    if type == Bool.self { return try same(bool(token)) }
    if type == Date.self { return try same(date(token)) }
    if type == Data.self { return try same(data(token)) }
    if type == URL.self {
      // A URL isn't a trivial type on every platform, so it is cast as a value.
      if let value = url(token) { return value as? T }
      throw failure(type, at: token, path())
    }
    if type == Decimal.self { return try same(decimal(token)) }
    if type == Float.self { return try same(float(token)) }
    return try integerOrNil(type, token, path: path)
  }

  private func integerOrNil<T>(_ type: T.Type, _ token: Int, path: () -> [any CodingKey]) throws -> T? {
    func same<V: FixedWidthInteger>(_: V.Type) throws -> T {
      if let value: V = integer(token) { return unsafeBitCast(value, to: T.self) }
      throw failure(type, at: token, path())
    }
    if type == Int64.self { return try same(Int64.self) }
    if type == UInt64.self { return try same(UInt64.self) }
    if type == UInt.self { return try same(UInt.self) }
    if type == Int32.self { return try same(Int32.self) }
    if type == UInt32.self { return try same(UInt32.self) }
    if type == Int16.self { return try same(Int16.self) }
    if type == UInt16.self { return try same(UInt16.self) }
    if type == Int8.self { return try same(Int8.self) }
    if type == UInt8.self { return try same(UInt8.self) }
    if type == Int128.self { return try same(Int128.self) }
    if type == UInt128.self { return try same(UInt128.self) }
    return nil
  }
}
