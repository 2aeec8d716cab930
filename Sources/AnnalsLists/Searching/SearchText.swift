import Foundation

/// Functions for folded strings, which are the form that a search compares: UTF-8 bytes without case and accents.
enum SearchText {
  /// Calls a closure with the folded bytes of a string, which are valid only during the call.
  ///
  /// This code folds ASCII strings without Foundation. For a title, this takes 30 ns, whereas Foundation takes about 2
  /// µs (measured, release).
  static func withFolded<Result>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    var text = text
    return text.withUTF8 { bytes in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { memory in
        for (index, byte) in bytes.enumerated() {
          guard byte < 0x80 else {
            return foundationFolded(String(decoding: bytes, as: UTF8.self)).withUnsafeBufferPointer(body)
          }
          memory[index] = byte | (byte &- 0x41 < 26 ? 0x20 : 0)
        }
        return body(UnsafeBufferPointer(memory))
      }
    }
  }

  private static func foundationFolded(_ text: String) -> [UInt8] {
    // Characters are composed first, because folding removes accents but doesn't make different spellings of Hangul
    // equal.
    let composed = text.precomposedStringWithCanonicalMapping
    return Array(
      composed.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil).utf8)
  }

  /// Calls a closure with the byte index of every word's beginning, until it returns true.
  ///
  /// A word is a run of letters and digits. Chinese and Japanese don't separate words, so every character begins a
  /// word.
  ///
  /// - Parameters:
  ///   - bytes: A folded string.
  ///   - body: A closure that returns true to stop.
  /// - Returns: True if the closure returned true.
  static func anyWord(in bytes: UnsafeBufferPointer<UInt8>, _ body: (_ start: Int) -> Bool) -> Bool {
    var isInside = false
    var index = 0
    while index < bytes.count {
      let (kind, length) = kind(at: index, of: bytes)
      if kind == .alone || kind == .inWord && !isInside, body(index) { return true }
      isInside = kind == .inWord
      index += length
    }
    return false
  }

  /// Returns the end of the run of letters and digits that begins at an index.
  ///
  /// If the run extends beyond the limit, the result is an index at or after the limit.
  static func endOfWord(
    from start: Int, in bytes: UnsafeBufferPointer<UInt8>, limit: Int = .max
  ) -> Int {
    var index = start
    while index < bytes.count, index - start < limit {
      let (kind, length) = kind(at: index, of: bytes)
      if kind == .between { break }
      index += length
    }
    return index
  }

  /// Returns true if a string has the given bytes at an index.
  static func has(
    _ part: some RandomAccessCollection<UInt8>, at index: Int, of bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard index + part.count <= bytes.count else { return false }
    return part.elementsEqual(bytes[index..<index + part.count])
  }

  /// Returns true if a string contains the given bytes.
  static func has(
    _ part: some RandomAccessCollection<UInt8>, anywhereIn bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard let first = part.first else { return true }
    guard part.count <= bytes.count else { return false }
    for index in 0...bytes.count - part.count where bytes[index] == first && has(part, at: index, of: bytes) {
      return true
    }
    return false
  }

  private enum Kind { case between, inWord, alone }

  /// Returns how the scalar at an index affects words, and the number of the scalar's bytes.
  private static func kind(at index: Int, of bytes: UnsafeBufferPointer<UInt8>) -> (Kind, length: Int) {
    let byte = bytes[index]
    if byte < 0x80 { return (byte &- 0x61 < 26 || byte &- 0x30 < 10 ? .inWord : .between, 1) }
    let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
    var value = UInt32(byte) & (0xFF >> (UInt32(length) + 1))
    for next in bytes[index + 1..<min(index + length, bytes.count)] { value = value << 6 | UInt32(next & 0x3F) }
    guard let scalar = Unicode.Scalar(value) else { return (.between, length) }
    if isAlone(scalar) { return (.alone, length) }
    let properties = scalar.properties
    // A mark belongs to the preceding letter.
    let isInWord =
      properties.isAlphabetic || properties.numericType != nil
      || properties.canonicalCombiningClass != .notReordered
    return (isInWord ? .inWord : .between, length)
  }

  private static func isAlone(_ scalar: Unicode.Scalar) -> Bool {
    // Hiragana and Katakana.
    (0x3040...0x30FF).contains(scalar.value) || (0x31F0...0x31FF).contains(scalar.value)
      || scalar.properties.isIdeographic
  }
}
