import Annals

extension EventReader {
  /// A page of the log as bytes, each event checked against its checksum.
  func page(after: Position, through: Position, limit: Int) throws -> EventPage {
    let find = try connection.statement(
      "SELECT \(Self.columns) FROM event WHERE position > ?1 AND position <= ?2 ORDER BY position LIMIT ?3")
    try find.bind(1, after.rawValue)
    try find.bind(2, through.rawValue)
    try find.bind(3, limit)
    let page = EventPageBuilder(capacity: min(limit, through.rawValue - after.rawValue))
    let (streams, sources) = (connection.streamNames, connection.sourceNames)
    var expected = Int64(after.rawValue) + 1
    try find.run { row in
      try add(row, to: page, streams, sources)
      expected = try checkHole(from: expected, to: row.int(0))
    }
    return page.finish()
  }

  private func damaged(_ position: Int64, _ what: String) -> EventStoreError {
    EventStoreError(.corrupt, "\(connection.path): event \(position) is damaged: \(what); restore the log from a copy")
  }

  private func nameless(_ position: Int64) -> EventStoreError {
    damaged(position, "its stream, type or source has no name")
  }

  /// Reads the columns of `columns` onto a page.
  ///
  /// Without closures: what they take along would be counted for each event, which took a sixth of reading.
  private func add(_ row: SQLiteRow, to page: EventPageBuilder, _ streams: NameTable, _ sources: NameTable) throws {
    let position = row.int(0)
    guard let id = row.bytes(7), let tags = row.bytes(9), let metadata = row.bytes(11), position > 0 else {
      throw damaged(position, "a column that must hold text holds none")
    }
    let (version, schema, time, transaction) = (row.int(3), row.int(5), row.int(8), row.int(1))
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
      payload = Array(whole.utf8).withUnsafeBytes { page.add($0) }
    }
    page.add(
      EventPage.Row(
        position: Int(position), transaction: Int(transaction), version: Int(version), schema: Int(schema), time: time,
        stream: stream, source: source, id: idPlace, tags: tagPlace, payload: payload, metadata: metadataPlace,
        type: type))
  }
}
