import Annals
import Synchronization

/// A store in memory that loses pages, and counts.
final class FragileStore: CacheStore, StoreAroundMemory {
  let memory = MemoryEventStore()
  /// Pages whose number is divisible by this are missing; 0 for all.
  let isDamaged = Mutex<Int?>(nil)
  let failsToRead = Mutex(false)
  let eventsRead = Mutex(0)
  let pagesWritten = Mutex(0)
  /// The fingerprint of the last saved list.
  let fingerprint = Mutex<String?>(nil)
  private let pages = Mutex<Set<[Int]>>([])

  var pageCount: Int { pages.withLock { $0.count } }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    if failsToRead.withLock({ $0 }) { throw EventStoreError(.io, "the disk does not answer") }
    let found = memory.events(query, after: after, through: through, limit: limit)
    eventsRead.withLock { $0 += found.count }
    return found
  }

  func cache(named name: String, fingerprint: String) -> SavedList? {
    memory.cache(named: name, fingerprint: fingerprint)
  }

  func page(_ page: Int, ofCache cache: Int) -> [UInt8]? {
    let divisor = isDamaged.withLock { $0 }
    if divisor == 0 || divisor.map({ page % $0 == 0 }) == true { return nil }
    return memory.page(page, ofCache: cache)
  }

  func hasPersonalFields() -> Bool { memory.hasPersonalFields() }
  func erasures() -> Int { memory.erasures() }
  func makeCache(named name: String, fingerprint: String, rewrites: Int) -> Int? {
    self.fingerprint.withLock { $0 = fingerprint }
    return memory.makeCache(named: name, fingerprint: fingerprint, rewrites: rewrites)
  }

  func add(_ pages: [SavedPage], toCache cache: Int) {
    note(pages, cache)
    memory.add(pages, toCache: cache)
  }

  func save(_ list: SavedList, adding pages: [SavedPage], removing freed: [Int]) -> Bool {
    note(pages, list.cache)
    self.pages.withLock { $0.subtract(freed.map { [list.cache, $0] }) }
    return memory.save(list, adding: pages, removing: freed)
  }

  func deleteCaches(named name: String?) {
    pages.withLock { $0 = [] }
    memory.deleteCaches(named: name)
  }

  private func note(_ pages: [SavedPage], _ cache: Int) {
    pagesWritten.withLock { $0 += pages.count }
    self.pages.withLock { $0.formUnion(pages.map { [cache, $0.number] }) }
  }
}
