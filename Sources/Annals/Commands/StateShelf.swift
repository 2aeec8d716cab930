/// The place of one state among those that a store keeps in memory.
struct StateShelf<D: Decider> {
  let store: any EventStore
  private let key: StateKey
  /// False if the store keeps no states in memory, or not those of this decider.
  let isOpen: Bool

  init(_ store: any EventStore, _ subject: StateKey.Subject) {
    self.store = store
    key = StateKey(store, D.self, subject)
    isOpen = store.environment.stateBudget > 0 && StateValues.mayKeep(D.self)
  }

  func find() -> DeciderStates.Found? { isOpen ? store.signal.states.find(key, in: store) : nil }

  func copy(at place: StatePlace) -> D? { store.signal.states.copy(key, at: place, as: D.self) }

  func take(at place: StatePlace) -> DeciderStates.Taking<D> { store.signal.states.take(key, at: place, as: D.self) }

  /// Keeps a state, if it is a value.
  func put(_ state: D, at place: StatePlace, unsaved: Int) {
    guard isOpen else { return }
    guard StateValues.isValue(state) else { return release() }
    store.signal.states.put(state, key, at: place, unsaved: unsaved, in: store)
  }

  func release() { if isOpen { store.signal.states.release(key) } }

  func forget(at place: StatePlace) { store.signal.states.forget(key, at: place) }
}
