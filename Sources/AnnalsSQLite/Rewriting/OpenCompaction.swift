import Annals

/// A log inside the transaction of a compaction.
///
/// `@unchecked Sendable`: it is used only by the thread that has the transaction open, while the writer's lock is held.
final class OpenCompaction: CompactionTransaction, @unchecked Sendable {
  private let connection: SQLiteConnection
  let source: String
  let environment: StoreEnvironment
  let signal = CommitSignal()

  init(_ connection: SQLiteConnection, source: String, environment: StoreEnvironment) {
    (self.connection, self.source, self.environment) = (connection, source, environment)
  }

  func commit(_ append: Append) throws -> Receipt {
    preconditionFailure("nothing is appended in the middle of a compaction")
  }

  func head() throws -> Position { try EventReader(connection).head() }

  func version(of stream: StreamName) throws -> Int { try EventReader(connection).version(of: stream) }

  func position(of id: EventID) throws -> Position? { try EventReader(connection).position(of: id) }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    try EventReader(connection).events(query, after: after, through: through, limit: limit)
  }

  func erasures() throws -> Int { try PersonalTables(connection).erasures }

  func compacted() throws -> CompactedHistory { try CompactionTables(connection).history }

  func rewrites() throws -> Int { try CompactionTables(connection).rewrites }

  func streams() throws -> [StreamName] {
    var names: [StreamName] = []
    try connection.statement("SELECT name FROM stream").run { names.append(StreamName($0.text(0) ?? "")) }
    return names.sorted()
  }

  func checkpoints() throws -> [(name: String, position: Position)] {
    var found: [(String, Position)] = []
    try Checkpoints(connection).forEach { name, position in found.append((name, try position.get())) }
    return found
  }

  func rewrite(_ plan: CompactionPlan) throws -> Int {
    let rewriting = LogRewriting(connection, plan)
    return try rewriting.run(source: source, environment)
  }
}
