@testable import AnnalsSQLite
import AnnalsTesting
import Testing

/// The names that a connection keeps by their keys.
@Suite struct NameTableTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A connection to a table of names.
  private func connection(_ keys: some Sequence<Int>) throws -> SQLiteConnection {
    let connection = try SQLiteConnection(path: folder.path("\(UInt64.random(in: 0 ... .max))"), access: .create)
    try connection.execute("CREATE TABLE names (key INTEGER PRIMARY KEY, name TEXT); BEGIN")
    for key in keys { try connection.execute("INSERT INTO names VALUES (\(key), 'name \(key)')") }
    try connection.execute("COMMIT")
    return connection
  }

  private func name(_ key: Int, in table: NameTable, _ connection: SQLiteConnection) throws -> String? {
    try table.name(Int64(key), connection).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `a name brings 8 names, and a neighbour of the last range brings twice the number`() throws {
    for (reads, known) in [
      ([1_003], 1_000..<1_008), ([1_003, 1_008], 1_000..<1_024), ([1_003, 1_008, 1_024], 1_000..<1_056),
      ([1_003, 999], 984..<1_008), ([1_003, 999, 983], 952..<1_008),
      // A distant name begins with 8 names, also after a long range.
      ([1_003, 1_008, 1_024, 2_000], 1_000..<1_056),
    ] {
      let connection = try connection(1...3_000)
      defer { connection.close() }
      let table = NameTable("names")
      for key in reads { #expect(try name(key, in: table, connection) == "name \(key)") }
      // The names that the table keeps are the names that remain when the rows are gone.
      try connection.execute("DELETE FROM names")
      let kept = try (1...3_000).filter { try name($0, in: table, connection) != nil }
      let distant = reads.last == 2_000 ? Array(2_000..<2_008) : []
      #expect(kept == Array(known) + distant, "\(reads)")
    }
  }

  @Test func `names in the order of their keys are read in ranges of at most 256`() throws {
    let connection = try connection(1...3_000)
    defer { connection.close() }
    let table = NameTable("names")
    for key in 1...2_000 { #expect(try name(key, in: table, connection) == "name \(key)") }
    try connection.execute("DELETE FROM names")
    #expect(try (1...3_000).count { try name($0, in: table, connection) != nil } <= 2_000 + 256)
  }

  @Test func `a table has exactly the names that are stored, in any order of reading`() throws {
    let keys = Generator<[Int]>.array(of: .int(in: 1...700), count: 0...60)
    try check(keys, keys, settings: CheckSettings(examples: 60)) { stored, reads in
      let connection = try connection(Set(stored))
      defer { connection.close() }
      let table = NameTable("names")
      for key in reads + stored {
        try ensureEqual(name(key, in: table, connection), stored.contains(key) ? "name \(key)" : nil)
      }
      table.forget()
      for key in stored.prefix(3) { try ensureEqual(name(key, in: table, connection), "name \(key)") }
    }
  }
}
