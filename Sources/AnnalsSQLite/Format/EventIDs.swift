import Annals

/// Finds events by their identities.
///
/// An identity is a source and an id. An id that is a UUID of version 7, and comes after all such ids of its source
/// before it, is stored as its 16 bytes. Their order is that of the positions, so that they need no index: a mark for
/// each stretch of 64 positions says which of a source's ids is the first one there. Other ids are texts, and in an
/// index. (An index of all took 53 bytes an event, and the ids as texts 20 more.)
struct EventIDs {
  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// The position of an event by its id and its source's key; nil if the log does not have it.
  func position(of id: String, ofSource source: Int64) throws -> Int64? {
    if let ordered = OrderedID(id), let found = try position(of: ordered, ofSource: source) { return found }
    return try position(ofText: id, source)
  }

  /// The position of an event whose id is stored as text; nil if there is none.
  func position(ofText id: String, _ source: Int64) throws -> Int64? {
    // The condition is that of the index, without which SQLite would not use it (sqlite.org/partialindex.html, 3).
    let find = try connection.statement(
      "SELECT position FROM event WHERE source = ?1 AND id = ?2 AND typeof(id) = 'text'")
    try find.bind(1, source)
    try find.bind(2, id)
    return try find.firstInt()
  }

  /// The position of an event whose id is stored as bytes; nil if there is none.
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

  /// The only stretch that an id of a source may be in; nil if it comes before all of them.
  func stretch(of id: OrderedID, ofSource source: Int64) throws -> Int64? {
    let find = try connection.statement(
      "SELECT stretch FROM id_mark WHERE source = ?1 AND id <= ?2 ORDER BY id DESC LIMIT 1")
    try find.bind(1, source)
    try find.bind(2, id)
    return try find.firstInt()
  }

  /// The last id of a source that is stored as bytes; nil if there is none.
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
    // What is marked comes first in its stretch, and all of these may have been cut.
    return newest ?? marked
  }

  /// The positions of events whose ids are stored as bytes and are in a range, in order.
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

/// Which ids a writer stores as bytes, and what it remembers for that.
struct IDOrder {
  private let connection: SQLiteConnection
  private let insertMark: SQLiteStatement?
  /// What is known of a source's ids.
  private struct Source {
    /// The last id that is stored as bytes; nil if there is none.
    var newest: OrderedID?
    /// The last stretch that has a mark.
    var marked: Int64 = -1
  }

  private var sources: [Int64: Source] = [:]
  /// The source that was asked for last, which is usually the one that is asked for next.
  private var current: (key: Int64, source: Source)?

  /// - Parameters:
  ///   - connection: The connection.
  ///   - isStored: True if the log has ids as bytes.
  /// - Throws: ``EventStoreError``.
  init(_ connection: SQLiteConnection, isStored: Bool) throws {
    self.connection = connection
    insertMark =
      try isStored
      ? connection.ownStatement("INSERT INTO id_mark (source, id, stretch) VALUES (?1, ?2, ?3)") : nil
  }

  /// Forgets what it knows: others may have written, or a transaction was taken back.
  mutating func forget() { (sources, current) = ([:], nil) }

  /// What is known of a source.
  private mutating func known(_ key: Int64) throws -> Source {
    if let current, current.key == key { return current.source }
    if let current { sources[current.key] = current.source }
    let source = try sources[key] ?? Source(newest: EventIDs(connection).newest(ofSource: key))
    current = (key, source)
    return source
  }

  /// True if an id comes after all that are stored as bytes, so that it is none of them.
  mutating func isNew(_ id: OrderedID, of source: Int64) throws -> Bool {
    try known(source).newest.map { $0 < id } ?? true
  }

  /// An id as it is stored as bytes; nil if it is stored as text.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - isOurs: True if another one may be taken in its place.
  ///   - source: Its source's key.
  /// - Returns: The id, or the other one.
  /// - Throws: ``EventStoreError``.
  mutating func bytes(of id: OrderedID, isOurs: Bool, source: Int64) throws -> OrderedID? {
    guard insertMark != nil else { return nil }
    guard let last = try known(source).newest, id <= last else { return id }
    // Threads make their ids before they wait for their turn, and a clock may be put back.
    return isOurs ? OrderedID.make(after: last) : nil
  }

  /// Notes that an id is stored as bytes.
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
