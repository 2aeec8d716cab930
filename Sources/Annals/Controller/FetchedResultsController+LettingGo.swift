import Observation

extension FetchedResultsController {
  /// The maximum number of events to refold after reloading the saved list.
  private static var shortWay: Int { 256 }
  /// The pauses between attempts to save a list that changes while it is saved.
  ///
  /// The first pause is doubled for every attempt, up to the longest pause.
  private static var pause: (first: Duration, longest: Duration) { (.milliseconds(20), .seconds(5)) }

  /// Reloads the saved list, without rows in memory, if the current list has more rows in memory than needed.
  ///
  /// The shown list remains equal, so the delegate and the observers of changes aren't notified. Observers of
  /// ``results`` are notified, because an older list that they hold would keep its rows in memory.
  func unloadRows() {
    guard let listCache, listCache.isHeavy, !listCache.isSaving, canUnload else { return }
    if let last = listCache.reopened(wanted, preparedRequest),
      (0...Self.shortWay).contains(shown.position.rawValue - last.state.position.rawValue)
    {
      return goOn(with: last, in: listCache)
    }
    // The list is ahead of the saved one.
    let now = ContinuousClock.now
    guard now >= nextResave else { return }
    guard let list = try? savable() else { return }
    let pause = min(Self.pause.first * (1 << min(resaves, 16)), Self.pause.longest)
    (resaves, nextResave, lastSave) = (resaves + 1, now + pause, list.position)
    // If the list changes again during the save, this retries.
    group.hopToOwner(after: pause) { $0.unloadRows() }
    listCache.saveLater(list, of: wanted)
  }

  /// True if no other work is in progress, and only this list uses the rows in memory.
  private var canUnload: Bool {
    guard case .live = moment, !keepsRows, phase.hasFetched, !phase.isArriving, !phase.isStopped, !isSuspended, !isLost,
      prepared == nil, listJob == nil, saved == nil, cause.isEmpty, timeline.shared.job == nil,
      timeline.shared.openRun == nil, timeline.shared.isAlone, knownRevision == timeline.revision,
      shown.position == timeline.live.position, shown.storage.prepared === preparedRequest
    else { return false }
    // Aggregates and the text index are built from all rows.
    return preparedRequest.aggregator == nil && preparedRequest.textIndex == nil
  }

  private func goOn(with last: ListCache<Row>.Last, in listCache: ListCache<Row>) {
    let (mark, before) = (timeline.mark, shown)
    timeline.begin(last.state)
    timeline.goOnTracking(wanted.appearingSection)
    let base = Results<Row>(ListStorage(preparedRequest, saved: last.state.list), at: last.state.position)
    do {
      try timeline.advance(through: before.position)
    } catch {
      // The current list doesn't depend on this attempt, regardless of the error.
      return timeline.return(to: mark)
    }
    let list = timeline.list(preparedRequest, knowing: base).collapsing(collapsed[wanted.criterion] ?? .none)
    guard timeline.revision == knownRevision, list.position == before.position, !timeline.isLost, !list.storage.isLost,
      list.count == before.count, list.rows.count == before.rows.count
    else { return timeline.return(to: mark) }
    listCache.take(last)
    listed = timeline.live
    resaves = 0
    registrar.withMutation(of: self, keyPath: resultsPath) { shown = list }
    for index in observers.indices where observers[index].known.storage === before.storage {
      observers[index].known = list
    }
    for subscription in subscriptions { subscription.value?.replace(before, by: list) }
    group.endLater((mark, before))
  }
}
