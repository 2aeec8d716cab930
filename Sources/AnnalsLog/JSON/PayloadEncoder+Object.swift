/// The encoding container for an object's members.
struct PayloadObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let builder: JSONBuilder
  private let node: Int
  /// The name of the event's case to which the values belong, or `nil` for any other object.
  ///
  /// A case's values need labels.
  private let caseName: String?

  init(_ builder: JSONBuilder, _ node: Int, caseName: String? = nil) {
    self.builder = builder
    self.node = node
    self.caseName = caseName
  }

  var codingPath: [any CodingKey] { builder.path(to: node) }

  /// Creates a node for a member without attaching it to the object.
  private func make<T>(_ key: some CodingKey, _ type: T.Type) throws -> Int {
    let name = key.stringValue
    if let caseName, isUnlabelled(name) { throw UnlabelledValue(caseName: caseName) }
    try builder.checkDepth(of: type, in: node)
    return builder.make(in: node, named: name)
  }

  mutating func encodeNil(forKey key: Key) throws {
    let member = try make(key, Never?.self)
    builder.write(member) { $0.add("null") }
    builder.attach(member)
  }

  mutating func encode(_ value: String, forKey key: Key) throws {
    let member = try make(key, String.self)
    builder.write(member) { $0.add(quoted: value) }
    builder.attach(member)
  }

  mutating func encode(_ value: Double, forKey key: Key) throws {
    let member = try make(key, Double.self)
    try builder.write(value, at: member) { codingPath + [key] }
    builder.attach(member)
  }

  mutating func encode(_ value: Int, forKey key: Key) throws {
    let member = try make(key, Int.self)
    builder.write(member) { $0.add(Int64(value)) }
    builder.attach(member)
  }

  mutating func encode(_ value: Bool, forKey key: Key) throws {
    let member = try make(key, Bool.self)
    builder.write(member) { $0.add(value ? "true" : "false") }
    builder.attach(member)
  }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    let member = try make(key, T.self)
    if try !builder.write(known: value, at: member, path: { codingPath + [key] }) {
      builder.usedKeys.append((member, key))
      try value.encode(to: PayloadEncoder(builder, member))
      builder.noteOrder(of: value, at: member)
    }
    builder.attach(member)
  }

  /// Returns the existing node of a nested container, or creates one.
  private func nested(_ key: Key, as kind: JSONBuilder.Kind) -> Int {
    if let member = builder.member(key.stringValue, of: node) {
      builder.open(member, as: kind)
      return member
    }
    let member = builder.make(in: node, named: key.stringValue)
    builder.usedKeys.append((member, key))
    builder.open(member, as: kind)
    builder.attach(member)
    return member
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(PayloadObject<NestedKey>(builder, nested(key, as: .object)))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    PayloadArray(builder, nested(key, as: .array))
  }

  mutating func superEncoder() -> any Encoder { superEncoder(under: PayloadKey(stringValue: "super")) }
  mutating func superEncoder(forKey key: Key) -> any Encoder { superEncoder(under: key) }

  private func superEncoder(under key: some CodingKey) -> any Encoder {
    let member = builder.make(in: node, named: key.stringValue)
    builder.usedKeys.append((member, key))
    builder.attach(member)
    return PayloadEncoder(builder, member)
  }
}

/// The encoding container for an array's elements.
struct PayloadArray: UnkeyedEncodingContainer {
  private let builder: JSONBuilder
  private let node: Int

  init(_ builder: JSONBuilder, _ node: Int) {
    self.builder = builder
    self.node = node
  }

  var codingPath: [any CodingKey] { builder.path(to: node) }
  var count: Int { Int(builder.nodes[node].count) }

  mutating func encodeNil() throws {
    try builder.checkDepth(of: Never?.self, in: node)
    let element = builder.makeElement(in: node)
    builder.write(element) { $0.add("null") }
    builder.attach(element)
  }

  mutating func encode<T: Encodable>(_ value: T) throws {
    try builder.checkDepth(of: T.self, in: node)
    let element = builder.makeElement(in: node)
    if try !builder.write(known: value, at: element, path: { builder.path(to: element) }) {
      try value.encode(to: PayloadEncoder(builder, element))
      builder.noteOrder(of: value, at: element)
    }
    builder.attach(element)
  }

  private func nested(as kind: JSONBuilder.Kind) -> Int {
    let element = builder.makeElement(in: node)
    builder.open(element, as: kind)
    builder.attach(element)
    return element
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(PayloadObject<NestedKey>(builder, nested(as: .object)))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { PayloadArray(builder, nested(as: .array)) }

  mutating func superEncoder() -> any Encoder { PayloadEncoder(builder, nested(as: .empty)) }
}
