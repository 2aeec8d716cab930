import Foundation

/// The bytes of ordered values, compared as bytes.
///
/// The first eight bytes are a number, so that most comparisons are of two numbers, and a key of eight bytes or fewer
/// needs no memory of its own. Keys that are compared come from values of the same types, none of them the beginning of
/// another: so that a shorter key, filled up with zeros, is never taken for another.
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
    var writer = KeyWriter(capacity: 32)
    write(&writer)
    self.init(writer)
  }

  package init(_ value: some OrderedValue) {
    self.init { value.encode(into: &$0) }
  }

  package init(_ writer: KeyWriter) {
    let bytes = writer.bytes
    (head, shortCount) = bytes.withUnsafeBytes { Self.head($0) }
    tail =
      bytes.count <= 8
      ? []
      : Array(unsafeUninitializedCapacity: bytes.count - 8) { memory, count in
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(memory).copyMemory(from: .init(rebasing: $0[8...])) }
        count = bytes.count - 8
      }
  }

  /// All bytes.
  package var bytes: [UInt8] {
    withUnsafeBytes(of: head.bigEndian) { Array($0.prefix(shortCount)) } + tail
  }

  fileprivate static func head(_ bytes: UnsafeRawBufferPointer) -> (UInt64, Int) {
    if bytes.count >= 8 { return (UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)), 8) }
    var head: UInt64 = 0
    for byte in bytes { head = head << 8 | UInt64(byte) }
    return (bytes.isEmpty ? 0 : head << UInt64(8 * (8 - bytes.count)), bytes.count)
  }

  /// Tells whether the bytes are those of a writer.
  func isWritten(_ writer: KeyWriter) -> Bool {
    shortCount == min(writer.bytes.count, 8) && compare(writer) == 0
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
  /// Keys that are made to collide make a tree compare more bytes, and nothing else.
  var fingerprint: UInt64 {
    tail.isEmpty ? Self.mixed(head ^ Self.seed) : tail.withUnsafeBytes { Self.fingerprint(head, $0) }
  }

  fileprivate static let seed: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// A number made of one and of the bytes that come after it.
  static func fingerprint(_ head: UInt64, _ tail: UnsafeRawBufferPointer) -> UInt64 {
    var sum = mixed(head ^ seed)
    var offset = 0
    while offset + 8 <= tail.count {
      sum = mixed(sum ^ UInt64(littleEndian: tail.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    var last = UInt64(tail.count - offset)
    while offset < tail.count {
      last = last << 8 | UInt64(tail[offset])
      offset += 1
    }
    return mixed(sum ^ last)
  }

  /// Compares the key with what was written: negative if the key stands before it.
  func compare(_ writer: KeyWriter) -> Int {
    writer.bytes.withUnsafeBytes { bytes in
      let (other, _) = Self.head(bytes)
      if head != other { return head < other ? -1 : 1 }
      let rest = max(bytes.count - 8, 0)
      if tail.isEmpty || rest == 0 { return tail.count - rest }
      let order = tail.withUnsafeBytes { memcmp($0.baseAddress!, bytes.baseAddress! + 8, min($0.count, rest)) }
      return order != 0 ? Int(order) : tail.count - rest
    }
  }

  /// The finisher of SplitMix64 (Steele, Lea, Flood 2014).
  @inline(__always)
  fileprivate static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

extension KeyWriter {
  /// The fingerprint of the key that was written.
  var fingerprint: UInt64 {
    bytes.withUnsafeBytes { bytes in
      let (head, _) = OrderKey.head(bytes)
      return bytes.count > 8
        ? OrderKey.fingerprint(head, UnsafeRawBufferPointer(rebasing: bytes[8...]))
        : OrderKey.mixed(head ^ OrderKey.seed)
    }
  }
}
