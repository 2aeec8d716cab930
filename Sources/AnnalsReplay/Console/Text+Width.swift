extension Text {
  /// On which side of a text the spaces stand that make it as wide as others.
  enum Alignment {
    case left, right
  }

  /// The number of columns that a text takes on a terminal.
  ///
  /// The text has no controls; see ``safe(_:)``.
  static func width(_ text: String) -> Int {
    isPlain(text) ? text.utf8.count : text.reduce(0) { $0 + width($1) }
  }

  /// The number of columns of one character: an emoji of several scalars takes two.
  static func width(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if scalars.count == 1 { return width(first) }
    return isEmoji(scalars, first) ? 2 : scalars.reduce(0) { $0 + width($1) }
  }

  /// True of what is shown as one picture: a flag, a selected picture, joined pictures, and one with a skin colour.
  private static func isEmoji(_ scalars: Character.UnicodeScalarView, _ first: Unicode.Scalar) -> Bool {
    if 0x1F1E6...0x1F1FF ~= first.value { return true }
    guard first.properties.isEmoji else { return false }
    return scalars.dropFirst().contains {
      $0 == "\u{FE0F}" || (first.value > 0x7F && ($0 == "\u{200D}" || $0.properties.isEmojiModifier))
    }
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x20...0x7E, 0xA0...0x2FF: return 1
    case 0..<0xA0: return 0
    case 0x3400...0x9FFF, 0xAC00...0xD7A3: return 2
    // The second and third parts of a Korean syllable stand in the first one's columns.
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
    default:
      let properties = scalar.properties
      let category = properties.generalCategory
      if category == .nonspacingMark || category == .enclosingMark { return 0 }
      if properties.isDefaultIgnorableCodePoint { return 0 }
      return WideScalars.contains(scalar.value) ? 2 : 1
    }
  }

  /// A line cut to a number of columns, where there is one; what is left out is "…".
  ///
  /// No character is cut in two: the result may be a column narrower.
  static func cut(_ line: String, to columns: Int?) -> String {
    guard let columns else { return line }
    // No text takes more columns than it has bytes: what is wide has three bytes at least.
    if line.utf8.count <= columns { return line }
    guard columns > 0 else { return "" }
    // Of plain characters each has one byte and one column; the one after them keeps a mark from joining the last.
    if line.utf8.prefix(columns + 1).allSatisfy({ 0x20...0x7E ~= $0 }) { return line.prefix(columns - 1) + "…" }
    var (width, end) = (0, line.startIndex)
    for index in line.indices {
      width += self.width(line[index])
      if width < columns { end = line.index(after: index) }
      if width > columns { return line[..<end] + "…" }
    }
    return line
  }

  /// A text with spaces up to a number of columns.
  static func padded(_ text: String, to columns: Int, _ alignment: Alignment = .left) -> String {
    let spaces = String(repeating: " ", count: max(0, columns - width(text)))
    return alignment == .left ? text + spaces : spaces + text
  }

  /// A text in lines of a number of columns at most, cut at spaces; a longer word has a line of its own.
  ///
  /// The first line begins with `indent`, the others with `hanging`, by default the same.
  static func wrapped(_ text: String, to columns: Int, indent: String = "", hanging: String? = nil) -> [String] {
    var lines: [String] = []
    var (line, used, isFresh) = (indent, width(indent), true)
    for word in text.split(separator: " ") {
      let size = width(String(word))
      if !isFresh, used + 1 + size > columns {
        lines.append(line)
        line = hanging ?? indent
        (used, isFresh) = (width(line), true)
      }
      line += (isFresh ? "" : " ") + word
      used += size + (isFresh ? 0 : 1)
      isFresh = false
    }
    return isFresh ? lines : lines + [line]
  }
}

extension String {
  /// The text with spaces after it, up to a number of characters.
  func padding(to width: Int) -> String { count < width ? self + String(repeating: " ", count: width - count) : self }
}
