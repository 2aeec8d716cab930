/// What is learned of an event while it is encoded.
final class CaseNote {
  /// True if the case has one unlabelled value.
  let single: Bool
  var key: String?
  var wroteValue = false

  init(single: Bool) {
    self.single = single
  }
}

/// Stands before the real encoder: takes the case's name out and lets the values through.
struct CaseEncoder: Encoder {
  let base: any Encoder
  let note: CaseNote

  var codingPath: [any CodingKey] { base.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(CaseContainer<Key>(base: base, note: note))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { base.unkeyedContainer() }
  func singleValueContainer() -> any SingleValueEncodingContainer { base.singleValueContainer() }
}

/// The outer container of an enum's coding, in which each case has a nested one.
private struct CaseContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let base: any Encoder
  let note: CaseNote
  var codingPath: [any CodingKey] { base.codingPath }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    note.key = key.stringValue
    return note.single
      ? KeyedEncodingContainer(SingleContainer<NestedKey>(base: base, note: note))
      : KeyedEncodingContainer(LabelledContainer(base: base.container(keyedBy: NestedKey.self), name: key.stringValue))
  }

  mutating func encodeNil(forKey key: Key) throws { throw notACase() }
  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw notACase() }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    base.unkeyedContainer()
  }
  mutating func superEncoder() -> any Encoder { base }
  mutating func superEncoder(forKey key: Key) -> any Encoder { base }

  private func notACase() -> EventCodingError {
    EventCodingError(
      .unsuitableType,
      "an event must be an enum whose Codable is written by the compiler; this one has fields of its own")
  }
}

/// Writes the one unlabelled value in the place of the object.
private struct SingleContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let base: any Encoder
  let note: CaseNote
  var codingPath: [any CodingKey] { base.codingPath }

  mutating func encodeNil(forKey key: Key) throws {
    note.wroteValue = true
    var container = base.singleValueContainer()
    try container.encodeNil()
  }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    note.wroteValue = true
    var container = base.singleValueContainer()
    try container.encode(value)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    note.wroteValue = true
    return base.container(keyedBy: keyType)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    note.wroteValue = true
    return base.unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { base }
  mutating func superEncoder(forKey key: Key) -> any Encoder { base }
}

/// Writes labelled values, and refuses one without a label beside others.
private struct LabelledContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  var base: KeyedEncodingContainer<Key>
  let name: String
  var codingPath: [any CodingKey] { base.codingPath }

  mutating func encodeNil(forKey key: Key) throws {
    try check(key)
    try base.encodeNil(forKey: key)
  }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    try check(key)
    try base.encode(value, forKey: key)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    base.nestedContainer(keyedBy: keyType, forKey: key)
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    base.nestedUnkeyedContainer(forKey: key)
  }

  mutating func superEncoder() -> any Encoder { base.superEncoder() }
  mutating func superEncoder(forKey key: Key) -> any Encoder { base.superEncoder(forKey: key) }

  private func check(_ key: Key) throws {
    if isUnlabelled(key) { throw unlabelledValue(in: name) }
  }
}

/// Tells whether a key is one that the compiler makes for a value without a label, such as `_0`.
func isUnlabelled(_ key: some CodingKey) -> Bool {
  let text = key.stringValue.utf8
  return text.first == UInt8(ascii: "_") && text.count > 1
    && text.dropFirst().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
}

func unlabelledValue(in name: String) -> EventCodingError {
  EventCodingError(
    .unsuitableType,
    "the case \(name) has a value without a label beside others: expected labelled values, or one unlabelled value; "
      + "label every value, so that the payload says what it is")
}
