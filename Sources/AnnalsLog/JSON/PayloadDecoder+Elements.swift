import Foundation

/// The decoding container for an array's elements, in order.
struct PayloadElements: UnkeyedDecodingContainer {
  private let tape: JSONTape
  private let token: Int
  private var next: Int
  private(set) var currentIndex = 0

  init(_ tape: JSONTape, _ token: Int) {
    self.tape = tape
    self.token = token
    next = token + 1
  }

  var codingPath: [any CodingKey] { tape.path(to: token) }
  var count: Int? { Int(tape.tokens[token].count) }
  var isAtEnd: Bool { currentIndex >= Int(tape.tokens[token].count) }

  private var path: [any CodingKey] { codingPath + [PayloadKey(intValue: currentIndex)] }

  private mutating func advance() {
    // Past the end there is no next token, but the index continues to grow, as in Foundation.
    if !isAtEnd { next = Int(tape.tokens[next].next) }
    currentIndex += 1
  }

  private func element(_ type: Any.Type) throws -> Int {
    guard isAtEnd else { return next }
    throw DecodingError.valueNotFound(
      type, .init(codingPath: path, debugDescription: "Unkeyed container is at end."))
  }

  mutating func decodeNil() throws -> Bool {
    guard tape.kind(try element(Never.self)) == .null else { return false }
    advance()
    return true
  }

  mutating func decode(_ type: String.Type) throws -> String {
    guard let value = tape.string(try element(type)) else { throw tape.failure(type, at: next, path) }
    advance()
    return value
  }

  mutating func decode(_ type: Double.Type) throws -> Double {
    guard let value = tape.double(try element(type)) else { throw tape.failure(type, at: next, path) }
    advance()
    return value
  }

  mutating func decode(_ type: Int.Type) throws -> Int {
    guard let value: Int = tape.integer(try element(type)) else { throw tape.failure(type, at: next, path) }
    advance()
    return value
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool {
    guard let value = tape.bool(try element(type)) else { throw tape.failure(type, at: next, path) }
    advance()
    return value
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let found = try element(type)
    let value = try tape.known(type, found) { path } ?? T(from: PayloadDecoder(tape, found))
    advance()
    return value
  }

  // Unlike Foundation, the standard library's default implementations don't increase the index past the end. The paths
  // of errors contain the index.
  mutating func decodeIfPresent(_ type: String.Type) throws -> String? { try present(type) }
  mutating func decodeIfPresent(_ type: Bool.Type) throws -> Bool? { try present(type) }
  mutating func decodeIfPresent(_ type: Double.Type) throws -> Double? { try present(type) }
  mutating func decodeIfPresent(_ type: Float.Type) throws -> Float? { try present(type) }
  mutating func decodeIfPresent(_ type: Int.Type) throws -> Int? { try present(type) }
  mutating func decodeIfPresent(_ type: Int8.Type) throws -> Int8? { try present(type) }
  mutating func decodeIfPresent(_ type: Int16.Type) throws -> Int16? { try present(type) }
  mutating func decodeIfPresent(_ type: Int32.Type) throws -> Int32? { try present(type) }
  mutating func decodeIfPresent(_ type: Int64.Type) throws -> Int64? { try present(type) }
  mutating func decodeIfPresent(_ type: UInt.Type) throws -> UInt? { try present(type) }
  mutating func decodeIfPresent(_ type: UInt8.Type) throws -> UInt8? { try present(type) }
  mutating func decodeIfPresent(_ type: UInt16.Type) throws -> UInt16? { try present(type) }
  mutating func decodeIfPresent(_ type: UInt32.Type) throws -> UInt32? { try present(type) }
  mutating func decodeIfPresent(_ type: UInt64.Type) throws -> UInt64? { try present(type) }
  mutating func decodeIfPresent<T: Decodable>(_ type: T.Type) throws -> T? { try present(type) }

  private mutating func present<T: Decodable>(_ type: T.Type) throws -> T? {
    if isAtEnd || tape.kind(next) == .null {
      advance()
      return nil
    }
    return try decode(type)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let found = try element(KeyedDecodingContainer<NestedKey>.self)
    let container = try PayloadDecoder(tape, found).container(keyedBy: type)
    advance()
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let found = try element((any UnkeyedDecodingContainer).self)
    let container = try PayloadDecoder(tape, found).unkeyedContainer()
    advance()
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let found = try element((any Decoder).self)
    advance()
    return PayloadDecoder(tape, found)
  }
}
