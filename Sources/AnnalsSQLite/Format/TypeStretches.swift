import Annals

/// A search for the stretches of the log that have events of some types.
///
/// A log has a row per type and stretch of 64 positions that contains an event of the type. An index of every event
/// would make appends 10% slower and the file 3% larger. This table costs almost no time or space, and narrows a
/// search as far.
struct TypeStretches {
  private let connection: SQLiteConnection
  private let types: [Int64]
  /// The first stretch of every type, beginning at the last requested stretch.
  private var next: [Int64]
  private static let none = Int64.max

  init(_ connection: SQLiteConnection, _ types: [Int64]) {
    (self.connection, self.types) = (connection, types)
    next = Array(repeating: .min, count: types.count)
  }

  /// Returns the stretch that contains a position.
  static func stretch(of position: Int64) -> Int64 { position >> 6 }
  /// Returns the first position of a stretch.
  static func first(of stretch: Int64) -> Int64 { stretch << 6 }
  /// Returns the last position of a stretch.
  static func last(of stretch: Int64) -> Int64 { stretch << 6 | 63 }

  /// Returns the first stretch in a range that has an event of the types, or `nil`.
  ///
  /// Call it in the order of stretches.
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

  /// Records the stretches of all events of a log of an older format, if no other connection has it open.
  ///
  /// A program of an older version that opened the log before would continue to append events without their
  /// stretches, and readers would skip them. If there is such a program, readers check the types of all events until
  /// the log is opened the next time.
  ///
  /// - Parameters:
  ///   - file: The path of the log's file, with links resolved.
  ///   - durability: The durability of the writes.
  /// - Throws: ``EventStoreError``. The log is then unchanged.
  static func complete(_ file: String, durability: Durability) throws {
    try SQLiteConnection.alone(file, durability) { connection in
      try connection.write {
        try noteAll(connection, through: .max)
        try connection.execute(Schema.noteTypeStretches)
      }
      try connection.checkpoint()
    }
  }

  /// Rewrites the stretches of all events up to the stretch of a position, and keeps later stretches.
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
