package import Foundation

/// An identifier that begins with the time: a UUID of version 7 (RFC 9562, 5.7), as its 16 bytes.
///
/// In an index, these identifiers are in the order of their creation. So an append writes to the same page as the
/// previous append, while identifiers of version 4 would write to random pages. Twelve bits of the time's fraction
/// order the identifiers of one millisecond.
package struct OrderedID: Hashable, Comparable, Sendable {
  /// The first eight bytes: 48 bits of milliseconds, the version, and 12 bits of the milliseconds' fraction.
  private let high: UInt64
  /// The last eight bytes: the variant, and 62 random bits.
  private let low: UInt64

  private init(_ high: UInt64, _ low: UInt64) {
    self.high = high
    self.low = low
  }

  package static func < (left: OrderedID, right: OrderedID) -> Bool { (left.high, left.low) < (right.high, right.low) }

  /// Creates a new identifier.
  package static func make(at date: Date = Date()) -> OrderedID {
    let milliseconds = max(0, date.timeIntervalSince1970 * 1_000)
    let whole = milliseconds.rounded(.down)
    let fraction = UInt64((milliseconds - whole) * 4_096)
    return OrderedID(UInt64(min(whole, 281_474_976_710_655)) << 16 | 0x7000 | min(fraction, 4_095), chance())
  }

  /// Creates a new identifier that is greater than another identifier, even if the clock was set back.
  ///
  /// Returns nil if no greater identifier exists.
  ///
  /// The new identifier contains the current time. If such an identifier wouldn't be greater, the new identifier
  /// contains the other identifier's time plus 1/4,096 ms instead (RFC 9562, 6.2).
  package static func make(at date: Date = Date(), after other: OrderedID) -> OrderedID? {
    let made = make(at: date)
    if made > other { return made }
    // The version is between the milliseconds and their fraction.
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

  /// Creates an identifier from any 16 bytes, or returns nil for any other number of bytes.
  package init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 16 else { return nil }
    self.init(
      UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  /// Calls a closure with the 16 bytes.
  package func withBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
    try withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
  }

  // MARK: Text

  /// The number of bytes of the string.
  package static let textCount = 36

  /// Creates an identifier from a UUID of version 7 in lower case, or returns nil for a string that doesn't round-trip.
  package init?(_ text: String) {
    var text = text
    guard let id = text.withUTF8({ Self(anyVersion: $0) }), id.high >> 12 & 15 == 7, id.low >> 62 == 2 else {
      return nil
    }
    self = id
  }

  /// Creates an identifier from a UUID of any version in lower case, or returns nil for another string.
  private init?(anyVersion text: UnsafeBufferPointer<UInt8>) {
    guard text.count == Self.textCount, let start = text.baseAddress else { return nil }
    let bytes = UnsafeRawPointer(start)
    func word(_ place: Int) -> UInt64 { UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
    func half(_ place: Int) -> UInt64 {
      UInt64(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
    }
    let found = OrderedID(
      Self.number(word(0)) << 32 | Self.number(half(9) << 32 | half(14)),
      Self.number(half(19) << 32 | half(24)) << 32 | Self.number(word(28)))
    // Letters that aren't hexadecimal digits also result in a number, but the number's string differs from the original
    // string.
    let isText = withUnsafeTemporaryAllocation(byteCount: Self.textCount, alignment: 1) { copy in
      found.write(to: copy)
      return copy.elementsEqual(UnsafeRawBufferPointer(text))
    }
    guard isText else { return nil }
    self = found
  }

  /// Returns the first and last identifiers whose strings begin with the given letters, or nil if no such identifier
  /// exists.
  package static func range(beginning letters: String) -> ClosedRange<OrderedID>? {
    let bytes = Array(letters.utf8)
    guard bytes.count <= textCount else { return nil }
    func whole(_ digit: Character) -> OrderedID? {
      let rest = "00000000-0000-0000-0000-000000000000".utf8.dropFirst(bytes.count)
      let fill = digit.asciiValue ?? 0
      return (bytes + rest.map { $0 == UInt8(ascii: "-") ? $0 : fill }).withUnsafeBufferPointer { text in
        OrderedID(anyVersion: text)
      }
    }
    guard let first = whole("0"), let last = whole("f") else { return nil }
    return first...last
  }

  /// The 36 characters of the UUID, in lower case.
  package var text: String {
    String(unsafeUninitializedCapacity: Self.textCount) { bytes in
      write(to: UnsafeMutableRawBufferPointer(bytes))
      return Self.textCount
    }
  }

  /// Writes the 36 bytes of the string.
  package func write(to bytes: UnsafeMutableRawBufferPointer) {
    func store(_ digits: UInt64, _ first: Int, _ second: Int) {
      bytes.storeBytes(of: UInt32(truncatingIfNeeded: digits >> 32).bigEndian, toByteOffset: first, as: UInt32.self)
      bytes.storeBytes(of: UInt32(truncatingIfNeeded: digits).bigEndian, toByteOffset: second, as: UInt32.self)
    }
    store(Self.digits(high >> 32), 0, 4)
    store(Self.digits(high & 0xFFFF_FFFF), 9, 14)
    store(Self.digits(low >> 32), 19, 24)
    store(Self.digits(low & 0xFFFF_FFFF), 28, 32)
    let hyphen = UInt8(ascii: "-")
    (bytes[8], bytes[13], bytes[18], bytes[23]) = (hyphen, hyphen, hyphen, hyphen)
  }

  /// Returns the eight hexadecimal digits of a 32-bit number as bytes, computed in parallel.
  private static func digits(_ number: UInt64) -> UInt64 {
    var halves = (number << 16 | number) & 0x0000_FFFF_0000_FFFF
    halves = (halves << 8 | halves) & 0x00FF_00FF_00FF_00FF
    halves = (halves << 4 | halves) & 0x0F0F_0F0F_0F0F_0F0F
    // Set the lowest bit in the bytes that are letters.
    let letters = ((halves &+ 0x0606_0606_0606_0606) >> 4) & 0x0101_0101_0101_0101
    return halves &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
  }

  /// Returns the number that eight hexadecimal digits represent, or an arbitrary number for other bytes.
  private static func number(_ digits: UInt64) -> UInt64 {
    let letters = (digits >> 6) & 0x0101_0101_0101_0101
    var halves = (digits & 0x0F0F_0F0F_0F0F_0F0F) &+ letters &* 9
    halves = (halves | halves >> 4) & 0x00FF_00FF_00FF_00FF
    halves = (halves | halves >> 8) & 0x0000_FFFF_0000_FFFF
    return (halves | halves >> 16) & 0xFFFF_FFFF
  }
}
