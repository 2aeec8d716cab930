import Annals
import AnnalsLog

/// Finds the ids of the commands that appended events.
///
/// A command's id is the cause of its events, unless the app gave them another or none: so the cause is tried first,
/// and then the log's table of commands.
final class CommandNames {
  private let store: any EventStore
  /// By transaction up to the last one, in a log whose commands had to be read.
  private var all: (ids: [Int: String], last: Int)?
  /// How often the table of commands was looked through.
  private var looks = 0
  private var known: [Int: String?] = [:]

  init(_ store: any EventStore) { self.store = store }

  /// A batch whose events name their commands.
  func naming(_ batch: ListBatch) throws -> ListBatch {
    var batch = batch
    for index in batch.events.indices { batch.events[index].command = try command(of: batch.events[index]) }
    return batch
  }

  /// The id of the command that appended an event; nil if it had none.
  func command(of event: EventCause) throws -> String? {
    if let found = known[event.transaction] { return found }
    var found: String?
    if let cause = event.metadata.causation, try receipt(ofCommand: cause)?.transaction == event.transaction {
      found = cause
    } else {
      found = try command(ofTransaction: event.transaction)
    }
    if known.count > 1_000 { known = [:] }
    known[event.transaction] = found
    return found
  }

  /// What a command was answered; nil if there is none, or if the store keeps no answers.
  private func receipt(ofCommand id: String) throws -> Receipt? {
    do {
      return try store.receipt(ofCommand: id)
    } catch let error as EventStoreError where error.code == .unsupported {
      return nil
    }
  }

  /// The id that the table of commands has of a transaction.
  ///
  /// The table is by ids, so that each look is a pass over it: after the first few all of it is kept.
  private func command(ofTransaction number: Int) throws -> String? {
    if let all, number <= all.last { return all.ids[number] }
    looks += 1
    if looks <= 4 { return try store.index.commandIDs(ofTransactions: number...number)[number] }
    // Transactions that come later are not in it.
    let last = try store.eventsBackwards(.all, after: 0, through: nil, limit: 1).first?.transaction ?? 0
    let ids = try store.index.commandIDs(ofTransactions: 0...max(0, last))
    all = (ids, last)
    return ids[number]
  }
}
