/// Functions that find invalid UTF-8.
enum UTF8Check {
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Returns true if bytes are valid UTF-8.
  ///
  /// Most events are ASCII, so ASCII is checked eight bytes at a time.
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

  /// Returns the number of bytes before the first invalid byte, or `nil` if the bytes are valid UTF-8.
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

  /// Returns a description of the first invalid byte in a string, or `nil` if the string is valid UTF-8.
  ///
  /// - Parameters:
  ///   - bytes: The string's bytes.
  ///   - name: A name for the string in the description, such as "payload".
  /// - Returns: The description.
  static func problem(of bytes: UnsafeRawBufferPointer?, _ name: String) -> String? {
    guard let bytes, !holds(bytes), let count = count(before: bytes) else { return nil }
    return "byte \(count + 1) of the event's \(name) is 0x\(String(bytes[count], radix: 16)), which is not valid UTF-8"
  }
}
