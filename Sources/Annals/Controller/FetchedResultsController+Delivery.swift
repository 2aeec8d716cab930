import AnnalsLog
import Foundation
import Observation

extension FetchedResultsController: DeliveryMember {
  var missing: Position? {
    guard phase.hasFetched, !isSuspended || phase.isArriving, !phase.isStopped, case .live = moment else { return nil }
    return timeline.live.position
  }

  func prepare(_ tail: Result<LogTail, any Error>) {
    prepared = nil
    guard phase.hasFetched, !isSuspended || phase.isArriving else { return }
    followRevision(tail)
    let wasLost = isLost
    // Another controller with the same rows passed the event that stopped this one.
    if case .live = moment, phase.isStopped, timeline.live.position > followed { advance(by: .retried) }
    if wasLost {
      listJob = nil
      guard mend(tail.map(\.head)) else { return }
    } else if case .live = moment, !phase.isStopped {
      do {
        let tail = try tail.get()
        try folding { if try !timeline.advance(with: tail) { try timeline.advance(through: tail.head) } }
        if lastFailure != nil { setFailure(nil) }
      } catch {
        // A store may work again at the next commit, but an event that can't be folded stays that way.
        advance(by: .failed(isFinal: !(error is EventStoreError)))
        newFailure = error
      }
      if timeline.live.position > followed { cause.insert(.events) }
    }
    if case .live = moment { followed = timeline.live.position }
    guard !cause.isEmpty || isLost else { return }
    if canSkip() { return prepared = (Results(shown.storage, at: timeline.live.position), nil, cause) }
    prepared = makeList()
    guard isLost, !wasLost else { return }
    // The loss was detected only now, so the new list is invalid.
    prepared = nil
    if mend(tail.map(\.head)) { prepared = makeList() }
  }

  /// Returns true if the folded events don't affect the list.
  ///
  /// In this case, only the list's position changes.
  ///
  /// For an event that doesn't affect the list, rebuilding the list only to find no change was half of the event's
  /// cost. After 64 such events the list is rebuilt anyway, because the next event that affects the list has to search
  /// all row changes since the last rebuild.
  private func canSkip() -> Bool {
    guard cause == .events, case .live = moment, phase == .showing(isStopped: false), listCache == nil, listJob == nil,
      saved == nil, shown.storage.prepared === preparedRequest
    else { return false }
    let (rows, count) = passed ?? (shown.storage.list.ids, 0)
    guard count < 64, let now = timeline.passOver(shown.storage, since: rows) else { return false }
    passed = (now, count + 1)
    return true
  }

  private func makeList() -> (new: Results<Row>, changes: Changes<Row>?, cause: ChangeCause) {
    passed = nil
    if let (list, changes) = takeMadeList() { return (list, changes, cause) }
    let new = list()
    guard isObserved || listener != nil else { return (new, nil, cause) }
    return (new, Changes(delivering: new, after: shown, cause: cause), cause)
  }

  /// Rebuilds the list, at the live end or in the past, if the log was rewritten since it was built.
  private func followRevision(_ tail: Result<LogTail, any Error>) {
    do {
      defer { noteRevision() }
      let found = try tail.get().revision
      notice(found)
      if found != timeline.revision { try timeline.follow() }
    } catch {
      // A list that can't be refolded is no longer shown.
      advance(by: .failed(isFinal: !(error is EventStoreError)))
      newFailure = error
    }
  }

  private func noteRevision() {
    guard let found = timeline.revision, found != knownRevision else { return }
    let before = knownRevision
    knownRevision = found
    guard let before else { return }
    if found.erasures != before.erasures { cause.insert(.erasure) }
    if found.compacted != before.compacted { cause.insert(.compaction) }
    if found.rebases != before.rebases {
      cause.insert(.rebase)
      // The event that couldn't be folded may have been removed.
      if phase.isStopped { advance(by: .retried) }
    }
    listCache?.forget()
    lastSave = 0
    guard case .past(let state) = moment else { return }
    // A past that can't be folded without the removed events can't be shown, so the list returns to the live end.
    moment = .live
    do {
      moment = .past(try timeline.state(at: state.position))
    } catch {
      newFailure = error
    }
  }

  /// The delegate, or `nil` if it isn't notified of the next list.
  ///
  /// As in Core Data, the delegate isn't notified of the first list.
  var listener: (any FetchedResultsControllerDelegate<Row>)? { phase.isSilent ? nil : currentDelegate }

  /// True if observers other than the delegate receive changes.
  var isObserved: Bool { hasObservers || hasSubscriptions && hasSubscribers }

  // Not inlined, because the type metadata it needs is looked up at its beginning.
  @inline(never)
  private var hasSubscribers: Bool { subscriptions.contains { $0.value != nil } }

  func deliver() {
    if !preparedRequest.filterFailures.isEmpty { reportFilter() }
    if let changes = deliverPrepared(), changes.rowChanges.count > 1_000 { group.endLater(consume changes) }
    deliverFailure()
    saveIfDue(after: 4_096)
    unloadRows()
  }

  @inline(never)
  private func reportFilter() { preparedRequest.reportFailures(in: (store.source, store.environment)) }

  /// Shows the prepared list, and notifies the delegate and observers.
  ///
  /// - Returns: The changes, or `nil` without a delegate and observers. The changes retain the former list.
  private func deliverPrepared() -> Changes<Row>? {
    guard let (new, known, cause) = prepared, !isSuspended || phase.isArriving else { return nil }
    prepared = nil
    self.cause.subtract(cause)
    if new.storage === shown.storage && known == nil || listener == nil && !isObserved {
      // The list is unchanged, or has no observers.
      advance(by: .shown)
      registrar.withMutation(of: self, keyPath: resultsPath) { shown = new }
      return nil
    }
    var changes = known ?? Changes(from: shown, to: new, cause: cause)
    if !unheard.isEmpty { changes = changes.because(of: changes.cause.union(unheard)) }
    guard !changes.isEmpty else {
      // The next batch may move to an earlier position, so it reports the reason.
      unheard.formUnion(changes.cause.intersection(.rebase))
      // Observers aren't notified, even though the list is at a later position.
      advance(by: .shown)
      registrar.withMutation(of: self, keyPath: resultsPath) { shown = changes.new }
      return nil
    }
    unheard = []
    let delegate = listener
    toldDelegate = delegateNumber
    advance(by: .shown)
    let reported = delegate == nil ? changes : changes.reporting(moves)
    deliverStructure(reported, to: delegate)
    deliverContent(reported, to: delegate)
    if !reported.aggregates.isEmpty, isCurrent(delegate) {
      delegate?.controller(self, didChangeAggregates: reported.aggregates)
    }
    if let delegate, isCurrent(delegate) {
      delegate.controller(self, didChangeContentWith: changes.new)
      if type(of: delegate).takesDifferences, isCurrent(delegate) {
        delegate.controller(self, didChangeContentWith: changes.difference)
      }
    }
    tellObservers(changes)
    return changes
  }

  /// Notifies the observers other than the delegate.
  ///
  /// An observer's batch begins with the last list that this observer received.
  func tellObservers(_ changes: Changes<Row>) {
    if hasObservers || hasSubscriptions { tellAll(changes) }
  }

  @inline(never)
  private func tellAll(_ changes: Changes<Row>) {
    for subscription in subscriptions { subscription.value?.add(changes) }
    subscriptions.removeAll { $0.value == nil }
    for number in observers.map({ $0.number }) {
      guard let index = observers.firstIndex(where: { $0.number == number }) else { continue }
      let observer = observers[index]
      observers[index].known = changes.new
      observer.body(changes.beginning(at: observer.known))
    }
  }

  /// Returns false for a delegate that was removed or replaced inside a callback.
  ///
  /// Such a delegate doesn't receive the rest of the batch.
  private func isCurrent(_ delegate: (any FetchedResultsControllerDelegate<Row>)?) -> Bool {
    delegate != nil && delegateNumber == toldDelegate
  }

  private func deliverStructure(_ changes: Changes<Row>, to delegate: (any FetchedResultsControllerDelegate<Row>)?) {
    let rows = changes.rowChanges
    let isEmpty =
      changes.sections.allSatisfy { if case .update = $0 { true } else { false } } && !rows.hasStructure
    if !isEmpty, isCurrent(delegate) { delegate?.controllerWillChangeContent(self) }
    registrar.withMutation(of: self, keyPath: resultsPath) { shown = changes.new }
    guard !isEmpty else { return }
    for change in changes.sections where isCurrent(delegate) {
      switch change {
      case .delete(let index, _): tell(delegate, changes.old.sections[index], index, .delete, nil)
      case .insert(let index, _, _): tell(delegate, changes.new.sections[index], index, .insert, nil)
      case .move(let from, let to, _): tell(delegate, changes.new.sections[to], from, .move, to)
      case .update: break
      }
    }
    rows.structure { row, from, to in
      guard isCurrent(delegate) else { return false }
      tell(delegate, row, from, from == nil ? .insert : to == nil ? .delete : .move, to)
      return true
    }
    if isCurrent(delegate) { delegate?.controllerDidChangeContent(self) }
  }

  private func deliverContent(_ changes: Changes<Row>, to delegate: (any FetchedResultsControllerDelegate<Row>)?) {
    guard isCurrent(delegate) else { return }
    var sections: [Int] = []
    for change in changes.sections {
      if case .update(_, let newIndex, _, _) = change { sections.append(newIndex) }
    }
    if sections.isEmpty && !changes.rowChanges.hasContent { return }
    delegate?.controllerWillChangeContent(self)
    for index in sections where isCurrent(delegate) {
      tell(delegate, changes.new.sections[index], index, .update, index)
    }
    changes.rowChanges.content { row, path in
      guard isCurrent(delegate) else { return false }
      tell(delegate, row, path, .update, path)
      return true
    }
    if isCurrent(delegate) { delegate?.controllerDidChangeContent(self) }
  }

  private func tell(
    _ delegate: (any FetchedResultsControllerDelegate<Row>)?, _ section: ResultsSection<Row>, _ index: Int,
    _ type: FetchedResultsChangeType, _ newIndex: Int?
  ) {
    delegate?.controller(self, didChange: section, atSectionIndex: index, for: type, newSectionIndex: newIndex)
  }

  private func tell(
    _ delegate: (any FetchedResultsControllerDelegate<Row>)?, _ row: Row, _ path: RowPath?,
    _ type: FetchedResultsChangeType, _ newPath: RowPath?
  ) {
    delegate?.controller(
      self, didChange: row, at: path.map { IndexPath($0) }, for: type, newIndexPath: newPath.map { IndexPath($0) })
  }

  private func deliverFailure() {
    guard let failure = newFailure else { return }
    newFailure = nil
    setFailure(failure)
    currentDelegate?.controller(self, didFailWith: failure)
  }
}
