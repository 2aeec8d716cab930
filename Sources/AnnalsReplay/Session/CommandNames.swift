import Annals
import AnnalsSQLite

/// Finds the ids of the commands that appended events.
///
/// A command's id is the cause of its events, unless the app gave them another: so the cause is tried first.
final class CommandNames {
  private let store: any EventStore
  /// By transaction, in a log whose commands had to be read.
  private var all: [Int: String]?
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
    // An append with a command's id gives each event a cause.
    guard let cause = event.metadata.causation, let file = store as? SQLiteEventStore else { return nil }
    if let found = known[event.transaction] { return found }
    var found: String?
    if try store.receipt(ofCommand: cause)?.transaction == event.transaction {
      found = cause
    } else {
      if all == nil { all = try file.commandIDs(ofTransactions: 1...Int(Int32.max)) }
      found = all?[event.transaction]
    }
    if known.count > 1_000 { known = [:] }
    known[event.transaction] = found
    return found
  }
}
