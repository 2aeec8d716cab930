import AnnalsLog

/// The slot of one state among the states that are kept in memory.
struct StateShelf<D: Decider> {
  let log: DecisionLog
  private let key: StateKey
  private let subject: StateKey.Subject
  /// False if no states are kept in memory, or no states of this decider.
  let isOpen: Bool

  init(_ log: DecisionLog, _ subject: StateKey.Subject, key: StateKey? = nil) {
    self.log = log
    self.subject = subject
    self.key = key ?? StateKey(log.owner, D.self, subject)
    isOpen = log.environment.stateBudget > 0 && StateValues.mayKeep(D.self)
  }

  private var states: DeciderStates { log.runtime.states }

  func find() -> DeciderStates.Found? {
    guard isOpen else { return nil }
    if let found = states.find(key, of: log.owner) {
      guard let keeper = log.keeper, keeper.hasReplaced(found.place) else { return found }
      forget(at: found.place)
    }
    return findInBase()
  }

  /// Finds a state in the memory of a branch's base that is also valid for the branch, and keeps it for the branch.
  private func findInBase() -> DeciderStates.Found? {
    guard let keeper = log.keeper, let base else { return nil }
    guard let found = base.find(), let place = keeper.place(ofBase: found.place), let state = base.copy(at: found.place)
    else { return nil }
    keep(state, at: place, unsaved: 0)
    return DeciderStates.Found(place: place, unsaved: 0)
  }

  private var base: StateShelf? { log.base.map { StateShelf($0, subject) } }

  func copy(at place: StateVersion) -> D? { states.copy(key, at: place, as: D.self) }

  func take(at place: StateVersion) -> DeciderStates.Taking<D> { states.take(key, at: place, as: D.self) }

  /// Keeps a state in memory, if it is a value without objects.
  func put(_ state: D, at place: StateVersion, unsaved: Int) {
    guard isOpen else { return }
    guard StateValues.isValue(state) else { return release() }
    keep(state, at: place, unsaved: unsaved)
    // Also keep the state for the base, so that a branch reads it once, even if its commands are re-decided.
    if let place = log.keeper?.place(inBase: place) { base?.put(state, at: place, unsaved: unsaved) }
  }

  private func keep(_ state: D, at place: StateVersion, unsaved: Int) {
    states.put(state, key, at: place, unsaved: unsaved, of: log.owner, budget: log.environment.stateBudget)
  }

  /// Keeps a state in memory, and saves it next to the events if that is due.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - place: The place of the last event in the state.
  ///   - unsaved: The number of events that were folded since the last save.
  ///   - isNew: False if the memory already has the state.
  ///   - saved: The cache that saves the state.
  /// - Returns: The number of unsaved events afterwards.
  func keep(_ state: D, at place: StateVersion, unsaved: Int, isNew: Bool, _ saved: SnapshotCache<D>) -> Int {
    // Keep the state first, so that waiting callers continue with it and don't wait for the save.
    if isNew { put(state, at: place, unsaved: unsaved) }
    let rest = saved.keep(state, at: place, unsaved: unsaved)
    if rest != unsaved { put(state, at: place, unsaved: rest) }
    return rest
  }

  func release() { if isOpen { states.release(key) } }

  func forget(at place: StateVersion) { states.forget(key, at: place) }
}
