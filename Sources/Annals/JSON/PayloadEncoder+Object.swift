/// The members of an object in the making.
struct PayloadObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let sheet: PayloadSheet
  private let node: Int
  /// The name of an event's case whose values these are, which must have labels; nil of every other object.
  private let caseName: String?

  init(_ sheet: PayloadSheet, _ node: Int, caseName: String? = nil) {
    (self.sheet, self.node, self.caseName) = (sheet, node, caseName)
  }

  var codingPath: [any CodingKey] { sheet.path(to: node) }

  /// A node for a member, which the object does not hold yet.
  private func make(_ key: some CodingKey) throws -> Int {
    let name = key.stringValue
    if let caseName, isUnlabelled(name) { throw unlabelledValue(in: caseName) }
    return sheet.make(in: node, named: name)
  }

  mutating func encodeNil(forKey key: Key) throws {
    let member = try make(key)
    sheet.write(member) { $0.add("null") }
    sheet.attach(member)
  }

  mutating func encode(_ value: String, forKey key: Key) throws {
    let member = try make(key)
    sheet.write(member) { $0.add(quoted: value) }
    sheet.attach(member)
  }

  mutating func encode(_ value: Double, forKey key: Key) throws {
    let member = try make(key)
    try sheet.write(value, at: member) { codingPath + [key] }
    sheet.attach(member)
  }

  mutating func encode(_ value: Int, forKey key: Key) throws {
    let member = try make(key)
    sheet.write(member) { $0.add(Int64(value)) }
    sheet.attach(member)
  }

  mutating func encode(_ value: Bool, forKey key: Key) throws {
    let member = try make(key)
    sheet.write(member) { $0.add(value ? "true" : "false") }
    sheet.attach(member)
  }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    let member = try make(key)
    if try !sheet.write(known: value, at: member, path: { codingPath + [key] }) {
      try sheet.checkDepth(of: value, at: member)
      sheet.usedKeys.append((member, key))
      try value.encode(to: PayloadEncoder(sheet, member))
      sheet.noteOrder(of: value, at: member)
    }
    sheet.attach(member)
  }

  /// The node of a container inside: the one that is there, or a new one.
  private func nested(_ key: Key, as kind: PayloadSheet.Kind) -> Int {
    if let member = sheet.member(key.stringValue, of: node) {
      sheet.open(member, as: kind)
      return member
    }
    let member = sheet.make(in: node, named: key.stringValue)
    sheet.usedKeys.append((member, key))
    sheet.open(member, as: kind)
    sheet.attach(member)
    return member
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(PayloadObject<NestedKey>(sheet, nested(key, as: .object)))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    PayloadArray(sheet, nested(key, as: .array))
  }

  mutating func superEncoder() -> any Encoder { superEncoder(under: PayloadKey(stringValue: "super")) }
  mutating func superEncoder(forKey key: Key) -> any Encoder { superEncoder(under: key) }

  private func superEncoder(under key: some CodingKey) -> any Encoder {
    let member = sheet.make(in: node, named: key.stringValue)
    sheet.usedKeys.append((member, key))
    sheet.attach(member)
    return PayloadEncoder(sheet, member)
  }
}

/// The elements of an array in the making.
struct PayloadArray: UnkeyedEncodingContainer {
  private let sheet: PayloadSheet
  private let node: Int

  init(_ sheet: PayloadSheet, _ node: Int) {
    (self.sheet, self.node) = (sheet, node)
  }

  var codingPath: [any CodingKey] { sheet.path(to: node) }
  var count: Int { Int(sheet.nodes[node].count) }

  mutating func encodeNil() throws {
    let element = sheet.makeElement(in: node)
    sheet.write(element) { $0.add("null") }
    sheet.attach(element)
  }

  mutating func encode<T: Encodable>(_ value: T) throws {
    let element = sheet.makeElement(in: node)
    if try !sheet.write(known: value, at: element, path: { sheet.path(to: element) }) {
      try sheet.checkDepth(of: value, at: element)
      try value.encode(to: PayloadEncoder(sheet, element))
      sheet.noteOrder(of: value, at: element)
    }
    sheet.attach(element)
  }

  private func nested(as kind: PayloadSheet.Kind) -> Int {
    let element = sheet.makeElement(in: node)
    sheet.open(element, as: kind)
    sheet.attach(element)
    return element
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    KeyedEncodingContainer(PayloadObject<NestedKey>(sheet, nested(as: .object)))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { PayloadArray(sheet, nested(as: .array)) }

  mutating func superEncoder() -> any Encoder { PayloadEncoder(sheet, nested(as: .empty)) }
}
