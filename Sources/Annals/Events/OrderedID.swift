package import Foundation

/// An identifier that begins with the time: a UUID of version 7 (RFC 9562, 5.7), as its 16 bytes.
///
/// In an index they stand one after the other as they were made, so that an append touches the page that the last one
/// did; version 4 would touch one anywhere. Twelve bits of the time's fraction order those of one millisecond.
package struct OrderedID: Hashable, Comparable, Sendable {
  /// The first eight bytes: 48 bits of milliseconds, the version, and 12 bits of their fraction.
  package let high: UInt64
  /// The last eight bytes: the variant, and 62 bits by chance.
  package let low: UInt64

  private init(_ high: UInt64, _ low: UInt64) { (self.high, self.low) = (high, low) }

  package static func < (left: OrderedID, right: OrderedID) -> Bool { (left.high, left.low) < (right.high, right.low) }

  /// A new one.
  package static func make(at date: Date = Date()) -> OrderedID {
    let milliseconds = max(0, date.timeIntervalSince1970 * 1_000)
    let whole = milliseconds.rounded(.down)
    let fraction = UInt64((milliseconds - whole) * 4_096)
    return OrderedID(UInt64(min(whole, 281_474_976_710_655)) << 16 | 0x7000 | min(fraction, 4_095), chance())
  }

  /// A new one that comes after another, also if the clock was put back meanwhile; nil if there is none.
  ///
  /// It is made of the time, or of the other's if that is later, and one more (RFC 9562, 6.2).
  package static func make(at date: Date = Date(), after other: OrderedID) -> OrderedID? {
    let made = make(at: date)
    if made > other { return made }
    // The version stands between the milliseconds and their fraction.
    let time = (other.high >> 16) << 12 | other.high & 0xFFF
    let next = time + 1
    guard next < 1 << 60 else { return nil }
    return OrderedID((next >> 12) << 16 | 0x7000 | next & 0xFFF, chance())
  }

  private static func chance() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
  }

  // MARK: Bytes

  /// The one of 16 bytes, whatever they say; nil for another number of bytes.
  package init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    self.init(
      UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  /// Runs a body with the 16 bytes.
  package func withBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
    try withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
  }

  // MARK: Text

  /// The number of bytes of the text.
  package static let textCount = 36

  /// The one that a text is, if it is a UUID of version 7 in lower case and nothing else: one whose text comes back.
  package init?(_ text: String) {
    var text = text
    guard text.utf8.count == Self.textCount, let found = text.withUTF8({ Self(utf8: $0) }) else { return nil }
    self = found
  }

  private init?(utf8 text: UnsafeBufferPointer<UInt8>) {
    guard let (high, low) = Self.words(text), high >> 12 & 15 == 7, low >> 62 == 2 else { return nil }
    self.init(high, low)
  }

  /// The first and the last one whose text begins with some letters; nil if there are none.
  package static func range(beginning letters: String) -> ClosedRange<OrderedID>? {
    let bytes = Array(letters.utf8)
    guard bytes.count <= textCount else { return nil }
    func whole(_ digit: Character) -> OrderedID? {
      let rest = "00000000-0000-0000-0000-000000000000".utf8.dropFirst(bytes.count)
      let fill = digit.asciiValue ?? 0
      return (bytes + rest.map { $0 == UInt8(ascii: "-") ? $0 : fill }).withUnsafeBufferPointer { text in
        words(text).map { OrderedID($0, $1) }
      }
    }
    guard let first = whole("0"), let last = whole("f") else { return nil }
    return first...last
  }

  /// The two numbers of a UUID in lower case.
  private static func words(_ text: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64)? {
    guard text.count == textCount else { return nil }
    var (high, low) = (0 as UInt64, 0 as UInt64)
    for offset in 0..<textCount {
      let byte = text[offset]
      if isHyphen(offset) {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      if offset < 18 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
    }
    return (high, low)
  }

  private static func isHyphen(_ offset: Int) -> Bool { offset == 8 || offset == 13 || offset == 18 || offset == 23 }

  /// The 36 characters of the UUID, in lower case.
  package var text: String {
    String(unsafeUninitializedCapacity: Self.textCount) { bytes in
      write(to: UnsafeMutableRawBufferPointer(bytes))
      return Self.textCount
    }
  }

  /// Writes the 36 bytes of the text.
  package func write(to bytes: UnsafeMutableRawBufferPointer) {
    var offset = 0
    for step in 0..<32 {
        let word = step < 16 ? high : low
        let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - step % 16 * 4) & 15)
        if Self.isHyphen(offset) {
          bytes[offset] = UInt8(ascii: "-")
          offset += 1
        }
        bytes[offset] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        offset += 1
    }
  }
}
