import Dispatch
import Synchronization

/// The states of deciders that a store keeps in memory: those that were used last.
///
/// All that wrap a store share its signal, and so its states. Each of them sees its own: a wrapper may read events in
/// another form.
///
/// A state is handed out in two ways. A copy is for a reader, which decides on it and changes nothing. A state that is
/// taken is the taker's alone, who folds events into it where it lies and puts it back; a large set or array is not
/// copied for one event then. Others who want it meanwhile wait. No code of a decider runs under the lock.
final class DeciderStates: Sendable {
  /// What was found of a state, without the state.
  struct Found {
    let place: StatePlace
    /// How many events were folded since the state was saved.
    let unsaved: Int
  }

  /// What became of an attempt to take a state.
  enum Taking<State> {
    case taken(State)
    /// It is kept at another place by now.
    case elsewhere
    case missing
  }

  private struct Entry {
    let state: any Sendable
    var place: StatePlace
    var unsaved: Int
  }

  private struct Memory {
    var entries = RecentlyUsed<StateKey, Entry>()
    /// The states that are taken, and who waits for them.
    var taken: [StateKey: [DispatchSemaphore]] = [:]
    var viewers: [ObjectIdentifier: Viewer] = [:]
    /// States of revisions with a smaller number say what was erased.
    var firstRevision = 0
  }

  private struct Viewer {
    weak var store: (any EventStore)?
  }

  private let memory = Mutex(Memory())
  /// For how long one waits for a state that is taken, before it is folded from nothing.
  private static let patience = DispatchTimeInterval.milliseconds(200)

  /// How many states there are.
  var count: Int { memory.withLock { $0.entries.count } }

  /// What is kept under a key; waits while it is taken.
  func find(_ key: StateKey, in store: any EventStore) -> Found? {
    // Each waits for a while only: a decider that executes commands while it folds would wait for itself.
    for isLast in [false, true] {
      let (found, wait): (Found?, DispatchSemaphore?) = memory.withLock { memory in
        guard memory.viewers[key.viewer]?.store === store else { return (nil, nil) }
        if memory.taken[key] != nil, !isLast {
          let semaphore = DispatchSemaphore(value: 0)
          memory.taken[key]?.append(semaphore)
          return (nil, semaphore)
        }
        return (memory.entries[key].map { Found(place: $0.place, unsaved: $0.unsaved) }, nil)
      }
      guard let wait else { return found }
      _ = wait.wait(timeout: .now() + Self.patience)
    }
    return nil
  }

  /// The state that is kept at a place, to be read; nil if there is none any more.
  func copy<State>(_ key: StateKey, at place: StatePlace, as type: State.Type) -> State? {
    memory.withLock { memory -> (any Sendable)? in
      guard let entry = memory.entries[key], entry.place == place else { return nil }
      memory.entries.use(key)
      return entry.state
    } as? State
  }

  /// Takes a state that is kept at a place; what was taken is put back, or released.
  func take<State>(_ key: StateKey, at place: StatePlace, as type: State.Type) -> Taking<State> {
    let (state, isElsewhere): ((any Sendable)?, Bool) = memory.withLock { memory in
      guard let entry = memory.entries[key] else { return (nil, memory.taken[key] != nil) }
      guard entry.place == place else { return (nil, true) }
      memory.entries.removeValue(of: key)
      memory.taken[key] = []
      return (entry.state, false)
    }
    guard let state = state as? State else { return isElsewhere ? .elsewhere : .missing }
    return .taken(state)
  }

  /// Keeps a state, unless a later one is kept, and lets go of those that were not used for longest.
  ///
  /// - Parameters:
  ///   - state: The state; what it holds must be a value.
  ///   - key: Whose state it is.
  ///   - place: The events that it is folded from.
  ///   - unsaved: How many of them were folded since it was saved.
  ///   - store: The store that the events were read from.
  func put(
    _ state: any Sendable, _ key: StateKey, at place: StatePlace, unsaved: Int, in store: any EventStore
  ) {
    let budget = store.environment.stateBudget
    // What is let go of is freed when no lock is held: a state may be large.
    var dropped: [Entry] = []
    let waiting = memory.withLock { memory in
      if memory.viewers[key.viewer]?.store !== store {
        // Another store was at this address before.
        for old in memory.entries.keys where old.viewer == key.viewer {
          if let entry = memory.entries.removeValue(of: old) { dropped.append(entry) }
        }
        memory.viewers = memory.viewers.filter { $0.value.store != nil }
        memory.viewers[key.viewer] = Viewer(store: store)
      }
      if place.revision.number < memory.firstRevision { return memory.taken.removeValue(forKey: key) ?? [] }
      if let known = memory.entries[key], known.place.isLater(than: place) {
        return memory.taken.removeValue(forKey: key) ?? []
      }
      let entry = Entry(state: state, place: place, unsaved: unsaved)
      if let old = memory.entries.set(entry, of: key) { dropped.append(old) }
      while memory.entries.count > budget, let oldest = memory.entries.removeOldest() { dropped.append(oldest) }
      return memory.taken.removeValue(forKey: key) ?? []
    }
    for semaphore in waiting { semaphore.signal() }
    withExtendedLifetime(dropped) {}
  }

  /// Gives up a state that was taken: it is folded from nothing at its next use.
  func release(_ key: StateKey) {
    for semaphore in memory.withLock({ $0.taken.removeValue(forKey: key) ?? [] }) { semaphore.signal() }
  }

  /// Forgets a state that is kept at a place, because the log has another history by now.
  func forget(_ key: StateKey, at place: StatePlace) {
    let dropped = memory.withLock { $0.entries[key]?.place == place ? $0.entries.removeValue(of: key) : nil }
    withExtendedLifetime(dropped) {}
  }

  /// Forgets the states that may say what was erased, also those that are still being folded.
  ///
  /// States of earlier events than those that have changed stay. What another store around this one reads is not known
  /// here, so that its states go.
  func forgetErased(in store: any EventStore) {
    let revision = try? store.revision()
    let revisions = memory.withLock { memory in
      memory.firstRevision = max(memory.firstRevision, revision?.number ?? 0)
      return Set(memory.entries.elements.map(\.value.place.revision))
    }
    var ends: [LogRevision: Position] = [:]
    if revision != nil { for earlier in revisions { ends[earlier] = try? store.unchanged(since: earlier) } }
    let dropped = memory.withLock { memory in
      let dropped = memory.entries.elements.filter { key, entry in
        memory.viewers[key.viewer]?.store !== store || (ends[entry.place.revision] ?? 0) < entry.place.position
      }
      for (key, _) in dropped { memory.entries.removeValue(of: key) }
      return dropped
    }
    withExtendedLifetime(dropped) {}
  }

  /// Forgets all states.
  func removeAll() {
    let dropped = memory.withLock { memory in
      defer { memory.entries = RecentlyUsed() }
      return memory.entries
    }
    withExtendedLifetime(dropped) {}
  }

  /// Takes note that the log has another revision by now, and keeps the states that are right in it too.
  ///
  /// - Parameters:
  ///   - old: The revision that the log had.
  ///   - new: The revision that it has.
  ///   - unchanged: Up to where it has the events that it had.
  func carry(from old: LogRevision, to new: LogRevision, through unchanged: Position) {
    let dropped = memory.withLock { memory in
      var dropped: [Entry] = []
      for (key, entry) in memory.entries.elements where entry.place.revision != new {
        let (place, isRight) = (entry.place, entry.place.revision == old && entry.place.position <= unchanged)
        if isRight {
          memory.entries.change(key) {
            $0.place = StatePlace(version: place.version, position: place.position, revision: new)
          }
        } else if let entry = memory.entries.removeValue(of: key) {
          dropped.append(entry)
        }
      }
      // What is still being folded from the old revision is not kept; in a log that was restored it may be a later one.
      memory.firstRevision = new.number
      return dropped
    }
    withExtendedLifetime(dropped) {}
  }
}
