import AnnalsLog

/// Functions for the event columns that contain several kinds of values.
extension EventReader {
  /// Returns an event's id as a string, or `nil` if the column contains neither a string nor the bytes of a UUID.
  static func id(_ row: SQLiteRow, _ column: Int32) -> String? {
    if let ordered = row.orderedID(column) { return ordered.text }
    return row.isText(column) ? row.text(column) : nil
  }

  /// Returns the bytes of an event's own metadata or of its shared metadata, or `nil` if the column contains neither.
  ///
  /// The bytes are valid until the next row or the next lookup of shared metadata.
  func metadata(_ row: SQLiteRow, _ column: Int32) throws -> UnsafeRawBufferPointer? {
    if row.isText(column) { return row.bytes(column) }
    guard row.isInt(column), try connection.hasShortEvents else { return nil }
    return try connection.sharedMetadata.name(row.int(column), connection)
  }

  /// Returns an event's metadata as a string, or `nil` if the column contains no metadata.
  func metadataText(_ row: SQLiteRow, _ column: Int32) throws -> String? {
    try metadata(row, column).map { String(decoding: $0, as: UTF8.self) }
  }

  /// An SQL expression for an event's metadata as a string.
  var metadataSQL: String {
    get throws {
      guard try connection.hasShortEvents else { return "event.metadata" }
      return """
        CASE typeof(event.metadata) WHEN 'integer'
          THEN (SELECT text FROM shared_metadata WHERE key = event.metadata) ELSE event.metadata END
        """
    }
  }
}
