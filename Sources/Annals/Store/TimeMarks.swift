import Synchronization

/// An event's place and time, which is all that is read to find a position by time.
package struct EventStamp: Hashable, Sendable {
  package let position: Int
  package let transaction: Int
  /// In microseconds since 1970.
  package let time: Int64

  package init(position: Int, transaction: Int, time: Int64) {
    (self.position, self.transaction, self.time) = (position, transaction, time)
  }
}

/// Finds positions by time in a log, and remembers the latest time before each stretch of it.
///
/// Times may go back from one event to the next, so that halving the log would find a wrong place. The latest time up
/// to an event does not go back: the first event that is later than a moment is found by halving the stretches. What
/// was not looked at yet must be looked at once.
///
/// An event whose time is later than the reader's clock has a wrong time. It has the time of the next event that is not
/// later than the clock, or the clock's time if no such event follows. So one wrong time doesn't hide the events after
/// it. A mark has the clocks for which it is valid, because a future time will be a time of the past one day.
package final class TimeMarks: Sendable {
  /// What is known of the events up to one.
  private struct Mark {
    /// The last of the events.
    var last = EventStamp(position: 0, transaction: 0, time: .min)
    /// The latest time of the events that are not later than the clock.
    var latest = Int64.min
    /// The earliest time of the events that are later than the clock.
    var earliestToCome = Int64.max
    /// The position of the first event of the last one's transaction.
    var start = 0
    /// The end of the last transaction before the last event and the events that have its time because theirs is wrong.
    var before = 0
    /// The end of the last transaction before the last events, if these are later than the clock.
    var open: Int?

    mutating func add(_ stamp: EventStamp, now: Int64) {
      if stamp.transaction != last.transaction { start = stamp.position }
      last = stamp
      if stamp.time > now {
        earliestToCome = min(earliestToCome, stamp.time)
        open = open ?? start - 1
      } else {
        latest = max(latest, stamp.time)
        before = min(open ?? start - 1, start - 1)
        open = nil
      }
    }

    /// True if the mark is the same for a clock as for the clock that it was made with.
    func isValid(at now: Int64) -> Bool { latest <= now && (earliestToCome == .max || now < earliestToCome) }
  }

  private struct Known {
    var revision: LogRevision?
    /// Before each stretch that was looked at, in order; the first is the log's beginning.
    var marks = [Mark()]
  }

  /// The number of events of a stretch.
  private static let stretch = 512
  private let known = Mutex(Known())

  /// Creates marks of a log that was not looked at.
  package init() {}

  /// The end of the last transaction such that no event up to it has a time after a moment.
  ///
  /// - Parameters:
  ///   - time: The moment, in microseconds since 1970. From `now` on it is the log's end.
  ///   - now: The reader's clock, in microseconds since 1970.
  ///   - head: The log's last position.
  ///   - revision: The log's revision.
  ///   - scan: Reads the stamps of the events after a position up to another, as many as a limit says, in order.
  /// - Returns: The position; 0 if the first transaction has a later time already.
  /// - Throws: What `scan` throws.
  package func position(
    at time: Int64, now: Int64, head: Position, revision: LogRevision,
    _ scan: (_ after: Int, _ through: Int, _ limit: Int) throws -> [EventStamp]
  ) throws -> Position {
    if time >= now { return head }
    let head = head.rawValue
    var marks = try marks(of: revision, head: head, now: now, scan)
    // The last mark up to which nothing is later.
    var (low, high) = (0, marks.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if marks[middle].latest <= time { low = middle } else { high = middle }
    }
    var mark = marks[low]
    var found: Int?
    search: while mark.last.position < head {
      let stamps = try scan(mark.last.position, head, Self.stretch)
      if stamps.isEmpty { break }
      for stamp in stamps {
        mark.add(stamp, now: now)
        guard stamp.time > time, stamp.time <= now else { continue }
        found = mark.before
        break search
      }
      low += 1
      // A stretch that is not full is looked at again, with what comes after it.
      if low >= marks.count, stamps.count == Self.stretch { marks.append(mark) }
    }
    keep(marks, of: revision, now)
    // The last events have the clock's time if theirs is wrong.
    return Position(found ?? mark.open ?? head)
  }

  /// What is known of a log, if it still is the same one.
  private func marks(
    of revision: LogRevision, head: Int, now: Int64, _ scan: (Int, Int, Int) throws -> [EventStamp]
  ) throws -> [Mark] {
    let known = known.withLock { $0 }
    guard known.revision == revision, let last = known.marks.last, last.last.position <= head else { return [Mark()] }
    // Another log may stand in its place.
    if try last.last.position == 0 || scan(last.last.position - 1, head, 1) == [last.last] {
      return Array(known.marks.prefix { $0.isValid(at: now) })
    }
    self.known.withLock { $0 = Known() }
    return [Mark()]
  }

  private func keep(_ marks: [Mark], of revision: LogRevision, _ now: Int64) {
    known.withLock { known in
      let valid = known.marks.prefix { $0.isValid(at: now) }.count
      if known.revision != revision || valid < marks.count {
        known = Known(revision: revision, marks: marks)
      }
    }
  }
}
