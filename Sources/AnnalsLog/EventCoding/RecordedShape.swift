import Foundation

/// A decoded value, with a record of the names and types of the properties that its type requested during decoding.
///
/// The type's own code decodes the value from the bytes of a real encoded value, so the type receives only data that it
/// supports.
package struct RecordedShape<Value: Decodable>: Decodable {
  package let value: Value
  /// A description of the requests.
  ///
  /// Two descriptions are equal if the type makes the same requests for the same bytes.
  package let shape: String
  /// The distinct properties that were requested.
  package let parts: Set<String>

  package init(from decoder: any Decoder) throws {
    let record = ShapeRecord()
    value = try Value(from: RecordingDecoder(base: decoder, record: record))
    shape = record.text
    parts = record.parts
  }
}

/// A record of the decoding requests so far.
///
/// `@unchecked Sendable`: only the decoding thread uses the record, and only during the decoding.
private final class ShapeRecord: @unchecked Sendable {
  private(set) var text = ""
  private(set) var parts: Set<String> = []
  /// The maximum length of one value's description.
  ///
  /// When the description has this length, further requests are ignored.
  private static let most = 8_192

  func note(_ part: String) { if text.utf8.count < Self.most { text += part } }

  func note<Key: CodingKey, T>(_ key: Key, _ mark: String, _ type: T.Type) {
    note(" \(key.stringValue)\(mark)")
    if parts.count < 256 { parts.insert("\(Key.self) \(key.stringValue) \(type)") }
  }

  /// Decodes a nested value: with `plain` if its type is a single value for decoders, otherwise as `Inner` with
  /// `other`.
  func inner<T: Decodable>(
    _ type: T.Type, plain: (T.Type) throws -> T, other: (Inner<T>.Type) throws -> Inner<T>
  ) throws -> T {
    note("\(type)")
    if Inner<T>.isPlain { return try plain(type) }
    note("(")
    defer { note(")") }
    return try InnerRecord.$current.withValue(self) { try other(Inner<T>.self).value }
  }
}

/// A decoder that records requests and forwards them to another decoder.
private struct RecordingDecoder: Decoder {
  let base: any Decoder
  let record: ShapeRecord
  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    record.note("{")
    return KeyedDecodingContainer(RecordingMembers(base: try base.container(keyedBy: type), record: record))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    record.note("[")
    return RecordingElements(base: try base.unkeyedContainer(), record: record)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    record.note("=")
    return RecordingValue(base: try base.singleValueContainer(), record: record)
  }
}

/// A wrapper that passes a decoder to a nested value, with the record of the outer value.
private struct Inner<Value: Decodable>: Decodable {
  package let value: Value

  init(from decoder: any Decoder) throws {
    guard let record = InnerRecord.current else {
      preconditionFailure(
        "`InnerRecord.current` must have a value while a nested value is decoded, but is nil. Please report this")
    }
    value = try Value(from: RecordingDecoder(base: decoder, record: record))
  }

  /// True for types that decoders treat as a single value, without calling the type's `init(from:)`.
  static var isPlain: Bool {
    switch Value.self {
    case is String.Type, is Bool.Type, is Double.Type, is Float.Type, is Date.Type, is Data.Type, is URL.Type,
      is Decimal.Type, is any FixedWidthInteger.Type:
      true
    default: false
    }
  }
}

/// The record of the value that is being decoded.
///
/// Nested values that another decoder creates find the record here.
private enum InnerRecord {
  @TaskLocal static var current: ShapeRecord?
}

private struct RecordingMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let base: KeyedDecodingContainer<Key>
  let record: ShapeRecord
  var codingPath: [any CodingKey] { base.codingPath }
  var allKeys: [Key] { base.allKeys }

  func contains(_ key: Key) -> Bool {
    record.note(key, "?", Never.self)
    return base.contains(key)
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    record.note(key, "?", Never.self)
    return try base.decodeNil(forKey: key)
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    record.note(key, ":", type)
    return try record.inner(
      type, plain: { try base.decode($0, forKey: key) }, other: { try base.decode($0, forKey: key) })
  }

  // The standard library's default implementations request only the presence of a missing value, but not its type.
  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(type, key) }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try present(type, key) }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try present(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try present(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try present(type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try present(type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try present(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try present(type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try present(type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try present(type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try present(type, key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try present(type, key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try present(type, key) }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try present(type, key) }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try present(type, key) }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try present(type, key) }

  // By default, the standard library's containers refuse 128-bit integers.
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try wide(type, key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try wide(type, key) }
  private func wide<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T { try decode(type, forKey: key) }

  private func present<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
    record.note(key, "?:", type)
    // The type of a missing value is recorded too.
    guard base.contains(key), try !base.decodeNil(forKey: key) else {
      record.note("\(type)")
      return nil
    }
    return try record.inner(
      type, plain: { try base.decode($0, forKey: key) }, other: { try base.decode($0, forKey: key) })
  }

  func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: Key) throws -> KeyedDecodingContainer<N> {
    record.note(key, "{", N.self)
    return KeyedDecodingContainer(
      RecordingMembers<N>(base: try base.nestedContainer(keyedBy: type, forKey: key), record: record))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    record.note(key, "[", Never.self)
    return RecordingElements(base: try base.nestedUnkeyedContainer(forKey: key), record: record)
  }

  func superDecoder() throws -> any Decoder {
    record.note(" super")
    return RecordingDecoder(base: try base.superDecoder(), record: record)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    record.note(key, " super", Never.self)
    return RecordingDecoder(base: try base.superDecoder(forKey: key), record: record)
  }
}

private struct RecordingElements: UnkeyedDecodingContainer {
  var base: any UnkeyedDecodingContainer
  let record: ShapeRecord
  var codingPath: [any CodingKey] { base.codingPath }
  var count: Int? { base.count }
  var isAtEnd: Bool { base.isAtEnd }
  var currentIndex: Int { base.currentIndex }

  mutating func decodeNil() throws -> Bool { try base.decodeNil() }

  mutating func decode(_ type: Int128.Type) throws -> Int128 { try wide(type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try wide(type) }
  private mutating func wide<T: Decodable>(_ type: T.Type) throws -> T { try decode(type) }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    record.note(" ")
    return try record.inner(type, plain: { try base.decode($0) }, other: { try base.decode($0) })
  }

  mutating func nestedContainer<N: CodingKey>(keyedBy type: N.Type) throws -> KeyedDecodingContainer<N> {
    record.note("{")
    return KeyedDecodingContainer(RecordingMembers<N>(base: try base.nestedContainer(keyedBy: type), record: record))
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    record.note("[")
    return RecordingElements(base: try base.nestedUnkeyedContainer(), record: record)
  }

  mutating func superDecoder() throws -> any Decoder {
    record.note(" super")
    return RecordingDecoder(base: try base.superDecoder(), record: record)
  }
}

private struct RecordingValue: SingleValueDecodingContainer {
  let base: any SingleValueDecodingContainer
  let record: ShapeRecord
  var codingPath: [any CodingKey] { base.codingPath }

  func decodeNil() -> Bool { base.decodeNil() }

  func decode(_ type: Int128.Type) throws -> Int128 { try wide(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try wide(type) }
  private func wide<T: Decodable>(_ type: T.Type) throws -> T { try decode(type) }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try record.inner(type, plain: { try base.decode($0) }, other: { try base.decode($0) })
  }
}
