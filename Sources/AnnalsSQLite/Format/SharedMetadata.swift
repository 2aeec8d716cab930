import Annals

/// A writer's keys of metadata that several events have in common.
///
/// The first event contains its metadata itself, because the metadata of many events are unique. When the same string
/// occurs a second time, it is stored once, and later events refer to it.
struct SharedMetadata {
  private struct Seen {
    /// The key, or `nil` if the string occurred once.
    var key: Int64?
    /// The writer's time at which the key was valid.
    var time: Int
  }

  private let connection: SQLiteConnection
  private let isStored: Bool
  private static var none: NameMemory<ExactString, Seen> { NameMemory(limit: 512) }
  private var texts = Self.none
  /// The number of times that other processes might have deleted unused strings.
  private var time = 0
  /// The most recently used string, which usually is also the next one.
  private var last: (text: ExactString, key: Int64)?

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - isStored: True if the log stores shared metadata.
  init(_ connection: SQLiteConnection, isStored: Bool) { (self.connection, self.isStored) = (connection, isStored) }

  /// Discards the cache, because a transaction was rolled back.
  mutating func forget() { (texts, last) = (Self.none, nil) }

  /// Makes the next uses reread their keys, because unused strings might have been deleted.
  mutating func forgetKeys() { (time, last) = (time + 1, nil) }

  /// Returns the key of a string for an event to refer to, or `nil` if the event must contain the string itself.
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
