extension EventReader {
  /// Throws if one of an event's own strings is not UTF-8, because such a string could not be returned as it was
  /// stored.
  ///
  /// A matching checksum doesn't exclude invalid UTF-8, because it proves only that the same bytes were written.
  func checkTexts(_ row: SQLiteRow, at position: Int64) throws {
    // The columns are checked one by one, because a loop would allocate an array per event. An id that is stored as
    // bytes is not a string.
    let metadata = try metadata(row, 11)
    let problem =
      UTF8Check.problem(of: row.isText(7) ? row.bytes(7) : nil, "id") ?? UTF8Check.problem(of: row.bytes(9), "tags")
      ?? UTF8Check.problem(of: row.bytes(10), "payload") ?? UTF8Check.problem(of: metadata, "metadata")
    if let problem { throw damaged(position, problem) }
  }
}
