package import Annals
package import Foundation

/// A command with an id, as the log remembers it.
package struct CommandRecord: Hashable, Sendable {
  /// The command's id.
  package let id: String
  /// When it was committed.
  package let time: Date
  /// The log's last position afterwards; the command's events end there.
  package let position: Position
  /// How many events it appended.
  package let count: Int
  /// The number of its transaction; nil if it appended nothing.
  package let transaction: Int?

  /// The positions of its events; nil if it appended nothing.
  package var events: ClosedRange<Position>? {
    count > 0 ? Position(position.rawValue - count + 1)...position : nil
  }
}

extension SQLiteEventStore {
  /// Commands with an id, in the order of their ids.
  ///
  /// - Parameters:
  ///   - id: The command after which to begin; nil to begin with the first one.
  ///   - limit: How many to return at most.
  /// - Returns: The commands.
  /// - Throws: ``EventStoreError``, with the code `corrupt` if what a command was answered is damaged.
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

  /// Hands over all commands with an id, in the order of their positions.
  ///
  /// - Parameter body: Called with each command; return false to end.
  /// - Throws: ``EventStoreError``, and what `body` throws.
  /// - Complexity: O(n log n) for n commands.
  package func forEachCommandReceipt(_ body: (CommandRecord) throws -> Bool) throws {
    struct Enough: Error {}
    do {
      try inOneState { connection in
        guard try connection.format >= 2 else { return }
        try CommandReceipts(connection).forEach("ORDER BY position, time, id") {
          if try !body(Self.record($0, $1)) { throw Enough() }
        }
      }
    } catch is Enough {}
  }

  /// The id of the command that committed a transaction; nil if it had none.
  ///
  /// - Complexity: O(n) for n commands with an id; for many transactions use ``commandIDs(ofTransactions:)``.
  package func commandID(ofTransaction number: Int) throws -> String? {
    try commandIDs(ofTransactions: number...number)[number]
  }

  /// The ids of the commands that committed transactions, by the transactions' numbers.
  ///
  /// - Parameter numbers: The first and the last transaction.
  /// - Returns: The ids of those that had one.
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
