import Annals
import AnnalsLog
import Synchronization

/// A store in memory that loses pages, and counts.
final class FragileStore: StoreAroundMemory {
  let memory: MemoryEventStore
  /// Pages whose number is divisible by this are missing; 0 for all.
  let isDamaged = Mutex<Int?>(nil)
  let failsToRead = Mutex(false)
  let eventsRead = Mutex(0)
  let pagesWritten = Mutex(0)
  /// The fingerprint of the last saved list.
  let fingerprint = Mutex<String?>(nil)
  private let pages = Mutex<Set<[Int]>>([])

  /// - Parameter pageBudget: So many pages are read before a list lets go of them.
  init(pageBudget: Int = 1_024) {
    var environment = StoreEnvironment.quiet
    environment.pageBudget = pageBudget
    memory = MemoryEventStore(environment: environment)
  }

  var pageCount: Int { pages.withLock { $0.count } }

  func events(
    in log: any EventLog, _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    if failsToRead.withLock({ $0 }) { throw EventStoreError(.io, "the disk does not answer") }
    let found = try log.events(query, after: after, through: through, limit: limit)
    eventsRead.withLock { $0 += found.count }
    return found
  }

  var erasing: (any ErasingStore)? { memory.erasing }
  var savedLists: (any SavedListStore)? { memory.savedLists.map { Lists(store: self, memory: $0) } }

  private struct Lists: SavedListStore {
    let store: FragileStore
    let memory: any SavedListStore

    func list(named name: String, fingerprint: String) throws -> SavedList? {
      try memory.list(named: name, fingerprint: fingerprint)
    }

    func page(_ page: Int, ofCache cache: Int) throws -> [UInt8]? {
      let divisor = store.isDamaged.withLock { $0 }
      if divisor == 0 || divisor.map({ page % $0 == 0 }) == true { return nil }
      return try memory.page(page, ofCache: cache)
    }

    func makeCache(named name: String, fingerprint: String, revision: LogRevision) throws -> Int? {
      store.fingerprint.withLock { $0 = fingerprint }
      return try memory.makeCache(named: name, fingerprint: fingerprint, revision: revision)
    }

    func add(_ pages: [SavedPage], toCache cache: Int) throws {
      store.note(pages, cache)
      try memory.add(pages, toCache: cache)
    }

    func save(_ list: SavedList, adding pages: [SavedPage], removing freed: [Int]) throws -> Bool {
      store.note(pages, list.cache)
      store.pages.withLock { $0.subtract(freed.map { [list.cache, $0] }) }
      return try memory.save(list, adding: pages, removing: freed)
    }

    func deleteLists(named name: String?) throws {
      store.pages.withLock { $0 = [] }
      try memory.deleteLists(named: name)
    }
  }

  private func note(_ pages: [SavedPage], _ cache: Int) {
    pagesWritten.withLock { $0 += pages.count }
    self.pages.withLock { $0.formUnion(pages.map { [cache, $0.number] }) }
  }
}
