/// What a type reads when it is decoded: the names and types of its properties, as far as they can be found without a value.
///
/// A type that decodes by its own code may stop the search early; what was found until then is its shape.
struct RowShape: Decoder {
  private final class Found {
    var text = ""
    var depth = 0
  }

  private struct Stop: Error {}

  private let found: Found
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The shape of a type, the same as long as its properties are.
  static func of<T: Decodable>(_ type: T.Type) -> String {
    let found = Found()
    _ = try? RowShape(found: found).value(type)
    return found.text
  }

  private func value<T: Decodable>(_ type: T.Type) throws -> T {
    found.text += "\(type)"
    // A type that has itself as a part has no end.
    guard found.depth < 8, found.text.utf8.count < 16_384 else { throw Stop() }
    found.depth += 1
    defer { found.depth -= 1 }
    return try type.init(from: self)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    found.text += "{"
    return KeyedDecodingContainer(Keyed<Key>(shape: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    found.text += "[]"
    throw Stop()
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(shape: self) }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let shape: RowShape
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool { false }

    /// Reads a property; what stops inside it does not keep the next one from being found.
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      shape.found.text += " \(key.stringValue):"
      return try shape.value(type)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
      shape.found.text += " \(key.stringValue)?:"
      return try? shape.value(type)
    }

    func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: Key) throws -> KeyedDecodingContainer<N> {
      shape.found.text += " \(key.stringValue)"
      return try shape.container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      shape.found.text += " \(key.stringValue)"
      return try shape.unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { shape }
    func superDecoder(forKey key: Key) throws -> any Decoder { shape }
  }

  private struct Single: SingleValueDecodingContainer {
    let shape: RowShape
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { true }
    func decode(_ type: Bool.Type) throws -> Bool { false }
    func decode(_ type: String.Type) throws -> String { "" }
    func decode(_ type: Double.Type) throws -> Double { 0 }
    func decode(_ type: Float.Type) throws -> Float { 0 }
    func decode(_ type: Int.Type) throws -> Int { 0 }
    func decode(_ type: Int8.Type) throws -> Int8 { 0 }
    func decode(_ type: Int16.Type) throws -> Int16 { 0 }
    func decode(_ type: Int32.Type) throws -> Int32 { 0 }
    func decode(_ type: Int64.Type) throws -> Int64 { 0 }
    func decode(_ type: UInt.Type) throws -> UInt { 0 }
    func decode(_ type: UInt8.Type) throws -> UInt8 { 0 }
    func decode(_ type: UInt16.Type) throws -> UInt16 { 0 }
    func decode(_ type: UInt32.Type) throws -> UInt32 { 0 }
    func decode(_ type: UInt64.Type) throws -> UInt64 { 0 }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try shape.value(type) }
  }
}
