import Annals

/// What commands with an id were answered.
struct CommandReceipts {
  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  func receipt(ofCommand id: String) throws -> Receipt? {
    let find = try connection.statement(
      "SELECT position, count, \"transaction\", versions FROM command WHERE id = ?1")
    try find.bind(1, id)
    var receipt: Receipt?
    try find.run { row in
      receipt = Receipt(
        position: Position(max(0, Int(row.int(0)))), count: Int(row.int(1)),
        transaction: row.isNull(2) ? nil : Int(row.int(2)), versions: try versions(row.text(3), of: id))
    }
    return receipt
  }

  private func versions(_ text: String?, of id: String) throws -> [StreamName: Int] {
    var versions: [StreamName: Int] = [:]
    guard let text, let members = try? JSONScanner.members(ofObject: text) else {
      throw EventStoreError(
        .corrupt,
        "\(connection.path): the answer to the command \(JSONValue.quoted(id)) is damaged: expected an object of versions; "
          + "restore the log from a copy")
    }
    for member in members { versions[StreamName(member.name)] = Int(member.json) }
    return versions
  }

  func keep(_ receipt: Receipt, ofCommand id: String, at time: Int64) throws {
    let versions = receipt.versions.sorted { $0.key < $1.key }.map { "\(JSONValue.quoted($0.key.text)):\($0.value)" }
    let insert = try connection.statement(
      """
      INSERT INTO command (id, time, position, count, "transaction", versions) VALUES (?1, ?2, ?3, ?4, nullif(?5, 0), ?6)
      """)
    try insert.bind(1, id)
    try insert.bind(2, time)
    try insert.bind(3, receipt.position.rawValue)
    try insert.bind(4, receipt.count)
    try insert.bind(5, receipt.transaction ?? 0)
    try insert.bind(6, "{" + versions.joined(separator: ",") + "}")
    try insert.run()
  }
}
