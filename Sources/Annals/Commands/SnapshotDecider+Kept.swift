import AnnalsLog

// Kept states of deciders, for laws and a tool that compare them with the events.

extension SnapshotDecider {
  /// Returns the form in which a store keeps a state.
  ///
  /// - Throws: ``StateTextError`` if the state can't be kept.
  package static func kept(_ state: Self) throws -> (fingerprint: String, text: String) {
    let text = try StateText.text(of: state)
    return (StateShapes.fingerprint(of: Self.self, shape: try StateShapes.shape(of: Self.self, text)), text)
  }

  /// Returns the state that a store would read from a kept string, or nil if other code kept the string.
  ///
  /// If the result is nil, a store folds all events instead.
  package static func state(keptAs text: String, fingerprint: String) throws -> Self? {
    guard let shape = StateShapes.shape(in: fingerprint, of: Self.self) else { return nil }
    return try StateShapes.state(Self.self, from: text, shape: shape)
  }
}

/// A decider's kept state that differs from the state that its events produce.
package struct StaleState: Sendable {
  /// The last event of the state.
  package let position: Position
  /// A message with the decider, the stream or the boundary, the difference, and the advice.
  package let message: String
}

extension Decider {
  /// Returns the kept states that the decider's next command would use, but that differ from the states that the events
  /// produce.
  ///
  /// - Parameters:
  ///   - kept: The streams or boundaries of the log's kept states, and the names of their deciders.
  ///   - store: The log.
  /// - Returns: The stale states, or an empty array for a decider that keeps no states.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(n) for the n events from which the states were folded.
  package static func staleStates(
    among kept: [(name: StreamName, decider: String)], in store: any EventStore
  ) throws -> [StaleState] {
    guard let type = Self.self as? any SnapshotDecider.Type, let states = store.snapshots else { return [] }
    return try stale(type, kept, states, store)
  }

  private static func stale<S: SnapshotDecider>(
    _ type: S.Type, _ kept: [(name: StreamName, decider: String)], _ states: any SnapshotStore, _ store: any EventStore
  ) throws -> [StaleState] {
    let own = stableName(of: type)
    return try kept.compactMap { name, decider in
      let isBoundary = decider == own + " in a boundary"
      guard isBoundary || decider == own, let snapshot = try states.snapshot(of: name, decider: decider) else {
        return nil
      }
      let query = isBoundary ? EventQuery(canonicalText: name.text) : .stream(name)
      guard let query else { return nil }
      let place =
        (isBoundary ? "the boundary \(name)" : "stream \"\(name)\"") + " after event \(snapshot.position)"
      let advice =
        "The saved state would be used for the decisions of \(S.self), although `evolve` now computes a different "
        + "state. Increase `\(S.self).stateVersion`, so that saved states are recomputed"
      do {
        // A state that other code kept, or an unreadable state, isn't used.
        guard (try? S.state(keptAs: snapshot.state, fingerprint: snapshot.fingerprint)) != nil else { return nil }
        var fold = try DeciderFold<S>()
        try store.forEachEvent(fold.coder.widened(query), through: snapshot.position) { event in
          try fold.fold(event, in: isBoundary ? query : .all)
        }
        let text = try StateText.text(of: fold.state)
        if ExactString(text) == ExactString(snapshot.state) { return nil }
        return StaleState(
          position: snapshot.position,
          message: "the saved state of \(S.self) for \(place) differs from the state that the events produce: expected "
            + "\(StateText.difference(text, snapshot.state)) in the saved state. \(advice)")
      } catch let error as EventStoreError {
        throw error
      } catch {
        return StaleState(
          position: snapshot.position,
          message:
            "the saved state of \(S.self) for \(place) cannot be compared with the state that the events produce: "
            + "\(described(error))"
        )
      }
    }
  }
}

extension StateText {
  /// Returns the expected part and the found part in which the strings of two states differ.
  package static func difference(_ expected: String, _ found: String) -> String {
    let offset = zip(expected.utf8, found.utf8).prefix { $0 == $1 }.count
    return "\(part(of: expected, at: offset)), found \(part(of: found, at: offset))"
  }
}
