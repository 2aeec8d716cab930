import Annals
import AnnalsLog
import Foundation

/// A log whose calls can fail.
struct FaultyLog: ForwardingEventLog, ClockedLog {
  let wrapped: any EventLog
  let calls: FaultyStore

  var now: Date { wrapped.clockTime }

  func head() throws -> Position { try calls.pass(.read) { try wrapped.head() } }

  func revision() throws -> LogRevision { try calls.pass(.read) { try wrapped.revision() } }

  func unchanged(since earlier: LogRevision) throws -> Position {
    try calls.pass(.read) { try wrapped.unchanged(since: earlier) }
  }

  func stableEnd() throws -> Position? { try calls.pass(.read) { try wrapped.stableEnd() } }

  func version(of stream: StreamName) throws -> Int { try calls.pass(.read) { try wrapped.version(of: stream) } }

  func position(of id: EventID) throws -> Position? { try calls.pass(.read) { try wrapped.position(of: id) } }

  func position(at time: Date) throws -> Position { try calls.pass(.read) { try wrapped.position(at: time) } }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    try calls.pass(.read) { try wrapped.events(query, after: after, through: through, limit: limit) }
  }

  func eventsBackwards(
    _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    try calls.pass(.read) { try wrapped.eventsBackwards(query, after: after, through: through, limit: limit) }
  }

  func batch(after: Position, through: Position, limit: Int) throws -> EventBatch {
    try calls.pass(.read) { try wrapped.batch(after: after, through: through, limit: limit) }
  }

  func batch(of types: EventTypeFilter, after: Position, through: Position, limit: Int) throws -> EventBatch {
    try calls.pass(.read) { try wrapped.batch(of: types, after: after, through: through, limit: limit) }
  }

  func tail(after: Position, through: Position?, limit: Int) throws -> LogTail {
    try calls.pass(.read) { try wrapped.tail(after: after, through: through, limit: limit) }
  }

  func tail(of stream: StreamName, after: Position) throws -> StreamTail {
    try calls.pass(.read) { try wrapped.tail(of: stream, after: after) }
  }

  func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail {
    try calls.pass(.read) { try wrapped.tail(of: stream, after: after, version: version) }
  }

  func receipt(ofCommand commandID: String) throws -> Receipt? {
    try calls.pass(.read) { try wrapped.receipt(ofCommand: commandID) }
  }
}
