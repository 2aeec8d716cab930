import Annals

extension Subcommand {
  static let show = Subcommand(
    name: "show", operands: ["LOG"],
    summary: "Print the sectioned list at a position.",
    options: [Option("--at", "POSITION", "The position; by default the last one. 0 is before the first event.")]
      + list,
    examples: [
      "annals show shop.annals --section-by shelf --sort price,-title",
      "annals show shop.annals --at 12 --where 'price >= 50' --json",
    ],
    run: { session in
      let view = try RecordView(session)
      let at = try session.position("--at", end: view.end, in: view.compacted) ?? view.end
      let list = try view.lists(at: [at])[0]
      if session.isJSON {
        try session.printJSON(JSONLines.list(list))
      } else {
        for line in TextLines(session.console).list(list, isSectioned: view.request.section != nil) {
          try session.print(line)
        }
      }
      session.tell(of: view.strangers)
      return .done
    })

  static let diff = Subcommand(
    name: "diff", operands: ["LOG"],
    summary: "Print what changed between two positions, as one batch.",
    details: [
      "With --from after --to the batch leads backwards.", "Exit status: 1 if there is a batch, 0 if there is none.",
    ],
    options: [
      Option("--from", "POSITION", "The position to begin at."), Option("--to", "POSITION", "The position to end at."),
    ] + list,
    examples: ["annals diff shop.annals --from 10 --to 20", "annals diff shop.annals --from 20 --to 10 --json"],
    run: { session in
      for name in ["--from", "--to"] where !session.arguments.has(name) {
        throw ReplayError.usage("annals diff needs \(name) POSITION")
      }
      let view = try RecordView(session)
      let from = try session.position("--from", end: view.end, in: view.compacted) ?? 0
      let to = try session.position("--to", end: view.end, in: view.compacted) ?? 0
      let lists = try view.lists(at: [from, to])
      session.tell(of: view.strangers)
      let changes = Changes(from: lists[0], to: lists[1])
      if changes.isEmpty { return .done }
      try session.printBatch(changes, from: from, inserting: nil)
      return .negative
    })
}

extension RecordView {
  /// The lists at some positions, in any order.
  func lists(at positions: [Position]) throws -> [Results<Record>] {
    try store.read { try foldLists(at: positions, in: $0) }
  }

  private func foldLists(at positions: [Position], in log: any EventLog) throws -> [Results<Record>] {
    var states: [Position: Results<Record>] = [:]
    var rows = Rows<Record>()
    var (last, known): (Position, Results<Record>?) = (0, nil)
    for position in positions.sorted() {
      try log.forEachEvent(after: last, through: position) { _ = try fold($0, into: &rows) }
      last = position
      known = list(&rows, at: position, knowing: known)
      states[position] = known
    }
    return positions.compactMap { states[$0] }
  }
}
