import Annals
import Foundation

extension Subcommand {
  static let follow = Subcommand(
    name: "follow", operands: ["LOG"],
    summary: "Print batches as they are appended, also by other processes, until it is ended.",
    details: [
      "The list at the beginning comes first, as one batch; then a batch for each",
      "transaction that changes something, within a second. It ends with a message if",
      "the log is removed or replaced, and silently when the reader of its output goes.",
    ],
    options: [
      Option("--from", "POSITION", "Where to begin; by default the last position. 0 is before the first event.")
    ] + list,
    examples: [
      "annals follow shop.annals --section-by shelf --sort price", "annals follow shop.annals --json --from 0",
    ],
    run: { try $0.runFollow() })
}

extension Session {
  fileprivate func runFollow() throws -> ReplayError.Status {
    let view = try RecordView(self, waits: true)
    let from = try position("--from", end: view.end, in: view.compacted) ?? view.end
    var printer = BatchPrinter(self, view)
    try view.store.forEachEvent(through: from) { try printer.fold($0) }
    try printer.emit(at: from)
    try output.flush()
    tell(of: view.strangers)
    var cursor = EventCursor(view.store, .all, after: from, batchSize: 512)
    let waiter = CommitWaiter(view.store)
    var last: StoredEvent?
    let end = Platform.EndSignal()
    while end.status == nil {
      guard let page = try cursor.next() else {
        try output.flush()
        // A write would find a closed pipe, but there may be nothing to write for days.
        if console.outputIsGone() { return .brokenPipe }
        waiter.wait(.milliseconds(250))
        continue
      }
      for event in page.events {
        if let last, last.transaction != event.transaction { try printer.emit(at: last.position) }
        try printer.adoptCollection(of: event)
        try printer.fold(event)
        last = event
      }
      // The log's end is also the end of a transaction.
      if page.isLive { try printer.emit(at: page.position) }
      if let sentence = view.strangers.newSentence { say(Text.safe(sentence)) }
    }
    return end.status ?? .done
  }
}
