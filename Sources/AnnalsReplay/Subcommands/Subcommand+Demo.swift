import AnnalsLog
import AnnalsSQLite
import AnnalsSamples
import Foundation

extension Subcommand {
  static let demo = Subcommand(
    name: "demo", operands: ["[NAME]", "[FILE]"],
    summary: "Run a sample program on a new log, and print the changes that its table view gets.",
    details: [
      "NAME is \(Scenario.names.dropLast().joined(separator: ", ")) or \(Scenario.names[Scenario.names.count - 1]);",
      "without it, the output is a short tour of all. With FILE, the log stays in this new",
      "file, so that you can try the other subcommands on it.",
    ],
    choices: ["[NAME]": Scenario.names],
    examples: [
      "annals demo", "annals demo bookshop", "annals demo course --json", "annals demo year year.annals",
    ],
    output: .init(
      .lines, "A step of a sample, with the changes of its screen and its list. Step 0 is the beginning.",
      [demoForm.schema]),
    run: { try $0.runDemo() })
}

extension Session {
  fileprivate func runDemo() throws -> ReplayError.Status {
    let name = arguments.operands.first
    if let name, !Scenario.names.contains(name) {
      let nearest = Nearest.name(to: name, among: Scenario.names).map { "; did you mean \($0)?" } ?? ""
      throw ReplayError.usage(
        "unknown sample \(name)\(nearest)\nthe samples are \(Scenario.names.joined(separator: ", "))")
    }
    let lines = DemoLines(console)
    if name == nil, !isData { for line in lines.tour(of: Scenario.names, tool: tool) { try print(line) } }
    if let name, let kept = arguments.operands.dropFirst().first {
      guard Platform.file(kept) == nil else {
        throw ReplayError(.inputOutput, "\(kept): is there already; name a file that is not")
      }
      try run(name, at: kept, isTour: false, lines)
      say(Text.safe("the log is in \(kept); try: \(tool) show \(kept)"))
      return .done
    }
    for sample in name.map({ [$0] }) ?? Scenario.names {
      try withNewLog { try run(sample, at: $0, isTour: name == nil, lines) }
    }
    return .done
  }

  private func run(_ name: String, at path: String, isTour: Bool, _ lines: DemoLines) throws {
    // Two connections to the log: the program's own, and one that appends as another user would.
    let clock = SampleClock()
    let store = try SQLiteEventStore(path: path, environment: clock.environment)
    defer { store.close() }
    let elsewhere = try SQLiteEventStore(path: path, environment: clock.environment)
    defer { elsewhere.close() }
    guard let scenario = try Scenario(name, on: store, elsewhere: elsewhere, clock: clock) else { return }
    if isData {
      if !isTour { try print((scenario, 0, nil, scenario.screen), as: demoForm) }
    } else {
      for line in lines.opening(scenario, hasList: !isTour) { try print(line) }
    }
    for (index, step) in scenario.steps.enumerated() {
      try step.act()
      if isTour, !step.isOnTour {
        // A step outside the tour prints no notes, and its notes must not appear with a later step.
        _ = step.screen.takeNotes()
      } else if isData {
        try print((scenario, index + 1, step, step.screen), as: demoForm)
      } else {
        for line in lines.step(step, number: isTour ? nil : index + 1) { try print(line) }
      }
    }
    // A controller saves its list on another thread. If the process ended during a save, commits would stay in the
    // `-wal` file.
    try scenario.screen.save()
    for step in scenario.steps { try step.screen.save() }
  }

  /// Calls a closure with the path of a log that does not exist yet, and removes afterwards what it created there.
  private func withNewLog(_ body: (String) throws -> Void) throws {
    let folder = console.temporaryFolder.appending(path: "annals-demo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.appending(path: "demo.annals").path)
  }
}
