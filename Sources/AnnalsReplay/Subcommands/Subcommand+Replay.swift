import Annals

extension Subcommand {
  static let replay = Subcommand(
    name: "replay", operands: ["LOG"],
    summary: "Print every batch on the way from one position to another.",
    details: [
      "If you apply the batches to an empty list, as a table view does, you get the",
      "list that show prints. Batches that change nothing are left out.",
    ],
    options: [
      Option("--from", "POSITION", "Where to begin, by default 0; the list there comes first, as one batch."),
      Option("--to", "POSITION", "Where to end; by default the last position."),
      Option(
        "--batch", "KIND", "What makes a batch: transaction (the default), event, or a number of events."),
      Option(
        "--check", "Tell every batch to a strict table view too; end with status 1 at the first that it cannot take."),
    ] + list,
    examples: [
      "annals replay shop.annals --section-by shelf --sort price",
      "annals replay shop.annals --json --batch 50 --from 100",
      "annals replay shop.annals --check > /dev/null",
    ],
    run: { session in
      let view = try RecordView(session)
      let batch = try Batching(session.arguments.value("--batch") ?? "transaction")
      let from = try session.position("--from", end: view.end, in: view.compacted) ?? 0
      let to = try session.position("--to", end: view.end, in: view.compacted) ?? view.end
      if from > to { throw ReplayError.usage("--from \(from) is after --to \(to); diff goes backwards") }
      var replay = Replay(session, view, batch)
      try replay.run(from: from, to: to)
      session.tell(of: view.strangers)
      if let check = replay.check {
        session.say("a table view takes \(check.count == 1 ? "the batch" : "all \(check.count) batches")")
      }
      return .done
    })
}

/// What one batch contains.
enum Batching {
  case transaction
  case events(Int)

  init(_ text: String) throws {
    switch text {
    case "transaction": self = .transaction
    case "event": self = .events(1)
    default:
      guard let count = Arguments.wholeNumber(text), count > 0 else {
        throw ReplayError.usage("--batch: expected transaction, event or a number from 1, found \"\(text)\"")
      }
      self = .events(count)
    }
  }
}

/// Goes through a log and prints the batches.
private struct Replay {
  private let session: Session
  private let store: any EventStore
  private let batching: Batching
  private var printer: BatchPrinter
  /// The compacted part is one batch, because only its last state remains.
  private let horizon: Position
  /// The table view that checks the batches, if you asked for that.
  var check: BatchCheck<Record>? { printer.check }

  init(_ session: Session, _ view: RecordView, _ batching: Batching) {
    (self.session, self.batching) = (session, batching)
    store = view.store
    horizon = view.compacted.horizon
    printer = BatchPrinter(session, view)
    if session.arguments.has("--check") { printer.checks() }
  }

  mutating func run(from: Position, to: Position) throws {
    let progress = Progress(session.console)
    defer { progress.end() }
    var count = 0
    var last: StoredEvent?
    // One way through the log, so that all of it is of one history.
    var hasBegun = false
    try session.forEachEvent(of: store, through: to) { event in
      if event.position <= from { return try printer.fold(event) }
      if !hasBegun {
        try printer.emit(at: from)
        hasBegun = true
      }
      if let last, endsBatch(before: event, after: last, count) {
        try printer.emit(at: max(last.position, horizon))
        count = 0
      }
      try printer.fold(event)
      count += 1
      last = event
      if !session.console.outputIsTerminal { progress.say("\(event.position) of \(to)") }
    }
    if !hasBegun { try printer.emit(at: from) }
    if let last { try printer.emit(at: max(last.position, min(horizon, to))) }
  }

  private func endsBatch(before event: StoredEvent, after last: StoredEvent, _ count: Int) -> Bool {
    if last.position <= horizon { return event.position > horizon }
    return switch batching {
    case .transaction: event.transaction != last.transaction
    case .events(let size): count == size
    }
  }
}
