import AnnalsLog

/// A reader of a stream's state, which uses the state in memory, a saved state, or all events, in this order.
struct StreamState<D: Decider> {
  private let stream: StreamName
  private let shelf: StateShelf<D>
  /// The stream's version that the transaction read before, or nil if it hasn't read the stream yet.
  private let known: Int?
  private let saved: SnapshotCache<D>

  init(_ stream: StreamName, of shelf: StateShelf<D>, known: Int?) {
    self.stream = stream
    self.shelf = shelf
    self.known = known
    saved = SnapshotCache(shelf.log, .stream(stream))
  }

  /// - Returns: The state, and the stream's version.
  func read() throws -> (state: WorkingState<D>, version: Int) {
    // Another thread may update the state at the same time. In that case, continue from the updated state.
    for _ in 0..<8 {
      guard let found = shelf.find(), found.place.version <= known ?? .max else { break }
      if let state = try resume(found) { return state }
    }
    return try readSaved() ?? readAll()
  }

  /// Continues from a state in memory, or returns nil if the state is no longer usable.
  private func resume(_ found: DeciderStates.Found) throws -> (state: WorkingState<D>, version: Int)? {
    let place = found.place
    let tail = try shelf.log.log.tail(of: stream, after: place.position, version: place.version)
    let isMoved = tail.revision != place.revision
    guard try !isMoved || shelf.log.stillHas(place, in: tail.revision), tail.version == place.version + tail.count,
      tail.firstVersion.map({ $0 == place.version + 1 }) ?? true
    else {
      shelf.forget(at: place)
      return nil
    }
    var fold = try DeciderFold<D>()
    guard tail.version <= known ?? .max else { return try cut(tail, from: place, &fold) }
    if tail.count == 0 {
      guard let state = shelf.copy(at: place) else { return nil }
      fold.resume(from: state)
    } else {
      guard case .taken(let state) = shelf.take(at: place) else { return nil }
      fold.resume(from: state)
    }
    do {
      try fold.fold(tail.batches)
    } catch {
      shelf.release()
      throw error
    }
    return finish(fold, tail, after: place, unsaved: found.unsaved, isNew: isMoved)
  }

  /// Returns the state up to the version that the transaction knows, without later events.
  ///
  /// A decision on this state can't be committed.
  private func cut(
    _ tail: StreamTail, from place: StateVersion, _ fold: inout DeciderFold<D>
  ) throws -> (state: WorkingState<D>, version: Int)? {
    guard let known, let state = shelf.copy(at: place) else { return nil }
    fold.resume(from: state)
    for event in tail.events where event.version <= known { try fold.fold(event) }
    return (working(fold, place, unsaved: 0, mayKeep: false), known)
  }

  /// Continues from a saved state, or returns nil if no saved state can be used.
  private func readSaved() throws -> (state: WorkingState<D>, version: Int)? {
    guard let found = saved.find(), found.version <= known ?? .max else { return nil }
    let tail = try shelf.log.log.tail(of: stream, after: found.position)
    guard tail.revision == found.revision else { return nil }
    let before = tail.firstVersion.map { $0 - 1 } ?? tail.version
    if before != found.version {
      // The versions may differ because a compaction removed the events between them before the state was saved.
      guard before >= found.version, found.position < tail.revision.compacted.horizon else { return nil }
    }
    var fold = try DeciderFold<D>()
    fold.resume(from: found.state)
    let place = StateVersion(version: found.version, position: found.position, revision: tail.revision)
    return try finish(&fold, tail, place)
  }

  private func readAll() throws -> (state: WorkingState<D>, version: Int) {
    let tail = try shelf.log.log.tail(of: stream, after: 0)
    var fold = try DeciderFold<D>()
    return try finish(&fold, tail, StateVersion(version: 0, position: 0, revision: tail.revision))
  }

  /// Folds the events after a place, up to the version that the transaction knows.
  private func finish(
    _ fold: inout DeciderFold<D>, _ tail: StreamTail, _ place: StateVersion
  ) throws -> (state: WorkingState<D>, version: Int) {
    guard let known, known < tail.version else {
      try fold.fold(tail.batches)
      return finish(fold, tail, after: place, unsaved: 0, isNew: true)
    }
    let events = tail.events.prefix { $0.version <= known }
    if tail.revision.compacted.horizon > events.last?.position ?? 0 {
      // The log was compacted beyond the known version, so the remaining events before it don't produce a valid state.
      throw EventStoreError.versionConflict(stream: stream, expected: .exact(known), found: tail.version)
    }
    for event in events { try fold.fold(event) }
    return (working(fold, place, unsaved: 0, mayKeep: false), known)
  }

  private func finish(
    _ fold: DeciderFold<D>, _ tail: StreamTail, after place: StateVersion, unsaved: Int, isNew: Bool
  ) -> (state: WorkingState<D>, version: Int) {
    let end = StateVersion(
      version: tail.version, position: tail.lastPosition ?? place.position, revision: tail.revision)
    let rest = shelf.keep(
      fold.state, at: end, unsaved: unsaved + tail.count, isNew: isNew || tail.count > 0, saved)
    return (working(fold, end, unsaved: rest, mayKeep: true), tail.version)
  }

  private func working(
    _ fold: DeciderFold<D>, _ place: StateVersion, unsaved: Int, mayKeep: Bool
  ) -> WorkingState<D> {
    WorkingState(fold, at: place, unsaved: unsaved, of: .stream(stream), on: shelf, mayKeep: mayKeep)
  }
}
