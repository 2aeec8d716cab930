import Annals

extension Subcommand {
  static let show = Subcommand(
    name: "show", operands: ["LOG"],
    summary: "Print the sectioned list at a position.",
    options: [Option("--at", "PLACE", "Where; by default the last position. 0 is before the first event.")] + list,
    examples: [
      "annals show shop.annals --section-by shelf --sort price,-title",
      "annals show shop.annals --at 'yesterday 15:00' --where 'price >= 50' --json",
    ],
    run: { try $0.runShow() })

  static let diff = Subcommand(
    name: "diff", operands: ["LOG"],
    summary: "Print what changed between two positions, as one batch, and which events did it.",
    details: [
      "With --from after --to the batch leads backwards.", "Exit status: 1 if there is a batch, 0 if there is none.",
    ],
    options: [
      Option("--from", "PLACE", "The position to begin at."), Option("--to", "PLACE", "The position to end at."),
    ] + list,
    examples: ["annals diff shop.annals --from 10 --to 20", "annals diff shop.annals --from '1 hour ago' --to last"],
    run: { try $0.runDiff() })
}

extension Session {
  fileprivate func runShow() throws -> ReplayError.Status {
    let log = try LogExtent(openStore())
    let at = try place("--at", in: log) ?? log.end
    let source = try source(listOptions(), in: log)
    guard let reader = try openList(log, through: at) else { return .done }
    _ = try reader.go(to: at)
    let list = reader.list
    if isJSON {
      try printJSON(JSONLines.list(list))
    } else {
      let heading = TextLines.heading(list, isSectioned: reader.isSectioned)
      try TextLines(console, times).list(list, isSectioned: reader.isSectioned, heading: heading) { try print($0) }
    }
    tellOfFields(reader)
    try tellOfStrangers(source, in: log, through: at)
    return .done
  }

  fileprivate func runDiff() throws -> ReplayError.Status {
    for name in ["--from", "--to"] where !arguments.has(name) {
      throw ReplayError.usage("\(tool) diff needs \(name) PLACE")
    }
    let log = try LogExtent(openStore())
    let from = try place("--from", in: log) ?? 0
    let to = try place("--to", in: log) ?? 0
    let source = try source(listOptions(), in: log)
    guard let reader = try openList(log, through: max(from, to)) else { return .done }
    _ = try reader.go(to: from)
    let found = try reader.go(to: to)
    let batch = found.isEmpty ? found : try CommandNames(log.store).naming(reader.attribute(found))
    tellOfFields(reader)
    try tellOfStrangers(source, in: log, through: max(from, to))
    if batch.isEmpty { return .done }
    try printBatch(batch, from: from, inserting: nil)
    return .negative
  }
}
