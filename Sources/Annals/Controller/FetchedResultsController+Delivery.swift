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
    // What stopped this controller went well for another that has the same rows.
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
        // A store may answer again at the next commit; an event that cannot be folded stays what it is.
        advance(by: .failed(isFinal: !(error is EventStoreError)))
        newFailure = error
      }
      if timeline.live.position > followed { cause.insert(.events) }
    }
    if case .live = moment { followed = timeline.live.position }
    guard !cause.isEmpty || isLost else { return }
    if passesOver() { return prepared = (Results(shown.storage, at: timeline.live.position), nil, cause) }
    prepared = makeList()
    guard isLost, !wasLost else { return }
    // It turned out only now: nothing of what was made holds.
    prepared = nil
    if mend(tail.map(\.head)) { prepared = makeList() }
  }

  /// True if nothing that was folded concerns the list that is shown, so that it is shown on, at the later position.
  ///
  /// To make the list and find that nothing changed was half of what an event costs a list that shows nothing of it.
  /// After 64 events it is made again: the next one that concerns it has to look for what happened since.
  private func passesOver() -> Bool {
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

  /// Makes the list again, at the live end or in the past, if the log was rewritten since it was made.
  private func followRevision(_ tail: Result<LogTail, any Error>) {
    do {
      defer { noteRevision() }
      let found = try tail.get().revision
      notice(found)
      if found != timeline.revision { try timeline.follow() }
    } catch {
      // What cannot be folded again is not shown any more.
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
      // The event that could not be folded may not be there any more.
      if phase.isStopped { advance(by: .retried) }
    }
    listCache?.forget()
    lastSave = 0
    guard case .past(let state) = moment else { return }
    // What cannot be folded without what is gone cannot be shown: the list returns to the live end.
    moment = .live
    do {
      moment = .past(try timeline.state(at: state.position))
    } catch {
      newFailure = error
    }
  }

  /// The delegate, unless it is not notified of the next list: as with Core Data it reads the first one as a whole.
  var listener: (any FetchedResultsControllerDelegate<Row>)? { phase.isSilent ? nil : currentDelegate }

  /// True if there is anyone beside the delegate who hears of changes.
  var isObserved: Bool { hasObservers || hasSubscriptions && hasSubscribers }

  // Not inlined: what it needs to know of its types is looked up where it begins.
  @inline(never)
  private var hasSubscribers: Bool { subscriptions.contains { $0.value != nil } }

  func deliver() {
    if !preparedRequest.filterFailures.isEmpty { reportFilter() }
    if let changes = deliverPrepared(), changes.rowChanges.count > 1_000 { group.endLater(consume changes) }
    deliverFailure()
    saveIfDue(after: 4_096)
    letGoOfRows()
  }

  @inline(never)
  private func reportFilter() { preparedRequest.reportFailures(in: (store.source, store.environment)) }

  /// Shows what was prepared, and notifies those who listen.
  ///
  /// - Returns: What changed, and with it the former list; nil if no one listens.
  private func deliverPrepared() -> Changes<Row>? {
    guard let (new, known, cause) = prepared, !isSuspended || phase.isArriving else { return nil }
    prepared = nil
    self.cause.subtract(cause)
    if new.storage === shown.storage && known == nil || listener == nil && !isObserved {
      // Nothing changed, or that is of no interest.
      advance(by: .shown)
      registrar.withMutation(of: self, keyPath: resultsPath) { shown = new }
      return nil
    }
    var changes = known ?? Changes(from: shown, to: new, cause: cause)
    if !unheard.isEmpty { changes = changes.because(of: changes.cause.union(unheard)) }
    guard !changes.isEmpty else {
      // The next batch may lead to an earlier position, and says why.
      unheard.formUnion(changes.cause.intersection(.rebase))
      // No observer is notified, and yet the list is at a later position.
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

  /// Tells those who observe beside the delegate; for each, the batch begins at the list that it knows.
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

  /// A delegate that was taken away or replaced inside a callback hears no more of the batch.
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
