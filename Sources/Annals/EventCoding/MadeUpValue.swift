import Foundation

/// Makes up a value of a type, so that a case can be made of it whose name is asked for and nothing else.
///
/// Nothing reads what was made up but the type's own decoding.
struct MadeUpValue: Decoder {
  /// Why no value could be made up.
  struct Failure: Error {
    let type: String
  }

  private let depth: Int
  /// True if the type that is being made has cases, if it is an enum.
  private let isInhabited: Bool
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Makes up a value.
  ///
  /// - Throws: `Failure`, or what the type's decoding throws.
  static func make<T: Decodable>(_ type: T.Type, depth: Int = 0) throws -> T {
    if let text = "" as? T { return text }
    if let url = URL(fileURLWithPath: "/") as? T { return url }
    if let zero = zero(type) { return zero }
    // A type that holds values of its own type may go on for ever.
    guard depth < 24 else { throw Failure(type: "\(type)") }
    do {
      return try T(from: MadeUpValue(depth: depth + 1, isInhabited: !_isPOD(type)))
    } catch {
      if let cases = type as? any CaseIterable.Type, let first = firstCase(of: cases) as? T { return first }
      throw error is Failure ? error : Failure(type: "\(type)")
    }
  }

  private static func firstCase<T: CaseIterable>(of type: T.Type) -> Any? { type.allCases.first }

  /// The value of a type without references that has no bit set; nil of other types, and of those without bits.
  ///
  /// Such a number is 0, such a `Bool` false, such an enum its first case: each of these is a value.
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

  /// The keys of a type that asks which there are: of an enum's cases the first one.
  fileprivate func keys<Key: CodingKey>(_ type: Key.Type) -> [Key] {
    if let key = Self.zero(type) { return [key] }
    // An enum of one case has no bits; nor has one without cases, but that has no values to be made.
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
