import AnnalsLog

/// The events that a verification reads as bytes.
///
/// Strings and JSON values are created only for the message about a damaged event.
private struct EventsRead {
  /// The number of events that are read before they are passed to the closure.
  private static let limit = 512

  private let reader: EventReader
  private let visit: ((EventBatch) throws -> Void)?
  private var batch = EventBatchBuilder(capacity: EventsRead.limit)
  private var count = 0
  /// True if the batch contains the event of the last row.
  private var hasLast = false
  /// The last event, if it is sound although the batch can't contain it.
  private var single: StoredEvent?
  /// The last checked metadata of the batch, because most events of a batch have equal metadata.
  private var metadata: EventBatch.Stretch?

  init(_ connection: SQLiteConnection, _ visit: ((EventBatch) throws -> Void)?) {
    reader = EventReader(connection)
    self.visit = visit
  }

  /// Adds a row's event to the batch, and returns the event's tags, or `nil` if the event might be damaged.
  mutating func add(_ row: SQLiteRow) throws -> Set<EventTag>? {
    hasLast = false
    let connection = reader.connection
    guard let added = try? reader.add(row, to: batch, connection.streamNames, connection.sourceNames) else {
      return nil
    }
    hasLast = true
    count += 1
    if row.bytes(10) != nil, !batch.holdsStrictJSON(added.payload) { return nil }
    if metadata.map({ !batch.areEqual($0, added.metadata) }) ?? true {
      guard batch.holdsStrictJSON(added.metadata) else { return nil }
      metadata = added.metadata
    }
    // Most events have an empty array.
    return row.bytes(9)?.count == 2 ? [] : EventBatch.tags(row.text(9))
  }

  /// Adds the event of the last row if the batch doesn't contain it.
  mutating func note(_ event: StoredEvent) { if !hasLast { single = event } }

  /// Passes the events to the closure, if there are enough of them, and if all events so far are sound.
  mutating func pass(atEnd isEnd: Bool, isSound: Bool) throws {
    guard isEnd || single != nil || count >= Self.limit || batch.byteCount >= EventReader.batchBytes else { return }
    if isSound, let visit {
      if count > 0 { try visit(batch.finish()) }
      if let single { try visit(EventBatch([single])) }
    }
    batch = EventBatchBuilder(capacity: Self.limit)
    (count, single, metadata) = (0, nil, nil)
  }
}

/// The position, transaction and versions that a check of events has reached so far.
private struct EventsSoFar {
  /// The next expected position.
  var next = 1
  var transaction = 0
  var versions: [Int64: Int] = [:]
  /// The ranges of removed events that are still ahead.
  var gaps: ArraySlice<(first: Int, last: Int)>
  /// True once the check is past the position through which the log was compacted.
  var isBeyond = false
}

extension LogVerification {
  mutating func readCompactions() throws {
    head = try number(
      connection.int("SELECT seq FROM sqlite_sequence WHERE name = 'event'") ?? 0, "the log's last position")
    let tables = CompactionTables(connection)
    guard try tables.exist else { return }
    var (rows, streams): ([(Int64, Int64)], [(Int64, Int64)]) = ([], [])
    try connection.statement("SELECT first, last FROM gap ORDER BY first").run { rows.append(($0.int(0), $0.int(1))) }
    try connection.statement("SELECT stream, version FROM cut_stream").run { streams.append(($0.int(0), $0.int(1))) }
    for (first, last) in rows {
      guard LogNumber.isPlace(first), LogNumber.isPlace(last), first <= last, Int(first) > gaps.last?.last ?? 0 else {
        try found(
          "the table `gap` lists events \(first) to \(last) as removed, but this range is invalid or overlaps the "
            + "previous range")
        continue
      }
      gaps.append((Int(first), Int(last)))
    }
    for (stream, version) in streams {
      cutVersions[stream] = try number(version, "a compacted stream's version")
    }
    compactedTransaction = try number(
      connection.int("SELECT \"transaction\" FROM compaction ORDER BY number DESC LIMIT 1") ?? 0,
      "the last compaction's transaction")
    compacted = try tables.history
  }

  /// Checks every event and its entries in the indexes in one pass.
  ///
  /// - Parameters:
  ///   - progress: A closure that is called with the number of checked events.
  ///   - visit: A closure that is called with the events until the first problem is found, or `nil`.
  /// - Throws: The errors of the closures, and SQLite's errors.
  mutating func checkEvents(
    _ progress: (Int) throws -> Void, _ visit: ((EventBatch) throws -> Void)?
  ) throws {
    let find = try connection.ownStatement("SELECT \(EventReader.columns) FROM event ORDER BY position")
    var past = EventsSoFar(gaps: gaps[...])
    var events = EventsRead(connection, visit)
    try find.run { row in
      let (position, transaction, version) = (row.int(0), row.int(1), row.int(3))
      report.events += 1
      if report.events % 1_000 == 0 { try progress(report.events) }
      typeIndex.add(row)
      idIndex.add(row)
      guard LogNumber.isPlace(position), LogNumber.isPlace(transaction), LogNumber.isPlace(version) else {
        return try found(
          "expected a position, a transaction and a version from 1 to \(LogNumber.most), found \(position), "
            + "\(transaction) and \(version)", at: position)
      }
      try checkPlace(Int(position), transaction: Int(transaction), version: Int(version), of: row.int(2), &past)
      if let payload = row.bytes(10), PersonalPayload.mayHaveFields(payload) { fieldPositions.insert(position) }
      do {
        if let tags = try events.add(row) {
          try check(tags, at: position)
        } else {
          let event = try EventReader(connection).event(row, NameCache(connection))
          try check(event)
          events.note(event)
        }
      } catch let error as EventStoreError {
        try found(error.message, at: position)
      }
      try events.pass(atEnd: false, isSound: report.isSound)
    }
    try events.pass(atEnd: true, isSound: report.isSound)
    hasReadEvents = true
    passHorizon(&past)
    _ = passGaps(to: head + 1, &past)
    if head != past.next - 1 {
      try found("the log's last event must be at position \(head), but is at position \(past.next - 1)")
    }
    for gap in past.gaps {
      try found(
        "the table `gap` lists events \(gap.first) to \(gap.last) as removed, but this range contradicts the log. "
          + "Possible causes: one of these events exists, the compacted part of the log ends before the range at "
          + "position \(compacted.horizon), or an earlier range in the table is wrong")
    }
  }

  /// Compares an event's position, transaction and version with those of the previous events.
  private mutating func checkPlace(
    _ position: Int, transaction: Int, version: Int, of stream: Int64, _ past: inout EventsSoFar
  ) throws {
    let horizon = compacted.horizon.rawValue
    if position > horizon { passHorizon(&past) }
    if let missing = passGaps(to: position, &past) {
      try found(
        "expected event \(missing), found event \(position), and no compaction removed the missing events",
        at: Int64(position))
    }
    past.next = position + 1
    let expected = (past.versions[stream] ?? 0) + 1
    if position <= horizon, version > expected {
      missingVersions.addUpToEnd(version - expected)
    } else if version != expected {
      try found("expected version \(expected) of the event's stream, found version \(version)", at: Int64(position))
    }
    past.versions[stream] = position <= horizon ? version : expected
    let isNext = transaction == past.transaction || transaction == past.transaction + 1
    if position <= horizon ? transaction < past.transaction || transaction > compactedTransaction : !isNext {
      try found(
        "expected transaction \(past.transaction) or \(past.transaction + 1), found transaction \(transaction)",
        at: Int64(position))
    }
    past.transaction = transaction
  }

  /// Sets the stored versions of streams whose last events were removed, once the check is past the compacted position.
  private mutating func passHorizon(_ past: inout EventsSoFar) {
    if past.isBeyond { return }
    past.isBeyond = true
    past.transaction = max(past.transaction, compactedTransaction)
    for (stream, version) in cutVersions {
      missingVersions.addUpToEnd(max(0, version - (past.versions[stream] ?? 0)))
      past.versions[stream] = max(past.versions[stream] ?? 0, version)
    }
  }

  /// Skips the removed events before a position, and returns the first position that is missing but wasn't removed.
  private mutating func passGaps(to position: Int, _ past: inout EventsSoFar) -> Int? {
    var missing: Int?
    while let gap = past.gaps.first, gap.first >= past.next, gap.last < position,
      gap.last <= compacted.horizon.rawValue
    {
      if missing == nil, gap.first > past.next { missing = past.next }
      missingPositions.addUpToEnd(gap.last - gap.first + 1)
      past.next = gap.last + 1
      past.gaps = past.gaps.dropFirst()
    }
    return missing ?? (position > past.next ? past.next : nil)
  }

  /// Checks the payload and the tags of an event, and finds the words for what is wrong with them.
  private mutating func check(_ event: StoredEvent) throws {
    let position = Int64(event.position.rawValue)
    if let payload = event.payload {
      do {
        _ = try JSONValue(parsing: payload)
      } catch {
        try found("its payload isn't JSON: \(error)", at: position)
      }
    }
    try check(event.tags, at: position)
  }

  /// Checks that the table of tags contains an event's tags.
  private mutating func check(_ tags: Set<EventTag>, at position: Int64) throws {
    if tags.isEmpty { return }
    let find = try connection.statement("SELECT count(*) FROM event_tag WHERE tag = ?1 AND position = ?2")
    for tag in tags.sorted() {
      try find.bind(1, tag.text)
      try find.bind(2, position)
      if try find.firstInt() != 1 {
        try found("the event's tag \(JSONValue.quoted(tag.text)) is missing from the table of tags", at: position)
      }
    }
    tagCount += tags.count
  }

  /// Checks the tables that describe removed events.
  mutating func checkCuts() throws {
    guard compacted.count > 0 else { return }
    if missingVersions != missingPositions {
      try found(
        "compactions left gaps of \(missingPositions) positions and \(missingVersions) stream versions. The numbers "
          + "must be equal, because every event has one position and one stream version")
    }
    let noted = try connection.int("SELECT CAST(total(cut) AS INTEGER) FROM compaction") ?? 0
    if noted != missingPositions {
      try found("compactions removed \(noted) events, but \(missingPositions) positions are missing")
    }
    let expected = try connection.int("SELECT CAST(total(identities) AS INTEGER) FROM compaction") ?? 0
    let kept = try connection.int("SELECT count(*) FROM cut_event") ?? 0
    if expected != kept {
      try found("expected \(expected) identities of removed events in the table cut_event, found \(kept)")
    }
    let lost =
      try connection.int(
        "SELECT count(*) FROM cut_event WHERE position < 1 OR position > \(compacted.horizon)") ?? 0
    if lost > 0 {
      try found(
        "\(lost) identities of removed events have positions outside the compacted part of the log, which ends at "
          + "position \(compacted.horizon)")
    }
  }
}
