import AnnalsLog

/// The times at which a controller saves its list: after a number of events, and to release rows from memory.
package struct SaveSchedule: Hashable, Sendable {
  /// The pauses between attempts to release rows of a list that changes while it is saved.
  ///
  /// The first pause is doubled for every attempt, up to the longest pause.
  private static let pause: (first: Duration, longest: Duration) = (.milliseconds(20), .seconds(5))

  /// The time for which rows that were read since the last release may stay in memory while the list changes.
  ///
  /// A save writes all pages with a changed row. After commands on scattered rows, nearly all pages that were read have
  /// a changed row. So a release writes all of them, and later commands reread them. With this rest, a command on one
  /// of 100,000 saved rows took 1.7 times a command without a saved list, instead of 2.2 times.
  private static let rest = Duration.seconds(5)

  /// The position at which the last save began, or 0 if the next save is independent of earlier saves.
  private var last: Position = 0
  /// The number of saves that couldn't release rows because the list changed during the save.
  private var attempts = 0
  /// The time of the next attempt, or `nil` before the first attempt.
  private var nextAttempt: ContinuousClock.Instant?

  /// The end of the rest before rows are released, or `nil` if no release is pending.
  private var restEnd: ContinuousClock.Instant?

  /// Creates a schedule for a list that wasn't saved yet.
  package init() {}

  /// Returns true if a list has at least the given number of new events since the last save.
  package func isDue(at position: Position, after events: Int) -> Bool {
    position.rawValue - last.rawValue >= events
  }

  /// Returns true if the list may be saved only to release rows.
  package func mayRelease(at time: ContinuousClock.Instant) -> Bool {
    time >= nextAttempt ?? time && time >= restEnd ?? time
  }

  /// Begins the rest before rows are released, and returns its duration, or `nil` if the rest has begun already.
  package mutating func beginRest(at time: ContinuousClock.Instant) -> Duration? {
    guard restEnd == nil else { return nil }
    restEnd = time + Self.rest
    return Self.rest
  }

  /// Ends the rest before rows are released, because too many rows are in memory.
  package mutating func endRest() { restEnd = nil }

  /// Records that a save began, or that a list was opened at the position of its save.
  package mutating func begin(at position: Position) { last = position }

  /// Records that a save began only to release rows.
  ///
  /// - Parameters:
  ///   - position: The list's position.
  ///   - time: The present time.
  /// - Returns: The pause until the next attempt.
  package mutating func beginRelease(at position: Position, _ time: ContinuousClock.Instant) -> Duration {
    let pause = min(Self.pause.first * (1 << min(attempts, 16)), Self.pause.longest)
    (last, attempts, nextAttempt) = (position, attempts + 1, time + pause)
    return pause
  }

  /// Records that rows were released, so that the next pause is the first pause.
  package mutating func released() { (attempts, restEnd) = (0, nil) }

  /// Records that the saved list can't be used any longer.
  package mutating func restart() { last = 0 }
}
