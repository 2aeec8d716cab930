import Annals
import Foundation

/// Takes lines of CloudEvents into a log, a transaction at a time.
struct Importer {
  /// What was done so far.
  struct Summary {
    var events = 0
    var transactions = 0
    var skipped = 0
  }

  private struct Pending {
    let line: Int
    let event: CloudEvent
  }

  private let store: any EventStore
  /// The records as the log has them, with the events that are pending.
  private var records = RecordCollections()
  /// The position up to which `records` has been folded.
  private var folded: Position = 0
  private var pending: [Pending] = []
  private var pendingIDs: Set<EventID> = []
  private var label: String?
  private(set) var summary = Summary()

  init(into store: any EventStore) throws {
    self.store = store
    try foldLog()
  }

  /// A line that cannot be taken; its transaction, and what comes after, is not in the log.
  struct BadLine: Error {
    let number: Int
    let message: String
  }

  /// Takes a line; blank lines are passed over.
  mutating func take(_ line: String, number: Int) throws {
    if line.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return }
    let event: CloudEvent
    do {
      event = try CloudEvent(line: line)
    } catch {
      // A line that may belong to what is pending takes it along: nothing is half taken.
      if case .known(let transaction) = CloudEvent.label(of: line) { try begin(transaction) }
      throw BadLine(number: number, message: "\(error)")
    }
    try begin(event.transaction)
    if try pendingIDs.contains(event.id) || store.position(of: event.id) != nil {
      summary.skipped += 1
      return
    }
    try validate(event, number)
    pending.append(Pending(line: number, event: event))
    pendingIDs.insert(event.id)
  }

  /// Begins a transaction, unless the one that is pending goes on.
  private mutating func begin(_ transaction: String?) throws {
    guard let transaction, let label, ExactString(label) == ExactString(transaction) else {
      try flush()
      label = transaction
      return
    }
  }

  /// Appends what is pending, as one transaction.
  mutating func flush() throws {
    guard !pending.isEmpty else { return }
    let entries = pending.map { Append.Entry(stream: $0.event.stream, event: $0.event.event) }
    while true {
      do {
        // Records are valid only as long as nobody else changes them.
        let condition = Append.Condition(noneMatching: RecordEvent.query, after: folded)
        let receipt = try store.append(Append(entries, conditions: [condition]))
        folded = receipt.position
        break
      } catch let error as EventStoreError where error.isConflict {
        records = RecordCollections()
        folded = 0
        try foldLog()
        for one in pending { try validate(one.event, one.line) }
      } catch let error as EventStoreError where error.code == .invalidAppend {
        throw BadLine(number: pending[0].line, message: error.message)
      }
    }
    summary.events += pending.count
    summary.transactions += 1
    (pending, pendingIDs) = ([], [])
  }

  private mutating func validate(_ event: CloudEvent, _ number: Int) throws {
    do {
      try records.apply(type: event.event.type, payload: event.event.payload)
    } catch {
      throw BadLine(number: number, message: "\(error)")
    }
  }

  private mutating func foldLog() throws {
    let end = try store.head()
    try store.forEachEvent(RecordEvent.query, through: end) { event in
      do {
        try records.apply(type: event.type, payload: event.payload)
      } catch {
        throw EventStoreError(
          .corrupt,
          "event \(event.position) of the log is no valid record event: \(error); records cannot be added to it")
      }
    }
    folded = end
  }
}
