import AnnalsLog

/// A reader of a boundary's state, which uses the state in memory, a saved state, or all of the boundary's events, in
/// this order.
struct BoundaryState<D: Decider> {
  private let named: EventQuery
  private let shelf: StateShelf<D>
  private let saved: SnapshotCache<D>
  /// The maximum number of new events that are all read and filtered.
  ///
  /// If the log has more new events, a query reads only the boundary's events.
  private static var shortTail: Int { 64 }

  init(_ boundary: EventQuery, of shelf: StateShelf<D>) {
    named = boundary
    self.shelf = shelf
    saved = SnapshotCache(shelf.log, .boundary(boundary))
  }

  /// - Returns: The state, and the boundary with all names under which its events may be stored.
  func read() throws -> (state: WorkingState<D>, boundary: EventQuery) {
    var fold = try DeciderFold<D>()
    // Types in a boundary include events that are stored under former names or in older schemas.
    let boundary = fold.coder.widened(named)
    // Another thread may update the state at the same time. In that case, continue from the updated state.
    for _ in 0..<8 {
      guard let found = shelf.find() else { break }
      if let state = try resume(found, boundary, fold) { return (state, boundary) }
    }
    if let found = saved.find() {
      let start = StateVersion(version: found.version, position: found.position, revision: found.revision)
      fold.resume(from: found.state)
      if let state = try readRest(fold, boundary, after: start) { return (state, boundary) }
    }
    guard let state = try readRest(try DeciderFold(), boundary, after: nil) else {
      preconditionFailure(
        "all events of a boundary were read, but the read returned no state. Please report this")
    }
    return (state, boundary)
  }

  /// Continues from a state in memory, or returns nil if the state is no longer usable.
  private func resume(
    _ found: DeciderStates.Found, _ boundary: EventQuery, _ fresh: DeciderFold<D>
  ) throws -> WorkingState<D>? {
    let place = found.place
    guard let (events, head, revision) = try news(since: place, boundary) else {
      shelf.forget(at: place)
      return nil
    }
    var fold = fresh
    if events.isEmpty {
      guard let state = shelf.copy(at: place) else { return nil }
      fold.resume(from: state)
    } else {
      guard case .taken(let state) = shelf.take(at: place) else { return nil }
      fold.resume(from: state)
      do {
        for event in events { try fold.fold(event, in: named) }
      } catch {
        shelf.release()
        throw error
      }
    }
    let end = StateVersion(version: place.version + events.count, position: head, revision: revision)
    return finish(fold, boundary, end, unsaved: found.unsaved + events.count, isNew: end != place)
  }

  /// Returns the new events inside the boundary after a place, with the log's end and revision, or nil if the log's
  /// history has changed.
  private func news(
    since place: StateVersion, _ boundary: EventQuery
  ) throws -> (events: [StoredEvent], head: Position, revision: LogRevision)? {
    let tail = try shelf.log.log.tail(after: place.position, through: nil, limit: Self.shortTail)
    guard try tail.revision == place.revision || shelf.log.stillHas(place, in: tail.revision),
      tail.head >= place.position
    else { return nil }
    if tail.head == place.position { return ([], tail.head, tail.revision) }
    if tail.batch.last == tail.head {
      return (tail.batch.events.filter(boundary.matches), tail.head, tail.revision)
    }
    return try shelf.log.read { log in
      let revision = try log.revision()
      guard try revision == place.revision || log.unchanged(since: place.revision) >= place.position else {
        return nil
      }
      let head = try log.head()
      var events: [StoredEvent] = []
      try log.forEachEvent(boundary, after: place.position, through: head) { events.append($0) }
      return (events, head, revision)
    }
  }

  /// Folds the events after a place, or from the log's beginning, or returns nil if the log's history has changed since
  /// the place was recorded.
  private func readRest(
    _ fresh: DeciderFold<D>, _ boundary: EventQuery, after start: StateVersion?
  ) throws -> WorkingState<D>? {
    let read: (fold: DeciderFold<D>, end: StateVersion, count: Int)? = try shelf.log.read { log in
      let (head, revision) = (try log.head(), try log.revision())
      if let start, start.revision != revision || start.position > head { return nil }
      var (fold, count) = (fresh, 0)
      try log.forEachEvent(boundary, after: start?.position ?? 0, through: head) { event in
        assert(
          boundary.matches(event),
          "expected only events that match the boundary's query, but the store also returned event "
            + "\(event.position). Correct the store")
        count += 1
        try fold.fold(event, in: named)
      }
      let end = StateVersion(version: (start?.version ?? 0) + count, position: head, revision: revision)
      return (fold, end, count)
    }
    return read.map { finish($0.fold, boundary, $0.end, unsaved: $0.count, isNew: true) }
  }

  private func finish(
    _ fold: DeciderFold<D>, _ boundary: EventQuery, _ place: StateVersion, unsaved: Int, isNew: Bool
  ) -> WorkingState<D> {
    let rest = shelf.keep(fold.state, at: place, unsaved: unsaved, isNew: isNew, saved)
    return WorkingState(
      fold, at: place, unsaved: rest, of: .boundary(boundary), named: named, on: shelf, mayKeep: true)
  }
}
