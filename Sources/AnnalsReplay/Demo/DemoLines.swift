import AnnalsSamples

/// A sample's steps for people.
struct DemoLines {
  private let colour: Bool
  private let columns: Int?

  init(_ console: Console) {
    colour = console.hasColour
    columns = console.columns
  }

  func tour(of names: [String], tool: String) -> [String] {
    wrapped(
      "A tour of \(names.count) small programs: the calls of the table's delegate after every step, and the list. "
        + "\(tool) demo NAME runs one to its end: \(names.joined(separator: ", ")).", indent: "")
  }

  /// The sample's name, what it shows, and the first list.
  func opening(_ scenario: Scenario, hasList: Bool) -> [String] {
    let head = [Style.bold.on(scenario.name, if: colour)] + wrapped(scenario.summary, indent: "")
    return hasList ? head + [""] + list(scenario.screen) : [""] + head
  }

  func step(_ step: Scenario.Step, number: Int?) -> [String] {
    let title = wrapped(number.map { "\($0). \(step.title)" } ?? step.title, indent: "")
    var lines = [""] + title.map { Style.bold.on($0, if: colour) }
    let notes = step.screen.takeNotes()
    lines.append(notes.isEmpty ? "  the delegate gets nothing" : "  the delegate gets")
    lines += notes.map(note)
    lines += list(step.screen)
    if !step.screen.isRight {
      lines.append(Style.red.on("  the table shows instead", if: colour))
      lines += rows(step.screen.table.sections)
    }
    lines += step.lines().flatMap { wrapped($0, indent: "  ") }
    lines += (step.remark.map { wrapped($0, indent: "  ") } ?? []).map { Style.dim.on($0, if: colour) }
    return lines
  }

  /// How many rows of a section are printed at most.
  private static let most = 12

  private func list(_ screen: AnyListScreen) -> [String] {
    ["  position \(screen.position()) lists"] + rows(screen.list())
  }

  private func rows(_ sections: [TableSection]) -> [String] {
    sections.flatMap { section in
      let indent = section.title.isEmpty ? "    " : "      "
      var lines = section.rows.prefix(Self.most).map { indent + cut($0, less: 6) }
      let rest = section.rows.count - Self.most
      if rest > 0 { lines.append("\(indent)and \(rest) more") }
      if !section.title.isEmpty { lines.insert("    " + Style.bold.on(cut(section.title, less: 4), if: colour), at: 0) }
      return lines
    }
  }

  private func note(_ note: String) -> String {
    let style: Style? =
      switch note.prefix(while: { $0 != " " }) {
      case "delete": .red
      case "insert": .green
      case "move": .blue
      case "update": .yellow
      default: nil
      }
    let text = cut(note, less: 6)
    guard let style else { return "    " + Style.dim.on(text, if: colour) }
    return "      " + style.on(text, if: colour)
  }

  private func cut(_ text: String, less used: Int) -> String {
    Text.cut(Text.safe(text), to: columns.map { $0 - used })
  }

  /// A text in lines of 80 columns at most, or fewer on a narrow terminal.
  private func wrapped(_ text: String, indent: String) -> [String] {
    Text.wrapped(Text.safe(text), to: min(80, columns ?? 80), indent: indent)
  }
}
