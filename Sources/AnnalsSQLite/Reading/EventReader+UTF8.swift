extension EventReader {
  /// Throws if one of an event's own texts is no UTF-8: what would be read of it is not what was stored.
  ///
  /// A checksum says only that the bytes are those that someone wrote.
  func checkTexts(_ row: SQLiteRow, at position: Int64) throws {
    // One after the other: a loop over the columns makes an array for each event.
    // An id that is stored as bytes is no text.
    let metadata = try metadata(row, 11)
    let problem =
      UTF8Check.problem(of: row.isText(7) ? row.bytes(7) : nil, "id") ?? UTF8Check.problem(of: row.bytes(9), "tags")
      ?? UTF8Check.problem(of: row.bytes(10), "payload") ?? UTF8Check.problem(of: metadata, "metadata")
    if let problem { throw damaged(position, problem) }
  }
}
