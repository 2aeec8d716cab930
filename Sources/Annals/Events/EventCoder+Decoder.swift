/// Stands before the real decoder: answers the case's name, and the payload as its values.
struct CaseDecoder: Decoder {
  let base: any Decoder
  let key: String

  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(CaseContainer<Key>(base: base, key: key))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try base.unkeyedContainer() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { try base.singleValueContainer() }
}

/// The outer container of an enum's coding, whose one key is the case's.
private struct CaseContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let base: any Decoder
  let key: String
  var codingPath: [any CodingKey] { base.codingPath }
  var allKeys: [Key] { Key(stringValue: key).map { [$0] } ?? [] }

  func contains(_ key: Key) -> Bool { key.stringValue == self.key }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    KeyedDecodingContainer(ValuesContainer<NestedKey>(base: base, name: key.stringValue))
  }

  func decodeNil(forKey key: Key) throws -> Bool { throw notACase() }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { throw notACase() }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw notACase() }
  func superDecoder() throws -> any Decoder { base }
  func superDecoder(forKey key: Key) throws -> any Decoder { base }

  private func notACase() -> EventCodingError {
    EventCodingError(
      .unsuitableType,
      "an event must be an enum whose Codable is written by the compiler; this one has fields of its own")
  }
}

/// A case's values: the payload's members by label, or the whole payload for the one without a label.
private struct ValuesContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let base: any Decoder
  let name: String
  var codingPath: [any CodingKey] { base.codingPath }
  var allKeys: [Key] { (try? members().allKeys) ?? [] }

  private func members() throws -> KeyedDecodingContainer<Key> { try base.container(keyedBy: Key.self) }

  private func isWhole(_ key: Key) throws -> Bool {
    guard isUnlabelled(key) else { return false }
    guard key.stringValue == "_0" else { throw unlabelledValue(in: name) }
    return true
  }

  func contains(_ key: Key) -> Bool {
    if isUnlabelled(key) { return true }
    return (try? members().contains(key)) ?? false
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    try isWhole(key) ? base.singleValueContainer().decodeNil() : members().decodeNil(forKey: key)
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try isWhole(key) ? base.singleValueContainer().decode(type) : members().decode(type, forKey: key)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try isWhole(key) ? base.container(keyedBy: type) : members().nestedContainer(keyedBy: type, forKey: key)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try isWhole(key) ? base.unkeyedContainer() : members().nestedUnkeyedContainer(forKey: key)
  }

  func superDecoder() throws -> any Decoder { try members().superDecoder() }
  func superDecoder(forKey key: Key) throws -> any Decoder { try members().superDecoder(forKey: key) }
}
