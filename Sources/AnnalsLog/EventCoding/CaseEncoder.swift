import Synchronization

/// A cache of an event type's cases, to which every case is added when its first event is encoded or decoded.
final class CaseMemory {
  struct Case {
    /// The case's coding key.
    let key: String
    let storedName: String
    /// True if the case has a single value without a label.
    let isSingle: Bool
  }

  private var cases: [Case]
  private let shared: SharedCases
  private let prefix: String
  /// True while an event is being encoded.
  private var isEncoding = false
  /// True if the event that is being encoded is the first event of its case.
  private var hasNewCase = false
  /// The case of the event that is being encoded, or `nil` until the event's `encode(to:)` has requested the case's
  /// key.
  private(set) var current: Case?

  init(_ shared: SharedCases, prefix: String) {
    self.shared = shared
    cases = shared.cases.withLock { $0 }
    self.prefix = prefix
  }

  /// Calls a closure that encodes an event, and returns the event's case.
  func encoding(_ body: () throws -> Void) rethrows -> Case? {
    // If the previous event was the first of its case but could not be stored, its case is removed.
    if hasNewCase { (_, hasNewCase) = (cases.removeLast(), false) }
    isEncoding = true
    current = nil
    defer { isEncoding = false }
    try body()
    return current
  }

  /// Returns the case with a name, and records it as the case of the event that is being encoded.
  ///
  /// - Parameters:
  ///   - key: The case's coding key.
  ///   - isSingle: A closure that returns whether the case has a single value without a label. It is called once per
  ///     case.
  /// - Returns: The case.
  fileprivate func found(_ key: String, isSingle: () -> Bool) -> Case {
    if let known = cases.first(where: { ExactString.exactlyEqual($0.key, key) }) {
      current = known
      return known
    }
    precondition(isEncoding, "an encoder must not be used after its event was encoded")
    let new = Case(key: key, storedName: Self.storedName(ofKey: key, prefix: prefix), isSingle: isSingle())
    cases.append(new)
    hasNewCase = true
    current = new
    return new
  }

  /// Checks the stored name of a new case, and shares the case with other coders if the check succeeds.
  func keepNewCase(checking: (String) throws -> Void) rethrows {
    guard hasNewCase else { return }
    hasNewCase = false
    do {
      if let current { try checking(current.storedName) }
    } catch {
      // The check is repeated at the next event.
      cases.removeLast()
      throw error
    }
    shared.cases.withLock { [cases] in if $0.count < cases.count { $0 = cases } }
  }

  private var slots: [CaseSlot] = []

  /// Returns the ``CaseSlot`` that decodes a case's events.
  func slot(_ key: String) -> CaseSlot {
    for slot in slots where ExactString.exactlyEqual(slot.key, key) {
      // An event that is decoded inside another event needs its own slot.
      return slot.isOpen ? CaseSlot(key, isShared: false) : slot
    }
    let new = CaseSlot(key)
    slots.append(new)
    return new
  }

  deinit {
    for slot in slots { slot.forget() }
  }

  private var storedNames: [(key: String, name: String)] = []

  /// Returns a case's stored name, which the closure checks at the name's first use.
  func storedName(ofKey key: String, checking: (String) throws -> Void) rethrows -> String {
    for known in storedNames where ExactString.exactlyEqual(known.key, key) { return known.name }
    let name = Self.storedName(ofKey: key, prefix: prefix)
    try checking(name)
    storedNames.append((key, name))
    return name
  }

  /// Returns a case's stored name, derived from its coding key and its type's prefix.
  static func storedName(ofKey key: String, prefix: String) -> String {
    guard let first = key.first, !first.isUppercase else { return key }
    return prefix + first.uppercased() + key.dropFirst()
  }
}

/// The cases of an event type that were encoded by any coder of the type.
final class SharedCases: Sendable {
  fileprivate let cases = Mutex<[CaseMemory.Case]>([])
}

/// An encoder that wraps the payload encoder, extracts the case's name and forwards the values.
struct CaseEncoder: Encoder {
  let builder: JSONBuilder
  let memory: CaseMemory

  private var base: PayloadEncoder { PayloadEncoder(builder, JSONBuilder.root) }
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(CaseContainer<Key>(builder: builder, memory: memory))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { base.unkeyedContainer() }
  func singleValueContainer() -> any SingleValueEncodingContainer { base }
}

/// The outer container of an enum's coding, in which every case has a nested container.
private struct CaseContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let builder: JSONBuilder
  let memory: CaseMemory
  var codingPath: [any CodingKey] { [] }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    let found = memory.found(key.stringValue) { isOneWithoutLabel(keyType) }
    if found.isSingle {
      return KeyedEncodingContainer(SingleContainer<NestedKey>(base: PayloadEncoder(builder, JSONBuilder.root)))
    }
    builder.open(JSONBuilder.root, as: .object)
    return KeyedEncodingContainer(PayloadObject<NestedKey>(builder, JSONBuilder.root, caseName: found.key))
  }

  mutating func encodeNil(forKey key: Key) throws { throw notACase() }
  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw notACase() }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    PayloadEncoder(builder, JSONBuilder.root).unkeyedContainer()
  }
  mutating func superEncoder() -> any Encoder { PayloadEncoder(builder, JSONBuilder.root) }
  mutating func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

/// A container that writes a case's single unlabelled value instead of a JSON object.
private struct SingleContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  var base: PayloadEncoder
  var codingPath: [any CodingKey] { [] }

  mutating func encodeNil(forKey key: Key) throws { try base.encodeNil() }
  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try base.encode(value) }
  mutating func encode(_ value: Int128, forKey key: Key) throws { try base.encode(value) }
  mutating func encode(_ value: UInt128, forKey key: Key) throws { try base.encode(value) }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> { base.container(keyedBy: keyType) }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { base.unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { base }
  mutating func superEncoder(forKey key: Key) -> any Encoder { base }
}

/// Returns whether the keys of a case's values belong to a single value without a label.
///
/// The compiler generates an enum of keys with one case per value. If the case has a single value, the size of this
/// enum is 0. The event itself is not inspected, because its mirror might be customized.
private func isOneWithoutLabel<Key: CodingKey>(_ keys: Key.Type) -> Bool {
  MemoryLayout<Key>.size == 0 && Key(stringValue: "_0") != nil
}

func notACase() -> EventCodingError {
  EventCodingError(
    .unsuitableType,
    "expected an event that encodes one enum case, found an event that encodes fields; declare the event type as an "
      + "enum with a synthesized Codable conformance")
}

extension EventCodingError {
  /// Creates the error for a case with several values, if one of them has no label.
  init(_ value: UnlabelledValue) {
    self.init(
      .unsuitableType,
      "the case \(value.caseName) has several values, but one of them has no label under which it could be stored; "
        + "label every value")
  }
}
