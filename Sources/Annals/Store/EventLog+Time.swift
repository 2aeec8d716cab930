public import Foundation

extension EventLog {
  /// The position up to which a log was known at a time, by reading the events' times.
  public func position(at time: Date) throws -> Position {
    let head = try head()
    return try TimeMarks().position(at: time.microseconds, head: head, revision: revision()) { after, through, limit in
      try batch(after: Position(after), through: Position(through), limit: limit).stamps
    }
  }
}

extension EventStore {
  /// The position up to which the log was known at a time.
  public func position(at time: Date) throws -> Position { try read { try $0.position(at: time) } }
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
