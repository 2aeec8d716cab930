// By default, the standard library's containers refuse 128-bit integers, even if a container handles all other types.
// The functions in this file handle 128-bit integers like other types.

/// A protocol through which a 128-bit integer is passed as a generic value, so that the container's generic function is
/// called.
private protocol WideInteger: Codable {}
extension Int128: WideInteger {}
extension UInt128: WideInteger {}

extension PayloadEncoder {
  func encode(_ value: Int128) throws { try encode(wide: value) }
  func encode(_ value: UInt128) throws { try encode(wide: value) }
  private func encode(wide value: some WideInteger) throws { try encode(value) }
}

extension PayloadArray {
  mutating func encode(_ value: Int128) throws { try encode(wide: value) }
  mutating func encode(_ value: UInt128) throws { try encode(wide: value) }
  private mutating func encode(wide value: some WideInteger) throws { try encode(value) }
}

extension PayloadObject {
  mutating func encode(_ value: Int128, forKey key: Key) throws { try encode(wide: value, key) }
  mutating func encode(_ value: UInt128, forKey key: Key) throws { try encode(wide: value, key) }
  private mutating func encode(wide value: some WideInteger, _ key: Key) throws { try encode(value, forKey: key) }
}

extension PayloadDecoder {
  func decode(_ type: Int128.Type) throws -> Int128 { try wide(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try wide(type) }
  private func wide<T: WideInteger>(_ type: T.Type) throws -> T { try decode(type) }
}

extension PayloadElements {
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try wide(type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try wide(type) }
  private mutating func wide<T: WideInteger>(_ type: T.Type) throws -> T { try decode(type) }
}

extension PayloadMembers {
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try wide(type, key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try wide(type, key) }
  private func wide<T: WideInteger>(_ type: T.Type, _ key: Key) throws -> T { try decode(type, forKey: key) }

  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try wideIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try wideIfPresent(type, key) }
  private func wideIfPresent<T: WideInteger>(_ type: T.Type, _ key: Key) throws -> T? {
    try decodeIfPresent(type, forKey: key)
  }
}
