/// How a cell of the screen looks.
struct CellStyle: Hashable, Sendable {
  /// A colour of the text, by its number in a terminal.
  enum Colour: Int, Sendable {
    case red = 31
    case green = 32
    case yellow = 33
    case blue = 34
    case cyan = 36
  }

  var colour: Colour?
  var isBold = false
  var isDim = false
  /// True if text and background change places.
  var isReversed = false

  static let plain = CellStyle()
  static let bold = CellStyle(isBold: true)
  static let dim = CellStyle(isDim: true)
  static let chosen = CellStyle(isReversed: true)
  static func of(_ colour: Colour) -> CellStyle { CellStyle(colour: colour) }

  /// The same style with text and background exchanged.
  var reversed: CellStyle {
    var style = self
    style.isReversed = true
    return style
  }

  /// The escape sequence that sets the style, whatever was set before.
  ///
  /// - Parameter hasColour: False to leave colours out; the other attributes stay.
  func escape(_ hasColour: Bool) -> String {
    var codes = ["0"]
    if isBold { codes.append("1") }
    if isDim { codes.append("2") }
    if isReversed { codes.append("7") }
    if hasColour, let colour { codes.append("\(colour.rawValue)") }
    return "\u{1B}[\(codes.joined(separator: ";"))m"
  }
}
