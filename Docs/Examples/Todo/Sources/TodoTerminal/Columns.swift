extension String {
  /// The text in a number of columns of a terminal: what is longer ends with "…", and nothing in it is a command to the
  /// terminal.
  ///
  /// - Parameters:
  ///   - columns: How many columns there are.
  ///   - keepsEnd: True to keep the end of a long text, where a user types, instead of its beginning.
  /// - Returns: A text of at most so many columns.
  public func fitted(to columns: Int, keepsEnd: Bool = false) -> String {
    let characters = map { $0.unicodeScalars.contains(where: \.isControl) ? "\u{fffd}" : $0 }
    guard characters.reduce(0, { $0 + $1.columns }) > columns else { return String(characters) }
    guard columns > 0 else { return "" }
    var (kept, width): ([Character], Int) = ([], 1)
    for character in keepsEnd ? characters.reversed() : characters {
      width += character.columns
      if width > columns { break }
      kept.append(character)
    }
    return keepsEnd ? "…" + String(kept.reversed()) : String(kept) + "…"
  }
}

extension Unicode.Scalar {
  var isControl: Bool { properties.generalCategory == .control || properties.isBidiControl }
}

extension Character {
  /// How many columns a terminal gives the character.
  var columns: Int {
    guard let scalar = unicodeScalars.first else { return 0 }
    if scalar.properties.isEmojiPresentation || unicodeScalars.contains("\u{fe0f}") { return 2 }
    switch scalar.value {
    case 0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60,
      0xffe0...0xffe6, 0x20000...0x3fffd:
      return 2
    default: return 1
    }
  }
}
