import AnnalsLog
import Foundation

extension ConnectionLog {
  func position(at time: Date) throws -> Position { try position(at: time, TimeMarks()) }

  /// Returns the position of the log's end at a point in time, using the results of earlier lookups.
  func position(at time: Date, _ times: TimeMarks) throws -> Position {
    try times.position(
      at: time.microseconds, now: clockTime.microseconds, head: head(), revision: revision(), stamps)
  }

  func stamps(after: Int, through: Int, limit: Int) throws -> [EventStamp] {
    try use { try EventReader($0).stamps(after: after, through: through, limit: limit) }
  }
}

extension EventReader {
  private static let stamps = """
    SELECT position, "transaction", time FROM event WHERE position > ?1 AND position <= ?2 ORDER BY position LIMIT ?3
    """

  /// Returns the positions and times of events in a range, without reading their payloads.
  func stamps(after: Int, through: Int, limit: Int) throws -> [EventStamp] {
    let find = try connection.statement(Self.stamps)
    try find.bind(1, after)
    try find.bind(2, through)
    try find.bind(3, limit)
    var stamps: [EventStamp] = []
    stamps.reserveCapacity(limit)
    var damaged: Int64?
    try find.run { row in
      let (position, transaction) = (row.int(0), row.int(1))
      guard LogNumber.isPlace(position), LogNumber.isPlace(transaction) else { return damaged = position }
      stamps.append(EventStamp(position: Int(position), transaction: Int(transaction), time: row.int(2)))
    }
    if let damaged {
      throw self.damaged(
        damaged,
        "expected a position and a transaction from 1 to \(LogNumber.most), found a number outside of this range")
    }
    return stamps
  }
}
