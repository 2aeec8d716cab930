import AnnalsLog

/// A store whose decider states are kept in memory for another store that it represents.
package protocol RepresentingStore: EventStore {
  /// The store for which the states are kept in memory.
  var viewer: any EventStore { get }
}

/// A store that contains another store's events up to a position, and therefore has the same decider states up to that
/// position.
protocol DerivedStore: RepresentingStore {
  /// The other store, whose events this store contains.
  var base: any EventStore { get }
  /// Returns the place in this store for a state of the base, or nil if the state contains events that this store
  /// doesn't have.
  func own(_ place: StateVersion) -> StateVersion?
  /// Returns the place in the base for a state of this store, or nil if the state contains events that the base doesn't
  /// have.
  func ofBase(_ place: StateVersion) -> StateVersion?
  /// Returns whether a state contains this store's own events that no longer exist.
  func isGone(_ place: StateVersion) -> Bool
}

/// The slot of one state among the states that a store keeps in memory.
struct StateShelf<D: Decider> {
  let store: any EventStore
  /// The owner of the states, which is the store, or another store that it represents.
  private let viewer: any EventStore
  private let key: StateKey
  private let subject: StateKey.Subject
  /// False if the store keeps no states in memory, or no states of this decider.
  let isOpen: Bool

  init(_ store: any EventStore, _ subject: StateKey.Subject) {
    self.store = store
    viewer = (store as? any RepresentingStore)?.viewer ?? store
    self.subject = subject
    key = StateKey(viewer, D.self, subject)
    isOpen = store.environment.stateBudget > 0 && StateValues.mayKeep(D.self)
  }

  func find() -> DeciderStates.Found? {
    guard isOpen else { return nil }
    if let found = store.signal.states.find(key, in: viewer) {
      guard let heir = store as? any DerivedStore, heir.isGone(found.place) else { return found }
      forget(at: found.place)
    }
    return findInBase()
  }

  /// Finds a state in the memory of a branch's base that is also valid for the branch, and keeps it for the branch.
  private func findInBase() -> DeciderStates.Found? {
    guard let heir = store as? any DerivedStore else { return nil }
    let base = StateShelf(heir.base, subject)
    guard let found = base.find(), let place = heir.own(found.place), let state = base.copy(at: found.place) else {
      return nil
    }
    store.signal.states.put(state, key, at: place, unsaved: 0, in: viewer)
    return DeciderStates.Found(place: place, unsaved: 0)
  }

  func copy(at place: StateVersion) -> D? { store.signal.states.copy(key, at: place, as: D.self) }

  func take(at place: StateVersion) -> DeciderStates.Taking<D> { store.signal.states.take(key, at: place, as: D.self) }

  /// Keeps a state in memory, if it is a value without objects.
  func put(_ state: D, at place: StateVersion, unsaved: Int) {
    guard isOpen else { return }
    guard StateValues.isValue(state) else { return release() }
    store.signal.states.put(state, key, at: place, unsaved: unsaved, in: viewer)
    // Also keep the state for the base, so that a branch reads it once, even if its commands are re-decided.
    if let heir = store as? any DerivedStore, let place = heir.ofBase(place) {
      StateShelf(heir.base, subject).put(state, at: place, unsaved: unsaved)
    }
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

  func release() { if isOpen { store.signal.states.release(key) } }

  func forget(at place: StateVersion) { store.signal.states.forget(key, at: place) }
}
