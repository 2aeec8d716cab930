import Annals
import AnnalsLog
import AnnalsRemote
import Foundation

extension Session {
  /// Prints batches as they are appended, also by other processes.
  ///
  /// A URL as the first operand is copied into the file that the second operand names, and the batches are the copy's.
  func runFollow() throws -> ReplayError.Status {
    try refuseTogether([["--follow", "--check"], ["--follow", "--batch"]])
    let url = arguments.operands[0]
    let isURL = RemoteLog.scheme(of: url) != nil && Platform.file(url) == nil
    let copy = isURL ? try beginCopy() : nil
    let store = try openStore(arguments.operands[isURL ? 1 : 0])
    // A copy that is behind a compaction is shown as before the compaction until it has caught up.
    let log = try LogExtent(isURL ? Replica.copy(in: store) : store)
    let (range, choice) = try rangeAndChoice(after: isURL ? 2 : 1)
    if let end = range?.to { throw ReplayError.usage("--follow: expected A.. without an end, found ..\(end)") }
    let from = try range == nil ? log.end : states(of: range, in: log).from
    var following = try Following(self, log, from: from, choice)
    defer { copy?.end() }
    return try followEvents(after: from, in: log.store, beside: copy) { try following.take($0, isLive: $1) }
  }

  /// Copies a remote log, and begins to copy its next events.
  private func beginCopy() throws -> RemoteCopy {
    guard arguments.operands.count > 1 else {
      throw ReplayError.usage("--follow: a URL is copied into a file, so expected its name: \(tool) diff URL LOG -f")
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
        try openTable.flush()
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

/// The batches of a growing log.
private struct Following {
  private let session: Session
  private let log: LogExtent
  private let from: Position
  private let choice: EventChoice
  private var printer: BatchPrinter?
  private var reader: (any ListReader)?
  private var last: StoredEvent?
  /// The types that were passed over and said so.
  private let strangers = Strangers()
  private let isOfRecords: Bool

  init(_ session: Session, _ log: LogExtent, from: Position, _ choice: EventChoice) throws {
    self.session = session
    self.log = log
    self.from = from
    self.choice = choice
    let source = try session.source(session.listOptions(), in: log, waits: true)
    isOfRecords = source is RecordSource || source == nil
    if isOfRecords {
      for type in try log.typeCounts(through: from) where !RecordEvent.types.contains(type.name) {
        strangers.add(type.name, type.events)
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
    var printer = try BatchPrinter(session, reader, log, choice)
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
