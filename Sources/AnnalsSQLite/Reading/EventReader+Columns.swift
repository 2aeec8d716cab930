import Annals

/// The columns of an event that hold more than one kind of value.
extension EventReader {
  /// An event's id, which is stored as a text or as the bytes of a UUID; nil if there is neither.
  static func id(_ row: SQLiteRow, _ column: Int32) -> String? {
    if let ordered = row.orderedID(column) { return ordered.text }
    return row.isText(column) ? row.text(column) : nil
  }

  /// The bytes of an event's metadata, which are its own or shared; nil if there are none.
  ///
  /// Valid until the next row, or the next key.
  func metadata(_ row: SQLiteRow, _ column: Int32) throws -> UnsafeRawBufferPointer? {
    if row.isText(column) { return row.bytes(column) }
    guard row.isInt(column), try connection.hasShortEvents else { return nil }
    return try connection.sharedMetadata.name(row.int(column), connection)
  }

  /// The text of an event's metadata; nil if there is none.
  func metadataText(_ row: SQLiteRow, _ column: Int32) throws -> String? {
    try metadata(row, column).map { String(decoding: $0, as: UTF8.self) }
  }

  /// What a statement says for the text of an event's metadata.
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
