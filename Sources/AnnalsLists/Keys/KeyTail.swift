import Foundation

/// The bytes of a key after the first eight bytes, in the form that takes the least memory.
///
/// In an earlier version, a row with two strings had two additional arrays, one for its id and one for the title that
/// it is sorted by. These arrays were 128 of the row's 469 bytes.
enum KeyTail: Sendable {
  /// Up to 16 bytes, most significant first and padded with zeros.
  case words(UInt64, UInt64)
  /// The end of a string and the two zeros after it.
  ///
  /// The string needs no additional memory, because the row contains it anyway.
  case text(String)
  /// Any other bytes.
  case bytes([UInt8])

  /// The number of bytes that are stored as words.
  static var wordBytes: Int { 16 }

  /// Stores bytes that don't belong to a string.
  init(_ tail: UnsafeRawBufferPointer) {
    if tail.count > Self.wordBytes {
      self = .bytes(Array(tail))
    } else if tail.count > 8 {
      self = .words(Self.word(tail), Self.word(UnsafeRawBufferPointer(rebasing: tail[8...])))
    } else {
      self = .words(Self.word(tail), 0)
    }
  }

  /// Returns the first eight bytes as a number, most significant first and padded with zeros.
  @inline(__always)
  static func word(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
    var word: UInt64 = 0
    for byte in bytes { word = word << 8 | UInt64(byte) }
    return bytes.isEmpty ? 0 : word << UInt64(8 * (8 - bytes.count))
  }

  /// Calls a closure with the bytes, and with the number of zeros after them.
  ///
  /// - Parameters:
  ///   - number: The number that the key stores for its tail.
  ///   - body: A closure that gets the bytes, which are valid only during the call.
  /// - Returns: The result of the closure.
  @inline(__always)
  func withBytes<T>(_ number: UInt8, _ body: (UnsafeRawBufferPointer, _ zeros: Int) -> T) -> T {
    switch self {
    case .words(let one, let two):
      return withUnsafeBytes(of: (one.bigEndian, two.bigEndian)) {
        body(UnsafeRawBufferPointer(rebasing: $0.prefix(max(Int(number) - 8, 0))), 0)
      }
    case .bytes(let bytes): return bytes.withUnsafeBytes { body($0, 0) }
    case .text(var text):
      // The string was made contiguous when it was written, so this doesn't copy it.
      return text.withUTF8 { body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0)[Int(number)...]), 2) }
    }
  }

  /// Returns the length of the common prefix of two tails, up to a limit.
  static func common(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, upTo limit: Int) -> Int {
    let most = min(left.count, right.count, limit)
    var count = 0
    while count + 8 <= most {
      let one = left.loadUnaligned(fromByteOffset: count, as: UInt64.self)
      let other = right.loadUnaligned(fromByteOffset: count, as: UInt64.self)
      if one != other {
        return count + (UInt64(littleEndian: one) ^ UInt64(littleEndian: other)).trailingZeroBitCount / 8
      }
      count += 8
    }
    while count < most, left[count] == right[count] { count += 1 }
    return count
  }

  /// Compares two tails, and returns a negative number if the left tail precedes the right tail.
  static func compare(_ left: KeyTail, _ number: UInt8, _ right: KeyTail, _ other: UInt8) -> Int {
    left.withBytes(number) { one, zeros in
      right.withBytes(other) { compare(one, zeros: zeros, $0, zeros: $1) }
    }
  }

  /// Compares bytes that are followed by zeros.
  @inline(__always)
  static func compare(
    _ left: UnsafeRawBufferPointer, zeros: Int, _ right: UnsafeRawBufferPointer, zeros others: Int
  ) -> Int {
    let common = min(left.count, right.count)
    if common > 0, let one = left.baseAddress, let other = right.baseAddress {
      let order = memcmp(one, other, common)
      if order != 0 { return Int(order) }
    }
    // Only one tail has remaining bytes, which are compared with the zeros after the other tail. If they are equal, the
    // longer tail is sorted last.
    for byte in left.dropFirst(common).prefix(others) where byte != 0 { return 1 }
    for byte in right.dropFirst(common).prefix(zeros) where byte != 0 { return -1 }
    return left.count + zeros - right.count - others
  }
}
