import Annals

extension EventReader {
  /// A page of the log as bytes, each event checked against its checksum.
  func page(after: Position, through: Position, limit: Int) throws -> EventPage {
    let find = try connection.statement(
      "SELECT \(Self.columns) FROM event WHERE position > ?1 AND position <= ?2 ORDER BY position LIMIT ?3")
    try find.bind(1, after.rawValue)
    try find.bind(2, through.rawValue)
    try find.bind(3, limit)
    var page = EventPageBuilder(capacity: min(limit, through.rawValue - after.rawValue))
    var expected = Int64(after.rawValue) + 1
    try find.run { row in
      try add(row, to: &page)
      expected = try checkHole(from: expected, to: row.int(0))
    }
    return page.finish()
  }

  /// Reads the columns of `columns` onto a page.
  private func add(_ row: SQLiteRow, to page: inout EventPageBuilder) throws {
    let position = row.int(0)
    func damaged(_ what: String) -> EventStoreError {
      EventStoreError(
        .corrupt, "\(connection.path): event \(position) is damaged: \(what); restore the log from a copy")
    }
    guard let id = row.bytes(7), let tags = row.bytes(9), let metadata = row.bytes(11), position > 0 else {
      throw damaged("a column that must hold text holds none")
    }
    let nameless = "its stream, type or source has no name"
    let (version, schema, time, transaction) = (row.int(3), row.int(5), row.int(8), row.int(1))
    let start = page.byteCount
    page.add(position)
    page.add(transaction)
    let stream = try connection.streamNames.withName(row.int(2), connection) { name in
      guard let name else { throw damaged(nameless) }
      return page.add(name)
    }
    page.add(version)
    guard let type = try page.addType(row.int(4), name: { try NameCache(connection).name(row.int(4), in: .type) })
    else {
      throw damaged(nameless)
    }
    page.add(schema)
    let source = try connection.sourceNames.withName(row.int(6), connection) { name in
      guard let name else { throw damaged(nameless) }
      return page.add(name)
    }
    let idPlace = page.add(id)
    page.add(time)
    let tagPlace = page.add(tags)
    var payload = row.bytes(10).map { page.add($0) } ?? page.addNothing()
    let metadataPlace = page.add(metadata)
    let sum = page.withBytes(from: start) { bytes in
      var sum = CRC32()
      sum.add(bytes)
      return sum.value
    }
    guard Int64(sum) == row.int(12) else { throw damaged("its checksum does not fit what it holds") }
    guard page.holdsArray(tagPlace) else { throw damaged("its tags are not JSON") }
    guard page.holdsObject(metadataPlace) else { throw damaged("its metadata are not JSON") }
    if let bytes = row.bytes(10), PersonalPayload.mayHaveFields(bytes) {
      // What the event says of somebody lies beside it.
      let whole = try PersonalTables(connection).joined(
        String(decoding: bytes, as: UTF8.self), at: position, damaged)
      payload = Array(whole.utf8).withUnsafeBytes { page.add($0) }
    }
    page.add(
      EventPage.Row(
        position: Int(position), transaction: Int(transaction), version: Int(version), schema: Int(schema), time: time,
        stream: stream, source: source, id: idPlace, tags: tagPlace, payload: payload, metadata: metadataPlace,
        type: type))
  }
}
