import Dispatch
import Synchronization

/// The most recently used decider states, which a store keeps in memory.
///
/// A store that wraps another store shares the wrapped store's runtime, and therefore this cache. But every store sees
/// only its own states, because a wrapper might read events in a different form.
///
/// A caller can use a state in two ways. A reader gets a copy, decides with the copy, and doesn't change it. A writer
/// takes the state exclusively, folds events into the state in place, and puts the state back, so that a large set or
/// array isn't copied for one event. While a state is taken, other callers wait for it. No decider code runs under the
/// lock.
package final class DeciderStates: Sendable {
  /// The information about a cached state, without the state itself.
  package struct Found {
    package let place: StateVersion
    /// The number of events that were folded since the state was saved.
    package let unsaved: Int

    package init(place: StateVersion, unsaved: Int) {
      self.place = place
      self.unsaved = unsaved
    }
  }

  /// The outcome of an attempt to take a state.
  package enum Taking<State> {
    case taken(State)
    /// The cached state results from other events now, or another caller has taken the state.
    case elsewhere
    case missing
  }

  private struct Entry {
    let state: any Sendable
    var place: StateVersion
    var unsaved: Int
  }

  private struct Memory {
    var entries = RecentlyUsed<StateKey, Entry>()
    /// The taken states, with the callers that wait for them.
    var taken: [StateKey: [DispatchSemaphore]] = [:]
    var owners: [ObjectIdentifier: Owner] = [:]
    /// The smallest revision number whose states don't contain erased values.
    var firstRevision = 0
  }

  private struct Owner {
    weak var object: (any StateOwner)?
  }

  private let memory = Mutex(Memory())
  /// The maximum time to wait for a taken state.
  ///
  /// After this time, the waiting caller folds the state from the events.
  private static let patience = DispatchTimeInterval.milliseconds(200)

  /// The number of cached states.
  var count: Int { memory.withLock { $0.entries.count } }

  /// Finds the state of a key.
  ///
  /// Waits while another caller has taken the state.
  package func find(_ key: StateKey, of owner: any StateOwner) -> Found? {
    // Every wait has a time limit, because a decider that executes commands while it folds would otherwise wait for
    // itself forever.
    for isLast in [false, true] {
      let (found, wait): (Found?, DispatchSemaphore?) = memory.withLock { memory in
        guard memory.owners[key.owner]?.object === owner else { return (nil, nil) }
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

  /// Returns the state at a place for reading, or `nil` if the cache no longer contains it.
  package func copy<State>(_ key: StateKey, at place: StateVersion, as type: State.Type) -> State? {
    memory.withLock { memory -> (any Sendable)? in
      guard let entry = memory.entries[key], entry.place == place else { return nil }
      memory.entries.use(key)
      return entry.state
    } as? State
  }

  /// Takes the state of a key exclusively if the state is at the given place.
  ///
  /// The caller must put the state back or release it.
  package func take<State>(_ key: StateKey, at place: StateVersion, as type: State.Type) -> Taking<State> {
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

  /// Stores a state, unless the cache has a later state, and evicts the least recently used states.
  ///
  /// - Parameters:
  ///   - state: The state, which must be a value.
  ///   - key: The key of the state.
  ///   - place: The events that the state is folded from.
  ///   - unsaved: The number of events that were folded since the state was saved.
  ///   - owner: The object that the state belongs to, usually the store that the events were read from.
  ///   - budget: The maximum number of states to keep.
  package func put(
    _ state: any Sendable, _ key: StateKey, at place: StateVersion, unsaved: Int, of owner: any StateOwner, budget: Int
  ) {
    // Evicted states are freed outside the lock, because a state can be large.
    var dropped: [Entry] = []
    let waiting = memory.withLock { memory in
      if memory.owners[key.owner]?.object !== owner {
        // A released object had this address before, so its states are removed.
        for old in memory.entries.keys where old.owner == key.owner {
          if let entry = memory.entries.removeValue(of: old) { dropped.append(entry) }
        }
        memory.owners = memory.owners.filter { $0.value.object != nil }
        memory.owners[key.owner] = Owner(object: owner)
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

  /// Discards a taken state.
  ///
  /// The next caller folds the state from the events.
  package func release(_ key: StateKey) {
    for semaphore in memory.withLock({ $0.taken.removeValue(forKey: key) ?? [] }) { semaphore.signal() }
  }

  /// Removes the state of a key if the state is at the given place.
  ///
  /// The state is outdated, because the log has a different history now.
  package func forget(_ key: StateKey, at place: StateVersion) {
    let dropped = memory.withLock { $0.entries[key]?.place == place ? $0.entries.removeValue(of: key) : nil }
    withExtendedLifetime(dropped) {}
  }

  /// Removes the states that might contain erased values, including states that are being folded.
  ///
  /// States of events before the first changed event are kept. The states of a store that wraps this store are also
  /// removed, because the events that the wrapper returns are unknown here.
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
        memory.owners[key.owner]?.object !== store || (ends[entry.place.revision] ?? 0) < entry.place.position
      }
      for (key, _) in dropped { memory.entries.removeValue(of: key) }
      return dropped
    }
    withExtendedLifetime(dropped) {}
  }

  /// Removes all states.
  package func removeAll() {
    let dropped = memory.withLock { memory in
      defer { memory.entries = RecentlyUsed() }
      return memory.entries
    }
    withExtendedLifetime(dropped) {}
  }

  /// Records the log's new revision, and keeps the states that are still correct.
  ///
  /// - Parameters:
  ///   - old: The log's former revision.
  ///   - new: The log's current revision.
  ///   - unchanged: The position through which the events didn't change.
  package func carry(from old: LogRevision, to new: LogRevision, through unchanged: Position) {
    let dropped = memory.withLock { memory in
      var dropped: [Entry] = []
      for (key, entry) in memory.entries.elements where entry.place.revision != new {
        let (place, isRight) = (entry.place, entry.place.revision == old && entry.place.position <= unchanged)
        if isRight {
          memory.entries.change(key) {
            $0.place = StateVersion(version: place.version, position: place.position, revision: new)
          }
        } else if let entry = memory.entries.removeValue(of: key) {
          dropped.append(entry)
        }
      }
      // States that are being folded from the old revision are discarded. The new number isn't compared with the old
      // number, because the old number can be larger if the log was restored.
      memory.firstRevision = new.number
      return dropped
    }
    withExtendedLifetime(dropped) {}
  }
}
