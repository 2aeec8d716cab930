import Foundation

/// The bytes of ordered values, compared as bytes.
///
/// The first eight bytes are a number, so that most comparisons are of two numbers, and a key of eight bytes or fewer needs no
/// memory of its own. Keys that are compared come from values of the same types, of which none is the beginning of another: so
/// that a shorter key, filled up with zeros, is never taken for another.
package struct OrderKey: Hashable, Comparable, Sendable {
  /// The first eight bytes, the first the most significant; zeros where the key is shorter.
  package let head: UInt64
  /// The bytes after the first eight.
  package let tail: [UInt8]
  /// The number of bytes, 8 for more.
  let shortCount: Int

  /// The key of no value.
  static let empty = OrderKey(KeyWriter())

  package init(_ write: (inout KeyWriter) -> Void) {
    var writer = KeyWriter()
    write(&writer)
    self.init(writer)
  }

  package init(_ value: some OrderedValue) {
    self.init { value.encode(into: &$0) }
  }

  package init(_ writer: KeyWriter) {
    let bytes = writer.bytes
    (head, shortCount) = bytes.withUnsafeBytes { Self.head($0) }
    tail = bytes.count > 8 ? Array(bytes[8...]) : []
  }

  /// True if all bytes are in the head.
  var isShort: Bool { tail.isEmpty }

  /// All bytes.
  package var bytes: [UInt8] {
    withUnsafeBytes(of: head.bigEndian) { Array($0.prefix(shortCount)) } + tail
  }

  private static func head(_ bytes: UnsafeRawBufferPointer) -> (UInt64, Int) {
    if bytes.count >= 8 { return (UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)), 8) }
    var head: UInt64 = 0
    for byte in bytes { head = head << 8 | UInt64(byte) }
    return (bytes.isEmpty ? 0 : head << UInt64(8 * (8 - bytes.count)), bytes.count)
  }

  /// Tells whether the bytes are those of a writer.
  func isWritten(_ writer: KeyWriter) -> Bool {
    writer.bytes.withUnsafeBytes { bytes in
      let (head, count) = Self.head(bytes)
      guard head == self.head, count == shortCount, max(bytes.count - 8, 0) == tail.count else { return false }
      return tail.isEmpty || tail.withUnsafeBytes { memcmp($0.baseAddress!, bytes.baseAddress! + 8, $0.count) } == 0
    }
  }

  package static func == (left: OrderKey, right: OrderKey) -> Bool {
    left.head == right.head && left.shortCount == right.shortCount && compareTails(left, right) == 0
  }

  package static func < (left: OrderKey, right: OrderKey) -> Bool {
    left.head != right.head ? left.head < right.head : compareTails(left, right) < 0
  }

  /// Compares what comes after equal heads.
  @inline(__always)
  static func compareTails(_ left: OrderKey, _ right: OrderKey) -> Int {
    if left.tail.isEmpty || right.tail.isEmpty { return left.tail.count - right.tail.count }
    return left.tail.withUnsafeBytes { one in
      right.tail.withUnsafeBytes { other in
        // Neither is empty, so that both have an address.
        let order = memcmp(one.baseAddress!, other.baseAddress!, min(one.count, other.count))
        return order != 0 ? Int(order) : one.count - other.count
      }
    }
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

  /// A number by which trees keep keys in no particular order: the same for equal keys, on every platform.
  ///
  /// Whoever makes keys collide makes a tree compare more bytes, and nothing else.
  var fingerprint: UInt64 {
    var sum = Self.mixed(head ^ 0x9E37_79B9_7F4A_7C15)
    if tail.isEmpty { return sum }
    tail.withUnsafeBytes { bytes in
      var place = 0
      while place + 8 <= bytes.count {
        sum = Self.mixed(sum ^ UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
        place += 8
      }
      var last = UInt64(bytes.count - place)
      while place < bytes.count {
        last = last << 8 | UInt64(bytes[place])
        place += 1
      }
      sum = Self.mixed(sum ^ last)
    }
    return sum
  }

  /// The finisher of SplitMix64 (Steele, Lea, Flood 2014).
  @inline(__always)
  private static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
