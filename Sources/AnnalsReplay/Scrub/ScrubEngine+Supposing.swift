import Annals

extension ScrubEngine {
  /// Marks the left-out events of a position, and the events that could not apply without them.
  func mark(_ shown: inout ScrubPosition, _ supposition: Supposition) throws {
    if let first = shown.events.first, let last = shown.events.last {
      let there = try supposition.store.events(
        .all, after: first.position.before, through: last.position, limit: shown.events.count)
      shown.hidden = Set(shown.events.map(\.position)).subtracting(there.map(\.position))
    }
    let refused = supposition.dropped(through: shown.position)
    shown.refusedCount = refused.count
    for event in refused { shown.refused[event.position] = event.reason }
  }

  /// Lists the left-out events, and the events that could not apply without them up to here.
  func supposed() throws -> ScrubAnswer {
    guard let supposition = try reader.supposition else {
      return .note("nothing is left out: x leaves the selected event out, w takes a choice of events")
    }
    var lines = ["The log isn't changed. Later commands could have had other results.", ""]
    let dropped = supposition.dropped(through: position)
    let count = Text.counted(dropped.count, "event")
    lines.append("\(count) could not apply up to \(position)" + (dropped.isEmpty ? "" : ":"))
    for event in dropped.prefix(1_000) {
      try check()
      lines.append("\(try session.name(event, in: log)): \(event.reason)")
    }
    if dropped.count > 1_000 { lines.append("\(dropped.count - 1_000) more") }
    for sentence in try session.refusals(under: supposition, in: log, through: position) { lines += ["", sentence] }
    return .text(title: supposition.words, lines)
  }

  /// Writes a page of a range, as timeline does.
  func writePage(_ file: String, from: Position, to: Position) throws -> ScrubAnswer {
    if file == "-" { throw ReplayError.usage("expected a file's name, such as page.html, found \"-\"") }
    if Platform.file(file) != nil {
      throw ReplayError(.inputOutput, "\(file): there is such a file; give another name")
    }
    let options = ["--output", file] + setting.options(session.listWords).flatMap { [$0.name, $0.value] }
    var console = session.console
    console.output = { _ in }
    console.outputIsTerminal = false
    let page = Session(
      tool: session.tool, version: session.version, catalog: session.catalog, console: console,
      arguments: try Arguments(
        options + ["--", session.arguments.operands[0], "\(from)..\(to)"], of: timeline, tool: session.tool),
      output: LineWriter(console))
    _ = try timeline.run(page)
    // The earlier lines are on the screen already.
    return .note(notes.text.split(separator: "\n").last.map(String.init) ?? "\(file) is written")
  }
}
