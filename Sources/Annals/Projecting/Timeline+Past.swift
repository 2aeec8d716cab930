extension Timeline {
  /// The rows at a position of the past, which the log must have.
  ///
  /// It folds from the nearest state that is known, and keeps states on the way: `KeptStates` says which. States share
  /// what they have in common.
  ///
  /// - Throws: `SeekError` if the history there was compacted; what folding throws.
  /// - Complexity: O(e log n) for e events from the nearest state that is kept and n rows. For one step after the
  ///   other, e is O(log n) on average.
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
      // The state before stays, for those who ask what led from it to this one.
      past = KeptStates()
      past.keep(state, at: state.position.rawValue)
      // A caller who asks what led from one to the other mostly asks so of each step: short ones are noted as they go.
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

  /// The number of events up to which it is noted which rows each of them sets.
  private static var notedEvents: Int { 1_024 }

  /// The nearest state that is known at or before a position.
  private func known(through position: Position) -> State {
    var found = past.last(through: position.rawValue)?.state ?? empty
    for state in [restored, live] {
      if let state, state.position <= position, state.position > found.position { found = state }
    }
    return found
  }

  /// Lets go of the states that were kept for looking at the past.
  func forgetPast() { past = KeptStates() }
}
