import Annals
import AnnalsLog

extension Subcommand {
  static let diff = Subcommand(
    name: "diff", operands: ["LOG"], rest: "[A..B|LOG2 [PLACE [PLACE2]]] [CHOICE]",
    summary: "Print the difference between two places or two logs, or every batch of changes.",
    details: [
      "A..B prints one batch from the list at A to the list at B, where A can be after B.",
      "With LOG2 the batch is from the list of LOG to its list, and the first different",
      "event is named. --without alone compares the list with and without the events.",
      "--each, --follow and CHOICE print a batch for every transaction that changes the",
      "list. --limit counts rows, not batches. Exit status: 1 if the lists or the logs",
      "differ, or if no batch is in the choice.",
    ],
    options: [
      Option("--each", "Print every batch, and not their sum."),
      Option(
        "--follow", short: "-f", "Continue with appended batches. Copy a URL to LOG2."),
      Option("--batch", "KIND", "transaction (the default), event, or a number of events."),
      Option("--check", "Check every batch in a strict table view."),
      withList, stat, instead,
    ] + list,
    examples: [
      "annals diff shop.annals 10..20",
      "annals diff ours.annals theirs.annals 120 120", "annals diff shop.annals -f --section-by shelf --sort price",
    ],
    output: .init(.lines, "A batch of changes. No line is printed if there are none.", [BatchOutput.schema]),
    run: { try $0.runDiff() })
}

extension Session {
  fileprivate func runDiff() throws -> ReplayError.Status {
    if arguments.has("--follow") { return try runFollow() }
    if let other = arguments.operands.dropFirst().first, isFile(other) { return try runDiffOfLogs() }
    let (range, choice) = try rangeAndChoice()
    let isEach = !choice.isEmpty || ["--each", "--check", "--batch", "--with-list"].contains { arguments.has($0) }
    if isEach { return try printBatches(of: range, choice) }
    let log = try LogExtent(openStore())
    guard let range else {
      if arguments.has("--without") || arguments.has("--instead") { return try runDiffOfSupposition(log) }
      throw ReplayError.usage(
        "\(tool) diff needs A..B, a second log, --without, --each or --follow. For example, -1.. is the last event")
    }
    let (from, to) = try states(of: range, in: log)
    let end = max(from, to)
    let isShort = end.rawValue - min(from, to).rawValue <= 200
    guard
      let (source, reader) = try openSource(
        log, through: end, silentThrough: end, index: isShort ? .made : .none)
    else { return .done }
    let found = try saying(through: end.rawValue) {
      try reader.move(to: from)
      return try reader.go(to: to)
    }
    let batch = found.isEmpty ? found : try CommandNames(log.store).naming(reader.attribute(found))
    return try printDifference(batch, reader, source, log, through: end)
  }

  /// Compares the list at the log's end with the list as the options suppose it.
  private func runDiffOfSupposition(_ log: LogExtent) throws -> ReplayError.Status {
    var options = try listOptions()
    guard let source = try source(options, in: log) else { return .done }
    // A supposition of nothing has the same type of reader.
    options.supposition = Supposition(
      without: [], instead: [], first: Position(log.end.rawValue + 1), altered: [], store: log.store)
    let real = try source.open(log.store, options, through: log.end)
    // Without some events, another collection could be the only one.
    if source is RecordSource, !real.isWaiting { options.list = real.name }
    let supposed = try open(source, options, log, through: log.end)
    try saying(through: log.end.rawValue) {
      try real.move(to: log.end)
      try supposed.move(to: log.end)
    }
    let heading = "position \(log.end) → " + (supposed.supposition?.words ?? "")
    return try printDifference(
      real.difference(to: supposed), supposed, source, log, through: log.end, heading: Text.safe(heading))
  }

  /// Prints a batch of the difference between two lists, and notes about it.
  private func printDifference(
    _ batch: ListBatch, _ reader: any ListReader, _ source: any ListSource, _ log: LogExtent, through end: Position,
    heading: String? = nil
  ) throws -> ReplayError.Status {
    try checkFields(reader, in: log)
    try tellOfSupposition(reader, in: log, through: end)
    try tellOfStrangers(source, in: log, through: end)
    if batch.isEmpty {
      if !isData { say("no difference") }
      return .done
    }
    try printBatch(
      batch, from: batch.from, inserting: nil, reader.supposition?.output(through: end), heading: heading)
    return .negative
  }

  /// True if an operand is the name of a file, also of a missing one.
  private func isFile(_ word: String) -> Bool {
    Platform.file(word) != nil || word.contains("/") || word.hasSuffix(".annals")
  }

  private func printBatches(of range: PlaceRange?, _ choice: EventChoice) throws -> ReplayError.Status {
    let log = try LogExtent(openStore())
    let batching = try Batching(arguments.value("--batch") ?? "transaction")
    let (from, to) = try states(of: range, in: log)
    if from > to { throw ReplayError.usage("A..B: \(from) is after \(to). Only diff without --each is backwards") }
    guard let (source, reader) = try openSource(log, through: to, silentThrough: from) else { return .done }
    if arguments.has("--check") { reader.beginChecking() }
    var printer = try BatchPrinter(self, reader, log, choice)
    try printer.begin(at: from)
    let progress = Progress(console, saysAnywhere: arguments.has("--check"))
    defer { progress.end() }
    try batching.forEachBatch(self, log, after: from, through: to) { end, events in
      try printer.go(to: end, by: events)
      if !console.outputIsTerminal { progress.step(end.rawValue, of: to.rawValue, "events") }
    }
    progress.end()
    if countsOnly, !isData, printer.count > 1 {
      try print("\(Text.counted(printer.count, "batch", "batches"))  \(printer.counts.words)")
    }
    try checkFields(reader, in: log)
    try tellOfSupposition(reader, in: log, through: to)
    try tellOfStrangers(source, in: log, through: to)
    if let (count, all) = reader.checked {
      say(
        count < all
          ? "a table view takes \(count) of \(all) batches, which were chosen evenly, because the list is long"
          : "a table view takes \(count == 1 ? "the batch" : "all \(count) batches")")
    }
    guard let filter = printer.filter, printer.count == 0 else { return .done }
    try filter.checkNames(in: log, self)
    say("no event of the choice changed the list between \(from) and \(to)")
    return .negative
  }
}
