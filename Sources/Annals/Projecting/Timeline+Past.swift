extension Timeline {
  /// Returns the rows at a position of the log.
  ///
  /// It folds from the nearest known state, and keeps states along the way as defined by `KeptStates`. States share
  /// their common parts.
  ///
  /// - Throws: `SeekError` if the history there was compacted, and errors of folding.
  /// - Complexity: O(e log n) for e events from the nearest kept state and n rows. For consecutive steps, e is O(log
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
    var state = known(through: position)
    guard keepsPast else {
      // The previous state is kept, for a caller that needs the changes between the two states.
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

  /// The maximum number of events for which the rows set by every event are recorded.
  private static var notedEvents: Int { 1_024 }

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
