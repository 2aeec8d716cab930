import Annals

/// The keys of streams, types and sources, asked once in an append: the write lock is held, so that nobody changes them.
struct NameKeys {
  private let connection: SQLiteConnection
  private var streams: [StreamName: (key: Int64, version: Int)] = [:]
  private var types: [ExactString: Int64] = [:]
  private var sources: [ExactString: Int64] = [:]

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  /// The key of a stream, which is made if it is not there, and the version of the event that comes next.
  mutating func nextVersion(of stream: StreamName) throws -> (key: Int64, version: Int) {
    var next = try streams[stream] ?? stored(stream)
    next.version += 1
    streams[stream] = next
    return next
  }

  private func stored(_ stream: StreamName) throws -> (key: Int64, version: Int) {
    var found: (key: Int64, version: Int)?
    try connection.run("SELECT key, version FROM stream WHERE name = ?1", [.text(stream.text)]) {
      found = (key: $0.int(0), version: Int($0.int(1)))
    }
    if let found { return found }
    try connection.run("INSERT INTO stream (name, version) VALUES (?1, 0)", [.text(stream.text)])
    return (key: connection.lastInsertedRow, version: 0)
  }

  /// Writes what the streams' versions have become.
  func writeVersions() throws {
    for (_, stream) in streams.sorted(by: { $0.key < $1.key }) {
      try connection.run(
        "UPDATE stream SET version = ?2 WHERE key = ?1", [.int(stream.key), .int(Int64(stream.version))])
    }
  }

  mutating func key(ofType name: String) throws -> Int64 { try key(of: name, in: "type", &types) }

  mutating func key(ofSource name: String) throws -> Int64 { try key(of: name, in: "source", &sources) }

  private func key(of name: String, in table: StaticString, _ known: inout [ExactString: Int64]) throws -> Int64 {
    let exact = ExactString(name)
    if let key = known[exact] { return key }
    try connection.run("INSERT OR IGNORE INTO \(table) (name) VALUES (?1)", [.text(name)])
    guard let key = try connection.int("SELECT key FROM \(table) WHERE name = ?1", [.text(name)]) else {
      throw EventStoreError(.corrupt, "the log does not give back the name \(JSONValue.quoted(name)); restore it")
    }
    known[exact] = key
    return key
  }
}
