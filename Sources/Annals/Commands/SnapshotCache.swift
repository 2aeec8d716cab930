import AnnalsLog

/// A cache that saves a decider's states next to the events, and finds them.
///
/// The cache needs a ``SnapshotDecider``, and a store that supports ``EventStore/snapshots``. For any other decider or
/// store, it finds no state.
struct SnapshotCache<D: Decider> {
  /// A saved state, and the events from which it was folded.
  struct Found {
    let state: D
    let version: Int
    let position: Position
    /// The log's revision at the time of the lookup, because a state of a different revision must not be used.
    let revision: LogRevision
  }

  private let log: DecisionLog
  private let subject: StateSubject

  init(_ log: DecisionLog, _ subject: StateSubject) {
    self.log = log
    self.subject = subject
  }

  /// Returns the saved state, or nil if no saved state can be used.
  ///
  /// An unreadable state is treated as missing, because the events contain the same information.
  func find() -> Found? {
    guard let type = D.self as? any SnapshotDecider.Type, let states = log.snapshots else { return nil }
    return find(states, as: type)
  }

  private func find<S: SnapshotDecider>(_ states: any SnapshotStore, as type: S.Type) -> Found? {
    do {
      let revision = try log.log.revision()
      guard let kept = try states.snapshot(of: name, decider: decider(type)),
        let shape = StateShapes.shape(in: kept.fingerprint, of: type),
        let state = try StateShapes.state(type, from: kept.state, shape: shape) as? D
      else { return nil }
      report {
        $0.loadCount += 1
        $0.restored = kept.position
      }
      return Found(state: state, version: kept.version, position: kept.position, revision: revision)
    } catch {
      report("the saved state of \(text) cannot be read, so it isn't used: \(described(error))")
      return nil
    }
  }

  /// Saves a state, if enough events were folded since the last save.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - place: The place of the last event in the state.
  ///   - unsaved: The number of events that were folded since the last save.
  /// - Returns: The number of unsaved events afterwards. If a state can't be saved, the number is 0, so the cache
  ///   retries after ``SnapshotDecider/snapshotInterval`` more events.
  func keep(_ state: D, at place: StateVersion, unsaved: Int) -> Int {
    guard unsaved > 0, D.self is any SnapshotDecider.Type, let state = state as? any SnapshotDecider else {
      return unsaved
    }
    return keep(state, at: place, unsaved)
  }

  private func keep<S: SnapshotDecider>(_ state: S, at place: StateVersion, _ unsaved: Int) -> Int {
    guard unsaved >= max(1, S.snapshotInterval) else { return unsaved }
    guard let states = log.snapshots else {
      report("\(EventStoreError.unsupported("snapshots", by: type(of: log.log)))")
      return 0
    }
    do {
      let text = try StateText.text(of: state)
      let snapshot = DeciderSnapshot(
        fingerprint: StateShapes.fingerprint(of: S.self, shape: try StateShapes.shape(of: S.self, text)),
        version: place.version, position: place.position, state: text)
      try states.save(snapshot, of: name, decider: decider(S.self), revision: place.revision)
      report {
        $0.saveCount += 1
        $0.saved = place.position
        $0.problem = nil
      }
    } catch {
      report(
        "the state of \(text) after \(end(place)) was not saved, so the next start might apply more events: "
          + "\(described(error))")
    }
    return 0
  }

  private func end(_ place: StateVersion) -> String {
    switch subject {
    case .stream: "version \(place.version)"
    case .boundary: "event \(place.position)"
    }
  }

  /// The stream or the boundary of the state, for messages.
  private var text: String {
    switch subject {
    case .stream(let stream): "stream \"\(stream)\""
    case .boundary(let query): "boundary \(query.canonicalText)"
    }
  }

  /// The key of the state in the store.
  private var name: StreamName {
    switch subject {
    case .stream(let stream): stream
    case .boundary(let query): StreamName(query.canonicalText)
    }
  }

  /// The decider's name, with a suffix for boundaries, because a stream's name may equal the string of a boundary.
  private func decider<S: SnapshotDecider>(_ type: S.Type) -> String {
    switch subject {
    case .stream: stableName(of: type)
    case .boundary: stableName(of: type) + " in a boundary"
    }
  }

  private func report(_ problem: String) { report { $0.problem = problem } }

  private func report(_ change: @Sendable (inout CacheReport) -> Void) {
    SnapshotReports.change(of: D.self, in: log.owner, change)
  }
}

extension SnapshotDecider {
  static var snapshotFingerprint: String {
    (["\(stateVersion) \(Event.typePrefix) \(Event.schema)"] + UpcasterChain.shape(of: Event.self)).joined(
      separator: "; ")
  }
}
