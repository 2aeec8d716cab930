import Annals
import AnnalsLog
import Foundation

/// A log as it would be if some people in it, or everyone, had been erased.
///
/// Rows that an app makes of personal values do not have them then, whatever the rows call them.
final class ImpersonalStore: EventStore {
  private let base: any EventStore
  private let redaction: Redaction

  /// - Parameters:
  ///   - base: The log.
  ///   - redaction: Whose personal values are left out.
  init(_ base: any EventStore, _ redaction: Redaction) {
    self.base = base
    self.redaction = redaction
  }

  var source: String { base.source }
  var environment: StoreEnvironment { base.environment }
  var runtime: StoreRuntime { base.runtime }

  func commit(_ append: Append) throws -> Receipt { throw EventStoreError.unsupported("appends", by: Self.self) }

  func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    try base.read { try body(EventLogView(of: $0, transform: impersonal)) }
  }

  private func impersonal(_ event: StoredEvent) -> StoredEvent {
    guard let payload = event.payload, PersonalPayload.mayHaveFields(payload) else { return event }
    return event.with(payload: redaction.apply(to: payload) ?? payload)
  }
}
