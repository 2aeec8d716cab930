import Foundation

/// An encoder for a node of a builder, which encodes values like Foundation's encoder with sorted keys and unescaped
/// slashes.
struct PayloadEncoder: Encoder, SingleValueEncodingContainer {
  let builder: JSONBuilder
  let node: Int

  init(_ builder: JSONBuilder, _ node: Int) {
    self.builder = builder
    self.node = node
  }

  var codingPath: [any CodingKey] { builder.path(to: node) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    builder.open(node, as: .object)
    return KeyedEncodingContainer(PayloadObject<Key>(builder, node))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    builder.open(node, as: .array)
    return PayloadArray(builder, node)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() throws {
    builder.open(node, as: .empty)
    builder.write(node) { $0.add("null") }
  }

  func encode<T: Encodable>(_ value: T) throws {
    builder.open(node, as: .empty)
    if try builder.write(known: value, at: node, path: { codingPath }) { return }
    try builder.beginPlainValue(of: T.self)
    defer { builder.endPlainValue() }
    do {
      try value.encode(to: self)
      builder.noteOrder(of: value, at: node)
    } catch {
      // The caller might catch the error and write another value instead.
      builder.empty(node)
      throw error
    }
    // A value that encodes no data becomes an empty object.
    if builder.nodes[node].kind == .empty { builder.open(node, as: .object) }
  }
}

extension JSONBuilder {
  /// Writes a value of a type that JSON or the coder supports, or returns false without writing for any other type.
  func write<T>(known value: T, at node: Int, path: () -> [any CodingKey]) throws -> Bool {
    // Every branch has checked the type T, so the cast does not change the type.
    func same<V>(_: V.Type) -> V { unsafeBitCast(value, to: V.self) }
    if T.self == String.self {
      write(node) { $0.add(quoted: same(String.self)) }
    } else if T.self == Int.self {
      write(node) { $0.add(Int64(same(Int.self))) }
    } else if T.self == Double.self {
      try write(same(Double.self), at: node, path: path)
    } else if T.self == Bool.self {
      write(node) { $0.add(same(Bool.self) ? "true" : "false") }
    } else if T.self == Date.self {
      let date = same(Date.self)
      guard let parts = date.exactParts else {
        try write(date.timeIntervalSinceReferenceDate, at: node, path: path)
        return true
      }
      write(node) { text in
        text.add(UInt8(ascii: "\""))
        RFC3339.write(parts, to: text)
        text.add(UInt8(ascii: "\""))
      }
    } else if T.self == Data.self {
      write(node) { $0.add(quoted: same(Data.self).base64EncodedString()) }
    } else if T.self == URL.self, let url = value as? URL {
      write(node) { $0.add(quoted: url.absoluteString) }
    } else if T.self == Decimal.self {
      let number = same(Decimal.self)
      guard !number.isNaN else { return try write(noNumber: number, as: "NaN", at: node, path: path) }
      write(node) { $0.add(bare: number.description) }
    } else if T.self == Float.self {
      let number = same(Float.self)
      guard number.isFinite else { return try write(nonFinite: number, at: node, path: path) }
      write(node) { $0.add(number) }
    } else {
      return write(integer: value, at: node)
    }
    return true
  }

  private func write<T>(integer value: T, at node: Int) -> Bool {
    func number<V: FixedWidthInteger>(_: V.Type) -> Bool {
      let value = unsafeBitCast(value, to: V.self)
      write(node) { text in
        if let small = Int64(exactly: value) {
          text.add(small)
        } else {
          text.add(bare: String(value))
        }
      }
      return true
    }
    if T.self == Int64.self { return number(Int64.self) }
    if T.self == UInt64.self { return number(UInt64.self) }
    if T.self == UInt.self { return number(UInt.self) }
    if T.self == Int32.self { return number(Int32.self) }
    if T.self == UInt32.self { return number(UInt32.self) }
    if T.self == Int16.self { return number(Int16.self) }
    if T.self == UInt16.self { return number(UInt16.self) }
    if T.self == Int8.self { return number(Int8.self) }
    if T.self == UInt8.self { return number(UInt8.self) }
    if T.self == Int128.self { return number(Int128.self) }
    if T.self == UInt128.self { return number(UInt128.self) }
    return false
  }

  func write(_ number: Double, at node: Int, path: () -> [any CodingKey]) throws {
    guard number.isFinite else { return _ = try write(nonFinite: number, at: node, path: path) }
    write(node) { $0.add(number) }
  }

  private func write<T: FloatingPoint>(nonFinite number: T, at node: Int, path: () -> [any CodingKey]) throws -> Bool {
    try write(noNumber: number, as: number.isNaN ? "NaN" : number < 0 ? "-infinity" : "infinity", at: node, path: path)
  }

  /// Throws an error for a number that JSON cannot represent.
  ///
  /// If the JSON is only compared, writes the number's name instead.
  private func write<T>(
    noNumber number: T, as name: String, at node: Int, path: () -> [any CodingKey]
  ) throws -> Bool {
    guard takesAnyNumber else {
      throw EncodingError.invalidValue(
        number, .init(codingPath: path(), debugDescription: "Unable to encode \(T.self).\(number) directly in JSON."))
    }
    write(node) { $0.add(quoted: name) }
    return true
  }

  /// Throws an error if the array or object that contains a value is nested too deeply.
  ///
  /// The check prevents a stack overflow.
  func checkDepth<T>(of type: T.Type, in container: Int) throws {
    if nodes[container].depth >= JSON.maximumDepth { throw Self.tooDeep(type) }
  }

  /// Creates the error for a value that is nested too deeply.
  ///
  /// The error contains the value's type instead of the value, because the error's description would otherwise overflow
  /// the stack.
  static func tooDeep(_ type: Any.Type) -> EncodingError {
    .invalidValue(
      type, .init(codingPath: [], debugDescription: "The value is nested deeper than \(JSON.maximumDepth) levels."))
  }
}
