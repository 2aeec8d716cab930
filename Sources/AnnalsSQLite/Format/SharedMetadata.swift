import Annals

/// The keys of metadata that several events have, as a writer knows them.
///
/// The first event keeps its metadata itself: those of many events are theirs alone. When the same text comes again, it
/// is stored once, and the events from then on refer to it.
struct SharedMetadata {
  private struct Seen {
    /// Nil if the text came once.
    var key: Int64?
    /// The time of the writer at which the key was right.
    var time: Int
  }

  private let connection: SQLiteConnection
  private let isStored: Bool
  private static var none: NameMemory<ExactString, Seen> { NameMemory(limit: 512) }
  private var texts = Self.none
  /// Counts how often others may have deleted what no event refers to.
  private var time = 0
  /// What was asked for last, which is usually what is asked for next.
  private var last: (text: ExactString, key: Int64)?

  /// - Parameters:
  ///   - connection: The connection.
  ///   - isStored: True if the log has metadata that events share.
  init(_ connection: SQLiteConnection, isStored: Bool) { (self.connection, self.isStored) = (connection, isStored) }

  /// Forgets everything: a transaction was taken back.
  mutating func forget() { (texts, last) = (Self.none, nil) }

  /// Asks for keys again: what no event refers to may have been deleted.
  mutating func forgetKeys() { (time, last) = (time + 1, nil) }

  /// The key of a text that an event refers to; nil if it keeps the text itself.
  mutating func key(of text: String) throws -> Int64? {
    // The text of no metadata is as short as a key.
    if !isStored || text.utf8.count <= 2 { return nil }
    let exact = ExactString(text)
    if let last, last.text == exact { return last.key }
    guard let seen = texts.value(exact) else {
      texts.set(exact, Seen(key: nil, time: time))
      return nil
    }
    let known = seen.time == time ? seen.key : nil
    let key = try known ?? find(text) ?? insert(text)
    if known == nil { texts.set(exact, Seen(key: key, time: time)) }
    last = (exact, key)
    return key
  }

  private func find(_ text: String) throws -> Int64? {
    let find = try connection.statement("SELECT key FROM shared_metadata WHERE text = ?1")
    try find.bind(1, text)
    return try find.firstInt()
  }

  private func insert(_ text: String) throws -> Int64 {
    let insert = try connection.statement("INSERT INTO shared_metadata (text) VALUES (?1)")
    try insert.bind(1, text)
    try insert.run()
    return connection.lastInsertedRow
  }

  /// Deletes what no event refers to any more, after events were cut.
  static func deleteUnused(_ connection: SQLiteConnection) throws {
    guard try connection.hasShortEvents else { return }
    try connection.execute(
      """
      DELETE FROM shared_metadata
      WHERE key NOT IN (SELECT metadata FROM event WHERE typeof(metadata) = 'integer')
      """)
  }
}
