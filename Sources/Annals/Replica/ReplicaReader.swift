/// The remote log does not have what the copy has.
struct ReplicaDifference: Error {
  /// The last position of the copy, where they differ.
  let position: Position
  /// What was expected and what was found, as a part of a sentence.
  let what: String
}

/// Cuts what a remote log answers into whole transactions, and compares where they begin.
struct ReplicaReader {
  /// About how many bytes are read at once.
  private static let bytes = 4 << 20

  /// The last event of the last whole transaction.
  private var last: StoredEvent?
  /// The events of a transaction that may go on.
  private var open: [StoredEvent] = []
  /// The number of the revision that is copied, and what tells it from another one with this number.
  private let revision: Int
  private let lineage: Int?
  private let pageSize: Int
  private var limit: Int
  /// True once all is read that the log had.
  private(set) var isAtEnd = false

  /// Begins to read.
  ///
  /// - Parameters:
  ///   - end: The end of the copy.
  ///   - pageSize: How many events are read at once at most.
  init(after end: ReplicaEnd, pageSize: Int) {
    (self.pageSize, limit) = (pageSize, min(256, pageSize))
    (last, revision, lineage) = (end.last, end.revision, end.lineage)
  }

  /// The position of the last whole transaction.
  var position: Position { last?.position ?? 0 }

  private var known: StoredEvent? { open.last ?? last }

  /// What to ask next: the last event that is known, and those after it.
  ///
  /// It is asked for again because its identity says whether this is still the same log.
  var question: LogQuestion {
    guard let known else { return .events(.all, after: 0, through: nil, limit: limit) }
    return .events(.all, after: Position(known.position.rawValue - 1), through: nil, limit: limit + 1)
  }

  /// Takes the answer to the question.
  ///
  /// - Parameter reading: The answer.
  /// - Returns: The transactions that are whole now.
  /// - Throws: ``ReplicaDifference`` if the log does not have what is known; ``ReplicaRewritten`` if it has another
  ///   history by now; ``EventStoreError``.
  mutating func take(_ reading: LogReading) throws -> [ReplicaTransaction] {
    guard case .events(let events)? = reading.answers.first else {
      throw EventStoreError(
        .corrupt, "the remote store answered another question than it was asked; correct its ask(_:)")
    }
    if revision != reading.revision.number { throw ReplicaRewritten(revision: reading.revision) }
    if let lineage, lineage != reading.lineage { throw EventStoreError.otherLineage(revision) }
    var news = events[...]
    if let known {
      guard let first = news.popFirst(), first.isSame(as: known) else {
        throw ReplicaDifference(
          position: known.position,
          what: "expected event \(known.id) at position \(known.position), where this copy has it, found "
            + (reading.head < known.position
              ? "that the remote log ends at \(reading.head)" : "\(events.first.map { "event \($0.id)" } ?? "none")"))
      }
    }
    var whole: [ReplicaTransaction] = []
    for event in news {
      try check(event, reading)
      if let before = open.last, before.transaction != event.transaction { close(into: &whole) }
      open.append(event)
    }
    isAtEnd = known?.position ?? 0 == reading.head
    if isAtEnd { close(into: &whole) }
    if news.isEmpty, !isAtEnd { throw lacking(Position((known?.position.rawValue ?? 0) + 1), reading) }
    fit(news)
    return whole
  }

  private mutating func close(into whole: inout [ReplicaTransaction]) {
    if open.isEmpty { return }
    whole.append(ReplicaTransaction(events: open, after: position))
    last = open.last
    open.removeAll()
  }

  /// Throws if an event is not the one after those that are known.
  private func check(_ event: StoredEvent, _ reading: LogReading) throws {
    let (position, transaction) = (known?.position.rawValue ?? 0, known?.transaction ?? 0)
    if event.position.rawValue != position + 1 { throw lacking(Position(position + 1), reading) }
    // A transaction that the copy has is whole, so that no event of it may follow.
    guard event.transaction == transaction + 1 || event.transaction == transaction && !open.isEmpty else {
      throw EventStoreError(
        .corrupt,
        "event \(event.position) of the remote log: expected transaction \(transaction + 1), found "
          + "\(event.transaction); the remote log is damaged, restore it")
    }
  }

  private func lacking(_ position: Position, _ reading: LogReading) -> EventStoreError {
    if reading.revision.compacted.count > 0 {
      return .compacted(
        through: reading.revision.compacted.horizon,
        "the remote log has no event at position \(position), because it was compacted up to "
          + "\(reading.revision.compacted.horizon); a replica needs every event: read the remote log itself")
    }
    return EventStoreError(
      .corrupt,
      "the remote log ends at position \(reading.head) and has no event at position \(position); it is damaged, "
        + "restore it")
  }

  /// Reads as many events at once as are about some megabytes.
  private mutating func fit(_ events: ArraySlice<StoredEvent>) {
    guard !events.isEmpty else { return }
    let bytes = events.reduce(0) { $0 + 256 + ($1.payload?.utf8.count ?? 0) }
    limit = min(max(16, min(Self.bytes / (bytes / events.count), limit * 4)), pageSize)
  }
}

extension StoredEvent {
  /// True if two logs have the same event at the same place.
  fileprivate func isSame(as other: StoredEvent) -> Bool {
    id == other.id && position == other.position && transaction == other.transaction && stream == other.stream
      && version == other.version
  }
}

extension EventStoreError {
  /// The remote log does not have what the copy has.
  static func replicaDiffers(_ what: String, common: Position) -> EventStoreError {
    var error = EventStoreError(
      .replaced,
      "\(what): the server was restored from an older backup, or another log stands in its place, or something else "
        + "was appended to this copy. Both logs are the same up to position \(common). Clone the log again into an "
        + "empty store; keep this copy while you need its events after \(common)")
    error.position = common
    return error
  }
}
