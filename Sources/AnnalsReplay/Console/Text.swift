import Annals

/// Text for people.
enum Text {
  /// A text without the characters that would control a terminal or change the direction of writing.
  ///
  /// They are shown by number.
  ///
  /// These are the controls of Unicode's category Cc, the bidirectional ones of UAX #9, and the line separators.
  static func safe(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var safe = ""
    for scalar in text.unicodeScalars {
      if isUnsafe(scalar) {
        safe += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }

  /// A line of JSON in which the same characters are escaped, so that it still parses to the same value.
  ///
  /// Beyond ASCII such characters stand only in strings. JSON itself escapes the controls below it there.
  static func safeJSON(_ line: String) -> String {
    func isMeant(_ scalar: Unicode.Scalar) -> Bool { scalar.value > 0x20 && isUnsafe(scalar) }
    guard line.unicodeScalars.contains(where: isMeant) else { return line }
    var text = ""
    for scalar in line.unicodeScalars {
      if isMeant(scalar) {
        let number = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - number.count) + number
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
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

  static func counted(_ number: Int, _ noun: String, _ nouns: String) -> String {
    "\(number) \(number == 1 ? noun : nouns)"
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
