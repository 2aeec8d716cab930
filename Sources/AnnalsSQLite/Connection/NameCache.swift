import AnnalsLog

/// A cache of the names of streams, types and sources by key.
///
/// Names never change, so a connection reads each only once.
struct NameCache {
  enum Table: String {
    case stream, type, source
  }

  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  /// Returns a key's name, or `nil` if the log doesn't contain the key.
  func name(_ key: Int64, in table: Table) throws -> String? {
    if let known = connection.names[table]?[key] { return known }
    let find = try connection.statement("SELECT name FROM \(table.rawValue) WHERE key = ?1")
    try find.bind(1, key)
    var name: String?
    try find.run { name = $0.text(0) }
    if let name { keep(name, of: key, in: table) }
    return name
  }

  /// Caches a name.
  func keep(_ name: String, of key: Int64, in table: Table) {
    if (connection.names[table]?.count ?? 0) >= 20_000 { connection.names[table] = [:] }
    connection.names[table, default: [:]][key] = name
  }
}
