import Foundation

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
  /// The end of the copy before anything was read; it is behind its last event if those after it were cut.
  private let start: Position
  /// True to read events that were cut, too, up to the horizon: the copy needs them for its positions.
  private let fillsHoles: Bool
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
    (last, start, revision, lineage) = (end.last, end.head, end.revision, end.lineage)
    fillsHoles = end.unfinished != nil
  }

  /// The position of the last whole transaction.
  var position: Position { max(last?.position ?? 0, start) }

  private var known: StoredEvent? { open.last ?? last }

  /// Up to where everything was read.
  private var reached: Position { open.last?.position ?? position }

  /// Reads what comes next: the last event that is known, and those after it.
  ///
  /// It is asked for again because its identity says whether this is still the same log.
  func next(from remote: any RemoteEventStore) async throws -> Page {
    let after = known.map { Position($0.position.rawValue - 1) } ?? start
    let limit = known == nil ? limit : limit + 1
    let reading = try await remote.ask([.events(.all, after: after, through: nil, limit: limit)])
    guard case .events(let events)? = reading.answers.first else {
      throw EventStoreError(
        .corrupt, "the remote store answered another question than it was asked; correct its ask(_:)")
    }
    var page = Page(reading: reading, events: events)
    guard fillsHoles, let compacting = remote.compacting else { return page }
    // What was cut from the copy before is not filled in again, but its last event may be cut in the log since then.
    let isBehind = known.map { $0.position < reached } ?? false
    page.fill(
      try await compacting.formerEvents(since: 0, after: isBehind ? reached : after, limit: limit), limit,
      mayBeMore: events.count >= limit)
    if isBehind, let known {
      page.fill(known.position, try await compacting.formerEvents(since: 0, after: after, limit: 1))
    }
    return page
  }

  /// What a remote log has after a position.
  struct Page: Sendable {
    let reading: LogReading
    fileprivate(set) var events: [StoredEvent]
    /// The identities that events had which others stand in the place of, by their positions.
    fileprivate private(set) var former: [Position: [EventID]] = [:]

    fileprivate init(reading: LogReading, events: [StoredEvent]) { (self.reading, self.events) = (reading, events) }

    /// Takes note of identities that events had.
    private mutating func note(_ found: [FormerEvent]) {
      for event in found { former[event.position] = event.ids }
    }

    /// Puts an event that is before all others where it was, if it was cut.
    fileprivate mutating func fill(_ position: Position, _ found: [FormerEvent]) {
      note(found)
      guard let event = found.first, event.position == position, event.isCut, events.first?.position != position
      else { return }
      events.insert(StoredEvent(filling: event), at: 0)
    }

    /// Puts events that were cut where they were, as far as it is known what is there.
    fileprivate mutating func fill(_ found: [FormerEvent], _ limit: Int, mayBeMore: Bool) {
      var end = Position(Int.max)
      if found.count >= limit, let last = found.last { end = min(end, last.position) }
      if mayBeMore, let last = events.last { end = min(end, last.position) }
      note(found)
      let there = Set(events.map(\.position))
      // What was cut since the events were read is still among them.
      let cut = found.filter { $0.isCut && !there.contains($0.position) }.map(StoredEvent.init(filling:))
      events = (events + cut).filter { $0.position <= end }.sorted { $0.position < $1.position }
    }
  }

  /// Takes what came next.
  ///
  /// - Parameter page: What came.
  /// - Returns: The transactions that are whole now.
  /// - Throws: ``ReplicaDifference`` if the log does not have what is known; ``ReplicaRewritten`` if it has another
  ///   history by now; ``EventStoreError``.
  mutating func take(_ page: Page) throws -> [ReplicaTransaction] {
    let (reading, events) = (page.reading, page.events)
    if revision != reading.revision.number { throw ReplicaRewritten(revision: reading.revision) }
    if let lineage, lineage != reading.lineage { throw EventStoreError.otherLineage(revision) }
    var news = events[...]
    if let known {
      guard let first = news.popFirst(), first.isSame(as: known, else: page.former[known.position]) else {
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
    isAtEnd = reached == reading.head
    if isAtEnd { close(into: &whole) }
    if news.isEmpty, !isAtEnd { throw lacking(Position(reached.rawValue + 1), reading) }
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
    let (position, transaction) = (reached.rawValue, known?.transaction ?? 0)
    if event.position.rawValue != position + 1 { throw lacking(Position(position + 1), reading) }
    // Where the last events were cut, their transactions are not known here. The copy numbers as it must, and says so.
    if open.isEmpty, known?.position ?? 0 < start, position == start.rawValue, event.transaction > transaction {
      return
    }
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
  /// True if two logs have the same event at the same place, or if it has another identity since a compaction.
  fileprivate func isSame(as other: StoredEvent, else former: [EventID]?) -> Bool {
    (id == other.id || former?.contains(other.id) ?? false) && position == other.position
      && transaction == other.transaction && stream == other.stream && version == other.version
  }

  /// What takes the place of an event that was cut, until the copy is past the horizon and cuts it too.
  fileprivate init(filling event: FormerEvent) {
    self.init(
      position: event.position, transaction: event.transaction, stream: event.stream, version: event.version,
      id: event.ids[0], type: "annals.cut", schema: 1, time: Date(timeIntervalSince1970: 0), tags: [], payload: nil,
      metadata: [:])
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
