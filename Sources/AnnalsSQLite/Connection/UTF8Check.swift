/// Finds bytes that are no UTF-8.
enum UTF8Check {
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// True if bytes are UTF-8.
  ///
  /// Of ASCII, which most events are, eight bytes are looked at in one step.
  static func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    while place + 8 <= bytes.count {
      if bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self) & highBits != 0 { break }
      place += 8
    }
    while place < bytes.count, bytes[place] < 0x80 { place += 1 }
    if place == bytes.count { return true }
    return String(validating: bytes[place...], as: UTF8.self) != nil
  }

  /// How many bytes come before the first that is no UTF-8; nil if there is none.
  static func count(before bytes: UnsafeRawBufferPointer) -> Int? {
    var (parser, rest, count) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator(), 0)
    while true {
      switch parser.parseScalar(from: &rest) {
      case .valid(let scalar): count += scalar.count
      case .error: return count
      case .emptyInput: return nil
      }
    }
  }

  /// What is wrong with a text that is no UTF-8, with the place of its first such byte; nil if it is UTF-8.
  ///
  /// - Parameters:
  ///   - bytes: The text's bytes.
  ///   - name: What the text is, as in "payload".
  /// - Returns: The problem.
  static func problem(of bytes: UnsafeRawBufferPointer?, _ name: String) -> String? {
    guard let bytes, !holds(bytes), let count = count(before: bytes) else { return nil }
    return "expected UTF-8 in its \(name), found the byte 0x\(String(bytes[count], radix: 16)) (at byte \(count + 1))"
  }
}
