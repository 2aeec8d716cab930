import Annals

extension Subcommand {
  static let replay = Subcommand(
    name: "replay", operands: ["LOG"],
    summary: "Print every batch between two positions, and which events did it.",
    details: [
      "If you apply the batches to an empty list, as a table view does, you get the",
      "list that show prints. Batches that change nothing are left out. Options that",
      "choose events leave out the other batches, and the list at the beginning.",
    ],
    options: [
      Option("--from", "PLACE", "Where to begin, by default 0; the list there comes first, as one batch."),
      Option("--to", "PLACE", "Where to end; by default the last position."),
      Option(
        "--batch", "KIND", "What makes a batch: transaction (the default), event, or a number of events."),
      Option(
        "--check", "Tell every batch to a strict table view too; end with status 1 at the first that it cannot take."),
      Option("--no-list", "Leave out the list where it begins."), stat,
    ] + EventFilter.batchOptions + list,
    examples: [
      "annals replay shop.annals --section-by shelf --sort price",
      "annals replay shop.annals --json --batch 50 --from 100",
      "annals replay shop.annals --check > /dev/null", "annals replay shop.annals --author ann --type 'Book*'",
    ],
    run: { try $0.runReplay() })
}

extension Session {
  fileprivate func runReplay() throws -> ReplayError.Status {
    let log = try LogExtent(openStore())
    let batching = try Batching(arguments.value("--batch") ?? "transaction")
    let from = try place("--from", in: log) ?? 0
    let to = try place("--to", in: log) ?? log.end
    if from > to { throw ReplayError.usage("--from \(from) is after --to \(to); diff goes backwards") }
    guard let (source, reader) = try openSource(log, through: to, silentThrough: from) else { return .done }
    if arguments.has("--check") { reader.beginChecking() }
    var printer = try BatchPrinter(self, reader, log)
    try printer.begin(at: from)
    let progress = Progress(console)
    defer { progress.end() }
    try batching.forEachBatch(self, log, after: from, through: to) { end, events in
      try printer.go(to: end, by: events)
      if !console.outputIsTerminal { progress.step(end.rawValue, of: to.rawValue, "events") }
    }
    progress.end()
    if countsOnly, !isJSON, printer.count > 1 {
      try print("\(Text.counted(printer.count, "batch", "batches"))  \(printer.counts.words)")
    }
    tellOfFields(reader)
    try tellOfSupposition(reader, in: log, through: to)
    try tellOfStrangers(source, in: log, through: to)
    if let count = reader.checked {
      say("a table view takes \(count == 1 ? "the batch" : "all \(count) batches")")
    }
    guard let filter = printer.filter, printer.count == 0 else { return .done }
    say(Text.safe(try filter.unknown(in: log) ?? "no such event changed the list between \(from) and \(to)"))
    return .negative
  }
}
