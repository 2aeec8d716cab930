/// The reusable state for decoding the events of one case, with containers that are created once.
///
/// The type of a container is looked up at run time when the container is created. The lookups took 0.15 µs for each of
/// an event's two containers, and 0.15 µs for the list with the event's single key. Together, they took a fifth of the
/// time of decoding an event.
package final class CaseSlot {
  private let place: PayloadSlot
  /// True if the slot decodes several events one after the other, or false if it decodes a single event.
  private let isShared: Bool
  /// True after the first event.
  ///
  /// The containers of the first event aren't kept, because most coders decode only one event.
  @exclusivity(unchecked) private var keepsContainers = false
  @exclusivity(unchecked) private var outer = KeptContainer()
  @exclusivity(unchecked) private var inner = KeptContainer()

  init(_ key: String, isShared: Bool = true) {
    place = PayloadSlot(caseName: key)
    self.isShared = isShared
  }

  /// The case's coding key.
  var key: String { place.caseName }

  /// True while an event is decoded.
  var isOpen: Bool { place.payload != nil }

  /// Starts to decode an event.
  func open(_ tape: JSONTape) { place.payload = tape }

  /// Ends decoding the event.
  func close() { (place.payload, keepsContainers) = (nil, isShared) }

  /// The payload of the event that is being decoded.
  var tape: JSONTape { place.tape }

  /// Returns the outer container, whose only key belongs to the case.
  func cases<Key: CodingKey>() -> KeyedDecodingContainer<Key> {
    if let kept = outer.kept(Key.self) { return kept.copy() }
    return makeCases()
  }

  // Not inlined, because a function that can create a container always looks up the container's type at its start.
  @inline(never)
  private func makeCases<Key: CodingKey>() -> KeyedDecodingContainer<Key> {
    let new = KeyedDecodingContainer(CaseContainer<Key>(self))
    if keepsContainers { outer.keep(new) }
    return new
  }

  /// Returns the container of the case's values.
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

  /// Releases the containers, which keep references to the slot.
  func forget() { (outer, inner) = (KeptContainer(), KeptContainer()) }
}

/// A container whose generic type is specified only when the container is used.
private struct KeptContainer {
  private var keys: ObjectIdentifier?
  private var kept: AnyObject?

  /// Returns the container for a type of keys, or `nil` if it was not created yet.
  @inline(__always)
  func kept<Key: CodingKey>(_ type: Key.Type) -> Kept<KeyedDecodingContainer<Key>>? {
    guard keys == ObjectIdentifier(type), let kept else { return nil }
    // The type of the keys proves the container's type. A checked cast would look up the type.
    return unsafeDowncast(kept, to: Kept<KeyedDecodingContainer<Key>>.self)
  }

  mutating func keep<Key: CodingKey>(_ container: KeyedDecodingContainer<Key>) {
    keys = ObjectIdentifier(Key.self)
    kept = Kept(container)
  }
}

/// An object that contains a value and its generic type.
private final class Kept<Value> {
  private let value: Value
  init(_ value: Value) { self.value = value }

  /// Returns the value.
  ///
  /// The function isn't inlined, because a method of this class finds the generic type in the object. An inlined copy
  /// would have to look up the type.
  @inline(never)
  func copy() -> Value { value }
}

/// The outer container of an enum's coding, whose only key belongs to the case.
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
