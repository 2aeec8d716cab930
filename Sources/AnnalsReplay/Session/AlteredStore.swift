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
    try inner.read { log in
      try body(EventLogView(of: log, mayChange: events.touches, transform: events.altered))
    }
  }
}
