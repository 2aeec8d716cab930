import AnnalsLog

/// The table of receipts for commands with a command id.
struct CommandReceipts {
  /// A row of the table as it is stored.
  struct Row {
    let id: String
    let time: Int64
    let position: Int64
    let count: Int64
    /// The number of the command's transaction, or 0 if the command appended no events.
    let transaction: Int64
    let versions: String
    /// The call for which the command id was used, or `nil` in a log that an older version wrote.
    var use: CommandUse?

    /// The CRC-32 checksum of all other columns as strings, with the byte 0x1F after every column.
    var checksum: UInt32 {
      CRC32.of([id, "\(time)", "\(position)", "\(count)", "\(transaction)", versions])
    }
  }

  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  func receipt(ofCommand id: String) throws -> Receipt? {
    let find = try connection.statement("\(try select) WHERE id = ?1")
    try find.bind(1, id)
    var receipt: Receipt?
    try find.run { row in receipt = try self.receipt(self.row(row)) }
    return receipt
  }

  /// Calls a closure with every row and its receipt, or with an error instead of a damaged receipt.
  ///
  /// - Parameters:
  ///   - clauses: The part of the SQL query after the table's name.
  ///   - bind: A closure that binds the parameters of the clauses.
  ///   - body: A closure that is called with every row.
  /// - Throws: ``EventStoreError``, and the errors of `body`.
  func forEach(
    _ clauses: String = "", bind: (SQLiteStatement) throws -> Void = { _ in },
    _ body: (Row, _ receipt: Result<Receipt, any Error>) throws -> Void
  ) throws {
    let find = try connection.ownStatement("\(try select) \(clauses)")
    try bind(find)
    try find.run { found in
      let row = Row(found)
      try body(row, Result { try self.receipt(self.row(found)) })
    }
  }

  private var select: String {
    get throws {
      let checksum = try connection.hasReceiptChecksums ? "command.checksum" : "NULL"
      let (uses, join) =
        try CommandUses(connection).exist
        ? ("call, digest, command_use.checksum", " LEFT JOIN command_use USING (id)") : ("NULL, NULL, NULL", "")
      return """
        SELECT id, time, position, count, coalesce("transaction", 0), versions, \(checksum), \(uses)
        FROM command\(join)
        """
    }
  }

  /// Returns a row, or throws if a checksum does not match.
  private func row(_ found: SQLiteRow) throws -> Row {
    let row = Row(found)
    guard found.isNull(6) || Int64(row.checksum) == found.int(6) else {
      throw damaged(row.id, "the receipt's checksum doesn't match its data")
    }
    if let use = row.use, CommandUses.checksum(row.id, use) != found.int(9) {
      throw damaged(row.id, "the description of the command's call (table command_use) doesn't match its checksum")
    }
    return row
  }

  private func receipt(_ row: Row) throws -> Receipt {
    for number in [row.position, row.count, row.transaction] where number < 0 || number > LogNumber.most {
      throw damaged(
        row.id,
        "the receipt's position, event count or transaction is out of range: expected a number from 0 to "
          + "\(LogNumber.most), found \(number)")
    }
    guard row.count <= row.position else {
      throw damaged(
        row.id, "the receipt records \(row.count) events, but the last event's position is only \(row.position)")
    }
    guard let members = try? JSON.members(ofObject: row.versions) else {
      throw damaged(row.id, "the receipt's stream versions aren't a JSON object")
    }
    var versions: [StreamName: Int] = [:]
    for member in members {
      guard let version = Int64(member.json), version >= 0, version <= LogNumber.most else {
        throw damaged(
          row.id,
          "the receipt's version for the stream \(JSONValue.quoted(member.name)) must be a number from 0 to "
            + "\(LogNumber.most), found \(member.json)")
      }
      versions[StreamName(member.name)] = Int(version)
    }
    return Receipt(
      position: Position(Int(row.position)), count: Int(row.count),
      transaction: row.transaction == 0 ? nil : Int(row.transaction), versions: versions, use: row.use)
  }

  private func damaged(_ id: String, _ what: String) -> EventStoreError {
    EventStoreError(
      .corrupt,
      "\(connection.path): the receipt of the command \(JSONValue.quoted(id)) is damaged: \(what); restore the log "
        + "from a copy")
  }

  func keep(_ receipt: Receipt, ofCommand id: String, at time: Int64) throws {
    let versions = receipt.versions.sorted { $0.key < $1.key }.map { "\(JSONValue.quoted($0.key.text)):\($0.value)" }
    try insert(
      Row(
        id: id, time: time, position: Int64(receipt.position.rawValue), count: Int64(receipt.count),
        transaction: Int64(receipt.transaction ?? 0), versions: "{" + versions.joined(separator: ",") + "}",
        use: receipt.use))
  }

  /// Replaces receipts, inside a transaction that holds the write lock.
  ///
  /// Damaged receipts stay unchanged.
  ///
  /// - Parameter replacement: A closure that returns the new form of a receipt, or `nil` to delete the receipt.
  /// - Throws: ``EventStoreError``, and the errors of `replacement`.
  /// - Complexity: O(n) for n receipts.
  func replaceAll(_ replacement: (Receipt) throws -> Receipt?) throws {
    var changed: [(row: Row, receipt: Receipt?)] = []
    try forEach { row, receipt in
      guard let receipt = try? receipt.get() else { return }
      let new = try replacement(receipt)
      if new?.versions != receipt.versions { changed.append((row, new)) }
    }
    let tables = try CommandUses(connection).exist ? ["command", "command_use"] : ["command"]
    for (row, receipt) in changed {
      for table in tables {
        let delete = try connection.statement("DELETE FROM \(table) WHERE id = ?1")
        try delete.bind(1, row.id)
        try delete.run()
      }
      if let receipt { try keep(receipt, ofCommand: row.id, at: row.time) }
    }
  }

  /// Adds a row.
  func insert(_ row: Row) throws {
    let insert = try connection.statement(
      """
      INSERT INTO command (id, time, position, count, "transaction", versions, checksum)
      VALUES (?1, ?2, ?3, ?4, nullif(?5, 0), ?6, ?7)
      """)
    try insert.bind(1, row.id)
    try insert.bind(2, row.time)
    try insert.bind(3, row.position)
    try insert.bind(4, row.count)
    try insert.bind(5, row.transaction)
    try insert.bind(6, row.versions)
    try insert.bind(7, Int64(row.checksum))
    try insert.run()
    if let use = row.use { try CommandUses(connection).insert(use, ofCommand: row.id) }
  }
}

extension CommandReceipts.Row {
  fileprivate init(_ row: SQLiteRow) {
    self.init(
      id: row.text(0) ?? "", time: row.int(1), position: row.int(2), count: row.int(3), transaction: row.int(4),
      versions: row.text(5) ?? "", use: row.text(7).map { CommandUse(call: $0, digest: row.text(8)) })
  }
}
