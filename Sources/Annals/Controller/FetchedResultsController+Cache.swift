import Observation

extension FetchedResultsController {
  /// What became of the list that is saved under the controller's ``cacheName``.
  public var cacheReport: CacheReport {
    use { listCache?.report ?? CacheReport() }
  }

  /// Saves the list as it is at the live end, and returns when that is done.
  ///
  /// The controller saves it without being asked: on another thread, after the first fetch and then whenever some
  /// thousand events have come. An app that is about to be suspended saves it here, so that the next start has nothing
  /// to fold.
  ///
  /// - Throws: What keeps the list from being saved. Nothing is lost then: the next start folds more events.
  /// - Complexity: O(k log n) for k rows that changed since the list was saved last.
  public func saveCache() throws {
    try use {
      guard let listCache else { return }
      if isLost { group.deliver(only: self) }
      do {
        try save(in: listCache)
      } catch  where isLost {
        // What was lost was found out by saving it.
        group.deliver(only: self)
        try save(in: listCache)
      }
      letGoOfRows()
    }
  }

  private func save(in listCache: ListCache<Row>) throws {
    guard phase.hasFetched, let list = try savable() else {
      if phase.hasFetched, isLost { throw lastFailure ?? PageError("a part of the list is lost") }
      return
    }
    lastSave = list.position
    try listCache.save(list, of: wanted)
  }

  /// Begins with the list that was saved; false if there is none that fits.
  func beginWithSavedList() throws -> Bool {
    guard let listCache, case .live = moment, timeline.shared.isAlone else { return false }
    try timeline.follow()
    guard let state = try listCache.open(wanted, preparedRequest, head: store.head()) else { return false }
    let storage = ListStorage(preparedRequest, saved: state.list)
    if storage.isLost {
      listCache.lose(storage.origin?.whatIsWrong ?? "")
      return false
    }
    timeline.begin(state)
    timeline.goOnTracking(wanted.appearingSection)
    saved = Results(storage, at: state.position)
    lastSave = state.position
    offerRows()
    return true
  }

  /// True while a list is shown that a former version of the projection saved: ``Projection/formerVersions``.
  public var showsFormerVersion: Bool {
    use {
      registrar.access(self, keyPath: \.showsFormerVersion)
      return phase.standsIn
    }
  }

  /// Shows the list that a former version saved, if there is one, to all but the delegate.
  func showStandIn() throws {
    guard let listCache, case .live = moment, !phase.standsIn, saved == nil else { return }
    guard let state = try listCache.openFormer(wanted, preparedRequest, head: store.head()) else { return }
    let list = Results<Row>(ListStorage(preparedRequest, saved: state.list), at: state.position)
      .collapsing(collapsed[wanted.criterion] ?? .none)
    let changes = isObserved ? Changes(from: shown, to: list, cause: .events) : nil
    registrar.withMutation(of: self, keyPath: resultsPath) {
      shown = list
      advance(by: .stoodIn)
    }
    if let changes, !changes.isEmpty { tellObservers(changes) }
  }

  /// Has the list saved on another thread, if so many events came since.
  func saveIfDue(after events: Int) {
    guard let listCache, phase.hasFetched, shown.position.rawValue - lastSave.rawValue >= events else { return }
    guard let list = try? savable() else { return }
    lastSave = list.position
    listCache.saveLater(list, of: wanted)
  }

  /// The live list that was made last; nil while another is shown, or if it was made before the log was rewritten.
  func savable() throws -> ListState? {
    guard !isLost, case .live = moment, let listed, shown.position == listed.position,
      knownRevision == timeline.revision, shown.storage.prepared === preparedRequest, shown.position > 0
    else { return nil }
    do {
      return try timeline.state(of: shown, listed)
    } catch {
      listCache?.report(error)
      throw error
    }
  }
}
