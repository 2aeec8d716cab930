/// Keeps the states of a decider, and finds them again.
///
/// Made for a decider that keeps states and a store that can; else there is nothing to find.
struct SnapshotCache<D: Decider> {
  /// A state that was found, and what it was folded from.
  struct Found {
    let state: D
    let version: Int
    let position: Position
  }

  private let store: any EventStore
  /// Where the states are kept; nil if the decider keeps none, or the store does not.
  private let states: (any SnapshotStore)?
  private let stream: StreamName
  /// The revision of the log before the events are read: a state of another revision must not be kept, or found.
  let revision: LogRevision?

  /// - Parameters:
  ///   - store: The store.
  ///   - stream: The stream; nothing of it was read yet.
  init(_ store: any EventStore, _ stream: StreamName) {
    (self.stream, self.store) = (stream, store)
    states = D.self is any SnapshotDecider.Type ? store.snapshots : nil
    revision = states == nil ? nil : try? store.revision()
  }

  /// The state that was kept; nil if there is none that fits.
  ///
  /// What cannot be read is as good as missing: the events say the same.
  func find() -> Found? {
    guard let states, let type = D.self as? any SnapshotDecider.Type else { return nil }
    return find(states, as: type)
  }

  private func find<S: SnapshotDecider>(_ states: any SnapshotStore, as type: S.Type) -> Found? {
    do {
      guard let kept = try states.snapshot(of: stream, decider: type.snapshotName),
        let shape = StateShapes.shape(in: kept.fingerprint, of: type),
        let state = try StateShapes.state(type, from: kept.state, shape: shape) as? D
      else { return nil }
      report { $0.restored += 1 }
      return Found(state: state, version: kept.version, position: kept.position)
    } catch {
      report("the state that was kept of stream \"\(stream)\" cannot be read: \(error)")
      return nil
    }
  }

  /// Keeps a state, if enough was folded since the last one.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - events: The events that were folded since the last state was kept.
  func keep(_ state: D, after events: [StoredEvent]) {
    guard let last = events.last, let state = state as? any SnapshotDecider else { return }
    keep(state, count: events.count, last)
  }

  private func keep<S: SnapshotDecider>(_ state: S, count: Int, _ last: StoredEvent) {
    guard count >= max(1, S.snapshotInterval) else { return }
    guard let states else { return report("\(EventStoreError.unsupported("snapshots", by: type(of: store)))") }
    do {
      let text = try StateText.text(of: state)
      let snapshot = DeciderSnapshot(
        fingerprint: StateShapes.fingerprint(of: S.self, shape: try StateShapes.shape(of: S.self, text)),
        version: last.version, position: last.position, state: text)
      // A store that cannot be asked just now is asked again at the next command.
      guard let revision else { return }
      try states.save(snapshot, of: stream, decider: S.snapshotName, revision: revision)
      report {
        $0.kept += 1
        $0.problem = nil
      }
    } catch {
      report("the state of stream \"\(stream)\" after version \(last.version) is not kept: \(error)")
    }
  }

  private func report(_ problem: String) { report { $0.problem = problem } }

  private func report(_ change: @Sendable (inout SnapshotReport) -> Void) {
    SnapshotReports.change(of: D.self, in: store, change)
  }
}

extension SnapshotDecider {
  fileprivate static var snapshotName: String { stableName(of: Self.self) }

  static var snapshotFingerprint: String {
    (["\(stateVersion) \(Event.typePrefix) \(Event.schema)"] + UpcasterChain.shape(of: Event.self)).joined(
      separator: "; ")
  }
}
