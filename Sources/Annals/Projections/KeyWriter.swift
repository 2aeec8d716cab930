/// Takes the bytes of ordered values, one after the other.
public struct KeyWriter: Sendable {
  /// What has been written.
  package private(set) var bytes: [UInt8] = []
  /// 0xFF while bytes are written whose order is reversed.
  private var mask: UInt8 = 0

  package init() {}

  /// Writes one byte.
  ///
  /// - Parameter byte: The byte.
  public mutating func write(byte: UInt8) {
    bytes.append(byte ^ mask)
  }

  /// Writes eight bytes, the most significant first.
  ///
  /// - Parameter word: The bytes as a number.
  public mutating func write(word: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) { write(byte: UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
  }

  /// Writes a text of any length so that a shorter one stands before its continuations.
  ///
  /// - Parameter text: The text; a NUL in it is kept.
  public mutating func write(text: String) {
    for byte in text.utf8 {
      write(byte: byte)
      if byte == 0 { write(byte: 0xFF) }
    }
    write(byte: 0)
    write(byte: 0)
  }

  /// Writes a value in its own order or in the reverse of it.
  package mutating func write(_ value: some OrderedValue, descending: Bool) {
    if descending { mask = ~mask }
    value.encode(into: &self)
    if descending { mask = ~mask }
  }
}

/// The bytes of ordered values, compared as bytes.
package struct OrderKey: Hashable, Comparable, Sendable {
  package let bytes: [UInt8]

  package init(_ write: (inout KeyWriter) -> Void) {
    var writer = KeyWriter()
    write(&writer)
    bytes = writer.bytes
  }

  package init(_ writer: KeyWriter) {
    bytes = writer.bytes
  }

  package init(_ value: some OrderedValue) {
    self.init { value.encode(into: &$0) }
  }

  package static func < (left: OrderKey, right: OrderKey) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
