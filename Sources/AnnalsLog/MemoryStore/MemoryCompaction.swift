import Synchronization

/// A copy of a log in memory during a compaction, which replaces the log if the proofs succeed.
final class MemoryCompaction: ReplacingTransaction {
  private let source: String
  private let environment: StoreEnvironment
  private let history: MemoryHistory
  private let kept: Mutex<[ExactString: Position]>

  init(
    _ log: MemoryLog, _ positions: [ExactString: Position], source: String, environment: StoreEnvironment
  ) {
    self.source = source
    self.environment = environment
    kept = Mutex(positions)
    history = MemoryHistory(log)
  }

  private var moment: MemorySnapshot { history.moment(environment.now) }

  /// The positions of the checkpoints.
  var positions: [ExactString: Position] { kept.withLock { $0 } }

  /// The current log.
  var log: MemoryLog { history.withLock { $0 } }

  func head() -> Position { moment.head() }

  func revision() -> LogRevision { moment.revision() }

  func version(of stream: StreamName) -> Int { moment.version(of: stream) }

  func position(of id: EventID) -> Position? { moment.position(of: id) }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) -> [StoredEvent] {
    moment.events(query, after: after, through: through, limit: limit)
  }

  func streams() -> [StreamName] { history.withLock { $0.versions.keys.sorted() } }

  func checkpoints() -> [Checkpoint] { positions.map { Checkpoint(name: $0.key.text, position: $0.value) } }

  func rewrite(_ plan: CompactionPlan) throws -> Int {
    try history.withLock { log in
      try log.rewrite(plan) { EventID(source: source, id: environment.makeID()) }
      return log.events.count
    }
  }

  func replaceAll(with appends: [Append], keeping checkpoints: [Checkpoint]) throws {
    kept.withLock { kept in
      kept = Dictionary(checkpoints.map { (ExactString($0.name), $0.position) }) { $1 }
    }
    try history.withLock { log in
      log.removeAll()
      for append in appends {
        let prepared = try MemoryLog.Prepared(append, source: source, environment)
        try log.check(append)
        try log.check(prepared)
        _ = log.append(append, prepared, environment)
      }
    }
  }
}
