import AnnalsLog

/// The table of followers' checkpoints, accessed through a connection.
struct Checkpoints {
  /// A row of the table as it is stored.
  struct Row {
    let name: String
    let position: Int64
    /// The time of the checkpoint in microseconds since 1970.
    let time: Int64

    /// The CRC-32 checksum of all other columns as strings, with the byte 0x1F after every column.
    var checksum: UInt32 { CRC32.of([name, "\(position)", "\(time)"]) }
  }

  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// Returns the position of a checkpoint, or `nil` if the checkpoint doesn't exist.
  func position(named name: String) throws -> Position? {
    guard try connection.format >= 2 else { return nil }
    let find = try connection.statement("\(try select) WHERE name = ?1")
    try find.bind(1, name)
    var position: Position?
    try find.run { position = try self.position($0) }
    return position
  }

  /// Calls a closure with every checkpoint, or with an error instead of a damaged checkpoint.
  func forEach(_ body: (_ name: String, Result<Position, any Error>) throws -> Void) throws {
    guard try connection.format >= 2 else { return }
    try connection.ownStatement(try select).run { row in
      try body(row.text(0) ?? "", Result { try self.position(row) })
    }
  }

  private var select: String {
    get throws {
      let checksum = try connection.hasReceiptChecksums ? "checksum" : "NULL"
      return "SELECT name, position, time, \(checksum) FROM checkpoint"
    }
  }

  private func position(_ found: SQLiteRow) throws -> Position {
    let row = Row(name: found.text(0) ?? "", position: found.int(1), time: found.int(2))
    // In a log of an older format, a row without a checksum must at least have a valid position.
    let isWhole = found.isNull(3) ? row.position <= LogNumber.most : Int64(row.checksum) == found.int(3)
    guard isWhole, row.position >= 0 else {
      throw EventStoreError(
        .corrupt,
        "\(connection.path): the checkpoint \(JSONValue.quoted(row.name)) with the position \(row.position) is "
          + "damaged: the checkpoint's checksum doesn't match its data. Restore the log from a copy, or delete the "
          + "checkpoint to restart the follower at the first event")
    }
    return Position(Int(row.position))
  }

  /// Returns a description of the problem that a checkpoint's position is after the log's end.
  ///
  /// The follower would skip the events that are appended up to that position.
  static func isTooFar(_ name: String, _ position: Position, _ head: Int) -> String {
    "the checkpoint \(JSONValue.quoted(name)) is at position \(position), but the log ends at \(head), so events were "
      + "lost, for example because an older copy replaced the log. Restore a copy of the log that contains the events, "
      + "or delete the checkpoint to restart the follower at the first event"
  }

  /// Sets a checkpoint.
  func write(_ row: Row) throws {
    let write = try connection.statement("INSERT OR REPLACE INTO checkpoint VALUES (?1, '', ?2, ?3, ?4)")
    try write.bind(1, row.name)
    try write.bind(2, row.position)
    try write.bind(3, row.time)
    try write.bind(4, Int64(row.checksum))
    try write.run()
  }

  /// Deletes a checkpoint.
  func delete(named name: String) throws {
    let delete = try connection.statement("DELETE FROM checkpoint WHERE name = ?1")
    try delete.bind(1, name)
    try delete.run()
  }
}
