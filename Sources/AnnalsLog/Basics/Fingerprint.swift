/// Functions for hashes that are equal on every platform and in every process.
package enum Fingerprint {
  // Other modules hash keys with this seed, so the seed must be inlinable.
  @inlinable package static var seed: UInt64 { 0x9E37_79B9_7F4A_7C15 }

  /// Returns a hash of a number, followed by bytes, and then by the given number of zero bytes.
  package static func of(_ head: UInt64, _ tail: UnsafeRawBufferPointer, zeros: Int = 0) -> UInt64 {
    var sum = mixed(head ^ seed)
    var offset = 0
    while offset + 8 <= tail.count {
      sum = mixed(sum ^ UInt64(littleEndian: tail.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    var left = tail.count - offset + zeros
    if left >= 8 {
      // The remaining bytes and the zeros fill a whole word.
      var word: UInt64 = 0
      for index in offset..<tail.count { word |= UInt64(tail[index]) << UInt64(8 * (index - offset)) }
      sum = mixed(sum ^ word)
      offset = tail.count
      left -= 8
    }
    var last = UInt64(left)
    for index in 0..<left {
      last = last << 8 | (offset + index < tail.count ? UInt64(tail[offset + index]) : 0)
    }
    return mixed(sum ^ last)
  }

  /// Returns the output of SplitMix64's finisher (Steele, Lea, Flood 2014).
  @inlinable @inline(__always)
  package static func mixed(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
