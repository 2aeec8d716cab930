import AnnalsLog

/// The checks of data outside the events: tags, personal fields, receipts, checkpoints, saved lists and states.
extension LogVerification {
  mutating func checkTags() throws {
    let kept = try connection.int("SELECT count(*) FROM event_tag") ?? 0
    if kept != tagCount { try found("the events have \(tagCount) tags, but the table of tags contains \(kept)") }
  }

  /// Checks that every event can be found by its type.
  ///
  /// A stretch of 64 positions that is recorded for a type, but contains no event of the type, is harmless.
  mutating func checkTypes() throws {
    for position in try typeIndex.positions() {
      try found("the index of types doesn't contain this event", at: position)
    }
  }

  /// Checks that every event can be found by its identity, and that no two events have the same identity.
  mutating func checkIDs() throws {
    for (position, sentence) in try idIndex.found() { try found(sentence, at: position) }
  }

  /// Checks the rows of personal fields that belong to no event.
  ///
  /// The fields of events are checked with the events.
  mutating func checkPersonal() throws {
    let tables = PersonalTables(connection)
    guard try tables.exist else { return }
    var lost: [(position: Int64, place: Int64)] = []
    let head = Int64(head)
    try connection.statement("SELECT position, place FROM personal ORDER BY position, place").run { row in
      let (position, place) = (row.int(0), row.int(1))
      if position > head || !fieldPositions.contains(position) { lost.append((position, place)) }
    }
    for (position, place) in lost {
      try found(
        "the log contains personal field \(place) of event \(position), but the event is missing or has no personal "
          + "fields",
        at: position > 0 ? position : nil)
    }
    let erasures = try connection.int("SELECT count(*) FROM erasure WHERE position < 0 OR position > \(head)") ?? 0
    if erasures > 0 { try found("\(erasures) erasures have positions outside the log, which ends at \(head)") }
    // Numbers are assigned consecutively, and no erasure is undone, so the last number must equal the count.
    let (last, count) = (
      try connection.int("SELECT max(number) FROM erasure") ?? 0,
      try connection.int("SELECT count(*) FROM erasure") ?? 0
    )
    if last != count { try found("the last erasure has the number \(last), but the log has \(count) erasures") }
  }

  /// Checks that commands' receipts are intact and agree with the events.
  mutating func checkCommands() throws {
    if try connection.format < 2 { return }
    var rows: [(id: String, receipt: Result<Receipt, any Error>)] = []
    // All receipts are read into memory, one per command with an id, because reading a few thousand at a time would
    // need an order.
    try CommandReceipts(connection).forEach { row, receipt in rows.append((row.id, receipt)) }
    for (id, receipt) in rows {
      do {
        try check(try receipt.get(), ofCommand: JSONValue.quoted(id))
      } catch let error as EventStoreError {
        try found(error.message)
      }
    }
  }

  private mutating func check(_ receipt: Receipt, ofCommand id: String) throws {
    let (end, count) = (receipt.position.rawValue, receipt.count)
    guard end <= head else {
      return try found("the receipt of the command \(id) ends at position \(end), but the log ends at position \(head)")
    }
    guard (receipt.transaction == nil) == (count == 0) else {
      return try found(
        "the receipt of the command \(id) has \(count == 0 ? "a transaction number, but no" : "\(count)") events"
          + "\(count == 0 ? "" : ", but no transaction number"). A receipt must have both, or neither")
    }
    // A receipt from before the horizon isn't compared, because some of its events might no longer exist.
    guard end - count >= compacted.horizon.rawValue else { return }
    if let transaction = receipt.transaction {
      let find = try connection.statement(
        """
        SELECT count(*), coalesce(min(position), 0), coalesce(max(position), 0) FROM event
        WHERE "transaction" = ?1 AND position BETWEEN ?2 AND ?3
        """)
      try find.bind(1, transaction)
      // The range includes the events before and after the receipt's events, which belong to other transactions.
      try find.bind(2, end - count)
      try find.bind(3, end + 1)
      var fits = false
      try find.run { fits = $0.int(0) == count && $0.int(1) == end - count + 1 && $0.int(2) == end }
      if !fits {
        try found(
          "the receipt of the command \(id) records the events from \(end - count + 1) to \(end) for transaction "
            + "\(transaction), but this transaction has different events in the log")
      }
    }
    for (stream, version) in receipt.versions.sorted(by: { $0.key < $1.key }) {
      let find = try connection.statement("SELECT key FROM stream WHERE name = ?1")
      try find.bind(1, stream.text)
      let key = try find.firstInt()
      let reached = try key.map { try QueryPlan.version(of: $0, at: receipt.position, connection) } ?? 0
      let cut = key.flatMap { cutVersions[$0] } ?? 0
      if max(Int(reached), cut) != version {
        try found(
          "the receipt of the command \(id) records version \(version) of the stream \(JSONValue.quoted(stream.text)), "
            + "but the stream had version \(reached) at position \(end)")
      }
    }
  }

  mutating func checkCheckpoints() throws {
    var rows: [(name: String, position: Result<Position, any Error>)] = []
    try Checkpoints(connection).forEach { rows.append(($0, $1)) }
    for (name, position) in rows {
      do {
        let position = try position.get()
        if position.rawValue > head, !ReplicaNotes.contain(name) {
          try found(Checkpoints.isTooFar(name, position, head))
        }
      } catch let error as EventStoreError {
        try found(error.message)
      }
    }
  }

  /// Checks saved lists, saved states and drafts.
  ///
  /// Damaged lists and states can be rebuilt, but drafts are not stored elsewhere.
  mutating func checkSaved() throws {
    for sentence in try DraftTables(connection).damage() { try found(sentence) }
    let lists = try CacheTables(connection).damaged()
    for sentence in lists { try found(sentence) }
    for sentence in try SnapshotTable(connection).damage() { try found(sentence) }
  }
}
