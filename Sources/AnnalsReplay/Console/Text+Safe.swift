extension Text {
  /// A text without the characters that would control a terminal, change the direction of writing, or hide.
  ///
  /// They are shown by number: `\u{200b}`. These are
  /// - the controls of Unicode's category Cc, the bidirectional ones of UAX #9, and the line separators;
  /// - what Unicode lets a program not show at all (Default_Ignorable_Code_Point), and annotations. A joiner and a
  ///   selector are shown as they are where they make one emoji of several scalars;
  /// - the ninth and later combining marks of one character, and a mark without a character.
  static func safe(_ text: String) -> String {
    if isPlain(text) { return text }
    return marked(text, from: 0) { "\\u{\(String($0.value, radix: 16))}" }
  }

  /// A line that is safe to show, with the colours that ``Style`` gives to its parts.
  static func safeStyled(_ line: String) -> String {
    if isPlain(line) { return line }
    var safe = ""
    var rest = line[...]
    while let escape = rest.firstIndex(of: "\u{1B}") {
      safe += Self.safe(String(rest[..<escape]))
      rest = rest[escape...]
      if let style = Style.codes.first(where: { rest.hasPrefix($0) }) {
        safe += style
        rest = rest.dropFirst(style.count)
      } else {
        safe += Self.safe(String(rest.removeFirst()))
      }
    }
    return safe + Self.safe(String(rest))
  }

  /// A line of JSON in which the same characters are escaped, so that it still parses to the same value.
  ///
  /// Beyond ASCII such characters stand only in strings. JSON itself escapes the controls below it there.
  static func safeJSON(_ line: String) -> String {
    if isPlain(line) { return line }
    return marked(line, from: 0x20) { scalar in
      String(scalar).utf16.map { unit in
        let number = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - number.count) + number
      }.joined()
    }
  }

  /// The number of combining marks that one character may have.
  ///
  /// No script needs more than five. A tower of 200 covers the lines above and below it.
  private static let mostMarks = 8

  private static func marked(_ text: String, from least: UInt32, _ mark: (Unicode.Scalar) -> String) -> String {
    let scalars = text.unicodeScalars
    guard scalars.contains(where: { Kind($0) != .plain }) else { return text }
    var safe = ""
    // The last scalar that was shown, but for selectors and marks; whether it was selected; and the marks since then.
    // A mark at the start has no base.
    var (base, isSelected, marks): (Unicode.Scalar?, Bool, Int) = (nil, false, mostMarks)
    var index = scalars.startIndex
    while index < scalars.endIndex {
      let scalar = scalars[index]
      index = scalars.index(after: index)
      let next = index < scalars.endIndex ? scalars[index] : nil
      let isShown: Bool
      switch Kind(scalar) {
      case .plain: (isShown, base, isSelected, marks) = (true, scalar, false, 0)
      case .combining:
        isShown = marks < mostMarks
        marks += 1
      case .selector:
        isShown = !isSelected && base.map { selects(scalar, $0, before: next) } ?? false
        isSelected = true
      case .joiner: isShown = base.map(isPicture) ?? false && next.map(isPicture) ?? false
      case .hidden:
        isShown = scalar.value < least
        (base, marks) = (nil, mostMarks)
      }
      if isShown { safe.unicodeScalars.append(scalar) } else { safe += mark(scalar) }
    }
    return safe
  }

  /// True if a variation selector changes how a scalar looks: as a picture, or as text.
  private static func selects(
    _ selector: Unicode.Scalar, _ base: Unicode.Scalar, before next: Unicode.Scalar?
  ) -> Bool {
    // A digit is a picture with a keycap only.
    if base.value < 0x80 { return base.properties.isEmoji && selector == "\u{FE0F}" && next == "\u{20E3}" }
    return base.properties.isEmoji && (selector == "\u{FE0E}" || !base.properties.isEmojiPresentation)
  }

  private static func isPicture(_ scalar: Unicode.Scalar) -> Bool { scalar.value > 0x7F && scalar.properties.isEmoji }

  /// What a scalar does to the text around it.
  private enum Kind {
    case plain, combining, selector, joiner, hidden

    init(_ scalar: Unicode.Scalar) {
      switch scalar.value {
      // The scalars of most texts are known without their properties.
      case 0x20...0x7E, 0xA0...0xAC, 0xAE...0x2FF, 0x3400...0x9FFF, 0xAC00...0xD7A3: self = .plain
      case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFFF9...0xFFFB:
        self = .hidden
      case 0x200D: self = .joiner
      case 0xFE0E, 0xFE0F: self = .selector
      default:
        let properties = scalar.properties
        if properties.isDefaultIgnorableCodePoint {
          self = .hidden
        } else {
          let category = properties.generalCategory
          self = category == .nonspacingMark || category == .enclosingMark ? .combining : .plain
        }
      }
    }
  }
}
