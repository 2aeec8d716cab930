import AnnalsLog

/// Keeps checkpoints.
///
/// The comparison and the change are one step, because each change is a transaction.
struct OwnCheckpoints: CheckpointStore {
  let place: any OwnPlace
  let claims: FollowerClaims

  func checkpoint(named name: String) -> Position? { place.state.checkpoints[ExactKey(name)] }

  func setCheckpoint(named name: String, to position: Position, from old: Position?) throws -> Bool {
    try place.change { state in
      guard state.checkpoints[ExactKey(name)] == old else { return false }
      state.checkpoints[ExactKey(name)] = position
      return true
    }
  }

  func deleteCheckpoint(named name: String) throws { try place.change { $0.checkpoints[ExactKey(name)] = nil } }

  func claim(follower: String) throws -> FollowerClaim { try claims.claim(follower) }
}

/// Keeps states of deciders.
struct OwnSnapshots: SnapshotStore {
  let place: any OwnPlace

  func snapshot(of stream: StreamName, decider: String) -> DeciderSnapshot? {
    place.state.snapshots[.init(stream: stream, decider: ExactKey(decider))]
  }

  func save(_ snapshot: DeciderSnapshot, of stream: StreamName, decider: String, revision: LogRevision) throws {
    try place.change { state in
      // A state of events that the log does not have any more must not come back.
      if state.log.revision() == revision {
        state.snapshots[.init(stream: stream, decider: ExactKey(decider))] = snapshot
      }
    }
  }

  func deleteSnapshots() throws { try place.change { $0.snapshots = [:] } }
}

/// Keeps lists.
///
/// In a transaction it is given the transaction's draft, so that they are committed with the append.
struct OwnLists: SavedListStore {
  let place: any OwnPlace

  func list(named name: String, fingerprint: String) -> SavedList? {
    let (name, fingerprint) = (ExactKey(name), ExactKey(fingerprint))
    return place.state.caches.values.first { $0.list != nil && $0.name == name && $0.fingerprint == fingerprint }?.list
  }

  func page(_ page: Int, ofCache cache: Int) -> [UInt8]? { place.state.caches[cache]?.pages[page] }

  func makeCache(named name: String, fingerprint: String, revision: LogRevision) throws -> Int? {
    try place.change { state in
      guard state.log.revision() == revision else { return nil }
      state.lastCache += 1
      let (name, fingerprint) = (ExactKey(name), ExactKey(fingerprint))
      let same = state.caches.values.filter { $0.name == name && $0.fingerprint == fingerprint }
      let taken = same.compactMap { $0.list?.position }.max() ?? 0
      state.caches[state.lastCache] = .init(name: name, fingerprint: fingerprint, taken: taken)
      return state.lastCache
    }
  }

  func add(_ pages: [SavedPage], toCache cache: Int) throws {
    try place.change { state in for page in pages { state.caches[cache]?.pages[page.number] = page.bytes } }
  }

  func save(_ list: SavedList, adding pages: [SavedPage], removing freed: [Int]) throws -> Bool {
    try place.change { state in
      guard var cache = state.caches[list.cache], list.generation == (cache.list?.generation ?? 0) + 1 else {
        return false
      }
      if cache.list == nil {
        // The first list of a cache takes the place of the lists with its name and fingerprint, unless a newer one
        // was saved since the cache was made.
        let same = state.caches.filter {
          $1.list != nil && $1.name == cache.name && $1.fingerprint == cache.fingerprint
        }
        let known = max(list.position, cache.taken)
        guard same.values.allSatisfy({ $0.list.map { $0.position <= known } ?? true }) else { return false }
        for number in same.keys { state.caches[number] = nil }
      }
      cache.list = list
      for page in pages { cache.pages[page.number] = page.bytes }
      for page in freed { cache.pages[page] = nil }
      state.caches[list.cache] = cache
      return true
    }
  }

  func deleteLists(named name: String?) throws {
    try place.change { state in
      state.caches = state.caches.filter { _, cache in name.map { cache.name != ExactKey($0) } ?? false }
    }
  }
}
