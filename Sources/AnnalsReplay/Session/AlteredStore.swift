import Annals
import AnnalsLog
import Foundation

/// A log in which some events are hidden or have another payload: nothing can be written to it.
///
/// Positions and versions stay those of the log, so that hidden events leave holes. No saved list, no kept state and no
/// checkpoint of the log is offered, because they were made of the real events.
final class AlteredStore: EventStore {
  private let inner: any EventStore
  private let mayChange: @Sendable (_ after: Position, _ through: Position) -> Bool
  private let altered: @Sendable (StoredEvent) -> StoredEvent?

  /// Supposes that some events were not there, or different.
  init(_ inner: any EventStore, _ events: AlteredEvents) {
    self.inner = inner
    mayChange = events.touches
    altered = events.altered
  }

  /// Supposes that some people, or everyone, had been erased, so that rows do not have their values either.
  init(_ inner: any EventStore, without personalValues: Redaction) {
    self.inner = inner
    mayChange = { _, _ in true }
    altered = { event in
      guard let payload = event.payload, PersonalPayload.mayHaveFields(payload) else { return event }
      return event.with(payload: personalValues.apply(to: payload) ?? payload)
    }
  }

  var source: String { inner.source }
  var environment: StoreEnvironment { inner.environment }
  var runtime: StoreRuntime { inner.runtime }
  var externalWriters: (any ExternalWriters)? { inner.externalWriters }

  func commit(_ append: Append) throws -> Receipt {
    throw EventStoreError(.readOnly, "a log that is only supposed cannot be appended to")
  }

  func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    try inner.read { try body(EventLogView(of: $0, mayChange: mayChange, transform: altered)) }
  }
}
