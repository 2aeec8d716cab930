/// Where the events of one case are decoded, one after the other, by containers that are made once.
///
/// A container's type is looked for at run time when it is made: that took 0.15 µs for each of an event's two, and as
/// long again for the list of its one key, a fifth of what decoding an event took.
final class CaseSlot {
  private let place: PayloadPlace
  /// True if events come here one after the other; false for one event alone.
  private let isShared: Bool
  /// True from the second event on: most coders that decode one event decode no other.
  @exclusivity(unchecked) private var keepsContainers = false
  @exclusivity(unchecked) private var outer = KeptContainer()
  @exclusivity(unchecked) private var inner = KeptContainer()

  init(_ key: String, isShared: Bool = true) { (place, self.isShared) = (PayloadPlace(caseName: key), isShared) }

  /// The case's name in the coding of its type.
  var key: String { place.caseName }

  /// True while an event is decoded.
  var isOpen: Bool { place.payload != nil }

  /// Begins to decode an event.
  func open(_ tape: JSONTape) { place.payload = tape }

  /// Ends it.
  func close() { (place.payload, keepsContainers) = (nil, isShared) }

  /// The payload of the event that is being decoded.
  var tape: JSONTape { place.tape }

  /// The container whose one key is the case's.
  func cases<Key: CodingKey>() -> KeyedDecodingContainer<Key> {
    if let kept = outer.kept(Key.self) { return kept.copy() }
    return makeCases()
  }

  // Not inlined: a function that makes a container looks for its type first, whether it makes one or not.
  @inline(never)
  private func makeCases<Key: CodingKey>() -> KeyedDecodingContainer<Key> {
    let new = KeyedDecodingContainer(CaseContainer<Key>(self))
    if keepsContainers { outer.keep(new) }
    return new
  }

  /// The container of the case's values.
  func values<Key: CodingKey>() -> KeyedDecodingContainer<Key> {
    if let kept = inner.kept(Key.self) { return kept.copy() }
    return makeValues()
  }

  @inline(never)
  private func makeValues<Key: CodingKey>() -> KeyedDecodingContainer<Key> {
    let new = KeyedDecodingContainer(PayloadMembers<Key>(place))
    if keepsContainers { inner.keep(new) }
    return new
  }

  /// Lets go of the containers, which hold the slot.
  func forget() { (outer, inner) = (KeptContainer(), KeptContainer()) }
}

/// A container of a type that is known only when it is asked for.
private struct KeptContainer {
  private var keys: ObjectIdentifier?
  private var kept: AnyObject?

  /// The container of a type of keys, if it was made.
  @inline(__always)
  func kept<Key: CodingKey>(_ type: Key.Type) -> Kept<KeyedDecodingContainer<Key>>? {
    guard keys == ObjectIdentifier(type), let kept else { return nil }
    // Of these keys, so it is of this type; a cast would look for the type again.
    return unsafeDowncast(kept, to: Kept<KeyedDecodingContainer<Key>>.self)
  }

  mutating func keep<Key: CodingKey>(_ container: KeyedDecodingContainer<Key>) {
    (keys, kept) = (ObjectIdentifier(Key.self), Kept(container))
  }
}

/// A value in an object, which knows the value's type.
private final class Kept<Value> {
  private let value: Value
  init(_ value: Value) { self.value = value }

  /// Not inlined: here the type is the object's, and where this is called it would be looked for.
  @inline(never)
  func copy() -> Value { value }
}

/// The outer container of an enum's coding, whose one key is the case's.
private struct CaseContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let slot: CaseSlot
  let allKeys: [Key]
  var codingPath: [any CodingKey] { [] }

  init(_ slot: CaseSlot) {
    self.slot = slot
    allKeys = Key(stringValue: slot.key).map { [$0] } ?? []
  }

  func contains(_ key: Key) -> Bool { key.stringValue == slot.key }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> { slot.values() }

  func decodeNil(forKey key: Key) throws -> Bool { throw notACase() }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { throw notACase() }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw notACase() }
  func superDecoder() throws -> any Decoder { PayloadDecoder(slot.tape, JSONTape.root) }
  func superDecoder(forKey key: Key) throws -> any Decoder { PayloadDecoder(slot.tape, JSONTape.root) }
}
