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
package final class TimeMarks: Sendable {
  /// What is known of the events up to one.
  private struct Mark {
    /// The last of the events.
    var last = EventStamp(position: 0, transaction: 0, time: .min)
    /// The latest time of all of them.
    var latest = Int64.min
    /// The position of the first event of the last one's transaction.
    var start = 0

    mutating func add(_ stamp: EventStamp) {
      if stamp.transaction != last.transaction { start = stamp.position }
      (last, latest) = (stamp, max(latest, stamp.time))
    }
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
  ///   - time: The moment, in microseconds since 1970.
  ///   - head: The log's last position.
  ///   - revision: The log's revision.
  ///   - scan: Reads the stamps of the events after a position up to another, as many as a limit says, in order.
  /// - Returns: The position; 0 if the first transaction has a later time already.
  /// - Throws: What `scan` throws.
  package func position(
    at time: Int64, head: Position, revision: LogRevision,
    _ scan: (_ after: Int, _ through: Int, _ limit: Int) throws -> [EventStamp]
  ) throws -> Position {
    let head = head.rawValue
    var marks = try marks(of: revision, head: head, scan)
    // The last mark up to which nothing is later.
    var (low, high) = (0, marks.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if marks[middle].latest <= time { low = middle } else { high = middle }
    }
    var mark = marks[low]
    var found = head
    search: while mark.last.position < head {
      let stamps = try scan(mark.last.position, head, Self.stretch)
      if stamps.isEmpty { break }
      for stamp in stamps {
        mark.add(stamp)
        guard stamp.time > time else { continue }
        found = mark.start - 1
        break search
      }
      low += 1
      // A stretch that is not full is looked at again, with what comes after it.
      if low >= marks.count, stamps.count == Self.stretch { marks.append(mark) }
    }
    keep(marks, of: revision)
    return Position(found)
  }

  /// What is known of a log, if it still is the same one.
  private func marks(
    of revision: LogRevision, head: Int, _ scan: (Int, Int, Int) throws -> [EventStamp]
  ) throws -> [Mark] {
    let known = known.withLock { $0 }
    guard known.revision == revision, let last = known.marks.last, last.last.position <= head else { return [Mark()] }
    // Another log may stand in its place.
    if try last.last.position == 0 || scan(last.last.position - 1, head, 1) == [last.last] { return known.marks }
    self.known.withLock { $0 = Known() }
    return [Mark()]
  }

  private func keep(_ marks: [Mark], of revision: LogRevision) {
    known.withLock { known in
      if known.revision != revision || known.marks.count < marks.count {
        known = Known(revision: revision, marks: marks)
      }
    }
  }
}
