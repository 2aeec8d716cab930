import Synchronization

/// The saved lists of a store in memory, which behave like saved lists on disk.
final class MemoryCaches: Sendable {
  fileprivate struct Cache {
    let name: String
    let fingerprint: String
    /// The saved list, or nil before the first save.
    var list: SavedList?
    /// True if the list must no longer be shown.
    var isHidden = false
    /// The last position of the lists that this list replaces.
    let taken: Position
    var pages: [Int: [UInt8]] = [:]
  }

  private struct State {
    var last = 0
    var caches: [Int: Cache] = [:]
  }

  private let state = Mutex(State())

  fileprivate func list(_ name: String, _ fingerprint: String) -> SavedList? {
    state.withLock { state in
      state.caches.values.first { $0.list != nil && $0.isOf(name, fingerprint) }?.list
    }
  }

  fileprivate func page(_ page: Int, _ cache: Int) -> [UInt8]? { state.withLock { $0.caches[cache]?.pages[page] } }

  func make(_ name: String, _ fingerprint: String) -> Int {
    state.withLock { state in
      state.last += 1
      let positions = state.caches.values.compactMap { $0.isOf(name, fingerprint) ? $0.list?.position : nil }
      state.caches[state.last] = Cache(name: name, fingerprint: fingerprint, taken: positions.max() ?? 0)
      return state.last
    }
  }

  fileprivate func add(_ pages: [SavedPage], _ cache: Int) {
    state.withLock { state in
      for page in pages { state.caches[cache]?.pages[page.number] = page.bytes }
    }
  }

  /// Deletes all lists.
  func deleteAll() { delete(nil) }

  /// Hides all lists, so that no new controller uses them.
  ///
  /// Controllers that already use a list can still read its pages.
  ///
  /// The pages of lists that were already hidden are deleted.
  func hideAll() {
    state.withLock { state in
      state.caches = state.caches.filter { !$0.value.isHidden }
      for (number, var cache) in state.caches {
        cache.list = nil
        cache.isHidden = true
        state.caches[number] = cache
      }
    }
  }

  fileprivate func save(_ list: SavedList, _ pages: [SavedPage], _ freed: [Int]) -> Bool {
    state.withLock { state in
      guard var cache = state.caches[list.cache], !cache.isHidden, (cache.list?.generation ?? 0) == list.generation - 1
      else {
        return false
      }
      if cache.list == nil {
        let known = max(list.position, cache.taken)
        let hasNewer = state.caches.values.contains { other in
          other.isOf(cache.name, cache.fingerprint) && other.list.map { $0.position > known } == true
        }
        if hasNewer { return false }
        // A controller might still show a replaced list and read its pages, so the list is only hidden.
        state.caches = state.caches.filter { !($0.value.isHidden && $0.value.isOf(cache.name, cache.fingerprint)) }
        for (number, var other) in state.caches where other.list != nil && other.isOf(cache.name, cache.fingerprint) {
          other.list = nil
          other.isHidden = true
          state.caches[number] = other
        }
      }
      cache.list = list
      for page in pages { cache.pages[page.number] = page.bytes }
      for page in freed { cache.pages[page] = nil }
      state.caches[list.cache] = cache
      return true
    }
  }

  fileprivate func delete(_ name: String?) {
    state.withLock { state in
      state.caches = state.caches.filter { name != nil && ExactString($0.value.name) != ExactString(name ?? "") }
    }
  }
}

extension MemoryCaches.Cache {
  fileprivate func isOf(_ name: String, _ fingerprint: String) -> Bool {
    ExactString(self.name) == ExactString(name) && ExactString(self.fingerprint) == ExactString(fingerprint)
  }
}

/// The implementation of the public protocol for saved lists, for a store in memory.
struct MemorySavedLists: SavedListStore {
  let store: MemoryEventStore

  private var caches: MemoryCaches { store.caches }

  func list(named name: String, fingerprint: String) -> SavedList? { caches.list(name, fingerprint) }

  func page(_ page: Int, ofCache cache: Int) -> [UInt8]? { caches.page(page, cache) }

  func makeCache(named name: String, fingerprint: String, revision: LogRevision) -> Int? {
    var made: Int?
    store.ifCurrent(revision) { made = caches.make(name, fingerprint) }
    return made
  }

  func add(_ pages: [SavedPage], toCache cache: Int) { caches.add(pages, cache) }

  func save(_ list: SavedList, adding pages: [SavedPage], removing freed: [Int]) -> Bool {
    caches.save(list, pages, freed)
  }

  func deleteLists(named name: String?) { caches.delete(name) }
}
