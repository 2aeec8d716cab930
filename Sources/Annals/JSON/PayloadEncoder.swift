import Foundation

/// Encodes a value onto a sheet's node, as Foundation's encoder writes JSON text with sorted keys and plain slashes.
struct PayloadEncoder: Encoder, SingleValueEncodingContainer {
  let sheet: PayloadSheet
  let node: Int

  init(_ sheet: PayloadSheet, _ node: Int) {
    (self.sheet, self.node) = (sheet, node)
  }

  var codingPath: [any CodingKey] { sheet.path(to: node) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    sheet.open(node, as: .object)
    return KeyedEncodingContainer(PayloadObject<Key>(sheet, node))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    sheet.open(node, as: .array)
    return PayloadArray(sheet, node)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func encodeNil() throws {
    sheet.open(node, as: .empty)
    sheet.write(node) { $0.add("null") }
  }

  func encode<T: Encodable>(_ value: T) throws {
    sheet.open(node, as: .empty)
    if try sheet.write(known: value, at: node, path: { codingPath }) { return }
    try sheet.checkDepth(of: value, at: node)
    do {
      try value.encode(to: self)
      sheet.noteOrder(of: value, at: node)
    } catch {
      // Somebody may write something else in its place.
      sheet.empty(node)
      throw error
    }
    // What encodes nothing is an empty object.
    if sheet.nodes[node].kind == .empty { sheet.open(node, as: .object) }
  }
}

extension PayloadSheet {
  /// Writes a value of a type that JSON or the coder knows; false, with nothing written, of any other type.
  func write<T>(known value: T, at node: Int, path: () -> [any CodingKey]) throws -> Bool {
    // Each branch has asked which type T is, so that the cast is of a type to itself.
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
      try write(same(Date.self).timeIntervalSinceReferenceDate, at: node, path: path)
    } else if T.self == Data.self {
      write(node) { $0.add(quoted: same(Data.self).base64EncodedString()) }
    } else if T.self == URL.self, let url = value as? URL {
      write(node) { $0.add(quoted: url.absoluteString) }
    } else if T.self == Decimal.self {
      write(node) { $0.add(bare: same(Decimal.self).description) }
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

  /// Refuses a number that JSON cannot hold, unless the text is only compared.
  private func write<T: FloatingPoint>(nonFinite number: T, at node: Int, path: () -> [any CodingKey]) throws -> Bool {
    guard takesAnyNumber else { throw notANumber(number, path()) }
    write(node) { $0.add(quoted: number.isNaN ? "NaN" : number < 0 ? "-infinity" : "infinity") }
    return true
  }

  func notANumber<T: FloatingPoint>(_ number: T, _ path: [any CodingKey]) -> EncodingError {
    .invalidValue(
      number, .init(codingPath: path, debugDescription: "Unable to encode \(T.self).\(number) directly in JSON."))
  }

  /// Stops what is nested without end before the stack does.
  func checkDepth(of value: some Encodable, at node: Int) throws {
    if nodes[node].depth > Self.maximumDepth { throw tooDeep(value) }
  }

  func tooDeep(_ value: Any) -> EncodingError {
    .invalidValue(
      value,
      .init(codingPath: [], debugDescription: "The value is nested deeper than \(Self.maximumDepth) levels."))
  }
}
