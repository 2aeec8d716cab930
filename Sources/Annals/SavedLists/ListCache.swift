import AnnalsLog
import Dispatch
import Synchronization

/// An object that saves a controller's lists, and restores saved lists.
///
/// Lists are values, so a list is saved on another thread while the controller continues. Saves are serial.
final class ListCache<Row: Annals.Row>: Sendable {
  /// The last saved or restored list, to whose pages later saves add pages.
  struct Last {
    let fingerprint: String
    let cache: Int
    let generation: Int
    let root: SavedListRoot
    /// The list's data.
    ///
    /// It retains the trees' nodes, so that saved nodes aren't modified.
    let state: ListState
    let pages: TreePages
    var samples: RowSamples

    /// Returns true if a list of the store is this list.
    func isSame(as saved: SavedList) -> Bool {
      saved.cache == cache && saved.generation == generation && saved.position == state.position
    }
  }

  struct State {
    var last: Last?
    /// The number of lists that are being saved or wait to be saved.
    var saving = 0
    /// True if the shown list has more data in memory than needed.
    var isHeavy = false
    var report = CacheReport()
    /// The few caches of defective lists, which are replaced regardless of the lists' positions.
    ///
    /// An array, because the type of a set is made at the start of a program.
    var wrong: [Int] = []
  }

  let name: String
  let store: any EventStore
  let lists: any SavedListStore
  private let signature: String
  /// The signatures of former versions whose lists may be shown, newest first.
  private let formerSignatures: [String]
  private let relations: [Relation<Row>]
  private let makeTimeline: @Sendable () -> Timeline<Row>
  let state = Mutex(State())
  /// A token for the call that reads the rest of a list before data on its pages is erased.
  private let erasures = Mutex<StoreRuntime.Token?>(nil)
  /// A closure that is called on any thread when a list has more data in memory than needed.
  ///
  /// It must not block.
  let onHeavy: @Sendable () -> Void
  /// A queue that runs the saves serially.
  private let queue = DispatchQueue(label: "Annals.ListCache", qos: .utility)
  private let stops: StopReporter
  /// A queue that reports failed and successful saves in order.
  private let reports = DispatchQueue(label: "Annals.ListCache.reports", qos: .utility)
  /// The maximum number of pages that one transaction writes for a new cache, which no reader uses yet.
  private static var pagesAtOnce: Int { 1_000 }

  init(
    named name: String, in store: any EventStore, _ lists: any SavedListStore, signature: String,
    formerSignatures: [String] = [],
    relations: [Relation<Row>], makeTimeline: @escaping @Sendable () -> Timeline<Row>,
    onHeavy: @escaping @Sendable () -> Void = {}
  ) {
    self.onHeavy = onHeavy
    self.formerSignatures = formerSignatures
    self.name = name
    self.store = store
    self.lists = lists
    stops = StopReporter(.save, name)
    self.signature = signature
    self.makeTimeline = makeTimeline
    self.relations = relations
  }

  /// The current state of the cache.
  var report: CacheReport {
    state.withLock { state in
      var report = state.report
      if let pages = state.last?.pages {
        report.pagesRead = pages.readCount
        report.problem = report.problem ?? pages.whatIsWrong
      }
      return report
    }
  }

  /// Returns the saved list for a request, or `nil` if no saved list matches the log.
  ///
  /// - Throws: ``ListRequestError`` if a part of the request has no name.
  func open(_ request: ListRequest<Row>, _ prepared: PreparedRequest, head: Position) throws -> ListState? {
    let fingerprint = try fingerprint(request)
    do {
      // Read the revision first, so that it isn't later than the list's revision.
      let revision = try store.revision()
      guard let saved = try lists.list(named: name, fingerprint: fingerprint) else {
        return miss(
          "expected a saved list with the cache name \"\(name)\" for this projection and this request, found none")
      }
      guard saved.position <= head else {
        return miss(
          "the list was saved at position \(saved.position), but the log ends at the earlier position \(head)")
      }
      // Treat the list as defective until it is known to be valid.
      state.withLock { $0.wrong.append(saved.cache) }
      guard saved.cache > 0, (1...SavedListRoot.lastGeneration).contains(saved.generation) else {
        return miss(
          "the saved list's cache number must be at least 1 (was \(saved.cache)), and its number of saves must be "
            + "from 1 to \(SavedListRoot.lastGeneration) (was \(saved.generation))")
      }
      let last = try read(saved, at: revision, fingerprint, prepared)
      take(last)
      state.withLock { state in
        state.wrong.removeAll { $0 == saved.cache }
        state.report.restored = saved.position
        state.report.saved = saved.position
        state.report.loadCount += 1
      }
      return last.state
    } catch {
      return miss(described(error))
    }
  }

  /// Opens a saved list, and reads only its page with samples.
  ///
  /// - Parameters:
  ///   - saved: The saved list.
  ///   - revision: The log's revision, read before the saved list.
  ///   - fingerprint: The name of the request.
  ///   - prepared: The request.
  /// - Returns: The list.
  /// - Throws: `PageError` if the list is damaged, or the error of the store.
  func read(
    _ saved: SavedList, at revision: LogRevision, _ fingerprint: String, _ prepared: PreparedRequest
  ) throws -> Last {
    let root = try SavedListRoot(saved.root)
    let pages = self.pages(of: saved.cache, nextPage: root.nextPage, most: try lists.byteLimit())
    let again = Again { [makeTimeline] count in
      let timeline = makeTimeline()
      defer { count = timeline.live.position.rawValue }
      try timeline.advance(through: saved.position)
      guard timeline.live.position == saved.position else {
        throw PageError(
          "the list at position \(saved.position) cannot be rebuilt, because the log's history at that position was "
            + "compacted")
      }
      // The new log's list could pass every check of the pages, although its rows differ.
      guard timeline.revision?.rebases == revision.rebases else {
        throw PageError(
          "the list at position \(saved.position) cannot be rebuilt, because Replica.reclone replaced all events of "
            + "the log")
      }
      return ListState(prepared, timeline.live.rows, at: saved.position, root.appearances)
    }
    let reader = SavedListReader<Row>(
      pages: pages, prepared: prepared, relations: relations, restored: { try again.list() })
    let (list, samples) = try reader.state(root, at: saved.position)
    return Last(
      fingerprint: fingerprint, cache: saved.cache, generation: saved.generation, root: root, state: list,
      pages: pages, samples: samples)
  }

  /// Uses an opened list as the last saved list.
  func take(_ last: Last) {
    CacheReaders.shared.add(last.pages, of: store)
    // Other code than the list's controller may read the rows. So notify all observers of the store, but on another
    // thread, so that no observer is notified in the middle of a read.
    last.pages.onLoss { [store] in DispatchQueue.global().async { store.runtime.announce(from: nil) } }
    last.pages.onRead(store.environment.pageBudget) { [weak self] in self?.noteHeavy() }
    state.withLock { state in
      state.last = last
      state.isHeavy = false
    }
    watchErasures()
  }

  /// Reads the whole list before this process erases data, because an erasure removes the list's pages and changes the
  /// events.
  ///
  /// The log can be a read-only view of a store whose data is erased, such as the log of a replica.
  private func watchErasures() {
    erasures.withLock { token in
      guard token == nil else { return }
      token = store.runtime.watchErasures { [weak self] in
        guard let last = self?.state.withLock({ $0.last }) else { return }
        if last.state.readAll(), last.pages.whatIsWrong == nil { last.pages.noteAllRead() }
      }
    }
  }

  /// Returns the completely read list that a former version saved for a request, or `nil` if no such list matches the
  /// log.
  ///
  /// The list is read completely because its pages can't be rebuilt: the code that built the list no longer exists.
  func openFormer(_ request: ListRequest<Row>, _ prepared: PreparedRequest, head: Position) throws -> ListState? {
    let request = try request.fingerprint(forCache: name)
    for signature in formerSignatures {
      guard let saved = try? lists.list(named: name, fingerprint: signature + " " + request), saved.position <= head,
        let root = try? SavedListRoot(saved.root)
      else { continue }
      guard let most = try? lists.byteLimit() else { continue }
      let pages = self.pages(of: saved.cache, nextPage: root.nextPage, most: most)
      let reader = SavedListReader<Row>(
        pages: pages, prepared: prepared, relations: relations,
        restored: {
          throw PageError(
            "the saved list cannot be rebuilt, because that requires a former version of the projection, and the "
              + "former version's code no longer exists")
        })
      guard let (list, _) = try? reader.state(root, at: saved.position) else { continue }
      if list.readAll(), pages.whatIsWrong == nil { return list }
    }
    return nil
  }

  /// Throws for a request whose list can't be saved.
  func check(_ request: ListRequest<Row>) throws { _ = try fingerprint(request) }

  /// Discards the restored list because a part of it is lost, so that the next list is saved as a whole.
  func lose(_ reason: String) {
    state.withLock { state in
      state.report.problem = reason
      guard let last = state.last else { return }
      state.report.pagesRead = last.pages.readCount
      state.wrong.append(last.cache)
      state.last = nil
    }
  }

  private func pages(of cache: Int, nextPage: Int = .max, most: Int = .max) -> TreePages {
    TreePages(cache: cache, nextPage: nextPage, most: most) { [lists] in try lists.page($0, ofCache: cache) }
  }

  private func miss(_ reason: String) -> ListState? {
    state.withLock { $0.report.miss = reason }
    return nil
  }

  func fingerprint(_ request: ListRequest<Row>) throws -> String {
    try signature + " " + request.fingerprint(forCache: name)
  }

  /// Saves a list soon, on another thread.
  func saveLater(_ list: ListState, of request: ListRequest<Row>) {
    state.withLock { $0.saving += 1 }
    queue.async { [self] in
      try? saveHere(list, of: request)
      state.withLock { $0.saving -= 1 }
      if isLong(list) { noteHeavy() }
    }
  }

  /// Saves a list before the call returns.
  func save(_ list: ListState, of request: ListRequest<Row>) throws {
    try queue.sync { try saveHere(list, of: request) }
    if isLong(list) { state.withLock { $0.isHeavy = true } }
  }

  /// Saves a list in a transaction of the store that may be rolled back.
  func save(_ list: ListState, of request: ListRequest<Row>, in transaction: any SavedListStore) throws {
    try queue.sync { try saveHere(list, of: request, in: transaction) }
  }

  /// Forgets the saved list, after a transaction is rolled back or before data is erased.
  func forget() { state.withLock { $0.last = nil } }

  /// Records and reports the error that prevents saves.
  func report(_ error: any Error) {
    state.withLock { $0.report.problem = described(error) }
    // The list will be saved after its next change, so this isn't a failure.
    if (error as? EventStoreError)?.code == .suspended { return }
    // Report on another thread, because the writer of an append may hold the store's lock here.
    reports.async { [stops, store] in stops.report(error, in: store) }
  }

  private func saveHere(
    _ list: ListState, of request: ListRequest<Row>, in transaction: (any SavedListStore)? = nil
  ) throws {
    let writer = transaction ?? lists
    do {
      let fingerprint = try fingerprint(request)
      let last = state.withLock { $0.last }
      let saved: Last?
      if let last, last.fingerprint == fingerprint, last.pages.whatIsWrong == nil {
        if last.state.position >= list.position { return }
        // Save a list as a whole after half of the possible pages or saves.
        let isLong =
          last.root.nextPage > SavedListRoot.lastPage / 2 || last.generation >= SavedListRoot.lastGeneration / 2
        if isLong {
          saved = try saveWhole(list, fingerprint, in: writer)
        } else if let added = try add(list, to: last, in: writer) {
          saved = added
        } else {
          // Another process or controller saved a list in the cache, or removed the cache. The saved list may be older
          // than this list. Stop treating the cache as this object's cache, because otherwise this list might replace a
          // newer list.
          forget()
          saved = try saveWhole(list, fingerprint, in: writer)
        }
      } else {
        saved = try saveWhole(list, fingerprint, in: writer)
      }
      state.withLock { state in
        // If `saved` is `nil`, another process or controller has saved a list that is just as good. Some nodes of this
        // list may be marked as saved although they aren't.
        state.last = saved
        guard let saved else { return }
        state.report.saved = saved.state.position
        state.report.problem = nil
        state.report.saveCount += 1
      }
      reports.async { [stops] in stops.noteSuccess() }
    } catch {
      // The saved places in nodes may be wrong now, so the next list is saved as a whole.
      state.withLock { state in
        state.last = nil
      }
      report(error)
      throw error
    }
  }

  /// Saves the parts of a list that differ from the last saved list.
  private func add(_ list: ListState, to last: Last, in writer: any SavedListStore) throws -> Last? {
    var pages: [SavedPage] = []
    let saver = TreeSaver(last.pages, nextPage: last.root.nextPage) {
      pages.append(SavedPage(number: $0, bytes: $1))
    }
    var samples = last.samples
    var root = try list.save(saver, relations, &samples)
    var freed = last.root.garbage + last.state.pages(notKeptBy: saver)
    if last.samples.page != .none, samples.page != last.samples.page { freed.append(last.samples.page.page) }
    // All required pages have been read at this point.
    try list.checkIsWhole()
    try last.state.checkIsWhole()
    if CacheReaders.shared.hasOthers(than: last.pages, of: store) {
      // Another reader in this process shows an older list, and might not have read all of its pages yet.
      (root.garbage, freed) = (freed, [])
    }
    let saved = SavedList(
      cache: last.cache, generation: last.generation + 1, position: list.position, root: root.bytes)
    guard try writer.save(saved, adding: pages, removing: freed) else { return nil }
    return Last(
      fingerprint: last.fingerprint, cache: last.cache, generation: saved.generation, root: root, state: list,
      pages: last.pages, samples: samples)
  }

  /// Saves a list in a new cache, or returns `nil` if an equally recent list is saved or if the list may not be
  /// saved.
  private func saveWhole(_ list: ListState, _ fingerprint: String, in writer: any SavedListStore) throws -> Last? {
    for _ in 0..<Self.tries {
      // A newer list of another controller or process is just as good.
      if let other = try writer.list(named: name, fingerprint: fingerprint), other.position >= list.position {
        let isReadable = (try? SavedListRoot(other.root)) != nil
        let isOurs = state.withLock { $0.last?.pages.cache == other.cache || $0.wrong.contains(other.cache) }
        if isReadable, !isOurs { return nil }
      }
      guard let cache = try writer.makeCache(named: name, fingerprint: fingerprint, revision: list.revision) else {
        return nil
      }
      // If this list wasn't saved, a newer list was saved or the log was rewritten. The next iteration finds out which.
      if let saved = try save(list, fingerprint, inNew: cache, writer) { return saved }
    }
    return nil
  }

  /// The maximum number of attempts to write a whole list, if other writers save newer lists that can't be read.
  private static var tries: Int { 3 }

  private func save(
    _ list: ListState, _ fingerprint: String, inNew cache: Int, _ writer: any SavedListStore
  ) throws -> Last? {
    let reader = self.pages(of: cache)
    var pages: [SavedPage] = []
    let saver = TreeSaver(reader, nextPage: 1) { number, bytes in
      pages.append(SavedPage(number: number, bytes: bytes))
      if pages.count == Self.pagesAtOnce {
        try writer.add(pages, toCache: cache)
        pages = []
      }
    }
    var samples = RowSamples()
    let root = try list.save(saver, relations, &samples)
    try list.checkIsWhole()
    let saved = SavedList(cache: cache, generation: 1, position: list.position, root: root.bytes)
    guard try writer.save(saved, adding: pages, removing: []) else { return nil }
    CacheReaders.shared.add(reader, of: store)
    return Last(
      fingerprint: fingerprint, cache: cache, generation: 1, root: root, state: list, pages: reader, samples: samples)
  }
}

extension Timeline {
  /// Returns the data to save for a list, including the rows from which the list was built.
  ///
  /// If `listed` is `nil`, these are the rows at the live end.
  func state(of list: Results<Row>, _ listed: State? = nil) throws -> ListState {
    let rows = (listed ?? live).rows
    guard let settings = rows.entries.settingsByName else {
      throw PageError(
        "the projection sets section titles or numbers for a computed property, but a saved list can't identify a "
          + "computed property. Give the sectioning a name: group the rows with .by(\"a name\") { … }, and call "
          + "renameSection(_:of: \"a name\", to:)")
    }
    return ListState(
      list: list.list, settings: settings, entities: rows.related.byName,
      appearances: appearances(through: list.position),
      position: list.position, revision: revision ?? .original)
  }
}

extension ListState {
  /// Rebuilds a list from rows and a request.
  init<Row: Annals.Row>(
    _ prepared: PreparedRequest, _ rows: Rows<Row>, at position: Position, _ appearances: [SectionKey: Position]
  ) {
    let storage = ListStorage(
      prepared, rows.entries.ids, rows.entries.settings(of: prepared.keyer.rules.criterion), appearances, knowing: nil)
    self.init(
      list: storage.list, settings: rows.entries.settingsByName ?? [:], entities: rows.related.byName,
      appearances: appearances,
      position: position)
  }
}

/// A list that is rebuilt from its events when it is first used.
private final class Again: Sendable {
  private struct State {
    var made: ListState?
    var failure: (any Error)?
  }

  /// A closure that builds the list, and stores the number of folded events in its parameter even if it throws.
  private let make: @Sendable (inout Int) throws -> ListState
  private let state = Mutex(State())
  /// The number of folded events after which a failed attempt isn't retried.
  ///
  /// Otherwise, every access to a row would repeat the failed attempt.
  private static var patience: Int { 10_000 }

  init(_ make: @escaping @Sendable (inout Int) throws -> ListState) { self.make = make }

  func list() throws -> ListState {
    try state.withLock { state in
      if let made = state.made { return made }
      if let failure = state.failure { throw failure }
      var count = 0
      do {
        let list = try make(&count)
        state.made = list
        return list
      } catch {
        if count >= Self.patience { state.failure = error }
        throw error
      }
    }
  }
}

/// The readers in this process that may still read pages of a cache.
private final class CacheReaders: Sendable {
  static let shared = CacheReaders()

  private struct Reader {
    weak var pages: TreePages?
    let cache: Int
    /// The identity of the store's runtime, which stores that wrap this store share.
    let store: ObjectIdentifier
  }

  private let readers = Mutex<[Reader]>([])

  func add(_ pages: TreePages, of store: any EventStore) {
    readers.withLock { readers in
      readers.removeAll { $0.pages == nil }
      readers.append(Reader(pages: pages, cache: pages.cache, store: ObjectIdentifier(store.runtime)))
    }
  }

  func hasOthers(than pages: TreePages, of store: any EventStore) -> Bool {
    readers.withLock { readers in
      readers.contains {
        $0.pages != nil && $0.pages !== pages && $0.cache == pages.cache && $0.store == ObjectIdentifier(store.runtime)
      }
    }
  }
}
