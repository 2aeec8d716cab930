import Observation

extension FetchedResultsController {
  /// So many events after the saved list are folded again, to go on with it.
  private static var shortWay: Int { 256 }
  /// How long a list that goes on while it is saved waits before it is saved again: so long, and twice as long each
  /// further time.
  private static var pause: (first: Duration, longest: Duration) { (.milliseconds(20), .seconds(5)) }

  /// Goes on with the list as it was saved, whose rows are not in memory, if more of them are there than are needed.
  ///
  /// What is shown stays equal, so that no delegate and no observer of changes hears of it. Who observes ``results``
  /// does: a list that is held keeps its rows in memory.
  func letGoOfRows() {
    guard let listCache, listCache.isHeavy, !listCache.isSaving, mayLetGo else { return }
    if let last = listCache.reopened(wanted, preparedRequest),
      (0...Self.shortWay).contains(shown.position.rawValue - last.state.position.rawValue)
    {
      return goOn(with: last, in: listCache)
    }
    // The list is further than what was saved.
    let now = ContinuousClock.now
    guard now >= nextResave else { return }
    guard let list = try? savable() else { return }
    let pause = min(Self.pause.first * (1 << min(resaves, 16)), Self.pause.longest)
    (resaves, nextResave, lastSave) = (resaves + 1, now + pause, list.position)
    // Where it goes on again until it is saved, it is tried then.
    group.hopToOwner(after: pause) { $0.letGoOfRows() }
    listCache.saveLater(list, of: wanted)
  }

  /// True if nothing else is under way, and all that is in memory is the list's own.
  private var mayLetGo: Bool {
    guard case .live = moment, !keepsRows, phase.hasFetched, !phase.isArriving, !phase.isStopped, !isSuspended, !isLost,
      prepared == nil, listJob == nil, saved == nil, cause.isEmpty, timeline.shared.job == nil,
      timeline.shared.openRun == nil, timeline.shared.isAlone, knownRevision == timeline.revision,
      shown.position == timeline.live.position, shown.storage.prepared === preparedRequest
    else { return false }
    // What is kept of all rows is made of all of them.
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
      // Whatever it is, the list as it is does not need it.
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
