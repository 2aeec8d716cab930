import AnnalsLog

/// A writer's cache of keys for metadata strings that several events have in common.
///
/// Many events have unique metadata, so the first event with a string contains the string itself. When the same string
/// occurs a second time, it is stored once in a separate table, and later events refer to it by its key.
struct SharedMetadata {
  private struct Seen {
    /// The string's key, or `nil` if the string occurred only once.
    var key: Int64?
    /// The value of the cache's `time` at which the key was valid.
    var time: Int
  }

  private let connection: SQLiteConnection
  private let isStored: Bool
  private static var none: NameMemory<ExactString, Seen> { NameMemory(limit: 512) }
  private var texts = Self.none
  /// The number of times that other processes might have deleted unused strings.
  ///
  /// A key that was read at an earlier number is outdated.
  private var time = 0
  /// The string that was used last, because the next event usually has the same metadata.
  private var last: (text: ExactString, key: Int64)?

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - isStored: True if the log stores shared metadata.
  init(_ connection: SQLiteConnection, isStored: Bool) {
    self.connection = connection
    self.isStored = isStored
  }

  /// Discards the cache, because a transaction was rolled back.
  mutating func forget() { (texts, last) = (Self.none, nil) }

  /// Makes later calls reread their keys, because another process might have deleted unused strings.
  mutating func forgetKeys() { (time, last) = (time + 1, nil) }

  /// Returns the key that an event stores instead of a string, or `nil` if the event must contain the string itself.
  mutating func key(of text: String) throws -> Int64? {
    // The string of empty metadata is as short as a key.
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

  /// Deletes the strings that no event refers to any longer, after events were removed.
  static func deleteUnused(_ connection: SQLiteConnection) throws {
    guard try connection.hasShortEvents else { return }
    try connection.execute(
      """
      DELETE FROM shared_metadata
      WHERE key NOT IN (SELECT metadata FROM event WHERE typeof(metadata) = 'integer')
      """)
  }
}
