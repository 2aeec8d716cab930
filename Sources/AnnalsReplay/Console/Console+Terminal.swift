/// What `--color` says.
enum ColourChoice: String, CaseIterable {
  case auto, always, never
}

extension Console {
  /// True if what is printed for people may have colours (no-color.org).
  var hasColour: Bool {
    switch colour {
    case .always: true
    case .never: false
    case .auto: outputIsTerminal && (environment["NO_COLOR"] ?? "").isEmpty && !isDumb
    }
  }

  /// True if the terminal understands no controls.
  var isDumb: Bool { environment["TERM"] == "dumb" }

  /// The number of columns that lines of data are cut to; nil if lines may be of any length.
  var columns: Int? { outputIsTerminal ? terminalColumns : nil }

  /// The number of columns of the terminal, as it says itself, or as the variable COLUMNS says; else 80.
  var terminalColumns: Int { size()?.columns ?? number("COLUMNS") ?? 80 }

  /// The number of rows of the terminal; 24 if it does not know.
  var terminalRows: Int { size()?.rows ?? number("LINES") ?? 24 }

  /// The number of columns that pages of text are wrapped to: 80, or fewer on a narrow terminal.
  var textColumns: Int { outputIsTerminal ? min(80, terminalColumns) : 80 }

  private func number(_ variable: String) -> Int? {
    environment[variable].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
