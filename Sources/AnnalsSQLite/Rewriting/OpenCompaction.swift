import AnnalsLog

/// The log inside a compaction's transaction.
struct OpenCompaction: ReplacingTransaction, ConnectionLog {
  private let log: SQLiteLog
  private let source: String
  private let environment: StoreEnvironment

  init(_ log: SQLiteLog, source: String, environment: StoreEnvironment) {
    self.log = log
    self.source = source
    self.environment = environment
  }

  func use<T>(_ body: (SQLiteConnection) throws -> T) throws -> T { try log.use(body) }

  func streams() throws -> [StreamName] {
    try use { try CompactionTables($0).streamNames.sorted() }
  }

  func checkpoints() throws -> [Checkpoint] {
    try use { connection in
      var found: [Checkpoint] = []
      try Checkpoints(connection).forEach { name, position in
        found.append(Checkpoint(name: name, position: try position.get()))
      }
      return found
    }
  }

  func replaceAll(with appends: [Append], keeping checkpoints: [Checkpoint]) throws {
    try use { connection in
      try LogRemoval(connection).run(keeping: checkpoints, at: environment.now().microseconds)
      let writer = try EventWriter(connection)
      try writer.begin()
      for append in appends {
        _ = try writer.write(PreparedAppend(append, source: source, environment: environment), .all)
      }
    }
  }

  func rewrite(_ plan: CompactionPlan) throws -> Int {
    try use { try LogRewriting($0, plan).run(source: source, environment) }
  }
}
