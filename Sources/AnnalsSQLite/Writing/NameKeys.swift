import Annals

/// The keys of streams, types and sources, and the versions of streams, as a writer knows them.
///
/// Keys never change; versions are what they were as long as nobody else writes, and are asked anew otherwise.
struct NameKeys {
  /// A stream as the log has it.
  struct Stream {
    /// Nil as long as the log does not have the stream.
    fileprivate(set) var key: Int64?
    /// The number of its events.
    var version: Int
    /// The time of the writer at which the version was right.
    fileprivate var time: Int
  }

  private let connection: SQLiteConnection
  private var streams: [StreamName: Stream] = [:]
  private var types = Table("type")
  private var sources = Table("source")
  /// Counts how often others may have changed versions.
  private var time = 0
  /// What is remembered at most, of each kind.
  private static let limit = 10_000

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  /// Forgets everything: a transaction was taken back.
  mutating func forget() { (streams, types, sources) = ([:], Table("type"), Table("source")) }

  /// Forgets what others may have changed.
  mutating func forgetVersions() { time += 1 }

  /// The number of events in a stream, 0 if there is no such stream.
  mutating func version(of stream: StreamName) throws -> Int { try self.stream(stream).version }

  /// The number of events that a stream had when it was last looked at, nil if it is not known.
  func knownVersion(of stream: StreamName) -> Int? { streams[stream]?.version }

  /// What the log has of a stream.
  mutating func stream(_ name: StreamName) throws -> Stream {
    var key = streams[name]?.key
    if let known = streams[name], known.time == time { return known }
    if key == nil {
      let find = try connection.statement("SELECT key FROM stream WHERE name = ?1")
      try find.bind(1, name.text)
      key = try find.firstInt()
    }
    var stream = Stream(key: key, version: 0, time: time)
    if let key {
      let last = try connection.statement("SELECT max(version) FROM event WHERE stream = ?1")
      try last.bind(1, key)
      stream.version = Int(try last.firstInt() ?? 0)
      keep(stream, as: name)
    }
    return stream
  }

  /// Remembers a stream.
  mutating func keep(_ stream: Stream, as name: StreamName) {
    guard stream.key != nil else { return }
    if streams.count >= Self.limit { streams = [:] }
    streams[name] = stream
  }

  /// The key of a stream, which is made if the log does not have it.
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

  /// The keys of the names in a table.
  private struct Table {
    private let table: StaticString
    private var keys: [ExactString: Int64] = [:]
    /// The one that was asked for last, which is mostly the one that is asked for next.
    private var last: (name: ExactString, key: Int64)?

    init(_ table: StaticString) {
      self.table = table
    }

    mutating func key(of name: String, _ connection: SQLiteConnection) throws -> Int64 {
      let exact = ExactString(name)
      if let last, last.name == exact { return last.key }
      let key = try keys[exact] ?? stored(name, connection)
      if keys.count >= NameKeys.limit { keys = [:] }
      keys[exact] = key
      last = (exact, key)
      return key
    }

    private func stored(_ name: String, _ connection: SQLiteConnection) throws -> Int64 {
      let find = try connection.statement("SELECT key FROM \(table) WHERE name = ?1")
      try find.bind(1, name)
      if let key = try find.firstInt() { return key }
      let insert = try connection.statement("INSERT INTO \(table) (name) VALUES (?1)")
      try insert.bind(1, name)
      try insert.run()
      return connection.lastInsertedRow
    }
  }
}
