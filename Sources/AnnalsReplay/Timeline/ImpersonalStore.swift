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
    try base.read { try body(ImpersonalLog(base: $0, redaction: redaction)) }
  }
}

/// A log of one moment, without personal values.
private struct ImpersonalLog: ClockedLog {
  let base: any EventLog
  let redaction: Redaction

  var now: Date { base.clockTime }

  func head() throws -> Position { try base.head() }
  func revision() throws -> LogRevision { try base.revision() }
  func version(of stream: StreamName) throws -> Int { try base.version(of: stream) }
  func position(of id: EventID) throws -> Position? { try base.position(of: id) }
  func receipt(ofCommand commandID: String) throws -> Receipt? { try base.receipt(ofCommand: commandID) }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    try base.events(query, after: after, through: through, limit: limit).map(cut)
  }

  func eventsBackwards(
    _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    try base.eventsBackwards(query, after: after, through: through, limit: limit).map(cut)
  }

  private func cut(_ event: StoredEvent) -> StoredEvent {
    guard let payload = event.payload, PersonalPayload.mayHaveFields(payload) else { return event }
    return event.with(payload: redaction.apply(to: payload) ?? payload)
  }
}
