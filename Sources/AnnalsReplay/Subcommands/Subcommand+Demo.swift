import AnnalsLog
import AnnalsSQLite
import AnnalsSamples
import Foundation

extension Subcommand {
  static let demo = Subcommand(
    name: "demo", operands: ["[NAME]"],
    summary: "Run a sample program on a new log and show what its table hears.",
    details: [
      "NAME is \(Scenario.names.dropLast().joined(separator: ", ")) or \(Scenario.names[Scenario.names.count - 1]);",
      "without it, a short tour of all. The log is a temporary file, removed at the",
      "end; with --keep it stays, for you to look at with every other subcommand.",
    ],
    options: [Option("--keep", "FILE", "Leave the log in a file, which must not be there yet.")],
    choices: ["[NAME]": Scenario.names],
    examples: [
      "annals demo", "annals demo bookshop", "annals demo course --json", "annals demo year --keep year.annals",
    ],
    output: .init(
      .lines, "A step of a sample, and what its screen heard and shows; step 0 is the beginning.", [demoForm.schema]),
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
    if let kept = arguments.value("--keep") {
      guard let name else { throw ReplayError.usage("--keep: expected the NAME of a sample before it") }
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
    let elsewhere = try SQLiteEventStore(path: path, environment: clock.environment)
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
  }

  /// Calls a closure with the path of a log that does not exist yet, and removes afterwards what it created there.
  private func withNewLog(_ body: (String) throws -> Void) throws {
    let folder = console.temporaryFolder.appending(path: "annals-demo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.appending(path: "demo.annals").path)
  }
}
