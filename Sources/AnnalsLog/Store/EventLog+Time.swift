public import Foundation

/// A log with access to the reader's clock.
package protocol ClockedLog: EventLog {
  /// The current time of the clock.
  var now: Date { get }
}

extension EventLog {
  /// The current time of the reader's clock, or of the system's clock in a log without a clock.
  package var clockTime: Date { (self as? any ClockedLog)?.now ?? Date() }

  /// Returns the position at which the log ended at a point in time.
  ///
  /// This implementation doesn't remember the events' times, so every call reads the times of the events up to the
  /// position.
  public func position(at time: Date) throws -> Position {
    try TimeMarks().position(
      at: time.microseconds, now: clockTime.microseconds, head: head(), revision: revision(), stamps)
  }

  /// Returns the positions, transactions and times of at most `limit` events between two positions.
  package func stamps(after: Int, through: Int, limit: Int) throws -> [EventStamp] {
    try batch(after: Position(after), through: Position(through), limit: limit).stamps
  }
}

extension EventStore {
  /// Returns the position at which the log ended at a point in time.
  public func position(at time: Date) throws -> Position {
    let isPast = time.microseconds < environment.now().microseconds
    return isPast ? try read { try $0.position(at: time) } : try head()
  }
}

extension EventBatch {
  /// The positions, transactions and times of the events.
  var stamps: [EventStamp] {
    (0..<count).map { index in
      let (position, transaction) = numbers(at: index)
      return EventStamp(
        position: position, transaction: transaction,
        time: values.map { $0[index].time.microseconds } ?? rows[index].time)
    }
  }
}
