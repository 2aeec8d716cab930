import Annals
import AnnalsSQLite
import Foundation

extension Subcommand {
  static let compact = Subcommand(
    name: "compact", operands: ["LOG"], rest: "[PLACE]",
    summary: "Cut record events that later ones made needless, and shrink the file.",
    details: [
      "PLACE, for example 1 year ago, keeps all later events as they are.",
      "One insertion of every record with its fields is left, and the last title of every",
      "section. Other events are unchanged. Before that, the tool checks that the records",
      "are equal. Lists at earlier positions can't be shown afterwards. Exit status: 1 if",
      "the records would differ, if a follower hasn't handled the events, or if a reader",
      "keeps the file from shrinking. The tool of an app runs the app's compaction instead.",
      "A log on a server is checked in a temporary copy.",
    ],
    options: Option.beforeRewriting,
    examples: [
      "annals compact shop.annals --dry-run", "annals compact shop.annals 10000 --yes --json",
      "annals compact postgresql://books@db.example.com/books --yes",
    ],
    output: .init(.object, "What was cut, or would be cut.", [compactForm.schema, compactPlanForm.schema]),
    run: { try $0.runCompact() })
}

extension Session {
  fileprivate func runCompact() throws -> ReplayError.Status {
    if let server = try serverLog() { return try compact(server) }
    let store = try existingLog()
    try checkKnows(store)
    let compaction = try compaction(through: compactedEnd(store))
    let progress = ReadingWatch(console, through: try store.head().rawValue)
    defer { progress.end() }
    let receipt: CompactionReceipt
    do {
      func say(_ step: Compaction.Step) { progress.begin(Self.words(for: step)) }
      if arguments.has("--dry-run") {
        let planned = try store.rehearse(compaction, progress: say)
        progress.end()
        try refuseStrangers(planned, in: store)
        return try tell(ofPlan: planned)
      }
      if arguments.has("--yes") || !console.inputIsTerminal {
        try ask("")
        receipt = try store.compact(compaction, progress: say)
      } else {
        receipt = try compactAsking(compaction, in: store, progress, say)
      }
    } catch let error as CompactionError {
      throw ReplayError(.negative, error.message)
    }
    progress.end()
    deleteIndexes(of: store)
    try refuseStrangers(receipt, in: store)
    try tell(receipt)
    if let remnants = receipt.remnants { throw ReplayError(.negative, remnants) }
    return .done
  }

  /// Throws if the tool does not know which events of a log are needed.
  func checkKnows(_ store: SQLiteEventStore) throws {
    if catalog.compaction == nil, !catalog.hasRecords, try store.head() > 0 { throw unknownNeeds }
  }

  private var unknownNeeds: ReplayError {
    ReplayError(
      .negative,
      "nothing was cut: \(tool) does not know which events of the log are needed no more; an app's tool knows it by "
        + "a ReplayCompaction (Docs/Compaction.md)")
  }

  /// Throws where nothing can be cut because the log has no records: which of an app's events are needed is unknown.
  func refuseStrangers(_ receipt: CompactionReceipt, in store: SQLiteEventStore) throws {
    guard receipt.isUnchanged, receipt.remnants == nil, catalog.compaction == nil,
      try store.events(RecordEvent.query, after: 0, through: nil, limit: 1).isEmpty
    else { return }
    let strangers = Strangers()
    try store.forEachEvent { strangers.add($0) }
    if strangers.isEmpty { return }
    // A list of a sample folds them, and says nothing of what is needed.
    if try !catalog.lists(forTypes: LogExtent(store).types()).isEmpty { throw unknownNeeds }
    throw strangers.refusal(of: arguments.operands[0], tool: tool, lists: catalog.lists.map(\.name))
  }

  /// Does the work, and asks before it is committed.
  ///
  /// Counting what would be cut is the work itself. If it took from 1 to 25 seconds, the question comes while it waits
  /// to be committed, and appends wait with it; so it does not wait for ever. Otherwise nothing waits, and the work is
  /// done again.
  private func compactAsking(
    _ compaction: Compaction, in store: SQLiteEventStore, _ progress: ReadingWatch, _ say: (Compaction.Step) -> Void
  ) throws -> CompactionReceipt {
    let start = console.clock()
    do {
      return try store.compact(compaction, progress: say) { planned in
        progress.end()
        if planned.isUnchanged { return }
        // Other programs wait a minute for the log at most.
        guard (1...25).contains(console.clock() - start) else {
          throw Quick(planned: planned)
        }
        try ask(
          Self.sentence(planned, "will be") + "\nPrograms that append wait for the answer, and for 30 seconds at most.",
          within: 30)
      }
    } catch let quick as Quick {
      try ask(Self.sentence(quick.planned, "will be"))
      return try store.compact(compaction, progress: say)
    }
  }

  /// Takes back what is done again after the answer.
  private struct Quick: Error {
    let planned: CompactionReceipt
  }

  /// What is done: the app's own compaction, or that of records.
  func compaction(through end: Position?) -> Compaction {
    if let make = catalog.compaction { return make(end) }
    var compaction = Compaction(through: end)
    compaction.rewrite(with: RecordRule())
    compaction.prove(with: RecordProof())
    return compaction
  }

  static func sentence(_ receipt: CompactionReceipt, _ tense: String) -> String {
    if receipt.isUnchanged { return "nothing to cut: each of \(Text.counted(receipt.remaining, "event")) is needed" }
    return
      "\(Text.counted(receipt.cut, "event")) \(tense) cut and \(receipt.replaced) replaced, \(receipt.remaining) left; "
      + "the history before position \(receipt.horizon) can be shown no more then"
  }

  func tell(ofPlan receipt: CompactionReceipt) throws -> ReplayError.Status {
    if isData {
      try print(receipt, as: compactPlanForm)
    } else {
      say(Self.sentence(receipt, "would be") + (receipt.isUnchanged ? "" : "; nothing was changed"))
    }
    return .done
  }

  func tell(_ receipt: CompactionReceipt) throws {
    if isData { return try print(receipt, as: compactForm) }
    if receipt.isUnchanged {
      say("nothing to cut: each of \(Text.counted(receipt.remaining, "event")) is needed")
    } else {
      say(
        "\(Text.counted(receipt.cut, "event")) cut, \(receipt.replaced) replaced, \(receipt.remaining) left; "
          + "the history before position \(receipt.horizon) can be shown no more")
    }
    if let before = receipt.bytesBefore, let after = receipt.bytesAfter {
      say("\(Self.bytes(before)) before, \(Self.bytes(after)) after")
    }
  }

  static func words(for step: Compaction.Step) -> String {
    switch step {
    case .reading: "reading the events"
    case .remembering: "making the lists of all events"
    case .rewriting: "cutting events"
    case .proving: "making the lists of what is left, and comparing"
    case .shrinking: "writing the new file"
    }
  }

  /// The end of the last transaction that ends before the place in the operands, or nil for the log's end.
  func compactedEnd(_ store: SQLiteEventStore) throws -> Position? {
    let text = arguments.operands.dropFirst().joined(separator: " ")
    if text.isEmpty { return nil }
    let log = try LogExtent(store)
    let (end, last) = (log.end, try lastBefore(text, in: log))
    // The compacted part has its own end, which a compaction checks.
    guard last < end, try last > store.revision().compacted.horizon else { return last }
    let next = try store.events(.all, after: last, through: nil, limit: 1).first
    var found = last
    while found > 0 {
      guard let event = try store.eventsBackwards(.all, after: 0, through: found, limit: 1).first,
        event.transaction == next?.transaction
      else { break }
      found = Position(event.position.rawValue - 1)
    }
    return max(found, try store.revision().compacted.horizon)
  }

  /// The last position before a place: what was known at a time, and for other places all before the event that they
  /// name.
  private func lastBefore(_ text: String, in log: LogExtent) throws -> Position {
    let place = try Place(text, now: console.now(), zone: console.zone, of: "PLACE", isBeginning: true)
    if case .position(let before) = place {
      guard before > 0, before <= log.end.rawValue + 1 else {
        throw ReplayError.usage("PLACE: expected a position from 1 to \(log.end.rawValue + 1), found \(before)")
      }
      return Position(before - 1)
    }
    let position = try self.place(text, of: "PLACE", in: log, isState: false, isBeginning: true)
    if case .time = place { return position }
    return Position(max(0, position.rawValue - 1))
  }
}

private let compactForm = JSONForm<CompactionReceipt>([
  "horizon": .of(\.horizon), "cut": .of(\.cut), "replaced": .of(\.replaced),
  "events": .of(\.remaining, "What is left."),
  "bytesBefore": .of(\.bytesBefore, "Null of a log in a server."), "bytesAfter": .of(\.bytesAfter),
  "complete": .of { $0.remnants == nil },
])

private let compactPlanForm = JSONForm<CompactionReceipt>([
  "horizon": .of(\.horizon), "cut": .of(\.cut), "replaced": .of(\.replaced), "events": .of(\.remaining),
  "dryRun": .isTrue,
])
