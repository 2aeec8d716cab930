import Annals

/// The keys of streams, types and sources, and the versions of streams, as a writer knows them.
///
/// Keys never change; versions are what they were as long as nobody else writes, and are asked anew otherwise.
struct NameKeys {
  private struct Stream {
    let key: Int64
    var version: Int?
  }

  private let connection: SQLiteConnection
  private var streams: [StreamName: Stream] = [:]
  private var types: [ExactString: Int64] = [:]
  private var sources: [ExactString: Int64] = [:]
  /// What is remembered at most, of each kind.
  private static let limit = 10_000

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  /// Forgets everything: a transaction was taken back.
  mutating func forget() { (streams, types, sources) = ([:], [:], [:]) }

  /// Forgets what others may have changed.
  mutating func forgetVersions() {
    for name in streams.keys { streams[name]?.version = nil }
  }

  /// The number of events in a stream, 0 if there is no such stream.
  mutating func version(of stream: StreamName) throws -> Int { try known(stream)?.version ?? 0 }

  /// The key of a stream, which is made if it is not there, and the version of the event that comes next.
  mutating func nextVersion(of name: StreamName) throws -> (key: Int64, version: Int) {
    var stream: Stream
    if let known = try known(name) {
      stream = known
    } else {
      let insert = try connection.statement("INSERT INTO stream (name) VALUES (?1)")
      try insert.bind(1, name.text)
      try insert.run()
      stream = Stream(key: connection.lastInsertedRow, version: 0)
    }
    let version = (stream.version ?? 0) + 1
    stream.version = version
    streams[name] = stream
    return (stream.key, version)
  }

  /// What the log has of a stream, with its version; nil if there is no such stream.
  private mutating func known(_ name: StreamName) throws -> Stream? {
    var stream: Stream
    if let known = streams[name] {
      if known.version != nil { return known }
      stream = known
    } else {
      let find = try connection.statement("SELECT key FROM stream WHERE name = ?1")
      try find.bind(1, name.text)
      guard let key = try find.firstInt() else { return nil }
      stream = Stream(key: key)
    }
    let last = try connection.statement("SELECT max(version) FROM event WHERE stream = ?1")
    try last.bind(1, stream.key)
    stream.version = Int(try last.firstInt() ?? 0)
    if streams.count >= Self.limit { streams = [:] }
    streams[name] = stream
    return stream
  }

  mutating func key(ofType name: String) throws -> Int64 { try key(of: name, in: "type", &types) }

  mutating func key(ofSource name: String) throws -> Int64 { try key(of: name, in: "source", &sources) }

  private func key(of name: String, in table: StaticString, _ known: inout [ExactString: Int64]) throws -> Int64 {
    let exact = ExactString(name)
    if let key = known[exact] { return key }
    if known.count >= Self.limit { known = [:] }
    let find = try connection.statement("SELECT key FROM \(table) WHERE name = ?1")
    try find.bind(1, name)
    if let key = try find.firstInt() {
      known[exact] = key
      return key
    }
    let insert = try connection.statement("INSERT INTO \(table) (name) VALUES (?1)")
    try insert.bind(1, name)
    try insert.run()
    known[exact] = connection.lastInsertedRow
    return connection.lastInsertedRow
  }
}
