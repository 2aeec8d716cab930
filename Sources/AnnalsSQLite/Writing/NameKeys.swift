import AnnalsLog

/// A writer's cache of the keys of streams, types and sources, and of streams' versions.
///
/// Keys never change. Versions are valid until another connection writes, and are then reread.
struct NameKeys {
  /// A stream's key and version in the log.
  struct Stream {
    /// The stream's key, or `nil` as long as the log does not contain the stream.
    fileprivate(set) var key: Int64?
    /// The stream's version, which is the number of its events.
    var version: Int
    /// The value of the cache's `time` at which the version was valid.
    fileprivate var time: Int
  }

  private let connection: SQLiteConnection
  /// The known streams.
  ///
  /// The limit is large because an app might append to many streams, and a lookup takes as long as an event's write.
  private var streams = Self.noStreams
  private static var noStreams: NameMemory<StreamName, Stream> { NameMemory(limit: 65_536) }
  private var types = Table("type")
  private var sources = Table("source")
  /// The number of times that other connections might have changed versions.
  ///
  /// A version that was read at an earlier number is outdated.
  private var time = 0

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  /// Discards the cache, because a transaction was rolled back.
  mutating func forget() { (streams, types, sources) = (Self.noStreams, Table("type"), Table("source")) }

  /// Makes later calls reread versions, because other connections might have changed them.
  mutating func forgetVersions() { time += 1 }

  /// Returns the number of events in a stream, or 0 if it does not exist.
  mutating func version(of stream: StreamName) throws -> Int { try self.stream(stream).version }

  /// Returns the last known number of events in a stream, or `nil` if it is not known.
  func knownVersion(of stream: StreamName) -> Int? { streams.peek(stream)?.version }

  /// Returns true if the current version of a stream is known and equals the given version.
  func knows(_ version: Int, of stream: StreamName) -> Bool {
    guard let known = streams.peek(stream) else { return false }
    return known.time == time && known.version == version
  }

  /// Returns the key and the version of a stream.
  mutating func stream(_ name: StreamName) throws -> Stream {
    let known = streams.value(name)
    if let known, known.time == time { return known }
    var stream = Stream(key: known?.key, version: 0, time: time)
    if let key = known?.key {
      stream.version = try EventReader(connection).version(of: key)
    } else {
      let find = try connection.statement(Self.find)
      try find.bind(1, name.text)
      try find.run { row in
        stream.key = row.int(0)
        let versions = try [row.int(1), row.int(2)].map {
          try LogNumber.checked($0, "a stream's version", in: connection.path)
        }
        // A compaction might have removed the stream's last events.
        stream.version = max(versions[0], versions[1])
      }
    }
    keep(stream, as: name)
    return stream
  }

  /// An SQL query for a stream's key, its last event's version, and its version at the compacted position.
  private static let find = """
    SELECT stream.key, (SELECT max(version) FROM event WHERE event.stream = stream.key),
      (SELECT version FROM cut_stream WHERE cut_stream.stream = stream.key)
    FROM stream WHERE name = ?1
    """

  /// Caches a stream.
  mutating func keep(_ stream: Stream, as name: StreamName) {
    guard stream.key != nil else { return }
    streams.set(name, stream)
  }

  /// Returns the key of a stream, which is created if the log does not contain the stream.
  func key(of stream: inout Stream, _ name: StreamName) throws -> Int64 {
    if let key = stream.key { return key }
    let insert = try connection.statement("INSERT INTO stream (name) VALUES (?1)")
    try insert.bind(1, name.text)
    try insert.run()
    stream.key = connection.lastInsertedRow
    return connection.lastInsertedRow
  }

  mutating func key(ofType name: String) throws -> Int64 { try types.key(of: name, connection) }

  mutating func key(ofSource name: String) throws -> Int64 { try sources.key(of: name, connection) }

  /// Returns the key of a source, or `nil` if the log does not contain the source.
  mutating func knownKey(ofSource name: String) throws -> Int64? { try sources.knownKey(of: name, connection) }

  /// A cache of the keys in a table of names.
  private struct Table {
    private let table: StaticString
    private var keys = NameMemory<ExactString, Int64>()
    /// The name that was used last, because the next event usually has the same name.
    private var last: (name: ExactString, key: Int64)?

    init(_ table: StaticString) {
      self.table = table
    }

    mutating func key(of name: String, _ connection: SQLiteConnection) throws -> Int64 {
      if let known = try knownKey(of: name, connection) { return known }
      let insert = try connection.statement("INSERT INTO \(table) (name) VALUES (?1)")
      try insert.bind(1, name)
      try insert.run()
      return keep(connection.lastInsertedRow, of: ExactString(name))
    }

    /// Returns the key of a name, or `nil` if the table does not contain the name.
    mutating func knownKey(of name: String, _ connection: SQLiteConnection) throws -> Int64? {
      let exact = ExactString(name)
      if let last, last.name == exact { return last.key }
      if let known = keys.value(exact) {
        last = (exact, known)
        return known
      }
      let find = try connection.statement("SELECT key FROM \(table) WHERE name = ?1")
      try find.bind(1, name)
      return try find.firstInt().map { keep($0, of: exact) }
    }

    private mutating func keep(_ key: Int64, of name: ExactString) -> Int64 {
      keys.set(name, key)
      last = (name, key)
      return key
    }
  }
}
