/// A buffer to which an ``OrderedValue`` writes the bytes that define its place in a sort order.
public struct KeyWriter: Sendable {
  /// The bytes that have been written.
  package private(set) var bytes: [UInt8] = []
  /// The mask that is applied to every byte: 0xFF while bytes are written for a descending order, otherwise 0.
  private var mask: UInt8 = 0
  /// The last string that was written unchanged, with the start of its bytes and the end of the two zeros after them.
  private var text = (value: "", start: 0, end: -1)

  /// The start of the bytes that are valid only in this process, if there are any.
  private var ranksStart: Int?

  package init() {}

  /// Creates a writer with memory for keys of the given size in bytes.
  package init(capacity: Int) { bytes.reserveCapacity(capacity) }

  /// Writes one byte.
  ///
  /// - Parameter byte: The byte to write.
  public mutating func write(byte: UInt8) {
    bytes.append(byte ^ mask)
  }

  /// Writes eight bytes, most significant first.
  ///
  /// - Parameter word: The eight bytes as a number.
  public mutating func write(word: UInt64) {
    let word = mask == 0 ? word : ~word
    withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Writes a string of any length.
  ///
  /// In the sort order of the written bytes, a string precedes its extensions: for example, `"ab"` precedes `"abc"`.
  ///
  /// - Parameter text: The string to write. It can contain NUL characters.
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
    // The string is stored only for longer keys, because a short key stores its bytes, and a stored string costs
    // reference counting.
    if mask == 0, !hasNul, bytes.count > 8 + KeyTail.wordBytes { self.text = (text, start, bytes.count) }
    if mask != 0 { for index in start..<bytes.count { bytes[index] = ~bytes[index] } }
  }

  /// Writes the common prefix of the bytes of all strings that begin with a string.
  mutating func write(beginningOf text: String) {
    write(text: text)
    // The bytes of a string end with two bytes that aren't a part of the prefix.
    bytes.removeLast(2)
    self.text.end = -1
  }

  /// Writes a value in ascending or descending order.
  package mutating func write(_ value: some OrderedValue, descending: Bool) {
    write(descending: descending) { value.encode(into: &$0) }
  }

  /// Calls a closure that writes bytes in ascending or descending order.
  mutating func write(descending: Bool, _ body: (inout KeyWriter) -> Void) {
    if descending { mask = ~mask }
    body(&self)
    if descending { mask = ~mask }
  }

  /// Writes bytes unchanged.
  mutating func write(_ key: OrderKey) {
    bytes += key.bytes
  }

  /// Writes bytes unchanged.
  package mutating func write(bytes more: some Collection<UInt8>) { bytes += more }

  /// Writes bytes unchanged.
  ///
  /// Without this method, another module's first call makes the types of a generic append.
  package mutating func write(bytes more: ArraySlice<UInt8>) { bytes += more }

  /// Clears the bytes, and keeps the memory.
  package mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    text.end = -1
    ranksStart = nil
  }

  /// Marks all further bytes as valid only in this process, for example the ranks of strings (``CollationRanks``).
  mutating func beginRanks() { if ranksStart == nil { ranksStart = bytes.count } }

  /// The bytes that every process writes for the same values, and the further bytes, if there are any.
  var parts: (lasting: OrderKey, ranks: OrderKey?) {
    guard let ranksStart else { return (OrderKey(self), nil) }
    return (
      OrderKey { $0.write(bytes: bytes[..<ranksStart]) }, OrderKey { $0.write(bytes: bytes[ranksStart...]) }
    )
  }

  /// The string at the end of the bytes and its start, or `nil` if the bytes end with other data.
  var lastText: (text: String, start: Int)? { text.end == bytes.count ? (text.value, text.start) : nil }
}
