import AnnalsLog
import Foundation

/// A writer for the contents of a page.
package struct PageWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Writes a number, with few bytes for small numbers (LEB128, zigzag).
  package mutating func int(_ value: Int) {
    var rest = UInt64(bitPattern: Int64(value << 1 ^ value >> (Int.bitWidth - 1)))
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Writes eight bytes, most significant first.
  package mutating func word(_ value: UInt64) { withUnsafeBytes(of: value.bigEndian) { bytes += $0 } }

  package mutating func blob(_ value: some Collection<UInt8>) {
    int(value.count)
    append(value)
  }

  /// Writes bytes unchanged.
  mutating func append(_ value: some Collection<UInt8>) { bytes += value }

  package mutating func text(_ value: String) { blob(value.utf8) }

  /// Returns a digest that distinguishes a page's bytes from other pages' bytes, with SplitMix64's finisher (Steele,
  /// Lea, Flood 2014).
  static func digest(_ bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { Fingerprint.of(UInt64($0.count), $0) }
  }

  package mutating func optional<T>(_ value: T?, _ body: (inout PageWriter, T) -> Void) {
    int(value == nil ? 0 : 1)
    if let value { body(&self, value) }
  }
}

/// A reader for the contents of a page, which throws for invalid data.
package struct PageReader {
  private let bytes: [UInt8]
  private var offset = 0
  private let end: Int

  package init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

  /// Creates a reader of a part of a page.
  init(_ bytes: [UInt8], _ range: Range<Int>) {
    (self.bytes, offset, end) = (bytes, range.lowerBound, range.upperBound)
  }

  package var isAtEnd: Bool { offset == end }

  package mutating func int() throws -> Int {
    var (rest, shift) = (0 as UInt64, 0 as UInt64)
    while true {
      guard offset < end, shift < 64 else { throw PageError("a page ends inside a number") }
      let byte = bytes[offset]
      offset += 1
      rest |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { break }
      shift += 7
    }
    return Int(truncatingIfNeeded: Int64(bitPattern: rest >> 1) ^ -Int64(bitPattern: rest & 1))
  }

  /// Reads the number of items that follow.
  ///
  /// The number must not exceed the number of remaining bytes, because every item has at least one byte.
  package mutating func count() throws -> Int {
    let count = try int()
    guard count >= 0, count <= end - offset else {
      throw PageError("a page ends inside a list of \(count) values")
    }
    return count
  }

  package mutating func word() throws -> UInt64 {
    guard end - offset >= 8 else { throw PageError("a page ends inside an 8-byte number") }
    defer { offset += 8 }
    return bytes.withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
  }

  package mutating func blob() throws -> ArraySlice<UInt8> {
    let count = try count()
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  package mutating func text() throws -> String { String(decoding: try blob(), as: UTF8.self) }

  package mutating func bool() throws -> Bool {
    let value = try int()
    guard value == 0 || value == 1 else { throw PageError("expected 0 or 1 for a Boolean in a page, found \(value)") }
    return value == 1
  }

  package mutating func optional<T>(_ body: (inout PageReader) throws -> T) throws -> T? {
    try bool() ? try body(&self) : nil
  }
}

/// An error for a problem with a saved list.
///
/// After such an error, the list is rebuilt from its events.
package struct PageError: LocalizedError, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  package var errorDescription: String? { description }
}
