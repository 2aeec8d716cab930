import Annals
import AnnalsLog
import AnnalsRemote
import Foundation

extension Subcommand {
  static let follow = Subcommand(
    name: "follow", operands: ["LOG", "[COPY]"],
    summary: "Print batches as they are appended, also by other processes, until it is ended.",
    details: [
      "The list at the beginning comes first, as one batch; then a batch for each",
      "transaction that changes something, within a second. It ends with a message if",
      "the log is removed or replaced, and silently when the reader of its output goes.",
      "If LOG is a URL, its events are copied into the file COPY as `clone` does, and",
      "what is printed is the copy's. Options that choose events leave out the other",
      "batches, and the list at the beginning.",
    ],
    options: [
      Option("--from", "PLACE", "Where to begin; by default the last position. 0 is before the first event."),
      Option("--no-list", "Leave out the list at the beginning."), stat,
    ] + EventFilter.batchOptions + list,
    examples: [
      "annals follow shop.annals --section-by shelf --sort price", "annals follow shop.annals --json --from 0",
      "annals follow postgresql://books@db.example.com/books books.annals",
    ],
    run: { try $0.runFollow() })
}

extension Session {
  fileprivate func runFollow() throws -> ReplayError.Status {
    let copy = try beginCopy()
    let store = try openStore(arguments.operands[copy == nil ? 0 : 1])
    // A copy that is left behind a compaction meanwhile is shown as it was until it is past that.
    let log = try LogExtent(copy == nil ? store : Replica.copy(in: store))
    let from = try place("--from", in: log) ?? log.end
    var following = try Following(self, log, from: from)
    try output.flush()
    defer { copy?.end() }
    return try followEvents(after: from, in: log.store, beside: copy) { try following.take($0, isLive: $1) }
  }

  /// Copies a remote log as far as it is, and begins to copy what comes; nil for a log in a file.
  private func beginCopy() throws -> RemoteCopy? {
    guard RemoteLog.scheme(of: arguments.operands[0]) != nil, Platform.file(arguments.operands[0]) == nil else {
      if arguments.operands.count > 1 {
        throw ReplayError.usage(
          "\(tool) follow takes a second file only after a URL, which it copies; found \"\(arguments.operands[1])\"")
      }
      return nil
    }
    guard arguments.operands.count > 1 else {
      throw ReplayError.usage("\(tool) follow needs the file that a URL is copied into: \(tool) follow URL LOG")
    }
    let remote = try RemoteLog(arguments.operands[0], tool: tool, catalog)
    let progress = Progress(console)
    do {
      _ = try remote.clone(into: arguments.operands[1], progress)
    } catch is CancellationError { throw Ended() }
    progress.end()
    return remote.follow(into: arguments.operands[1])
  }

  /// Passes all events after a position to a closure, including later events, until a signal arrives or the output is
  /// closed.
  ///
  /// - Parameters:
  ///   - position: The position.
  ///   - store: The log.
  ///   - copy: The copying of a remote log, or nil for a local log. If it fails, the call ends with its error.
  ///   - body: A closure that receives some events, and true if the log ends after them.
  /// - Returns: The exit status.
  /// - Throws: The errors of reading, and of `body`.
  func followEvents(
    after position: Position, in store: any EventStore, beside copy: RemoteCopy? = nil,
    _ body: ([StoredEvent], Bool) throws -> Void
  ) throws -> ReplayError.Status {
    var cursor = EventCursor(store, .all, after: position, batchSize: 512)
    let waiter = CommitWaiter(store)
    _ = Platform.EndSignal()
    while Platform.EndSignal.status == nil {
      guard let page = try cursor.next() else {
        try output.flush()
        // A write would find a closed pipe, but there may be nothing to write for days.
        if console.outputIsGone() { return .brokenPipe }
        if let sentence = try copy?.news() { say(Text.safe(sentence)) }
        waiter.wait(.milliseconds(250))
        continue
      }
      try body(page.events, page.isLive)
    }
    return Platform.EndSignal.status ?? .done
  }
}

/// The batches of a log that goes on.
private struct Following {
  private let session: Session
  private let log: LogExtent
  private let from: Position
  private var printer: BatchPrinter?
  private var reader: (any ListReader)?
  private var last: StoredEvent?
  /// The types that were passed over and said so.
  private let strangers = Strangers()
  private let isOfRecords: Bool

  init(_ session: Session, _ log: LogExtent, from: Position) throws {
    self.session = session
    self.log = log
    self.from = from
    let source = try session.source(session.listOptions(), in: log, waits: true)
    isOfRecords = source is RecordSource || source == nil
    if isOfRecords {
      for (type, count) in try log.typeCounts(through: from) where !RecordEvent.types.contains(type) {
        strangers.add(type, count)
      }
    }
    try begin(at: from)
    try session.tellOfStrangers(source, in: log, through: from)
  }

  /// Opens the list, once there are events that it folds, and prints it.
  private mutating func begin(at position: Position) throws {
    let now = try LogExtent(log.store)
    guard let reader = try session.openList(now, through: now.end, waits: true), !reader.isWaiting else { return }
    if self.reader == nil { try session.tellOfSupposition(reader, in: log, through: position) }
    self.reader = reader
    var printer = try BatchPrinter(session, reader, log)
    try printer.begin(at: position)
    self.printer = printer
  }

  mutating func take(_ events: [StoredEvent], isLive: Bool) throws {
    for event in events {
      if let last, last.transaction != event.transaction { try emit(at: last.position) }
      if isOfRecords, !RecordEvent.types.contains(event.type) { strangers.add(event) }
      last = event
    }
    // The log's end is also the end of a transaction.
    if isLive, let last { try emit(at: last.position) }
    if let sentence = strangers.newSentence { session.say(Text.safe(sentence)) }
  }

  private mutating func emit(at position: Position) throws {
    if printer == nil { try begin(at: from) }
    try printer?.go(to: position)
    if let supposition = reader?.supposition { try session.tellOfDropped(supposition, in: log) }
  }
}
