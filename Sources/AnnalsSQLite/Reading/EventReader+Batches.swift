import AnnalsLog

extension EventReader {
  /// The number of bytes after which a batch ends even if it has fewer events than the limit, because events can be
  /// large.
  static let batchBytes = 8_388_608

  private static let batch =
    "SELECT \(columns) FROM event WHERE position > ?1 AND position <= ?2 ORDER BY position LIMIT ?3"

  /// Returns a batch of events as bytes, after checking the events' checksums and that no event is missing.
  func batch(after: Position, through: Position, limit: Int) throws -> EventBatch {
    guard after < through, after.rawValue < LogNumber.most else { return EventBatchBuilder(capacity: 0).finish() }
    let find = try connection.statement(.batch, Self.batch)
    return try consistently {
      try find.bind(1, after.rawValue)
      try find.bind(2, through.rawValue)
      try find.bind(3, limit)
      let batch = EventBatchBuilder(capacity: min(limit, through.rawValue - after.rawValue, 512))
      let (streams, sources) = (connection.streamNames, connection.sourceNames)
      var (next, count) = (Int64(after.rawValue) + 1, 0)
      try find.runWhile { row in
        try add(row, to: batch, streams, sources)
        try checkHole(from: next, to: row.int(0))
        next = row.int(0) + 1
        count += 1
        return batch.byteCount < Self.batchBytes
      }
      if count < limit, batch.byteCount < Self.batchBytes, next <= through.rawValue {
        let end = Int64(min(try head(), through).rawValue)
        if next <= end { try checkHole(from: next, to: end + 1) }
      }
      ReadingOffset.note(next - 1)
      return batch.finish()
    }
  }

  private func nameless(_ position: Int64) -> EventStoreError {
    damaged(position, "the name of the event's stream, type or source is missing")
  }

  /// Appends an event to a batch, from a row with the columns of `columns`.
  ///
  /// The code uses no closures, because reference counting of their captures took a sixth of the reading time.
  ///
  /// - Parameters:
  ///   - row: The row with the columns.
  ///   - batch: The batch to append to.
  ///   - streams: The names of streams.
  ///   - sources: The names of sources.
  ///   - known: The stream name's bytes, or `nil` if the caller doesn't know them.
  /// - Returns: The places of the payload and the metadata in the batch.
  /// - Throws: ``EventStoreError`` if the event is damaged.
  @discardableResult
  func add(
    _ row: SQLiteRow, to batch: EventBatchBuilder, _ streams: NameTable, _ sources: NameTable,
    ofStream known: UnsafeRawBufferPointer? = nil
  ) throws -> (payload: EventBatch.Stretch, metadata: EventBatch.Stretch) {
    let position = row.int(0)
    guard let tags = row.bytes(9), let metadata = try metadata(row, 11) else {
      throw damaged(position, "a text column contains a value that isn't text")
    }
    let (version, schema, time, transaction) = (row.int(3), row.int(5), row.int(8), row.int(1))
    guard LogNumber.isPlace(position), LogNumber.isPlace(transaction), LogNumber.isPlace(version) else {
      throw damaged(
        position,
        "expected a position, a transaction and a version from 1 to \(LogNumber.most), found \(position), "
          + "\(transaction) and \(version)")
    }
    let start = batch.byteCount
    batch.add(position)
    batch.add(transaction)
    guard let streamName = try known ?? streams.name(row.int(2), connection) else { throw nameless(position) }
    let stream = batch.add(streamName)
    batch.add(version)
    guard let type = try batch.addType(row.int(4), name: { try NameCache(connection).name(row.int(4), in: .type) })
    else { throw nameless(position) }
    batch.add(schema)
    guard let sourceName = try sources.name(row.int(6), connection) else { throw nameless(position) }
    let source = batch.add(sourceName)
    let idText: EventBatch.Stretch
    if let id = row.orderedID(7) {
      idText = batch.add(id)
    } else if row.isText(7), let id = row.bytes(7) {
      idText = batch.add(id)
    } else {
      throw damaged(position, "a text column contains a value that isn't text")
    }
    batch.add(time)
    let tagText = batch.add(tags)
    let bytes = row.bytes(10)
    var payload = if let bytes { batch.add(bytes) } else { batch.addNothing() }
    let metadataText = batch.add(metadata)
    var sum = CRC32()
    let whole = batch.bytes(from: start)
    sum.add(whole)
    guard Int64(sum.value) == row.int(12) else {
      throw damaged(position, "the event's checksum doesn't match its data")
    }
    if !UTF8Check.holds(whole) {
      try checkTexts(row, at: position)
      throw damaged(position, "the name of the event's stream, type or source isn't UTF-8")
    }
    guard batch.holdsArray(tagText) else { throw damaged(position, "the event's tags aren't JSON") }
    guard batch.holdsObject(metadataText) else { throw damaged(position, "the event's metadata isn't JSON") }
    if let bytes, PersonalPayload.mayHaveFields(bytes) {
      // The personal values of the event are stored separately.
      let whole = try PersonalTables(connection).joined(String(decoding: bytes, as: UTF8.self), at: position) {
        damaged(position, $0)
      }
      guard whole.utf8.count < Int(Int32.max) - batch.byteCount else {
        throw EventStoreError(
          .io,
          "\(connection.path): a batch of events and their personal values can contain at most 2 GB, but the batch "
            + "with event \(position) is larger. Read fewer events in a batch")
      }
      payload = Array(whole.utf8).withUnsafeBytes { batch.add($0) }
    }
    batch.add(
      EventBatch.Row(
        position: Int(position), transaction: Int(transaction), version: Int(version), schema: Int(schema), time: time,
        stream: stream, source: source, id: idText, tags: tagText, payload: payload, metadata: metadataText,
        type: type))
    return (payload, metadataText)
  }
}
