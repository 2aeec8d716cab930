/// An encoder that finds the coding key of an event's case without reading the event's values.
struct CaseName: Encoder {
  fileprivate final class Found {
    var key: String?
  }

  fileprivate struct Stop: Error {}

  fileprivate let found: Found
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Returns the coding key of an event's case, or `nil` if the type's coding doesn't write a key for the case.
  static func key(of event: some Encodable) -> String? {
    let found = Found()
    // The encoding stops with an error at the first value.
    try? event.encode(to: CaseName(found: found))
    return found.key
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(NameContainer<Key>(found: found, isOuter: true))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { NameEnd(found: found) }
  func singleValueContainer() -> any SingleValueEncodingContainer { NameEnd(found: found) }
}

private struct NameContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let found: CaseName.Found
  let isOuter: Bool
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) throws { throw CaseName.Stop() }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw CaseName.Stop() }

  func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: Key) -> KeyedEncodingContainer<N> {
    if isOuter { found.key = key.stringValue }
    return KeyedEncodingContainer(NameContainer<N>(found: found, isOuter: false))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { NameEnd(found: found) }
  func superEncoder() -> any Encoder { CaseName(found: CaseName.Found()) }
  func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

/// A container for code that doesn't write a case's key.
private struct NameEnd: UnkeyedEncodingContainer, SingleValueEncodingContainer {
  let found: CaseName.Found
  var codingPath: [any CodingKey] { [] }
  var count: Int { 0 }

  func encodeNil() throws { throw CaseName.Stop() }
  func encode<T: Encodable>(_ value: T) throws { throw CaseName.Stop() }
  func nestedContainer<N: CodingKey>(keyedBy type: N.Type) -> KeyedEncodingContainer<N> {
    KeyedEncodingContainer(NameContainer<N>(found: found, isOuter: false))
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { CaseName(found: CaseName.Found()) }
}
