package import AnnalsLog

extension SQLiteEventStore {
  /// Returns the number of events per type up to a position, in descending order.
  ///
  /// - Complexity: O(n) for n events, whose payloads are not read.
  package func typeCounts(through position: Position? = nil) throws -> [TypeCount] {
    try inOneState { connection in
      var (counts, order): ([Int64: Int], EventOrder) = ([:], EventOrder(path))
      let find = try connection.statement("SELECT position, type FROM event WHERE position <= ?1 ORDER BY position")
      try find.bind(1, position.map { Int64($0.rawValue) } ?? .max)
      try find.run { row in
        try order.next(row.int(0))
        counts[row.int(1), default: 0] += 1
      }
      if position == nil { try order.end(connection) }
      try connection.checkTables(["type"])
      var found: [TypeCount] = []
      try connection.statement("SELECT key, name FROM type").run { row in
        if let count = counts[row.int(0)] { found.append(TypeCount(name: row.text(1) ?? "", events: count)) }
      }
      guard found.count == counts.count else {
        throw EventStoreError(
          .corrupt,
          "\(path): the log is damaged: its events have \(counts.count) types, but the log contains the names of "
            + "\(found.count) types; restore the log from a copy")
      }
      return found.sorted { ($1.events, ExactString($0.name)) < ($0.events, ExactString($1.name)) }
    }
  }

  /// Returns the number of an event's transaction, or `nil` if the event does not exist.
  ///
  /// - Complexity: O(log n).
  package func transaction(at position: Position) throws -> Int? {
    try inOneState { try Self.transaction(at: Int64(position.rawValue), $0) }
  }

  /// Returns the positions of a transaction's first and last event, or `nil` if no event has the transaction's number.
  ///
  /// - Parameter number: The transaction's number, which all its events have in common.
  /// - Returns: The positions.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(log² n).
  package func range(ofTransaction number: Int) throws -> ClosedRange<Position>? {
    try inOneState { try Self.range(ofTransaction: number, $0) }
  }

  /// Returns the positions of the first and the last event of an event's transaction.
  package func transaction(of event: StoredEvent) throws -> ClosedRange<Position> {
    try range(ofTransaction: event.transaction) ?? event.position...event.position
  }

  static func transaction(at position: Int64, _ connection: SQLiteConnection) throws -> Int? {
    let find = try connection.statement("SELECT \"transaction\" FROM event WHERE position = ?1")
    try find.bind(1, position)
    return try find.firstInt().map { Int($0) }
  }

  /// Returns the positions of a transaction by binary search, which works because transaction numbers grow with
  /// positions.
  static func range(ofTransaction number: Int, _ connection: SQLiteConnection) throws -> ClosedRange<Position>? {
    /// Returns the first position whose transaction number is at least the given number.
    func first(from number: Int) throws -> Int64? {
      let next = try connection.statement(
        "SELECT position, \"transaction\" FROM event WHERE position >= ?1 ORDER BY position LIMIT 1")
      var (low, high): (Int64, Int64) = (1, try Int64(EventReader(connection).head().rawValue) + 1)
      var found: Int64?
      while low < high {
        let middle = low + (high - low) / 2
        var (position, transaction): (Int64, Int64) = (0, 0)
        try next.bind(1, middle)
        try next.run { (position, transaction) = ($0.int(0), $0.int(1)) }
        // In a damaged log the pages can be out of order, and then the binary search would not end.
        guard position == 0 || position >= middle && position <= LogNumber.most else {
          throw EventStoreError(
            .corrupt,
            "\(connection.path): the log is damaged: expected an event at position \(middle) or later, found event "
              + "\(position); restore the log from a copy")
        }
        if position == 0 {
          high = middle
        } else if transaction >= Int64(number) {
          found = position
          high = middle
        } else {
          low = position + 1
        }
      }
      return found
    }
    guard LogNumber.isPlace(Int64(number)), let start = try first(from: number),
      try transaction(at: start, connection) == number
    else {
      return nil
    }
    guard let next = try first(from: number + 1) else {
      let last = try connection.int("SELECT max(position) FROM event") ?? start
      return Position(Int(start))...Position(Int(last))
    }
    let last = try connection.statement("SELECT max(position) FROM event WHERE position < ?1")
    try last.bind(1, next)
    return Position(Int(start))...Position(Int(try last.firstInt() ?? start))
  }
}
