public import Foundation

/// A log that knows the reader's clock.
package protocol ClockedLog: EventLog {
  /// The present time by the clock.
  var now: Date { get }
}

extension EventLog {
  /// The present time by the reader's clock, or by the system's clock in a log that has no clock.
  package var clockTime: Date { (self as? any ClockedLog)?.now ?? Date() }

  /// The position up to which a log was known at a time, by reading the events' times.
  public func position(at time: Date) throws -> Position {
    try TimeMarks().position(
      at: time.microseconds, now: clockTime.microseconds, head: head(), revision: revision(), stamps)
  }

  /// The places and times of at most `limit` events after a position up to another one.
  package func stamps(after: Int, through: Int, limit: Int) throws -> [EventStamp] {
    try batch(after: Position(after), through: Position(through), limit: limit).stamps
  }
}

extension EventStore {
  /// The position up to which the log was known at a time.
  public func position(at time: Date) throws -> Position {
    let isPast = time.microseconds < environment.now().microseconds
    return isPast ? try read { try $0.position(at: time) } : try head()
  }
}

extension EventBatch {
  /// The places and times of the events.
  var stamps: [EventStamp] {
    (0..<count).map { index in
      let (position, transaction) = numbers(at: index)
      return EventStamp(
        position: position, transaction: transaction,
        time: values.map { $0[index].time.microseconds } ?? rows[index].time)
    }
  }
}
