import AnnalsLog
import Foundation

/// An error for a remote log that doesn't contain the copy's events.
struct ReplicaDifference: Error {
  /// The copy's last position, at which the copy and the remote log differ.
  let position: Position
  /// The expected and the actual state, as a part of a sentence.
  let what: String
}

/// A reader that groups a remote log's events into whole transactions, and checks that they continue the copy.
struct ReplicaReader {
  /// The approximate number of bytes per read.
  private static let bytes = 4 << 20

  /// The last event of the last whole transaction.
  private var last: StoredEvent?
  /// The end of the copy before the first read.
  ///
  /// If the copy's last events were removed, this position is greater than the position of `last`.
  private let start: Position
  /// True to create placeholders for the events that were removed through the horizon, because the copy needs them to
  /// assign the same positions.
  private let fillsHoles: Bool
  /// The events of a transaction that might be incomplete.
  private var open: [StoredEvent] = []
  /// The number of the copied revision.
  ///
  /// The next property distinguishes it from other revisions with this number.
  private let revision: Int
  private let lineage: Int?
  private let pageSize: Int
  private var limit: Int
  /// True after all events of the log have been read.
  private(set) var isAtEnd = false

  /// Creates a reader after the end of a copy.
  ///
  /// - Parameters:
  ///   - end: The end of the copy.
  ///   - pageSize: The maximum number of events per read.
  init(after end: ReplicaEnd, pageSize: Int) {
    self.pageSize = pageSize
    limit = min(256, pageSize)
    last = end.last
    start = end.head
    revision = end.revision
    lineage = end.lineage
    fillsHoles = end.unfinished != nil
  }

  /// The position of the last whole transaction.
  var position: Position { max(last?.position ?? 0, start) }

  private var known: StoredEvent? { open.last ?? last }

  /// The position through which all events were read.
  private var reached: Position { open.last?.position ?? position }

  /// Reads the last known event and the events after it.
  ///
  /// The known event is reread because its identity shows whether this is still the same log.
  func next(from remote: any RemoteEventStore) async throws -> Page {
    let after = known.map { Position($0.position.rawValue - 1) } ?? start
    let limit = known == nil ? limit : limit + 1
    let reading = try await remote.ask([.events(.all, after: after, through: nil, limit: limit)])
    guard case .events(let events)? = reading.answers.first else {
      throw EventStoreError(
        .corrupt,
        "expected events from the remote store's `ask(_:)`, found another kind of response. Correct the store's "
          + "`ask(_:)`")
    }
    var page = Page(reading: reading, events: events)
    guard fillsHoles, let compacting = remote.compacting else { return page }
    // No placeholders are created for events that were already removed from the copy. But the remote log might have
    // removed the copy's last event since then.
    let isBehind = known.map { $0.position < reached } ?? false
    page.fill(
      try await compacting.formerEvents(since: 0, after: isBehind ? reached : after, limit: limit), limit,
      mayBeMore: events.count >= limit)
    if isBehind, let known {
      page.fill(known.position, try await compacting.formerEvents(since: 0, after: after, limit: 1))
    }
    return page
  }

  /// The part of a remote log after a position.
  struct Page: Sendable {
    let reading: LogResponse
    fileprivate(set) var events: [StoredEvent]
    /// The former identities of replaced events, by position.
    private(set) var former: [Position: [EventID]] = [:]

    fileprivate init(reading: LogResponse, events: [StoredEvent]) {
      self.reading = reading
      self.events = events
    }

    /// Records former identities.
    private mutating func note(_ found: [RewrittenEvent]) {
      for event in found { former[event.position] = event.ids }
    }

    /// Inserts a placeholder for the event at a position, before all other events, if the event was removed.
    fileprivate mutating func fill(_ position: Position, _ found: [RewrittenEvent]) {
      note(found)
      guard let event = found.first, event.position == position, event.isCut, events.first?.position != position
      else { return }
      events.insert(StoredEvent(filling: event), at: 0)
    }

    /// Inserts placeholders for removed events, up to the position through which the page is complete.
    fileprivate mutating func fill(_ found: [RewrittenEvent], _ limit: Int, mayBeMore: Bool) {
      var end = Position(Int.max)
      if found.count >= limit, let last = found.last { end = min(end, last.position) }
      if mayBeMore, let last = events.last { end = min(end, last.position) }
      note(found)
      let there = Set(events.map(\.position))
      // `events` still contains the events that were removed after the read.
      let cut = found.filter { $0.isCut && !there.contains($0.position) }.map(StoredEvent.init(filling:))
      events = (events + cut).filter { $0.position <= end }.sorted { $0.position < $1.position }
    }
  }

  /// Adds the next page.
  ///
  /// - Parameter page: The page.
  /// - Returns: The transactions that are now complete.
  /// - Throws: ``ReplicaDifference`` if the log doesn't contain the known event; ``ReplicaRewritten`` if it has a
  ///   different history now; or `EventStoreError`.
  mutating func take(_ page: Page) throws -> [ReplicaTransaction] {
    let (reading, events) = (page.reading, page.events)
    if revision != reading.revision.number { throw ReplicaRewritten(revision: reading.revision) }
    if let lineage, lineage != reading.lineage { throw EventStoreError.otherLineage(revision) }
    var news = events[...]
    if let known {
      guard let first = news.popFirst(), first.isSame(as: known, else: page.former[known.position]) else {
        throw ReplicaDifference(
          position: known.position,
          what: "this copy has event \(known.id) at position \(known.position), but the remote log "
            + (reading.head < known.position
              ? "ends at position \(reading.head)"
              : "has \(events.first.map { "event \($0.id)" } ?? "no event") at this position"))
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

  /// Throws if an event doesn't directly follow the known events.
  private func check(_ event: StoredEvent, _ reading: LogResponse) throws {
    let (position, transaction) = (reached.rawValue, known?.transaction ?? 0)
    if event.position.rawValue != position + 1 { throw lacking(Position(position + 1), reading) }
    // If the last events were removed, their transactions are unknown here. The copy's store assigns the next
    // transaction number. If this number differs from the remote log's number, the check of the receipt fails.
    if open.isEmpty, known?.position ?? 0 < start, position == start.rawValue, event.transaction > transaction {
      return
    }
    // The copy has only whole transactions, so no event of a known transaction can follow.
    guard event.transaction == transaction + 1 || event.transaction == transaction && !open.isEmpty else {
      throw EventStoreError(
        .corrupt,
        "event \(event.position) of the remote log: expected transaction number \(transaction + 1), found "
          + "\(event.transaction); the remote log is damaged, so restore it from a backup")
    }
  }

  private func lacking(_ position: Position, _ reading: LogResponse) -> EventStoreError {
    if reading.revision.compacted.count > 0 {
      return .compacted(
        through: reading.revision.compacted.horizon,
        "this replica needs the event at position \(position), but the remote log doesn't contain it, because a "
          + "compaction removed events up to position \(reading.revision.compacted.horizon). Read the remote log "
          + "instead of a copy")
    }
    return EventStoreError(
      .corrupt,
      "the remote log ends at position \(reading.head), but has no event at position \(position). The remote log is "
        + "damaged, so restore it from a backup")
  }

  /// Adapts the number of events per read, so that a read returns a few megabytes.
  private mutating func fit(_ events: ArraySlice<StoredEvent>) {
    guard !events.isEmpty else { return }
    let bytes = events.reduce(0) { $0 + 256 + ($1.payload?.utf8.count ?? 0) }
    limit = min(max(16, min(Self.bytes / (bytes / events.count), limit * 4)), pageSize)
  }
}

extension StoredEvent {
  /// Returns true if two logs have the same event at the same position, even if a compaction changed its identity.
  fileprivate func isSame(as other: StoredEvent, else former: [EventID]?) -> Bool {
    (id == other.id || former?.contains(other.id) ?? false) && position == other.position
      && transaction == other.transaction && stream == other.stream && version == other.version
  }

  /// Creates a placeholder for a removed event, which the copy contains until it reaches the horizon.
  fileprivate init(filling event: RewrittenEvent) {
    self.init(
      position: event.position, transaction: event.transaction, stream: event.stream, version: event.version,
      id: event.ids[0], type: "annals.cut", schema: 1, time: Date(timeIntervalSince1970: 0), tags: [], payload: nil,
      metadata: [:])
  }
}

extension EventStoreError {
  /// Creates the error for a remote log that doesn't contain the copy's events.
  static func replicaDiffers(_ what: String, common: Position) -> EventStoreError {
    var error = EventStoreError(
      .replaced,
      "\(what). Either the server was restored from an older backup, another log has replaced the server's log, or "
        + "other events were appended to this copy. Both logs are identical up to position \(common). Clone the "
        + "server's log into an empty store, and keep this copy while you need the copy's events after position "
        + "\(common). If you don't need these events, call reclone() of the Replica instead, which replaces this copy")
    error.position = common
    return error
  }
}
