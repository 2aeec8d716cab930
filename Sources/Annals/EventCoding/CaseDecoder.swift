/// Stands before the decoder of payloads: answers the case's name, and the payload as its values.
struct CaseDecoder: Decoder {
  let tape: JSONTape
  let key: String

  private var base: PayloadDecoder { PayloadDecoder(tape, JSONTape.root) }
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(CaseContainer<Key>(tape: tape, key: key))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try base.unkeyedContainer() }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { base }
}

/// The outer container of an enum's coding, whose one key is the case's.
private struct CaseContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let tape: JSONTape
  let key: String
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] {
    guard let own = Key(stringValue: key) else { return [] }
    return [own]
  }

  func contains(_ key: Key) -> Bool { key.stringValue == self.key }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    KeyedDecodingContainer(PayloadMembers<NestedKey>(tape, JSONTape.root, caseName: self.key))
  }

  func decodeNil(forKey key: Key) throws -> Bool { throw notACase() }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { throw notACase() }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw notACase() }
  func superDecoder() throws -> any Decoder { PayloadDecoder(tape, JSONTape.root) }
  func superDecoder(forKey key: Key) throws -> any Decoder { PayloadDecoder(tape, JSONTape.root) }
}
