import Annals

/// Text for people.
enum Text {
  /// A text without what would steer a terminal or turn the direction of writing: such characters are shown by number.
  ///
  /// These are the controls of Unicode's category Cc, the bidirectional ones of UAX #9, and the separators of lines.
  static func safe(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    return text.unicodeScalars.map { isUnsafe($0) ? "\\u{\(String($0.value, radix: 16))}" : String($0) }.joined()
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// A line cut to a number of columns, where there is one; a character counts as one column.
  static func cut(_ line: String, to columns: Int?) -> String {
    guard let columns, line.count > columns else { return line }
    return line.prefix(columns - 1) + "…"
  }

  static func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}

/// Colours of a terminal.
enum Style: Int {
  case bold = 1
  case dim = 2
  case red = 31
  case green = 32
  case yellow = 33
  case blue = 34

  func on(_ text: String, if enabled: Bool) -> String {
    enabled && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }
}
