import Annals

extension EventReader {
  /// The number of bytes after which a page ends, whatever the limit: events may be large.
  private static let pageBytes = 8_388_608

  /// A page of the log as bytes, each event checked against its checksum, and none missing.
  func page(after: Position, through: Position, limit: Int) throws -> EventPage {
    guard after < through, after.rawValue < LogNumber.most else { return EventPageBuilder(capacity: 0).finish() }
    let find = try connection.statement(
      "SELECT \(Self.columns) FROM event WHERE position > ?1 AND position <= ?2 ORDER BY position LIMIT ?3")
    return try consistently {
      try find.bind(1, after.rawValue)
      try find.bind(2, through.rawValue)
      try find.bind(3, limit)
      let page = EventPageBuilder(capacity: min(limit, through.rawValue - after.rawValue, 512))
      let (streams, sources) = (connection.streamNames, connection.sourceNames)
      var (next, count) = (Int64(after.rawValue) + 1, 0)
      try find.runWhile { row in
        try add(row, to: page, streams, sources)
        try checkHole(from: next, to: row.int(0))
        (next, count) = (row.int(0) + 1, count + 1)
        return page.byteCount < Self.pageBytes
      }
      if count < limit, page.byteCount < Self.pageBytes, next <= through.rawValue {
        let end = Int64(min(try head(), through).rawValue)
        if next <= end { try checkHole(from: next, to: end + 1) }
      }
      return page.finish()
    }
  }

  private func nameless(_ position: Int64) -> EventStoreError {
    damaged(position, "its stream, type or source has no name")
  }

  /// Reads the columns of `columns` onto a page.
  ///
  /// Without closures: what they take along would be counted for each event, which took a sixth of reading.
  private func add(_ row: SQLiteRow, to page: EventPageBuilder, _ streams: NameTable, _ sources: NameTable) throws {
    let position = row.int(0)
    guard let id = row.bytes(7), let tags = row.bytes(9), let metadata = row.bytes(11) else {
      throw damaged(position, "a column that must hold text holds none")
    }
    let (version, schema, time, transaction) = (row.int(3), row.int(5), row.int(8), row.int(1))
    guard LogNumber.isPlace(position), LogNumber.isPlace(transaction), LogNumber.isPlace(version) else {
      throw damaged(position, "its position, transaction or version is none that a log can have")
    }
    let start = page.byteCount
    page.add(position)
    page.add(transaction)
    guard let streamName = try streams.name(row.int(2), connection) else { throw nameless(position) }
    let stream = page.add(streamName)
    page.add(version)
    guard let type = try page.addType(row.int(4), name: { try NameCache(connection).name(row.int(4), in: .type) })
    else { throw nameless(position) }
    page.add(schema)
    guard let sourceName = try sources.name(row.int(6), connection) else { throw nameless(position) }
    let source = page.add(sourceName)
    let idPlace = page.add(id)
    page.add(time)
    let tagPlace = page.add(tags)
    let bytes = row.bytes(10)
    var payload = if let bytes { page.add(bytes) } else { page.addNothing() }
    let metadataPlace = page.add(metadata)
    var sum = CRC32()
    sum.add(page.bytes(from: start))
    guard Int64(sum.value) == row.int(12) else { throw damaged(position, "its checksum does not fit what it holds") }
    guard page.holdsArray(tagPlace) else { throw damaged(position, "its tags are not JSON") }
    guard page.holdsObject(metadataPlace) else { throw damaged(position, "its metadata are not JSON") }
    if let bytes, PersonalPayload.mayHaveFields(bytes) {
      // What the event says of somebody lies beside it.
      let whole = try PersonalTables(connection).joined(String(decoding: bytes, as: UTF8.self), at: position) {
        damaged(position, $0)
      }
      guard whole.utf8.count < Int(Int32.max) - page.byteCount else {
        throw EventStoreError(
          .io,
          "\(connection.path): event \(position) holds over 2 GB with its personal values, more than can be read at once"
        )
      }
      payload = Array(whole.utf8).withUnsafeBytes { page.add($0) }
    }
    page.add(
      EventPage.Row(
        position: Int(position), transaction: Int(transaction), version: Int(version), schema: Int(schema), time: time,
        stream: stream, source: source, id: idPlace, tags: tagPlace, payload: payload, metadata: metadataPlace,
        type: type))
  }
}
