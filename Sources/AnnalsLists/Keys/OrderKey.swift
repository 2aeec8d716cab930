import AnnalsLog

/// The encoded bytes of one or more ordered values.
///
/// Keys are compared as bytes.
///
/// The first eight bytes are a number, so that most comparisons compare two numbers. A key needs no separate memory if
/// it has at most 24 bytes or ends with a string of the row. Only keys with values of the same types are compared, and
/// no such key is a prefix of another. So a shorter key that is padded with zeros is never confused with another key.
package struct OrderKey: Hashable, Comparable, Sendable {
  /// The first eight bytes, most significant first and padded with zeros.
  package let head: UInt64
  /// The bytes after the first eight bytes.
  private let tail: KeyTail
  /// The number of the key's bytes if the tail is stored as words.
  ///
  /// If the tail is the end of a string, it is the number of the string's bytes in the head.
  private let number: UInt8

  /// A key without any value.
  package static let empty = OrderKey(KeyWriter())

  package init(_ write: (inout KeyWriter) -> Void) {
    var writer = KeyWriter(capacity: 32)
    write(&writer)
    self.init(writer)
  }

  package init(_ value: some OrderedValue) {
    self.init { value.encode(into: &$0) }
  }

  package init(_ writer: KeyWriter) {
    let count = writer.bytes.count
    if count > 8 + KeyTail.wordBytes, let (text, start) = writer.lastText, start <= 8 {
      tail = .text(text)
      number = UInt8(8 - start)
      head = writer.bytes.withUnsafeBytes { KeyTail.word($0) }
      return
    }
    (head, tail, number) = writer.bytes.withUnsafeBytes { bytes in
      let head = KeyTail.word(bytes)
      if count <= 8 { return (head, KeyTail.words(0, 0), UInt8(count)) }
      return (head, KeyTail(UnsafeRawBufferPointer(rebasing: bytes[8...])), UInt8(min(count, 25)))
    }
  }

  /// All bytes of the key.
  package var bytes: [UInt8] {
    withUnsafeBytes(of: head.bigEndian) { Array($0.prefix(shortCount)) }
      + tail.withBytes(number) { Array($0) + Array(repeating: 0, count: $1) }
  }

  /// The number of bytes, but at most 8.
  private var shortCount: Int { if case .words = tail { min(Int(number), 8) } else { 8 } }

  /// Returns whether the bytes equal the bytes of a writer.
  func isWritten(_ writer: KeyWriter) -> Bool {
    shortCount == min(writer.bytes.count, 8) && compare(writer) == 0
  }

  package static func == (left: OrderKey, right: OrderKey) -> Bool {
    left.head == right.head && left.shortCount == right.shortCount && compareTails(left, right) == 0
  }

  package static func < (left: OrderKey, right: OrderKey) -> Bool {
    left.head != right.head ? left.head < right.head : compareTails(left, right) < 0
  }

  /// Compares the tails of two keys that have equal heads.
  @inline(__always)
  static func compareTails(_ left: OrderKey, _ right: OrderKey) -> Int {
    if case .words(let one, let two) = left.tail, case .words(let other, let last) = right.tail {
      if one != other { return one < other ? -1 : 1 }
      if two != last { return two < last ? -1 : 1 }
      return max(Int(left.number), 8) - max(Int(right.number), 8)
    }
    return KeyTail.compare(left.tail, left.number, right.tail, right.number)
  }

  /// The number of bytes after the first eight, without the zeros at the end of a string.
  var tailCount: Int { tail.withBytes(number) { bytes, _ in bytes.count } }

  /// Returns the length of the common prefix of two keys after the first eight bytes, up to a limit.
  func commonTail(with other: OrderKey, upTo limit: Int) -> Int {
    tail.withBytes(number) { one, _ in
      other.tail.withBytes(other.number) { other, _ in KeyTail.common(one, other, upTo: limit) }
    }
  }

  /// Returns eight bytes as a number, at an offset after the first eight bytes and padded with zeros.
  func tailWord(at offset: Int) -> UInt64 {
    tail.withBytes(number) { bytes, _ in
      offset < bytes.count ? KeyTail.word(UnsafeRawBufferPointer(rebasing: bytes[offset...])) : 0
    }
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

  /// A hash by which trees without a meaningful order sort keys.
  ///
  /// Equal keys have equal hashes on every platform.
  ///
  /// If an attacker creates keys with equal hashes, a tree only needs to compare more bytes.
  package var fingerprint: UInt64 {
    if case .words = tail, number <= 8 { return Fingerprint.mixed(head ^ Fingerprint.seed) }
    return tail.withBytes(number) { Fingerprint.of(head, $0, zeros: $1) }
  }

  /// Compares the key with written bytes, and returns a negative number if the key precedes the written bytes.
  func compare(_ writer: KeyWriter) -> Int {
    writer.bytes.withUnsafeBytes { bytes in
      let other = KeyTail.word(bytes)
      if head != other { return head < other ? -1 : 1 }
      let rest = bytes.count > 8 ? UnsafeRawBufferPointer(rebasing: bytes[8...]) : .init(start: nil, count: 0)
      return tail.withBytes(number) { KeyTail.compare($0, zeros: $1, rest, zeros: 0) }
    }
  }
}
