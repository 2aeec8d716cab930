/// A decoder that finds the coding keys of a type's cases from the keys that the type requests.
///
/// Compiler-generated decoding of an enum requests all keys before it reads one. Compiler-generated decoding of a
/// struct reads fields without requesting all keys.
package struct CaseProbe: Decoder {
  fileprivate final class Found {
    var keyType: (any CodingKey.Type)?
    var asksForCases = false
  }

  fileprivate struct Stop: Error {}

  private let found: Found
  package var codingPath: [any CodingKey] { [] }
  package var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Returns the coding keys of the type's cases, or `nil` if the type isn't an enum with compiler-generated coding.
  package static func keyType(of type: (some Decodable).Type) -> (any CodingKey.Type)? {
    let found = Found()
    _ = try? type.init(from: CaseProbe(found: found))
    return found.asksForCases ? found.keyType : nil
  }

  package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    if found.keyType == nil { found.keyType = type }
    return KeyedDecodingContainer(ProbeContainer<Key>(found: found))
  }

  package func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Stop() }
  package func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Stop() }
}

private struct ProbeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let found: CaseProbe.Found
  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] {
    found.asksForCases = true
    return []
  }

  func contains(_ key: Key) -> Bool { false }
  func decodeNil(forKey key: Key) throws -> Bool { throw CaseProbe.Stop() }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { throw CaseProbe.Stop() }
  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> { throw CaseProbe.Stop() }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw CaseProbe.Stop() }
  func superDecoder() throws -> any Decoder { throw CaseProbe.Stop() }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw CaseProbe.Stop() }
}
