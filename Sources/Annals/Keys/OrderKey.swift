/// The bytes of ordered values, compared as bytes.
///
/// The first eight bytes are a number, so that most comparisons are of two numbers, and a key of 24 bytes or fewer, or
/// one that ends with a text of the row, needs no memory of its own. Keys that are compared come from values of the
/// same types, none of them the beginning of another: so that a shorter key, filled up with zeros, is never taken for
/// another.
package struct OrderKey: Hashable, Comparable, Sendable {
  /// The first eight bytes, the first the most significant; zeros where the key is shorter.
  package let head: UInt64
  /// The bytes after the first eight.
  private let tail: KeyTail
  /// The number of bytes of a key whose tail is words; of a text, how many of its bytes are in the head.
  private let number: UInt8

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
    let count = writer.bytes.count
    if count > 8 + KeyTail.wordBytes, let (text, start) = writer.lastText, start <= 8 {
      (tail, number) = (.text(text), UInt8(8 - start))
      head = writer.bytes.withUnsafeBytes { KeyTail.word($0) }
      return
    }
    (head, tail, number) = writer.bytes.withUnsafeBytes { bytes in
      let head = KeyTail.word(bytes)
      if count <= 8 { return (head, KeyTail.words(0, 0), UInt8(count)) }
      return (head, KeyTail(UnsafeRawBufferPointer(rebasing: bytes[8...])), UInt8(min(count, 25)))
    }
  }

  /// All bytes.
  package var bytes: [UInt8] {
    withUnsafeBytes(of: head.bigEndian) { Array($0.prefix(shortCount)) }
      + tail.withBytes(number) { Array($0) + Array(repeating: 0, count: $1) }
  }

  /// The number of bytes, 8 for more.
  private var shortCount: Int { if case .words = tail { min(Int(number), 8) } else { 8 } }

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
    if case .words(let one, let two) = left.tail, case .words(let other, let last) = right.tail {
      if one != other { return one < other ? -1 : 1 }
      if two != last { return two < last ? -1 : 1 }
      return max(Int(left.number), 8) - max(Int(right.number), 8)
    }
    return KeyTail.compare(left.tail, left.number, right.tail, right.number)
  }

  /// The number of bytes after the first eight, without the zeros that end a text.
  var tailCount: Int { tail.withBytes(number) { bytes, _ in bytes.count } }

  /// How many bytes two keys have in common after the first eight, up to a limit.
  func commonTail(with other: OrderKey, upTo limit: Int) -> Int {
    tail.withBytes(number) { one, _ in
      other.tail.withBytes(other.number) { other, _ in KeyTail.common(one, other, upTo: limit) }
    }
  }

  /// Eight bytes as a number, from an offset after the first eight bytes on; zeros where there are fewer.
  func tailWord(at offset: Int) -> UInt64 {
    tail.withBytes(number) { bytes, _ in
      offset < bytes.count ? KeyTail.word(UnsafeRawBufferPointer(rebasing: bytes[offset...])) : 0
    }
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

  /// A number by which trees keep keys in no particular order: the same for equal keys, on every platform.
  ///
  /// Keys that are made to collide make a tree compare more bytes, and nothing else.
  package var fingerprint: UInt64 {
    if case .words = tail, number <= 8 { return Self.mixed(head ^ Self.seed) }
    return tail.withBytes(number) { Self.fingerprint(head, $0, zeros: $1) }
  }

  fileprivate static let seed: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// A number made of one and of the bytes that come after it, and of zeros after these.
  static func fingerprint(_ head: UInt64, _ tail: UnsafeRawBufferPointer, zeros: Int = 0) -> UInt64 {
    var sum = mixed(head ^ seed)
    var offset = 0
    while offset + 8 <= tail.count {
      sum = mixed(sum ^ UInt64(littleEndian: tail.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    var left = tail.count - offset + zeros
    if left >= 8 {
      // The zeros complete a word.
      var word: UInt64 = 0
      for index in offset..<tail.count { word |= UInt64(tail[index]) << UInt64(8 * (index - offset)) }
      sum = mixed(sum ^ word)
      (offset, left) = (tail.count, left - 8)
    }
    var last = UInt64(left)
    for index in 0..<left {
      last = last << 8 | (offset + index < tail.count ? UInt64(tail[offset + index]) : 0)
    }
    return mixed(sum ^ last)
  }

  /// Compares the key with what was written: negative if the key stands before it.
  func compare(_ writer: KeyWriter) -> Int {
    writer.bytes.withUnsafeBytes { bytes in
      let other = KeyTail.word(bytes)
      if head != other { return head < other ? -1 : 1 }
      let rest = bytes.count > 8 ? UnsafeRawBufferPointer(rebasing: bytes[8...]) : .init(start: nil, count: 0)
      return tail.withBytes(number) { KeyTail.compare($0, zeros: $1, rest, zeros: 0) }
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
