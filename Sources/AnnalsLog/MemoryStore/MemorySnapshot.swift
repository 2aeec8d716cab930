import Foundation
import Synchronization

/// The current history of a log in memory.
///
/// As long as a view of the history exists, only appends change the history.
final class MemoryHistory: Sendable {
  private let log: Mutex<MemoryLog>
  let times = TimeMarks()

  init(_ log: MemoryLog) { self.log = Mutex(log) }

  func withLock<T: Sendable>(_ body: (inout MemoryLog) throws -> T) rethrows -> T { try log.withLock { try body(&$0) } }

  /// Returns a view of the current log, for a reader with a clock.
  func moment(_ clock: @escaping @Sendable () -> Date) -> MemorySnapshot {
    let (head, commands) = withLock { ($0.head, $0.commandCount) }
    return MemorySnapshot(history: self, end: head, commandCount: commands, clock: clock)
  }
}

/// A consistent view of a log in memory, without later appends.
struct MemorySnapshot: ClockedLog {
  let history: MemoryHistory
  let end: Int
  let commandCount: Int
  fileprivate let clock: @Sendable () -> Date

  var now: Date { clock() }

  private func through(_ position: Position?) -> Position { min(position ?? Position(end), Position(end)) }

  func head() -> Position { Position(end) }

  func revision() -> LogRevision { history.withLock { $0.revision } }

  func unchanged(since earlier: LogRevision) -> Position {
    Position(min(end, history.withLock { $0.unchanged(since: earlier) }))
  }

  func version(of stream: StreamName) -> Int { history.withLock { $0.version(of: stream, at: end) } }

  func position(of id: EventID) -> Position? {
    history.withLock { $0.ids[id].flatMap { $0 <= end ? Position($0) : nil } }
  }

  func position(at time: Date) throws -> Position {
    try history.times.position(
      at: time.microseconds, now: now.microseconds, head: Position(end), revision: revision()
    ) { after, last, limit in
      history.withLock { log in
        log.slice(after: Position(after), through: Position(last)).prefix(limit).map {
          EventStamp(position: $0.position.rawValue, transaction: $0.transaction, time: $0.time.microseconds)
        }
      }
    }
  }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) -> [StoredEvent] {
    let through = self.through(through)
    return history.withLock { $0.events(query, after: after, through: through, limit: limit) }
  }

  func eventsBackwards(_ query: EventQuery, after: Position, through: Position?, limit: Int) -> [StoredEvent] {
    let through = self.through(through)
    return history.withLock { $0.eventsBackwards(query, after: after, through: through, limit: limit) }
  }

  func batch(of types: EventTypeFilter, after: Position, through: Position, limit: Int) throws -> EventBatch {
    precondition(limit > 0, "`limit` must be at least 1 (was \(limit))")
    let all = history.withLock { $0.types.names }
    let wanted = all.filter { types.contains($0.text) }
    if wanted.count == all.count { return try batch(after: after, through: through, limit: limit) }
    let through = self.through(through)
    return EventBatch(
      history.withLock { $0.events(of: wanted, after: after, through: through, limit: limit) })
  }

  func receipt(ofCommand commandID: String) -> Receipt? {
    history.withLock { $0.receipt(ofCommand: commandID, among: commandCount) }
  }
}
