/// A store that has the events of another one up to a position, and so the states that they lead to.
protocol StateHeir: EventStore {
  /// The other store.
  var base: any EventStore { get }
  /// The store whose states are kept.
  var viewer: any EventStore { get }
  /// What a state of the base is called here; nil if it is folded from events that are not here.
  func own(_ place: StatePlace) -> StatePlace?
  /// What a state that is folded from events of the base alone is called there; nil for others.
  func ofBase(_ place: StatePlace) -> StatePlace?
  /// True if a state is folded from events of the store's own that are not there any more.
  func isGone(_ place: StatePlace) -> Bool
}

/// The place of one state among those that a store keeps in memory.
struct StateShelf<D: Decider> {
  let store: any EventStore
  /// Whose states they are: the store's, or those of the remote store that it stands for.
  private let viewer: any EventStore
  private let key: StateKey
  private let subject: StateKey.Subject
  /// False if the store keeps no states in memory, or not those of this decider.
  let isOpen: Bool

  init(_ store: any EventStore, _ subject: StateKey.Subject) {
    self.store = store
    viewer = (store as? RemoteMoment)?.viewer ?? (store as? any StateHeir)?.viewer ?? store
    self.subject = subject
    key = StateKey(viewer, D.self, subject)
    isOpen = store.environment.stateBudget > 0 && StateValues.mayKeep(D.self)
  }

  func find() -> DeciderStates.Found? {
    guard isOpen else { return nil }
    if let found = store.signal.states.find(key, in: viewer) {
      guard let heir = store as? any StateHeir, heir.isGone(found.place) else { return found }
      forget(at: found.place)
    }
    return findInBase()
  }

  /// The state that a branch's base has in memory, if that is one of the branch too; the branch keeps it from then on.
  private func findInBase() -> DeciderStates.Found? {
    guard let heir = store as? any StateHeir else { return nil }
    let base = StateShelf(heir.base, subject)
    guard let found = base.find(), let place = heir.own(found.place), let state = base.copy(at: found.place) else {
      return nil
    }
    store.signal.states.put(state, key, at: place, unsaved: 0, in: viewer)
    return DeciderStates.Found(place: place, unsaved: 0)
  }

  func copy(at place: StatePlace) -> D? { store.signal.states.copy(key, at: place, as: D.self) }

  func take(at place: StatePlace) -> DeciderStates.Taking<D> { store.signal.states.take(key, at: place, as: D.self) }

  /// Keeps a state, if it is a value.
  func put(_ state: D, at place: StatePlace, unsaved: Int) {
    guard isOpen else { return }
    guard StateValues.isValue(state) else { return release() }
    store.signal.states.put(state, key, at: place, unsaved: unsaved, in: viewer)
    // What a branch reads of its base is read once, also when its commands are decided again.
    if let heir = store as? any StateHeir, let place = heir.ofBase(place) {
      StateShelf(heir.base, subject).put(state, at: place, unsaved: unsaved)
    }
  }

  /// Keeps a state in memory, and saves it beside the events if that is due.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - place: The events that it is folded from.
  ///   - unsaved: How many of them were folded since it was saved last.
  ///   - isNew: False if the memory has it already.
  ///   - saved: Where it is saved.
  /// - Returns: How many are unsaved afterwards.
  func keep(_ state: D, at place: StatePlace, unsaved: Int, isNew: Bool, _ saved: SnapshotCache<D>) -> Int {
    // Others who wait for the state go on with it, and do not wait until it is saved.
    if isNew { put(state, at: place, unsaved: unsaved) }
    let rest = saved.keep(state, at: place, unsaved: unsaved)
    if rest != unsaved { put(state, at: place, unsaved: rest) }
    return rest
  }

  func release() { if isOpen { store.signal.states.release(key) } }

  func forget(at place: StatePlace) { store.signal.states.forget(key, at: place) }
}
