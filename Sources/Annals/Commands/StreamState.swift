/// Reads the state of a stream: from the memory, else from a state that was saved, else from all events.
struct StreamState<D: Decider> {
  private let stream: StreamName
  private let shelf: StateShelf<D>
  /// The version that the transaction read before; what came since then is not its own.
  private let known: Int?
  private let saved: SnapshotCache<D>
  private var store: any EventStore { shelf.store }

  init(_ stream: StreamName, of shelf: StateShelf<D>, known: Int?) {
    (self.stream, self.shelf, self.known) = (stream, shelf, known)
    saved = SnapshotCache(shelf.store, .stream(stream))
  }

  /// - Returns: The state, and the stream's version.
  func read() throws -> (state: WorkingState<D>, version: Int) {
    // Another thread may bring the state up to date at the same time; then its state is the one to go on from.
    for _ in 0..<8 {
      guard let found = shelf.find(), found.place.version <= known ?? .max else { break }
      if let state = try resume(found) { return state }
    }
    return try readSaved() ?? readAll()
  }

  /// Goes on from a state in memory; nil if that is no state to go on from, or not any more.
  private func resume(_ found: DeciderStates.Found) throws -> (state: WorkingState<D>, version: Int)? {
    let place = found.place
    let tail = try store.tail(of: stream, after: place.position, version: place.version)
    let isMoved = tail.revision != place.revision
    guard try !isMoved || store.stillHas(place, in: tail.revision), tail.version == place.version + tail.count,
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

  /// The state up to the version that the transaction knows, for events that came since; it cannot be committed.
  private func cut(
    _ tail: StreamTail, from place: StatePlace, _ fold: inout DeciderFold<D>
  ) throws -> (state: WorkingState<D>, version: Int)? {
    guard let known, let state = shelf.copy(at: place) else { return nil }
    fold.resume(from: state)
    for event in tail.events where event.version <= known { try fold.fold(event) }
    return (working(fold, place, unsaved: 0, mayKeep: false), known)
  }

  /// Goes on from a state that was saved; nil if there is none that fits.
  private func readSaved() throws -> (state: WorkingState<D>, version: Int)? {
    guard let found = saved.find(), found.version <= known ?? .max else { return nil }
    let tail = try store.tail(of: stream, after: found.position)
    guard tail.revision == found.revision else { return nil }
    let before = tail.firstVersion.map { $0 - 1 } ?? tail.version
    if before != found.version {
      // Between the two a compaction may have cut events, which it did before the state was saved.
      guard before >= found.version, found.position < tail.revision.compacted.horizon else { return nil }
    }
    var fold = try DeciderFold<D>()
    fold.resume(from: found.state)
    let place = StatePlace(version: found.version, position: found.position, revision: tail.revision)
    return try finish(&fold, tail, place)
  }

  private func readAll() throws -> (state: WorkingState<D>, version: Int) {
    let tail = try store.tail(of: stream, after: 0)
    var fold = try DeciderFold<D>()
    return try finish(&fold, tail, StatePlace(version: 0, position: 0, revision: tail.revision))
  }

  /// Folds what comes after a place, as far as the transaction knows it.
  private func finish(
    _ fold: inout DeciderFold<D>, _ tail: StreamTail, _ place: StatePlace
  ) throws -> (state: WorkingState<D>, version: Int) {
    guard let known, known < tail.version else {
      try fold.fold(tail.batches)
      return finish(fold, tail, after: place, unsaved: 0, isNew: true)
    }
    let events = tail.events.prefix { $0.version <= known }
    if tail.revision.compacted.horizon > events.last?.position ?? 0 {
      // What is left of the history up to there is no state of its own.
      throw EventStoreError.versionConflict(stream: stream, expected: .exact(known), found: tail.version)
    }
    for event in events { try fold.fold(event) }
    return (working(fold, place, unsaved: 0, mayKeep: false), known)
  }

  private func finish(
    _ fold: DeciderFold<D>, _ tail: StreamTail, after place: StatePlace, unsaved: Int, isNew: Bool
  ) -> (state: WorkingState<D>, version: Int) {
    let end = StatePlace(
      version: tail.version, position: tail.lastPosition ?? place.position, revision: tail.revision)
    let rest = shelf.keep(
      fold.state, at: end, unsaved: unsaved + tail.count, isNew: isNew || tail.count > 0, saved)
    return (working(fold, end, unsaved: rest, mayKeep: true), tail.version)
  }

  private func working(
    _ fold: DeciderFold<D>, _ place: StatePlace, unsaved: Int, mayKeep: Bool
  ) -> WorkingState<D> {
    WorkingState(fold, at: place, unsaved: unsaved, of: .stream(stream), on: shelf, mayKeep: mayKeep)
  }
}
