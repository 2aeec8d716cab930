extension Timeline {
  /// Returns the rows at a position of the log.
  ///
  /// The method folds events from the nearest known state at or before the position, and keeps intermediate states as
  /// `KeptStates` defines. States share their common parts.
  ///
  /// - Throws: `SeekError` if the history at the position was compacted, and errors of folding.
  /// - Complexity: O(e log n) for n rows and e events after the nearest kept state. For consecutive steps, e is O(log
  ///   n) on average.
  func state(at position: Position) throws -> State {
    try inOneRevision { source in
      endSlices()
      guard position == 0 || position >= horizon else {
        throw SeekError(position: position, end: try log.head(), horizon: horizon)
      }
      return try position == live.position ? live : foldState(at: position, from: source)
    }
  }

  private func foldState(at position: Position, from source: EventSource) throws -> State {
    var state = try anchor(for: position) ?? known(through: position)
    guard keepsPast else {
      // Keep the previous state, because a caller may need the changes between the two states.
      past = KeptStates()
      past.keep(state, at: state.position.rawValue)
      // Such a caller usually needs the changes for every step, so short steps are recorded while they are folded.
      let isShort = position.rawValue - state.position.rawValue <= Self.notedEvents
      try fold(&state, through: position, from: source, noting: isShort)
      past.keep(state, at: position.rawValue)
      return state
    }
    let end = max(live.position, position).rawValue
    for mark in KeptStates<State>.marks(from: state.position.rawValue, to: position.rawValue, end: end) {
      try fold(&state, through: Position(mark), from: source)
      past.keep(state, at: mark)
    }
    past.settle(around: position.rawValue, end: end)
    return state
  }

  /// The maximum number of events in a step for which the timeline records the rows that every event sets.
  private static var notedEvents: Int { 1_024 }

  /// Returns a state from the anchors if the nearest known state is distant.
  ///
  /// The kept states are released, because states of other anchors share no rows with the returned state.
  private func anchor(for position: Position) throws -> State? {
    guard let anchors, !foldsAll else { return nil }
    let known = known(through: position).position.rawValue
    guard position.rawValue - known > anchorDistance else { return nil }
    // An owner that keeps past states is likely to go back.
    let wanted = keepsPast ? max(position.rawValue - anchorDistance / 2, horizon.rawValue) : position.rawValue
    guard let state = try anchors(Position(wanted)), state.position.rawValue > known else { return nil }
    forgetPast()
    return state
  }

  /// Returns the nearest known state at or before a position.
  private func known(through position: Position) -> State {
    var found = past.last(through: position.rawValue)?.state ?? empty
    for state in [restored, live] {
      if let state, state.position <= position, state.position > found.position { found = state }
    }
    return found
  }

  /// Releases the states that were kept for seeking.
  func forgetPast() { past = KeptStates() }
}
