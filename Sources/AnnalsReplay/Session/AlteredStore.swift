import Annals
import AnnalsLog
import Foundation

/// A log in which some events are supposed not to be there, or to have another payload: nothing can be written to it.
///
/// Positions and versions stay those of the log, so that hidden events leave holes. No saved list, no kept state and no
/// checkpoint of the log is offered, because they were made of what the log really has.
final class AlteredStore: EventStore {
  private let inner: any EventStore
  private let events: AlteredEvents

  init(_ inner: any EventStore, _ events: AlteredEvents) {
    self.inner = inner
    self.events = events
  }

  var source: String { inner.source }
  var environment: StoreEnvironment { inner.environment }
  var runtime: StoreRuntime { inner.runtime }
  var externalWriters: (any ExternalWriters)? { inner.externalWriters }

  func commit(_ append: Append) throws -> Receipt {
    throw EventStoreError(.readOnly, "a log that is only supposed cannot be appended to")
  }

  func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    try inner.read { try body(AlteredLog(inner: $0, altered: events)) }
  }
}

/// A moment of such a log.
private struct AlteredLog: ClockedLog {
  let inner: any EventLog
  let altered: AlteredEvents

  var now: Date { inner.clockTime }

  func head() throws -> Position { try inner.head() }
  func revision() throws -> LogRevision { try inner.revision() }
  func version(of stream: StreamName) throws -> Int { try inner.version(of: stream) }
  func position(of id: EventID) throws -> Position? { try inner.position(of: id) }
  func receipt(ofCommand commandID: String) throws -> Receipt? { try inner.receipt(ofCommand: commandID) }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    var (found, last) = ([] as [StoredEvent], after)
    while true {
      let read = try inner.events(query, after: last, through: through, limit: limit)
      for event in read {
        if let event = altered.altered(event) { found.append(event) }
        if found.count == limit { return found }
      }
      guard read.count == limit, let end = read.last else { return found }
      last = end.position
    }
  }

  func eventsBackwards(
    _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    var (found, end) = ([] as [StoredEvent], through)
    while true {
      let read = try inner.eventsBackwards(query, after: after, through: end, limit: limit)
      for event in read {
        if let event = altered.altered(event) { found.append(event) }
        if found.count == limit { return found }
      }
      guard read.count == limit, let first = read.last, first.position > 1 else { return found }
      end = first.position.before
    }
  }

  func batch(after: Position, through: Position, limit: Int) throws -> EventBatch {
    var last = after
    while true {
      let batch = try inner.batch(after: last, through: through, limit: limit)
      // Batches without an altered event stay bytes.
      guard let end = batch.last, altered.touches(after: last, through: end) else { return batch }
      let events = batch.events.compactMap { altered.altered($0) }
      if !events.isEmpty { return EventBatch(events) }
      // An empty batch would mean the end of the log.
      last = end
    }
  }
}
