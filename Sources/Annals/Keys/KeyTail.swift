import Foundation

/// The bytes of a key after the first eight, where they take the least memory.
///
/// A row of two strings had two arrays more before, 128 bytes of 469: one for its id, and one for a title that it is
/// sorted by.
enum KeyTail: Sendable {
  /// Up to 16 bytes, the first the most significant; zeros where there are fewer.
  case words(UInt64, UInt64)
  /// The end of a text and the two zeros after it; a row has its text in memory anyway.
  case text(String)
  /// Any other bytes.
  case bytes([UInt8])

  /// So many bytes are words.
  static var wordBytes: Int { 16 }

  /// Keeps bytes that are no text.
  init(_ tail: UnsafeRawBufferPointer) {
    if tail.count > Self.wordBytes {
      self = .bytes(Array(tail))
    } else if tail.count > 8 {
      self = .words(Self.word(tail), Self.word(UnsafeRawBufferPointer(rebasing: tail[8...])))
    } else {
      self = .words(Self.word(tail), 0)
    }
  }

  /// The first eight bytes as a number, the first the most significant; zeros where there are fewer.
  @inline(__always)
  static func word(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
    var word: UInt64 = 0
    for byte in bytes { word = word << 8 | UInt64(byte) }
    return bytes.isEmpty ? 0 : word << UInt64(8 * (8 - bytes.count))
  }

  /// Calls a closure with the bytes, and with how many zeros come after them.
  ///
  /// - Parameters:
  ///   - number: What the key says of its tail.
  ///   - body: Called with them; they must not outlive the call.
  /// - Returns: What the closure answers.
  @inline(__always)
  func withBytes<T>(_ number: UInt8, _ body: (UnsafeRawBufferPointer, _ zeros: Int) -> T) -> T {
    switch self {
    case .words(let one, let two):
      return withUnsafeBytes(of: (one.bigEndian, two.bigEndian)) {
        body(UnsafeRawBufferPointer(rebasing: $0.prefix(max(Int(number) - 8, 0))), 0)
      }
    case .bytes(let bytes): return bytes.withUnsafeBytes { body($0, 0) }
    case .text(var text):
      // Contiguous since it was written, so that nothing is copied.
      return text.withUTF8 { body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0)[Int(number)...]), 2) }
    }
  }

  /// How many bytes two tails begin with alike, up to a limit.
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

  /// Compares two tails: negative if the left one stands before the right one.
  static func compare(_ left: KeyTail, _ number: UInt8, _ right: KeyTail, _ other: UInt8) -> Int {
    left.withBytes(number) { one, zeros in
      right.withBytes(other) { compare(one, zeros: zeros, $0, zeros: $1) }
    }
  }

  /// Compares bytes after which zeros come.
  @inline(__always)
  static func compare(
    _ left: UnsafeRawBufferPointer, zeros: Int, _ right: UnsafeRawBufferPointer, zeros others: Int
  ) -> Int {
    let common = min(left.count, right.count)
    if common > 0, let one = left.baseAddress, let other = right.baseAddress {
      let order = memcmp(one, other, common)
      if order != 0 { return Int(order) }
    }
    // Of one at most bytes are left; where the other one's zeros end, the longer one stands last.
    for byte in left.dropFirst(common).prefix(others) where byte != 0 { return 1 }
    for byte in right.dropFirst(common).prefix(zeros) where byte != 0 { return -1 }
    return left.count + zeros - right.count - others
  }
}
