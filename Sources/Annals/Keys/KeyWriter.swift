/// Takes the bytes of ordered values, one after the other.
public struct KeyWriter: Sendable {
  /// What has been written.
  package private(set) var bytes: [UInt8] = []
  /// 0xFF while bytes are written whose order is reversed.
  private var mask: UInt8 = 0
  /// A text that was written as it is, where its bytes begin, and where they end with its two zeros.
  private var text = (value: "", start: 0, end: -1)

  package init() {}

  /// A writer with memory for keys as they usually are.
  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  /// Writes one byte.
  ///
  /// - Parameter byte: The byte.
  public mutating func write(byte: UInt8) {
    bytes.append(byte ^ mask)
  }

  /// Writes eight bytes, the most significant first.
  ///
  /// - Parameter word: The bytes as a number.
  public mutating func write(word: UInt64) {
    let word = mask == 0 ? word : ~word
    withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Writes a text of any length so that a shorter one stands before its continuations.
  ///
  /// - Parameter text: The text; a NUL in it is kept.
  public mutating func write(text: String) {
    var text = text
    let start = bytes.count
    let hasNul = text.withUTF8 { utf8 in
      bytes.append(contentsOf: utf8)
      return utf8.contains(0)
    }
    if hasNul {
      bytes.removeSubrange(start...)
      for byte in text.utf8 {
        bytes.append(byte)
        if byte == 0 { bytes.append(0xFF) }
      }
    }
    bytes.append(0)
    bytes.append(0)
    // A shorter key keeps its bytes, and a text that is kept counts a reference.
    if mask == 0, !hasNul, bytes.count > 8 + KeyTail.wordBytes { self.text = (text, start, bytes.count) }
    if mask != 0 { for index in start..<bytes.count { bytes[index] = ~bytes[index] } }
  }

  /// Writes what the bytes of texts begin with that begin with a text.
  mutating func write(beginningOf text: String) {
    write(text: text)
    // The end of a text is two bytes.
    bytes.removeLast(2)
    self.text.end = -1
  }

  /// Writes a value in its own order or in the reverse of it.
  package mutating func write(_ value: some OrderedValue, descending: Bool) {
    write(descending: descending) { value.encode(into: &$0) }
  }

  /// Lets a body write bytes in their own order or in the reverse of it.
  mutating func write(descending: Bool, _ body: (inout KeyWriter) -> Void) {
    if descending { mask = ~mask }
    body(&self)
    if descending { mask = ~mask }
  }

  /// Writes bytes as they are.
  mutating func write(_ key: OrderKey) {
    bytes += key.bytes
  }

  /// Writes bytes as they are.
  mutating func write(bytes more: some Collection<UInt8>) { bytes += more }

  /// Forgets what was written, and keeps the memory.
  package mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    text.end = -1
  }

  /// The text that the bytes end with, and where it begins; nil if they end with something else.
  var lastText: (text: String, start: Int)? { text.end == bytes.count ? (text.value, text.start) : nil }
}
