import AnnalsLog

/// A search for the stretches of a log that contain events of some types.
///
/// A stretch is 64 consecutive positions. The log has a row per event type and stretch if the stretch contains an event
/// of the type. An index of every event would make appends 10% slower and the file 3% larger. In contrast, this table
/// costs almost no time or space, and skips as many events in a search.
struct TypeStretches {
  private let connection: SQLiteConnection
  private let types: [Int64]
  /// The next stretch that contains each type, counted from the stretch of the last call.
  private var next: [Int64]
  private static let none = Int64.max

  init(_ connection: SQLiteConnection, _ types: [Int64]) {
    self.connection = connection
    self.types = types
    next = Array(repeating: .min, count: types.count)
  }

  /// Returns the number of the stretch that contains a position.
  static func stretch(of position: Int64) -> Int64 { position >> 6 }
  /// Returns the first position of a stretch.
  static func first(of stretch: Int64) -> Int64 { stretch << 6 }
  /// Returns the last position of a stretch.
  static func last(of stretch: Int64) -> Int64 { stretch << 6 | 63 }

  /// Returns the first stretch in a range that contains an event of the types, or `nil` if no stretch does.
  ///
  /// Call this method with stretches in ascending order.
  mutating func first(from stretch: Int64, through last: Int64) throws -> Int64? {
    var first = Self.none
    for index in types.indices {
      if next[index] < stretch { next[index] = try find(types[index], from: stretch) }
      first = min(first, next[index])
    }
    return first <= last ? first : nil
  }

  private func find(_ type: Int64, from stretch: Int64) throws -> Int64 {
    let find = try connection.statement(
      "SELECT stretch FROM type_stretch WHERE type = ?1 AND stretch >= ?2 ORDER BY stretch LIMIT 1")
    try find.bind(1, type)
    try find.bind(2, stretch)
    return try find.firstInt() ?? Self.none
  }

  /// Records the stretches of all events in a log of an older format, unless another connection has the log open.
  ///
  /// A program of an older version that has the log open would continue to append events without recording their
  /// stretches, and readers would skip these events. So if another program has the log open, no stretches are recorded,
  /// and readers check the types of all events until a program opens the log the next time.
  ///
  /// - Parameters:
  ///   - file: The path of the log's file, with links resolved.
  ///   - durability: The durability of the writes.
  /// - Throws: ``EventStoreError``. If the method throws, the log is unchanged.
  static func complete(_ file: String, durability: Durability) throws {
    try SQLiteConnection.alone(file, durability) { connection in
      try connection.write {
        try noteAll(connection, through: .max)
        try connection.execute(Schema.noteTypeStretches)
      }
      try connection.checkpoint()
    }
  }

  /// Replaces the recorded stretches up to the stretch that contains a position, and keeps later stretches.
  static func noteAll(_ connection: SQLiteConnection, through position: Int64) throws {
    let delete = try connection.statement("DELETE FROM type_stretch WHERE stretch < ?1")
    try delete.bind(1, stretch(of: position))
    try delete.run()
    let insert = try connection.statement(
      "INSERT OR IGNORE INTO type_stretch SELECT DISTINCT type, position >> 6 FROM event WHERE position <= ?1")
    try insert.bind(1, position)
    try insert.run()
  }
}
