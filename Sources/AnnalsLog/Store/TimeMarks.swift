import Synchronization

/// An index that finds positions in a log by time.
///
/// The index contains the latest time before every stretch of 512 events. Times can decrease from one event to the
/// next, so a binary search of the log could find a wrong position. But the latest time up to an event never decreases,
/// so a binary search over the stretches finds the first event after a given time. To create the index, every event
/// must be read once.
///
/// An event whose time is after the reader's clock has a wrong time. Such an event is treated as if it had the time of
/// the next event that isn't after the clock, or the clock's time if no such event follows. So one wrong time doesn't
/// hide the events after it. A mark is valid only for some clock values, because a future time eventually becomes a
/// past time.
package final class TimeMarks: Sendable {
  /// The known facts about all events through a given event.
  private struct Mark {
    /// The last of these events.
    var last = EventStamp(position: 0, transaction: 0, time: .min)
    /// The latest time that isn't after the clock.
    var latest = Int64.min
    /// The earliest time that is after the clock.
    var earliestToCome = Int64.max
    /// The position of the first event in the last event's transaction.
    var start = 0
    /// The end of the last transaction before the last event.
    ///
    /// Events with wrong times directly before the last event are treated as if they had its time. In that case, this
    /// is the end of the last transaction before these events.
    var before = 0
    /// The end of the last transaction before the last events, if the times of these events are after the clock.
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

    /// Returns whether the mark is correct for the given time of the clock.
    func isValid(at now: Int64) -> Bool { latest <= now && (earliestToCome == .max || now < earliestToCome) }
  }

  private struct Known {
    var revision: LogRevision?
    /// The marks before every stretch that was read, in order.
    ///
    /// The first mark is the log's beginning.
    var marks = [Mark()]
  }

  /// The number of events in a stretch.
  private static let stretch = 512
  private let known = Mutex(Known())

  /// Creates an index for a log that wasn't read yet.
  package init() {}

  /// Returns the end of the last transaction that, like all transactions before it, contains no later time.
  ///
  /// - Parameters:
  ///   - time: The time, in microseconds since 1970. The result for `now` or later is the log's end.
  ///   - now: The reader's clock, in microseconds since 1970.
  ///   - head: The log's last position.
  ///   - revision: The log's revision.
  ///   - scan: A closure that reads the stamps of the events between two positions, up to a limit, in order.
  /// - Returns: The position, or 0 if the first transaction already has a later time.
  /// - Throws: The error of `scan`.
  package func position(
    at time: Int64, now: Int64, head: Position, revision: LogRevision,
    _ scan: (_ after: Int, _ through: Int, _ limit: Int) throws -> [EventStamp]
  ) throws -> Position {
    if time >= now { return head }
    let head = head.rawValue
    var marks = try marks(of: revision, head: head, now: now, scan)
    // Find the last mark before which no event has a later time.
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
      // An incomplete stretch is reread later, together with the events after it.
      if low >= marks.count, stamps.count == Self.stretch { marks.append(mark) }
    }
    keep(marks, of: revision, now)
    // Events with wrong times at the log's end are treated as if they had the clock's time.
    return Position(found ?? mark.open ?? head)
  }

  /// Returns the known marks of a log, or only the first mark if the known marks belong to a different log or revision.
  private func marks(
    of revision: LogRevision, head: Int, now: Int64, _ scan: (Int, Int, Int) throws -> [EventStamp]
  ) throws -> [Mark] {
    let known = known.withLock { $0 }
    guard known.revision == revision, let last = known.marks.last, last.last.position <= head else { return [Mark()] }
    // Compare the last known event, because a different log might have replaced the log.
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
