import Annals

/// Finds the stretches of the log that have events of some types.
///
/// A log has a row for each type and each stretch of 64 positions with an event of it. An index of every event would
/// cost each append a tenth more, and three hundredths of the file. This costs next to nothing, and leads as near.
struct TypeStretches {
  private let connection: SQLiteConnection
  private let types: [Int64]
  /// By type: its first stretch from the one that was asked for last.
  private var next: [Int64]
  private static let none = Int64.max

  init(_ connection: SQLiteConnection, _ types: [Int64]) {
    (self.connection, self.types) = (connection, types)
    next = Array(repeating: .min, count: types.count)
  }

  /// The stretch that a position is in.
  static func stretch(of position: Int64) -> Int64 { position >> 6 }
  /// The first position of a stretch.
  static func first(of stretch: Int64) -> Int64 { stretch << 6 }
  /// The last position of a stretch.
  static func last(of stretch: Int64) -> Int64 { stretch << 6 | 63 }

  /// The first stretch, of those from one to another, with an event of the types; nil if there is none.
  ///
  /// Ask for stretches in their order.
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

  /// Notes the stretches of all events of a log of an older format, if no other connection has it open.
  ///
  /// A program of an older version that opened the log before would go on to append events without their stretches, and
  /// readers would pass them by. If there is such a program, readers look at the types of all events until the log is
  /// opened the next time.
  ///
  /// - Parameters:
  ///   - file: The log's file, without links on the way.
  ///   - durability: How it is written.
  /// - Throws: ``EventStoreError``, and then the log is as it was.
  static func complete(_ file: String, durability: Durability) throws {
    try SQLiteConnection.alone(file, durability) { connection in
      try connection.write {
        try noteAll(connection, through: .max)
        try connection.execute(Schema.noteTypeStretches)
      }
      try connection.checkpoint()
    }
  }

  /// Notes the stretches of all events up to the one that a position is in again; later ones stay noted.
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
