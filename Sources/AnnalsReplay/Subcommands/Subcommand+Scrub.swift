import Annals
import Foundation

extension Subcommand {
  static let scrub = Subcommand(
    name: "scrub", operands: ["LOG"], rest: "[PLACE]",
    summary: "Go back and forth in a log's time on the full screen.",
    details: [
      "You see the list at a position, what did it, and what became of a row. ← and →",
      "go by transactions, ⇧← and ⇧→ by events, g goes to any place, ? lists the keys.",
      "Click a bar or a row, or turn the wheel. M leaves the mouse to the terminal.",
      "With --keys it presses keys and prints the last screen, without a terminal.",
    ],
    options: [
      Option("--keys", "KEYS", "Press keys, print the screen and end: \(KeyWords.forms)."),
      Option("--size", "COLUMNSxROWS", "The size of the screen for --keys, by default 80x24."),
      Option("--plain", "Print a line a step instead of screens: keys are read from lines of the input."),
    ] + list + [instead],
    examples: [
      "annals scrub shop.annals first --keys '→→' --size 100x30",
      "annals scrub shop.annals --section-by shelf --keys '/b2⏎[' --plain",
    ],
    run: { try $0.runScrub() })
}

extension Session {
  fileprivate func runScrub() throws -> ReplayError.Status {
    if isData { throw ReplayError.usage("\(tool) scrub prints no JSON and no tables; show and diff do") }
    if arguments.has("--size"), !arguments.has("--keys") {
      throw ReplayError.usage("--size is for --keys; a terminal has its own size")
    }
    let size = try screenSize()
    let (isPlain, keys) = (arguments.has("--plain"), arguments.value("--keys").map(KeyWords.keys))
    if keys == nil, !isPlain {
      guard console.outputIsTerminal, console.environment["TERM"] != "dumb", Platform.Terminal.isThere else {
        throw ReplayError.usage(
          "\(tool) scrub needs a terminal that can place text; use \(tool) diff --each, or --plain")
      }
    }
    // The page shows the list as scrub supposes it.
    var timeline = Subcommand.timeline
    timeline.options.append(Subcommand.instead)
    let engine = try ScrubEngine(self, timeline: timeline)
    let begin = try arguments.operands.count > 1 ? placeOperand(in: engine.log) : nil
    let facts = ScrubFacts(tool: tool, log: arguments.operands[0], options: listWords, times: times)
    if keys == nil, !isPlain {
      var terminal = ScrubTerminal(engine, facts, hasColour: console.hasColour)
      return try terminal.run(at: begin)
    }
    var run = try ScrubRun(
      engine, ScrubModel(facts, columns: size.columns, rows: size.rows), at: begin)
    if isPlain {
      try runPlain(&run, keys)
    } else {
      for key in keys ?? [] where !run.model.isOver { run.press(key) }
      run.settle()
      for line in run.model.screen().lines { try print(line) }
    }
    return .done
  }

  /// Prints a line for where it begins, and one for each key that does something.
  private func runPlain(_ run: inout ScrubRun, _ keys: [Key]?) throws {
    try print(run.model.plainLine())
    try output.flush()
    var parts = PlainKeys(console.input)
    while !run.model.isOver {
      let line: [Key]
      if let keys { line = keys } else if let next = try parts.next() { line = next } else { return }
      for key in line where !run.model.isOver {
        let isTyping = run.model.prompt != nil
        run.press(key)
        if run.model.prompt == nil, !run.model.isOver, !isTyping || key == .enter || key == .escape {
          try print(Self.plainPage(run.model) ?? run.model.plainLine())
        }
      }
      try output.flush()
      if keys != nil { return }
    }
  }

  /// The lines of the open page, or the item under the cursor of a menu.
  private static func plainPage(_ model: ScrubModel) -> String? {
    guard let page = model.page else { return nil }
    let lines = page.lines.map { Text.safe($0.map(\.text).joined()) }
    return page.settings.isEmpty ? lines.joined(separator: "\n") : "\(Text.safe(page.title)): \(lines[page.chosen])"
  }

  private func screenSize() throws -> (columns: Int, rows: Int) {
    guard let text = arguments.value("--size") else { return (80, 24) }
    let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Arguments.wholeNumber(String($0)) }
    guard parts.count == 2, let columns = parts[0], let rows = parts[1], (1...1_000).contains(columns),
      (1...500).contains(rows)
    else { throw ReplayError.usage("--size: expected columns and rows, such as 80x24, found \"\(text)\"") }
    return (columns, rows)
  }
}

/// Keys from lines of the input; an empty line is a step.
private struct PlainKeys {
  private let input: () throws -> Data
  private var rest = Data()
  private var isOver = false

  init(_ input: @escaping () throws -> Data) { self.input = input }

  /// The keys of the next line, and Enter at its end if the line began something; nil at the input's end.
  mutating func next() throws -> [Key]? {
    while !isOver, !rest.contains(0x0A) {
      let more = try input()
      if more.isEmpty { isOver = true } else { rest.append(more) }
    }
    if rest.isEmpty { return nil }
    let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
    let line = String(decoding: rest[..<end], as: UTF8.self)
    rest = Data(rest[end...].dropFirst())
    if line.isEmpty { return [.right(.none)] }
    // A line that asks for a place or a search is complete.
    let isPrompt = ["g", "/", "f", "w", "o"].contains(line.prefix(1)) && line != "gg" && !line.hasSuffix("⏎")
    return KeyWords.keys(line) + (isPrompt ? [.enter] : [])
  }
}
