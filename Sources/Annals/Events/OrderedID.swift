import Foundation

/// New identifiers: UUIDs of version 7, which begin with the time (RFC 9562, 5.7).
///
/// In an index they stand one after the other as they were made, so that an append touches the page that the last one
/// did; version 4 would touch one anywhere. Twelve bits of the time's fraction order those of one millisecond.
enum OrderedID {
  static func make(at date: Date = Date()) -> String {
    let milliseconds = max(0, date.timeIntervalSince1970 * 1_000)
    let whole = milliseconds.rounded(.down)
    let fraction = UInt64((milliseconds - whole) * 4_096)
    var generator = SystemRandomNumberGenerator()
    let high = UInt64(min(whole, 281_474_976_710_655)) << 16 | 0x7000 | min(fraction, 4_095)
    let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    return text(high, low)
  }

  /// The 36 characters of a UUID, in lower case.
  private static func text(_ high: UInt64, _ low: UInt64) -> String {
    String(unsafeUninitializedCapacity: 36) { bytes in
      var offset = 0
      for (word, shift) in [(high, 60), (low, 60)] {
        for step in 0..<16 {
          let digit = UInt8(truncatingIfNeeded: word >> UInt64(shift - step * 4) & 15)
          if offset == 8 || offset == 13 || offset == 18 || offset == 23 {
            bytes[offset] = UInt8(ascii: "-")
            offset += 1
          }
          bytes[offset] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
          offset += 1
        }
      }
      return 36
    }
  }
}
