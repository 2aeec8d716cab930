/// Colours of a terminal.
enum Style: Int, CaseIterable {
  case bold = 1
  case dim = 2
  case red = 31
  case green = 32
  case yellow = 33
  case blue = 34

  /// The codes that begin and end the styles on a terminal.
  static let codes = (allCases.map(\.rawValue) + [0]).map { "\u{1B}[\($0)m" }

  func on(_ text: String, if enabled: Bool) -> String {
    enabled && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }
}
