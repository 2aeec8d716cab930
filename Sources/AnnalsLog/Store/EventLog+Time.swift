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

  /// Returns the position at which the log ended at a time in words, such as "friday 18:00".
  ///
  ///     let programme = try store.list(of: Programme(), at: store.position(at: "friday 18:00"))
  ///
  /// The command-line tool accepts the same words. They are English words, in uppercase or lowercase letters:
  /// - A day or a month: "today", "yesterday", "friday", "2026-11-01" or "2026-11". Such a name means the end of the
  ///   day or the month. The name of a weekday means the last day with this name before today.
  /// - A day and a time: "friday 18:00", "2026-11-01 10:00:30". A time without a day means a time today.
  /// - A duration before now: "2 days ago", "1h 30m ago", "90m".
  /// - "now", and any time in RFC 3339.
  ///
  /// - Parameters:
  ///   - words: The time in words. Relative times are counted from the time of the store's clock.
  ///   - timeZone: The time zone of days and of times that contain no offset.
  /// - Returns: The position of the last event at or before the time, as `position(at:)` of a `Date` returns it.
  /// - Throws: ``EventStoreError`` (`.notFound`) if the words have none of these forms, or another error if the log
  ///   can't be read.
  public func position(at words: String, in timeZone: TimeZone = .current) throws -> Position {
    guard let time = TimeWords(now: environment.now(), zone: timeZone).date(of: words) else {
      throw EventStoreError(
        .notFound, "expected a time such as \(TimeWords.forms), found \"\(words.shortened(to: 60))\"")
    }
    return try position(at: time)
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
