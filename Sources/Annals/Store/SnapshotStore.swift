/// A store that keeps states of deciders beside its events; each may be gone at any time.
package protocol SnapshotStore: EventStore {
  /// The state that was kept of a stream, nil if there is none or it is not as it was written.
  func snapshot(of stream: StreamName, decider: String) throws -> DeciderSnapshot?

  /// Keeps a state in the place of the one that was kept of the stream, unless the log was rewritten since it was folded.
  ///
  /// - Parameters:
  ///   - snapshot: The state.
  ///   - stream: The stream.
  ///   - decider: The decider's name.
  ///   - rewrites: How often the log had been rewritten before the events were read.
  /// - Throws: ``EventStoreError``.
  func save(_ snapshot: DeciderSnapshot, of stream: StreamName, decider: String, rewrites: Int) throws

  /// Deletes all states.
  func deleteSavedSnapshots() throws
}

/// A decider's state after some events of its stream.
package struct DeciderSnapshot: Hashable, Sendable {
  /// What the state depends on beside the events.
  package let fingerprint: String
  /// The number of the stream's events that were folded.
  package let version: Int
  /// The position of the last of them.
  package let position: Position
  /// The state as JSON.
  package let state: String

  package init(fingerprint: String, version: Int, position: Position, state: String) {
    (self.fingerprint, self.version, self.position, self.state) = (fingerprint, version, position, state)
  }
}

/// Keeps the states of a decider, and finds them again.
///
/// Made for a decider that keeps states and a store that can; else there is nothing to find.
struct SnapshotShelf<D: Decider> {
  /// A state that was found, and what it was folded from.
  struct Found {
    let state: D
    let version: Int
    let position: Position
  }

  private let store: (any SnapshotStore)?
  /// The same store, also if it keeps no states.
  private let log: any EventStore
  private let stream: StreamName
  /// How often the log had been rewritten before the events are read: a state of another log must not be kept.
  let rewrites: Int?

  /// - Parameters:
  ///   - store: The store.
  ///   - stream: The stream, of which nothing was read yet.
  init(_ store: any EventStore, _ stream: StreamName) {
    (self.stream, log) = (stream, store)
    self.store = D.self is any SnapshotDecider.Type ? store as? any SnapshotStore : nil
    rewrites = try? self.store?.rewrites()
  }

  /// The state that was kept; nil if there is none that fits.
  ///
  /// What cannot be read is as good as missing: the events say the same.
  func find() -> Found? {
    guard let store, let type = D.self as? any SnapshotDecider.Type else { return nil }
    return find(store, as: type)
  }

  /// True if the log is the one that it was when the shelf was made.
  var isCurrent: Bool {
    get throws { try store.map { try $0.rewrites() == rewrites } ?? true }
  }

  private func find<S: SnapshotDecider>(_ store: any SnapshotStore, as type: S.Type) -> Found? {
    do {
      guard let kept = try store.snapshot(of: stream, decider: type.snapshotName),
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
    guard let store else {
      return report(
        "\(type(of: log)) keeps no states: expected a SQLiteEventStore or a MemoryEventStore, or a decider that is none that "
          + "keeps states")
    }
    do {
      let text = try StateText.text(of: state)
      let snapshot = DeciderSnapshot(
        fingerprint: StateShapes.fingerprint(of: S.self, shape: try StateShapes.shape(of: S.self, text)),
        version: last.version, position: last.position, state: text)
      // A store that cannot be asked just now is asked again at the next command.
      guard let rewrites else { return }
      try store.save(snapshot, of: stream, decider: S.snapshotName, rewrites: rewrites)
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
    SnapshotReports.change(of: D.self, in: log, change)
  }
}

extension SnapshotDecider {
  fileprivate static var snapshotName: String { stableName(of: Self.self) }

  static var snapshotFingerprint: String {
    (["\(stateVersion) \(Event.typePrefix) \(Event.schema)"] + UpcasterChain.shape(of: Event.self)).joined(
      separator: "; ")
  }
}
