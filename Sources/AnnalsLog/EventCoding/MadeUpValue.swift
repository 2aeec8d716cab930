import Foundation

/// A decoder that provides placeholder values for a temporary event of a case.
///
/// The event is created to find the case's name. Only the type's own decoding reads the placeholder values.
struct MadeUpValue: Decoder {
  /// The reason why no placeholder could be created.
  struct Failure: Error {
    let type: String
  }

  private let depth: Int
  /// True if the current type has cases, which matters only if the type is an enum.
  private let isInhabited: Bool
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Creates a placeholder value.
  ///
  /// - Throws: `Failure`, or the errors of the type's decoding.
  static func make<T: Decodable>(_ type: T.Type, depth: Int = 0) throws -> T {
    if let text = "" as? T { return text }
    if let url = URL(fileURLWithPath: "/") as? T { return url }
    if let zero = zero(type) { return zero }
    // The depth is limited, because the decoding of a recursive type might not end.
    guard depth < 24 else { throw Failure(type: "\(type)") }
    do {
      return try T(from: MadeUpValue(depth: depth + 1, isInhabited: !_isPOD(type)))
    } catch {
      if let cases = type as? any CaseIterable.Type, let first = firstCase(of: cases) as? T { return first }
      throw error is Failure ? error : Failure(type: "\(type)")
    }
  }

  private static func firstCase<T: CaseIterable>(of type: T.Type) -> Any? { type.allCases.first }

  /// Returns the value of a trivial type with all bits zero, or `nil` for other types and types of size 0.
  ///
  /// With all bits zero, a number is 0, a `Bool` is false, and an enum is its first case. All of these are valid
  /// values.
  fileprivate static func zero<T>(_ type: T.Type) -> T? {
    guard _isPOD(type), MemoryLayout<T>.size > 0 else { return nil }
    return withUnsafeTemporaryAllocation(
      byteCount: MemoryLayout<T>.size, alignment: MemoryLayout<T>.alignment
    ) { bytes in
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
      return bytes.load(as: type)
    }
  }

  fileprivate func inner<T: Decodable>(_ type: T.Type) throws -> T { try Self.make(type, depth: depth) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Members<Key>(base: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { Elements(base: self) }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(base: self) }

  /// Returns the keys for a type that requests its keys.
  ///
  /// For the cases of an enum, this is only the first key.
  fileprivate func keys<Key: CodingKey>(_ type: Key.Type) -> [Key] {
    if let key = Self.zero(type) { return [key] }
    // An enum with one case has size 0. An enum without cases has size 0 too, but it has no values to create.
    guard isInhabited, MemoryLayout<Key>.size == 0 else { return [] }
    return [unsafeBitCast((), to: type)]
  }
}

private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let base: MadeUpValue
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { base.keys(Key.self) }

  func contains(_ key: Key) -> Bool { false }
  func decodeNil(forKey key: Key) throws -> Bool { true }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try base.inner(type) }
  func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: Key) throws -> KeyedDecodingContainer<N> {
    try base.container(keyedBy: type)
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try base.unkeyedContainer() }
  func superDecoder() throws -> any Decoder { base }
  func superDecoder(forKey key: Key) throws -> any Decoder { base }
}

private struct Elements: UnkeyedDecodingContainer {
  let base: MadeUpValue
  var codingPath: [any CodingKey] { [] }
  var count: Int? { 0 }
  var isAtEnd: Bool { true }
  var currentIndex: Int { 0 }

  func decodeNil() throws -> Bool { true }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try base.inner(type) }
  func nestedContainer<N: CodingKey>(keyedBy type: N.Type) throws -> KeyedDecodingContainer<N> {
    try base.container(keyedBy: type)
  }
  func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try base.unkeyedContainer() }
  func superDecoder() throws -> any Decoder { base }
}

private struct Single: SingleValueDecodingContainer {
  let base: MadeUpValue
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { true }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try base.inner(type) }
}
