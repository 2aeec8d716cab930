import AnnalsLog

/// A lookup of events by identity.
///
/// An identity consists of a source and an id. If an id is a UUID of version 7 that is greater than all earlier such
/// ids from its source, the log stores the id as its 16 bytes. These ids have the same order as positions, so they need
/// no index. Instead, for every stretch of 64 positions, a row of the table `id_mark` contains the first such id of
/// each source in this stretch. All other ids are strings and are indexed. (An index of all ids took 53 bytes per
/// event, and storing all ids as strings took another 20 bytes per event.)
struct EventIDs {
  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// Returns the position of an event by its id and its source's key, or `nil` if the log doesn't contain the event.
  func position(of id: String, ofSource source: Int64) throws -> Int64? {
    if let ordered = OrderedID(id), let found = try position(of: ordered, ofSource: source) { return found }
    return try position(ofText: id, source)
  }

  /// Returns the position of an event whose id is stored as a string, or `nil` if the log lacks it.
  func position(ofText id: String, _ source: Int64) throws -> Int64? {
    // The query repeats the condition of the partial index, because SQLite would otherwise not use the index
    // (sqlite.org/partialindex.html, 3).
    let find = try connection.statement(
      "SELECT position FROM event WHERE source = ?1 AND id = ?2 AND typeof(id) = 'text'")
    try find.bind(1, source)
    try find.bind(2, id)
    return try find.firstInt()
  }

  /// Returns the position of an event whose id is stored as bytes, or `nil` if the log lacks it.
  func position(of id: OrderedID, ofSource source: Int64) throws -> Int64? {
    guard try connection.hasShortEvents, let stretch = try stretch(of: id, ofSource: source) else { return nil }
    let find = try connection.statement(
      "SELECT position FROM event WHERE position BETWEEN ?1 AND ?2 AND source = ?3 AND id = ?4")
    try find.bind(1, TypeStretches.first(of: stretch))
    try find.bind(2, TypeStretches.last(of: stretch))
    try find.bind(3, source)
    try find.bind(4, id)
    return try find.firstInt()
  }

  /// Returns the only stretch of 64 positions that can contain an id of a source.
  ///
  /// It's `nil` if the id is less than the first id of all stretches.
  func stretch(of id: OrderedID, ofSource source: Int64) throws -> Int64? {
    let find = try connection.statement(
      "SELECT stretch FROM id_mark WHERE source = ?1 AND id <= ?2 ORDER BY id DESC LIMIT 1")
    try find.bind(1, source)
    try find.bind(2, id)
    return try find.firstInt()
  }

  /// Returns a source's last id that is stored as bytes, or `nil` if no id of this source is stored as bytes.
  func newest(ofSource source: Int64) throws -> OrderedID? {
    guard try connection.hasShortEvents else { return nil }
    let mark = try connection.statement(
      "SELECT id, stretch FROM id_mark WHERE source = ?1 ORDER BY id DESC LIMIT 1")
    try mark.bind(1, source)
    var (newest, stretch) = (nil as OrderedID?, 0 as Int64)
    try mark.run { (newest, stretch) = ($0.orderedID(0), $0.int(1)) }
    guard let marked = newest else { return nil }
    let find = try connection.statement(
      """
      SELECT max(id) FROM event WHERE position BETWEEN ?1 AND ?2 AND source = ?3 AND typeof(id) = 'blob'
      """)
    try find.bind(1, TypeStretches.first(of: stretch))
    try find.bind(2, TypeStretches.last(of: stretch))
    try find.bind(3, source)
    try find.run { newest = $0.orderedID(0) }
    // The mark is the first id of its stretch, and all ids of the stretch might have been compacted.
    return newest ?? marked
  }

  /// Returns the positions of a source's events in order, for the ids in a range that are stored as bytes.
  func positions(in ids: ClosedRange<OrderedID>, ofSource source: Int64, limit: Int) throws -> [Int64] {
    guard try connection.hasShortEvents, let last = try stretch(of: ids.upperBound, ofSource: source) else { return [] }
    let first = try stretch(of: ids.lowerBound, ofSource: source) ?? 0
    let find = try connection.statement(
      """
      SELECT position FROM event WHERE position BETWEEN ?1 AND ?2 AND source = ?3 AND typeof(id) = 'blob'
        AND id BETWEEN ?4 AND ?5 ORDER BY position LIMIT ?6
      """)
    try find.bind(1, TypeStretches.first(of: first))
    try find.bind(2, TypeStretches.last(of: last))
    try find.bind(3, source)
    try find.bind(4, ids.lowerBound)
    try find.bind(5, ids.upperBound)
    try find.bind(6, limit)
    var found: [Int64] = []
    try find.run { found.append($0.int(0)) }
    return found
  }
}

/// The part of a writer that decides which ids are stored as bytes, with a cache of the last ids.
struct IDOrder {
  private let connection: SQLiteConnection
  private let insertMark: SQLiteStatement?
  /// The last ids of a source.
  private struct Source {
    /// The last id that is stored as bytes, or `nil` if no id is stored as bytes.
    var newest: OrderedID?
    /// The last stretch of 64 positions for which a row of `id_mark` was written.
    var marked: Int64 = -1
  }

  private var sources: [Int64: Source] = [:]
  /// The source that was used last, because the next event usually has the same source.
  private var current: (key: Int64, source: Source)?

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - isStored: True if the log stores ids as bytes.
  /// - Throws: ``EventStoreError``.
  init(_ connection: SQLiteConnection, isStored: Bool) throws {
    self.connection = connection
    insertMark =
      try isStored
      ? connection.ownStatement("INSERT INTO id_mark (source, id, stretch) VALUES (?1, ?2, ?3)") : nil
  }

  /// Discards the cache, because other processes might have written events, or because a transaction was rolled back.
  mutating func forget() { (sources, current) = ([:], nil) }

  /// Returns the last ids of a source.
  private mutating func known(_ key: Int64) throws -> Source {
    if let current, current.key == key { return current.source }
    if let current { sources[current.key] = current.source }
    let source = try sources[key] ?? Source(newest: EventIDs(connection).newest(ofSource: key))
    current = (key, source)
    return source
  }

  /// Returns true if an id is greater than every id of its source that is stored as bytes.
  ///
  /// Such an id can't be among the ids that are stored as bytes.
  mutating func isNew(_ id: OrderedID, of source: Int64) throws -> Bool {
    try known(source).newest.map { $0 < id } ?? true
  }

  /// Returns the id to store as bytes, or `nil` if the id must be stored as a string.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - isOurs: True if the store created the id, so that a new id may replace it.
  ///   - source: The key of the id's source.
  /// - Returns: The id or a new id that replaces it, or `nil`.
  /// - Throws: ``EventStoreError``.
  mutating func bytes(of id: OrderedID, isOurs: Bool, source: Int64) throws -> OrderedID? {
    guard insertMark != nil else { return nil }
    guard let last = try known(source).newest, id <= last else { return id }
    // An id of this store can be less than the last id, because threads create their ids before they wait for their
    // turn, and because a clock can be set back.
    return isOurs ? OrderedID.make(after: last) : nil
  }

  /// Records that an id is now stored as bytes.
  mutating func note(_ id: OrderedID, of source: Int64, at position: Int64) throws {
    var known = try known(source)
    known.newest = id
    let stretch = TypeStretches.stretch(of: position)
    if known.marked != stretch, let insertMark {
      known.marked = stretch
      try insertMark.bind(1, source)
      try insertMark.bind(2, id)
      try insertMark.bind(3, stretch)
      try insertMark.run()
    }
    current = (source, known)
  }
}
