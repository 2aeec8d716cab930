import Annals
import Foundation

/// Imports lines of CloudEvents into a log, one transaction at a time.
struct Importer {
  /// The counts so far.
  struct Summary {
    var events = 0
    var transactions = 0
    var skipped = 0
  }

  private struct Pending {
    let line: Int
    let event: CloudEvent
  }

  private let log: LogFile
  /// The records of the log, with the pending events applied.
  private var records = RecordCollections()
  /// The position up to which `records` has been folded.
  private var folded: Position = 0
  private var pending: [Pending] = []
  private var pendingIDs: Set<EventID> = []
  /// The label of the pending transaction; nil if it has none and so is a transaction of its own.
  private var label: JSONValue?
  private(set) var summary = Summary()

  /// Begins to import.
  ///
  /// If the log does not exist, the first transaction creates it.
  init(into log: LogFile) throws {
    self.log = log
    try foldLog()
  }

  /// A line that cannot be imported.
  ///
  /// Its transaction, and what follows, is not in the log.
  struct BadLine: Error {
    let number: Int
    let message: String
  }

  /// Imports a line; skips blank lines.
  mutating func take(_ line: String, number: Int) throws {
    if line.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return }
    let event: CloudEvent
    do {
      event = try CloudEvent(line: line)
    } catch {
      // A bad line that may belong to the pending transaction discards it: no transaction is imported in part.
      switch CloudEvent.label(of: line) {
      case .known(let transaction): try begin(transaction)
      case .unknown: if label == nil { try flush() }
      }
      throw BadLine(number: number, message: "\(error)")
    }
    try begin(event.transaction)
    if try pendingIDs.contains(event.id) || log.store?.position(of: event.id) != nil {
      summary.skipped += 1
      return
    }
    try validate(event, number)
    pending.append(Pending(line: number, event: event))
    pendingIDs.insert(event.id)
  }

  /// Begins a transaction, unless the line continues the pending one.
  private mutating func begin(_ transaction: JSONValue?) throws {
    if transaction != nil, transaction == label { return }
    try flush()
    label = transaction
  }

  /// Appends the pending events as one transaction.
  mutating func flush() throws {
    while !pending.isEmpty {
      do {
        // The records are valid only if no other process has changed them.
        let condition = Append.Condition(noneMatching: RecordEvent.query, after: folded)
        let entries = pending.map { Append.Entry(stream: $0.event.stream, event: $0.event.event) }
        folded = try log.append(Append(entries, conditions: [condition])).position
        summary.events += pending.count
        summary.transactions += 1
        (pending, pendingIDs) = ([], [])
      } catch let error as EventStoreError where error.isConflict || error.code == .duplicateEvent {
        try catchUp()
      } catch let error as EventStoreError where error.code == .invalidAppend {
        throw BadLine(number: pending[0].line, message: error.message)
      }
    }
  }

  /// Reads what others appended in the meantime.
  ///
  /// Skips what they imported too, and validates the rest again.
  private mutating func catchUp() throws {
    try foldLog()
    let (before, store) = (pending.count, try log.create())
    try pending.removeAll { try store.position(of: $0.event.id) != nil }
    pendingIDs = Set(pending.map(\.event.id))
    summary.skipped += before - pending.count
    for one in pending { try validate(one.event, one.line) }
  }

  private mutating func validate(_ event: CloudEvent, _ number: Int) throws {
    do {
      try records.apply(type: event.event.type, payload: event.event.payload)
    } catch {
      throw BadLine(number: number, message: "\(error)")
    }
  }

  /// Folds the records of the whole log.
  private mutating func foldLog() throws {
    guard let store = log.store else { return }
    (records, folded) = try store.read { log in
      var records = RecordCollections()
      let end = try log.head()
      try log.forEachEvent(RecordEvent.query, through: end) { event in
        do {
          try records.apply(type: event.type, payload: event.payload)
        } catch {
          throw EventStoreError(
            .corrupt,
            "event \(event.position) of the log is no valid record event: \(error); records cannot be added to it")
        }
      }
      return (records, end)
    }
  }
}
