import Observation

extension FetchedResultsController {
  /// A report about loading and saving the list under the controller's ``cacheName``.
  public var cacheReport: CacheReport {
    use { source.listCache?.report ?? CacheReport() }
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
      guard source.listCache != nil else { return }
      source.takeBack()
      if isLost { group.deliver(only: self) }
      do {
        try save()
      } catch  where isLost {
        // The save itself detected the loss.
        group.deliver(only: self)
        try save()
      }
      unloadRows()
    }
  }

  private func save() throws {
    guard phase.hasFetched, try !source.save(presentation), isLost else { return }
    throw lastFailure
      ?? PageError(
        "the list wasn't saved, because a part of the earlier saved list can't be read. No data is lost, but the next "
          + "launch applies more events")
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
    guard let listCache = source.listCache, source.basis.saved == nil, presentation.isLive, !phase.isShowingPlaceholder,
      let state = try listCache.openFormer(presentation.request, presentation.prepared, head: store.head())
    else { return }
    let list = Results<Row>(ListStorage(presentation.prepared, saved: state.list), at: state.position)
      .collapsing(presentation.collapsed)
    let changes = audience.isObserved ? Changes(from: presentation.shown, to: list, cause: .events) : nil
    show(list)
    advance(by: .stoodIn)
    if let changes, !changes.isEmpty { audience.notify(changes) }
  }
}
