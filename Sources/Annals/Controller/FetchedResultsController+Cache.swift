import Observation

extension FetchedResultsController {
  /// A report about loading and saving the list under the controller's ``cacheName``.
  public var cacheReport: CacheReport {
    use { listCache?.report ?? CacheReport() }
  }

  /// Saves the list before the call returns.
  ///
  /// Call this method when your app is about to be suspended, so that the next launch doesn't need to apply (fold) any
  /// events. In addition, the controller saves the list automatically on another thread, after the first fetch and then
  /// after every few thousand events. The call has no effect if ``cacheName`` is `nil` or ``isSeeking`` is true.
  ///
  /// - Throws: The error that prevented the save. No data is lost, but the next launch folds more events.
  /// - Complexity: O(k log n) if k of the list's n rows changed since the last save.
  public func saveCache() throws {
    try use {
      guard let listCache else { return }
      if isLost { group.deliver(only: self) }
      do {
        try save(in: listCache)
      } catch  where isLost {
        // The save itself detected the loss.
        group.deliver(only: self)
        try save(in: listCache)
      }
      unloadRows()
    }
  }

  private func save(in listCache: ListCache<Row>) throws {
    guard phase.hasFetched, let list = try savable() else {
      if phase.hasFetched, isLost { throw lastFailure ?? PageError("a part of the saved list can't be read") }
      return
    }
    lastSave = list.position
    try listCache.save(list, of: wanted)
  }

  /// Loads the saved list, or returns false if no saved list matches the request and the log.
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

  /// True while the controller shows a saved list that a former version of the projection built.
  ///
  /// See ``Projection/formerVersions``.
  public var showsFormerVersion: Bool {
    use {
      registrar.access(self, keyPath: \.showsFormerVersion)
      return phase.isShowingPlaceholder
    }
  }

  /// Shows the list that a former version saved, if available, and notifies all observers except the delegate.
  func showStandIn() throws {
    guard let listCache, case .live = moment, !phase.isShowingPlaceholder, saved == nil else { return }
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

  /// Saves the list on another thread if at least the given number of events is new since the last save.
  func saveIfDue(after events: Int) {
    guard let listCache, phase.hasFetched, shown.position.rawValue - lastSave.rawValue >= events else { return }
    guard let list = try? savable() else { return }
    lastSave = list.position
    listCache.saveLater(list, of: wanted)
  }

  /// Returns the latest list at the log's end.
  ///
  /// The result is `nil` while another list is shown, or if the list was built before the log was rewritten.
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
