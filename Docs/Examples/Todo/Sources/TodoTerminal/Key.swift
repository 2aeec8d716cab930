/// A key, as a terminal in raw mode sends it.
public enum Key: Equatable, Sendable {
  case character(Character)
  case up, down, enter, backspace, escape
  /// A letter with the control key, in small letters.
  case control(Character)

  /// Takes apart what a terminal sent.
  ///
  /// - Parameter bytes: The bytes; what is left of an incomplete character stays in them.
  /// - Returns: The keys. Keys that the program does not know are left out.
  public static func keys(in bytes: inout [UInt8]) -> [Key] {
    var keys: [Key] = []
    var rest = bytes[...]
    while let first = rest.first {
      if first == 0x1b {
        rest.removeFirst()
        guard rest.first == UInt8(ascii: "[") || rest.first == UInt8(ascii: "O") else {
          keys.append(.escape)
          continue
        }
        rest.removeFirst()
        // Parameters, then one byte that ends the sequence.
        let end = rest.firstIndex { (0x40...0x7e).contains($0) }
        switch end.map({ rest[$0] }) {
        case UInt8(ascii: "A"): keys.append(.up)
        case UInt8(ascii: "B"): keys.append(.down)
        default: break
        }
        rest = end.map { rest[($0 + 1)...] } ?? []
      } else if first < 0x20 || first == 0x7f {
        rest.removeFirst()
        switch first {
        case 0x0d, 0x0a: keys.append(.enter)
        case 0x7f, 0x08: keys.append(.backspace)
        default: keys.append(.control(Character(Unicode.Scalar(first | 0x60))))
        }
      } else {
        let length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
        guard rest.count >= length else { break }
        for character in String(decoding: rest.prefix(length), as: UTF8.self) { keys.append(.character(character)) }
        rest.removeFirst(length)
      }
    }
    bytes = Array(rest)
    return keys
  }
}
