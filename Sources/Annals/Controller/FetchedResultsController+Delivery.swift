import AnnalsLog
import Observation

extension FetchedResultsController: DeliveryMember {
  /// True if new events and changes may be delivered.
  var isDelivering: Bool { phase.delivers(isSuspended: audience.isSuspended) }

  /// True if the list follows the log's end.
  var isFollowing: Bool { isDelivering && !phase.isStopped && presentation.isLive }

  var missing: Position? { isFollowing ? source.timeline.live.position : nil }

  func prepare(_ tail: Result<LogTail, any Error>) {
    presentation.batch = nil
    guard isDelivering else { return }
    // Without the check for an equal controller, the records of twenty different lists took a ninth of the
    // instructions of a change.
    guard let pass, pass.isShared, presentation.prepared.isShared, mayShareBatch else { return prepareAlone(tail) }
    if let lead = pass.lead(of: presentation.prepared, Row.self), takeOver(lead) { return }
    let lead = ListLead(self)
    prepareAlone(tail)
    if lead.complete(by: self) { pass.note(lead) }
  }

  /// True if the controller only has to follow the log, with a list that other controllers may share.
  private var mayShareBatch: Bool {
    group.hasOwner && source.mayPassOver && !source.isMending && phase == .showing(isStopped: false)
      && lastFailure == nil && newFailure == nil && presentation.mayShareBatch
  }

  /// Takes over the batch of another controller, or returns false if both controllers weren't in the same state.
  ///
  /// Measured with 100 controllers with equal requests: a controller took 2.2 µs to find the list and its changes.
  private func takeOver(_ lead: ListLead<Row>) -> Bool {
    guard lead.fits(self), let batch = lead.batch,
      batch.changes != nil || !needsChanges || !batch.isVisible(after: presentation.shown)
    else { return false }
    presentation.take(batch)
    source.followToEnd()
    return true
  }

  /// Prepares without the work of other controllers.
  private func prepareAlone(_ tail: Result<LogTail, any Error>) {
    source.takeBack()
    followRevision(tail)
    let wasLost = isLost
    // Another controller with the same rows got past the event that stopped this controller, so retry.
    if presentation.isLive, phase.isStopped, source.isAhead { advance(by: .retried) }
    if wasLost {
      guard mend(tail.map(\.head)) else { return }
    } else if presentation.isLive, !phase.isStopped {
      follow(tail)
    }
    if presentation.isLive { source.followToEnd() }
    guard !presentation.causes.next.isEmpty || isLost else { return }
    if phase == .showing(isStopped: false), source.mayPassOver {
      if let shared = source.sharedList(for: presentation) {
        if presentation.passOver(to: shared) { return }
      } else if presentation.passOver(in: source.timeline) {
        return source.share(presentation.shown.storage)
      }
    }
    prepareList()
    guard isLost, !wasLost else { return }
    // The loss was detected only now, so the new list is invalid.
    presentation.batch = nil
    if mend(tail.map(\.head)) { prepareList() }
  }

  /// Folds the events before the log's end.
  private func follow(_ tail: Result<LogTail, any Error>) {
    do {
      let tail = try tail.get()
      try source.folding(from: presentation.shown) {
        if try !$0.advance(with: tail) { try $0.advance(through: tail.head) }
      }
      if lastFailure != nil { setFailure(nil) }
    } catch {
      fail(error)
    }
    if source.isAhead { presentation.causes.insert(.events) }
  }

  /// Records an error of reading or folding.
  private func fail(_ error: any Error) {
    // A store may recover by the next commit, but an event that can't be folded doesn't change.
    advance(by: .failed(isFinal: !(error is EventStoreError)))
    newFailure = error
  }

  /// Builds the list for the current request, moment and collapsed sections.
  private func prepareList() {
    presentation.prepare(
      presentation.pastList(in: source.timeline) ?? source.nextList(for: presentation), isObserved: needsChanges,
      in: pass)
  }

  /// Rebuilds the list, at the live end or in the past, if the log was rewritten since it was built.
  private func followRevision(_ tail: Result<LogTail, any Error>) {
    do {
      defer { noteRevision() }
      let found = try tail.get().revision
      notice(found)
      if found != source.timeline.revision { try source.timeline.follow() }
    } catch {
      // A list that can't be refolded is no longer shown.
      fail(error)
    }
  }

  private func noteRevision() {
    guard let causes = source.noteRevision() else { return }
    presentation.causes.insert(causes)
    // The event that couldn't be folded may have been removed.
    if causes.contains(.rebase), phase.isStopped { advance(by: .retried) }
    guard !causes.isEmpty, case .past(let rows) = presentation.moment else { return }
    // A past state that can't be folded without the removed events can't be shown, so the list returns to the live end.
    presentation.moment = .live
    do {
      try restorePast(at: rows.state.position)
    } catch {
      newFailure = error
    }
  }

  /// The delegate, or `nil` if it isn't notified of the next list.
  ///
  /// As in Core Data, the delegate isn't notified of the first list.
  private var listener: (any FetchedResultsControllerDelegate<Row>)? { phase.isSilent ? nil : audience.delegate }

  /// True if the changes of the next list are delivered to anyone.
  var needsChanges: Bool { audience.isObserved || listener != nil }

  func deliver() {
    if !presentation.prepared.filterFailures.isEmpty { reportFilter() }
    if let changes = deliverBatch(), changes.rowChanges.count > 1_000 { group.endLater(consume changes) }
    deliverFailure()
    if audience.isWatched { notifyWatchers() }
    if phase.hasFetched { source.saveIfDue(presentation, after: 4_096) }
    unloadRows()
  }

  @inline(never)
  private func reportFilter() { presentation.prepared.reportFailures(in: (store.source, store.environment)) }

  /// Shows the prepared list, and notifies the delegate and observers.
  ///
  /// - Returns: The changes, or `nil` without a delegate and observers. The changes retain the former list.
  private func deliverBatch() -> Changes<Row>? {
    guard isDelivering, let batch = presentation.takeBatch() else { return nil }
    let listener = listener
    guard batch.isVisible(after: presentation.shown), listener != nil || audience.isObserved else {
      // The list is unchanged, or has no observers.
      advance(by: .shown)
      show(batch.new)
      return nil
    }
    let changes = presentation.changes(of: batch)
    guard !changes.isEmpty else {
      // The list is at a later position, but its content is the same, so observers aren't notified.
      presentation.causes.keepQuiet(changes.cause)
      advance(by: .shown)
      show(changes.new)
      return nil
    }
    presentation.causes.report()
    if let listener {
      let delivery = DelegateBatch(self, to: listener)
      advance(by: .shown)
      delivery.deliver(changes.reporting(audience.moves))
    } else {
      advance(by: .shown)
      show(changes.new)
    }
    audience.notify(changes)
    return changes
  }

  private func deliverFailure() {
    guard let failure = newFailure else { return }
    newFailure = nil
    setFailure(failure)
    audience.delegate?.controller(self, didFailWith: failure)
  }
}
