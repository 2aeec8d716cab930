import Annals

extension Subcommand {
  static let replay = Subcommand(
    name: "replay", operands: ["LOG"],
    summary: "Print every batch on the way from one position to another.",
    details: [
      "Whoever applies the batches to an empty list, as a table view does, has the list",
      "that show prints. Batches that change nothing are left out.",
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
      let from = try session.position("--from", end: view.end) ?? 0
      let to = try session.position("--to", end: view.end) ?? view.end
      if from > to { throw ReplayError.usage("--from \(from) is after --to \(to); diff goes backwards") }
      var replay = Replay(session, view, batch)
      try replay.run(from: from, to: to)
      if let check = replay.check {
        session.say("a table view takes \(check.count == 1 ? "the batch" : "all \(check.count) batches")")
      }
      return .done
    })
}

/// What makes a batch.
enum Batching {
  case transaction
  case events(Int)

  init(_ text: String) throws {
    switch text {
    case "transaction": self = .transaction
    case "event": self = .events(1)
    default:
      guard let count = Int(text), count > 0 else {
        throw ReplayError.usage("--batch: expected transaction, event or a number from 1, found \"\(text)\"")
      }
      self = .events(count)
    }
  }
}

/// Goes through a log and prints the batches.
private struct Replay {
  private let session: Session
  private let view: RecordView
  private let batching: Batching
  private var rows = Rows<Record>()
  private var list: Results<Record>
  /// The position that the receiver of the batches is at.
  private var told: Position = 0
  /// True until the receiver has the one section of a list that is not cut.
  private var lacksSection: Bool
  /// The table view that is told the batches too, if they are to be checked.
  private(set) var check: BatchCheck<Record>?

  init(_ session: Session, _ view: RecordView, _ batching: Batching) {
    (self.session, self.view, self.batching) = (session, view, batching)
    list = view.list(&rows, at: 0)
    lacksSection = view.request.section == nil
    check = session.arguments.has("--check") ? BatchCheck(list) : nil
  }

  mutating func run(from: Position, to: Position) throws {
    var isTouched = false
    try view.store.forEachEvent(through: from) { event in
      isTouched = try view.fold(event, into: &rows) || isTouched
    }
    try emit(at: from, isTouched)
    let progress = Progress(session.console)
    defer { progress.end() }
    isTouched = false
    var count = 0
    var last: StoredEvent?
    try view.store.forEachEvent(after: from, through: to) { event in
      if let last, endsBatch(before: event, after: last, count) {
        try emit(at: last.position, isTouched)
        (isTouched, count) = (false, 0)
      }
      isTouched = try view.fold(event, into: &rows) || isTouched
      count += 1
      last = event
      if !session.console.outputIsTerminal { progress.say("\(event.position) of \(to)") }
    }
    if let last { try emit(at: last.position, isTouched) }
  }

  private func endsBatch(before event: StoredEvent, after last: StoredEvent, _ count: Int) -> Bool {
    switch batching {
    case .transaction: event.transaction != last.transaction
    case .events(let size): count == size
    }
  }

  private mutating func emit(at position: Position, _ isTouched: Bool) throws {
    guard isTouched else { return }
    let next = view.list(&rows, at: position, knowing: list)
    let changes = Changes(from: list, to: next)
    list = next
    if changes.isEmpty { return }
    try session.printBatch(changes, from: told, inserting: lacksSection ? next.sections.first : nil)
    lacksSection = false
    told = position
    try check?.take(changes)
  }
}
