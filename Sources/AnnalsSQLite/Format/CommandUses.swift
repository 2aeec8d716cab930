import AnnalsLog

/// The table of the calls for which command ids were used.
///
/// The table is created when the first command with a command id is committed. Older versions of Annals ignore the
/// table.
struct CommandUses {
  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// True once the table exists, because it is created when the first call is stored.
  var exist: Bool { get throws { try connection.hasTable("command_use") } }

  /// Returns the CRC-32 checksum of a row's columns, with the byte 0x1F after every column.
  static func checksum(_ id: String, _ use: CommandUse) -> Int64 {
    Int64(CRC32.of([id, use.call, use.digest == nil ? "0" : "1", use.digest ?? ""]))
  }

  /// Adds a row, inside a transaction that holds the write lock.
  func insert(_ use: CommandUse, ofCommand id: String) throws {
    if try !exist { try connection.execute(Schema.commandUses.sqlIfMissing) }
    // A program of an older version might have deleted the receipt of a command, but not the command's row in this
    // table.
    let insert = try connection.statement("INSERT OR REPLACE INTO command_use VALUES (?1, ?2, ?3, ?4)")
    try insert.bind(1, id)
    try insert.bind(2, use.call)
    try insert.bind(3, use.digest)
    try insert.bind(4, Self.checksum(id, use))
    try insert.run()
  }

  /// Deletes all digests of calls, inside a transaction that holds the write lock.
  ///
  /// - Complexity: O(n) for n commands with a digest.
  func eraseDigests() throws {
    guard try exist else { return }
    var rows: [(id: String, call: String)] = []
    try connection.ownStatement("SELECT id, call FROM command_use WHERE digest IS NOT NULL").run { row in
      rows.append((row.text(0) ?? "", row.text(1) ?? ""))
    }
    let update = try connection.statement("UPDATE command_use SET digest = NULL, checksum = ?2 WHERE id = ?1")
    for (id, call) in rows {
      try update.bind(1, id)
      try update.bind(2, Self.checksum(id, CommandUse(call: call, digest: nil)))
      try update.run()
    }
  }
}
