import AnnalsLog

extension ListSource {
  /// Loads the saved list, or returns false if no saved list matches the request and the log.
  func open(for presentation: ListPresentation<Row>, in store: any EventStore) throws -> Bool {
    guard let listCache, presentation.isLive, timeline.shared.isAlone else { return false }
    try timeline.follow()
    let (request, prepared) = (presentation.request, presentation.prepared)
    guard let state = try listCache.open(request, prepared, head: store.head()) else { return false }
    let storage = ListStorage(prepared, saved: state.list)
    if storage.isLost {
      listCache.lose(storage.origin?.whatIsWrong ?? "")
      return false
    }
    timeline.begin(state)
    timeline.resumeTracking(request.appearingSection)
    basis = basis.after(.opened(storage))
    saves.begin(at: state.position)
    return true
  }

  /// Returns the latest list at the log's end.
  ///
  /// The result is `nil` while another list is shown, or if the list was built before the log was rewritten.
  private func state(of presentation: ListPresentation<Row>) throws -> ListState? {
    let shown = presentation.shown
    guard isSettled, presentation.isAtEnd, let listed, shown.position == listed.position, shown.position > 0 else {
      return nil
    }
    do {
      return try timeline.state(of: shown, listed)
    } catch {
      listCache?.report(error)
      throw error
    }
  }

  /// Saves the list before the call returns, or returns false if it can't be saved at the moment.
  func save(_ presentation: ListPresentation<Row>) throws -> Bool {
    guard let listCache, let list = try state(of: presentation) else { return false }
    saves.begin(at: list.position)
    try listCache.save(list, of: presentation.request)
    return true
  }

  /// Saves the list on another thread if at least the given number of events is new since the last save.
  func saveIfDue(_ presentation: ListPresentation<Row>, after events: Int) {
    guard let listCache, saves.isDue(at: presentation.shown.position, after: events),
      let list = try? state(of: presentation)
    else { return }
    saves.begin(at: list.position)
    listCache.saveLater(list, of: presentation.request)
  }

  /// Saves the list on another thread, so that its rows can be released afterwards.
  ///
  /// If few rows are in memory, the save waits for more changes.
  ///
  /// - Returns: The pause until the next attempt, or `nil` if the last attempt was too recent.
  func saveForRelease(_ presentation: ListPresentation<Row>) -> Duration? {
    let now = ContinuousClock.now
    guard let listCache else { return nil }
    if listCache.mayRest(presentation.shown.storage.origin) {
      if let rest = saves.beginRest(at: now) { return rest }
    } else {
      saves.endRest()
    }
    guard saves.mayRelease(at: now), let list = try? state(of: presentation) else { return nil }
    let pause = saves.beginRelease(at: list.position, now)
    listCache.saveLater(list, of: presentation.request)
    return pause
  }
}

// A saved list doesn't stay in memory.
extension ListSource {
  /// The maximum number of events to refold after reloading the saved list.
  private static var maximumRefold: Int { 256 }

  /// True if no job or other controller uses the rows of a list, and the list doesn't need them in memory.
  func mayRelease(_ shown: Results<Row>) -> Bool {
    basis.isShown && !keepsRows && isSettled && timeline.shared.isIdle && timeline.live.position == shown.position
  }

  /// Returns the saved list, without rows in memory, if it is at most a few events older than the shown list.
  func reopened(for presentation: ListPresentation<Row>) -> ListCache<Row>.Last? {
    let position = presentation.shown.position
    return listCache?.reopened(
      presentation.request, presentation.prepared,
      in: Position(max(0, position.rawValue - Self.maximumRefold))...position)
  }

  /// Reloads a saved list and folds the later events, without rows in memory that weren't needed for this.
  ///
  /// - Returns: The list, which equals the shown list, and the former rows. The result is `nil` if this fails.
  ///   The source is then unchanged.
  func reload(
    _ last: ListCache<Row>.Last, for presentation: ListPresentation<Row>
  ) -> (list: Results<Row>, former: Timeline<Row>.Mark)? {
    let (mark, shown) = (timeline.mark, presentation.shown)
    timeline.begin(last.state)
    timeline.resumeTracking(presentation.request.appearingSection)
    let saved = ListStorage(presentation.prepared, saved: last.state.list)
    do {
      try timeline.advance(through: shown.position)
      let base = Results<Row>(saved, at: last.state.position)
      let list = timeline.list(presentation.prepared, knowing: base).collapsing(presentation.collapsed)
      if isSettled, !list.storage.isLost, list.hasSameCounts(as: shown) {
        listCache?.take(last)
        listed = timeline.live
        saves.released()
        return (list, mark)
      }
    } catch {
      // The current list doesn't depend on this attempt, regardless of the error.
    }
    timeline.return(to: mark)
    return nil
  }
}

extension Results {
  /// Returns true if two lists have the same position and the same numbers of sections and rows.
  fileprivate func hasSameCounts(as other: Results) -> Bool {
    position == other.position && count == other.count && rows.count == other.rows.count
  }
}
