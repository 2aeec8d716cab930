import AnnalsSQLite
import Testing

/// The checksum of events.
@Suite struct ChecksumTests {
  private func checksum(_ parts: [[UInt8]]) -> UInt32 {
    var sum = CRC32()
    for part in parts { part.withUnsafeBytes { sum.add($0) } }
    return sum.value
  }

  /// One bit at a time, as in the standard.
  private func slow(_ bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }

  @Test func `the checksum is zlib's, for any length and in any parts`() {
    // The check value in the catalogues of checksums.
    #expect(checksum([Array("123456789".utf8)]) == 0xCBF4_3926)
    #expect(checksum([]) == 0)
    var bytes: [UInt8] = []
    for length in 0..<70 {
      #expect(checksum([bytes]) == slow(bytes))
      for cut in 0...length { #expect(checksum([Array(bytes[..<cut]), Array(bytes[cut...])]) == slow(bytes)) }
      bytes.append(UInt8(truncatingIfNeeded: length &* 151 &+ 13))
    }
  }
}
