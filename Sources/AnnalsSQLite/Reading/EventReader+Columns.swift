import Annals

/// The columns of an event that contain several kinds of values.
extension EventReader {
  /// Returns an event's id, which is stored as a string or as the bytes of a UUID, or `nil` for any other value.
  static func id(_ row: SQLiteRow, _ column: Int32) -> String? {
    if let ordered = row.orderedID(column) { return ordered.text }
    return row.isText(column) ? row.text(column) : nil
  }

  /// Returns the bytes of an event's own or shared metadata, or `nil` if the column contains neither.
  ///
  /// They are valid until the next row or the next key.
  func metadata(_ row: SQLiteRow, _ column: Int32) throws -> UnsafeRawBufferPointer? {
    if row.isText(column) { return row.bytes(column) }
    guard row.isInt(column), try connection.hasShortEvents else { return nil }
    return try connection.sharedMetadata.name(row.int(column), connection)
  }

  /// Returns the string of an event's metadata, or `nil`.
  func metadataText(_ row: SQLiteRow, _ column: Int32) throws -> String? {
    try metadata(row, column).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The SQL expression for the string of an event's metadata.
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
