import Annals

extension Subcommand {
  static let clone = Subcommand(
    name: "clone", operands: ["URL", "LOG"],
    summary: "Copy a remote log into a file, or what the file does not have of it yet.",
    details: [
      "LOG has the same events then, at the same positions, and every other subcommand",
      "reads it. It is created if it is not there. A clone that was cut short goes on",
      "where it was if you run it again. It stops if the remote log is no longer the one",
      "that was copied. Append nothing to a copy. `follow URL LOG` keeps it up to date.",
    ],
    examples: [
      "annals clone postgresql://books@db.example.com/books books.annals",
      "annals clone 'postgresql://db/books?annals_schema=shop' shop.annals",
    ],
    run: { try $0.runClone() })
}

extension Session {
  fileprivate func runClone() throws -> ReplayError.Status {
    let remote = try RemoteLog(arguments.operands[0], tool: tool, catalog)
    let progress = Progress(console)
    defer { progress.end() }
    let found: (position: Position, events: Int)
    do {
      found = try remote.clone(into: arguments.operands[1], progress)
    } catch is CancellationError {
      throw Ended()
    }
    progress.end()
    if isJSON {
      try printJSON("{\"position\":\(found.position),\"events\":\(found.events)}")
    } else {
      say("\(Text.counted(found.events, "event")) copied; the last position is \(found.position)")
    }
    return .done
  }
}
