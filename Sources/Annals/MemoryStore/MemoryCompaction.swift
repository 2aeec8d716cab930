import Synchronization

/// A log in memory inside a compaction: a copy, which takes the log's place if all is proven.
final class MemoryCompaction: CompactionTransaction {
  let source: String
  let environment: StoreEnvironment
  let signal = CommitSignal()
  private let state: Mutex<MemoryLog>
  private let positions: [ExactString: Position]

  init(
    _ log: MemoryLog, _ positions: [ExactString: Position], source: String, environment: StoreEnvironment
  ) {
    (self.source, self.environment, self.positions) = (source, environment, positions)
    state = Mutex(log)
  }

  /// The log as it is now.
  var log: MemoryLog { state.withLock { $0 } }

  func commit(_ append: Append) throws -> Receipt {
    preconditionFailure("nothing is appended in the middle of a compaction")
  }

  func head() -> Position { state.withLock { Position($0.head) } }

  func version(of stream: StreamName) -> Int { state.withLock { $0.versions[stream] ?? 0 } }

  func position(of id: EventID) -> Position? { state.withLock { $0.ids[id].map { Position($0) } } }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) -> [StoredEvent] {
    state.withLock { $0.events(query, after: after, through: through, limit: limit) }
  }

  func erasures() -> Int { state.withLock { $0.erasures } }

  func compacted() -> CompactedHistory { state.withLock { $0.compacted } }

  func streams() -> [StreamName] { state.withLock { $0.versions.keys.sorted() } }

  func checkpoints() -> [(name: String, position: Position)] {
    positions.map { ($0.key.text, $0.value) }
  }

  func rewrite(_ plan: CompactionPlan) throws -> Int {
    try state.withLock { log in
      try log.rewrite(plan) { EventID(source: source, id: environment.makeID()) }
      return log.events.count
    }
  }
}
