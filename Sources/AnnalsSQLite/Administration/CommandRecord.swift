package import AnnalsLog
import Foundation

extension SQLiteEventStore {
  /// Returns commands with a command id, sorted by this id.
  ///
  /// - Parameters:
  ///   - id: The command id after which to begin, or `nil` to begin with the first command.
  ///   - limit: The maximum number of commands.
  /// - Returns: The commands.
  /// - Throws: ``EventStoreError``, with the code `corrupt` if a command's receipt is damaged.
  /// - Complexity: O(log n + limit).
  package func commandReceipts(after id: String? = nil, limit: Int) throws -> [CommandRecord] {
    try inOneState { connection in
      guard try connection.format >= 2 else { return [] }
      var found: [CommandRecord] = []
      try CommandReceipts(connection).forEach(
        "WHERE id > ?1 ORDER BY id LIMIT ?2",
        bind: { statement in
          try statement.bind(1, id ?? "")
          try statement.bind(2, limit)
        }
      ) { found.append(try Self.record($0, $1)) }
      return found
    }
  }

  /// Returns all commands with a command id, in the order of their positions.
  ///
  /// - Complexity: O(n log n) for n commands.
  package func commands() throws -> [CommandRecord]? {
    try inOneState { connection in
      var found: [CommandRecord] = []
      guard try connection.format >= 2 else { return found }
      try CommandReceipts(connection).forEach("ORDER BY position, time, id") { found.append(try Self.record($0, $1)) }
      return found
    }
  }

  /// Returns the id of the command that committed a transaction, or `nil` if the command had no id.
  ///
  /// - Complexity: O(n) for n commands with an id. For many transactions use ``commandIDs(ofTransactions:)``.
  package func commandID(ofTransaction number: Int) throws -> String? {
    try commandIDs(ofTransactions: number...number)[number]
  }

  /// Returns the ids of the commands that committed transactions, by transaction number.
  ///
  /// - Parameter numbers: The numbers of the first and the last transaction.
  /// - Returns: The ids. A transaction whose command had no id has no entry.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(n) for n commands with an id, in one scan.
  package func commandIDs(ofTransactions numbers: ClosedRange<Int>) throws -> [Int: String] {
    try inOneState { connection in
      guard try connection.format >= 2 else { return [:] }
      var found: [Int: String] = [:]
      let find = try connection.statement(
        "SELECT \"transaction\", id FROM command WHERE \"transaction\" BETWEEN ?1 AND ?2")
      try find.bind(1, numbers.lowerBound)
      try find.bind(2, numbers.upperBound)
      try find.run { row in found[Int(row.int(0))] = row.text(1) }
      return found
    }
  }

  private static func record(_ row: CommandReceipts.Row, _ receipt: Result<Receipt, any Error>) throws -> CommandRecord
  {
    let receipt = try receipt.get()
    return CommandRecord(
      id: row.id, time: Date(microseconds: row.time), position: receipt.position, count: receipt.count,
      transaction: receipt.transaction)
  }
}
