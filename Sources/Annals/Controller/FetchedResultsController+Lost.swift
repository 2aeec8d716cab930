import AnnalsLog

extension FetchedResultsController {
  /// True if a saved part of the rows or of the shown list can neither be read nor rebuilt.
  var isLost: Bool { source.isLost || presentation.isLost }

  /// Rebuilds lost data from the events.
  ///
  /// - Returns: False if the events can't be read either. The shown list then remains. The next commit retries, and
  ///   doesn't refold the events that were already folded.
  func mend(_ head: Result<Position, any Error>) -> Bool {
    source.discardLost(presentation.shown)
    source.isMending = true
    advance(by: .retried)
    presentation.causes.insert(.repair)
    do {
      if case .past(let rows) = presentation.moment {
        if rows.state.isLost { try restorePast(at: rows.state.position) }
      } else {
        // The tail may end before this list's position, because other controllers of the group may be behind.
        try source.timeline.advance(through: max(head.get(), store.head()))
      }
    } catch {
      newFailure = error
      if error is EventStoreError { return false }
      // The list is correct up to this event.
      advance(by: .failed(isFinal: true))
    }
    source.isMending = false
    if newFailure == nil { setFailure(nil) }
    return true
  }

  /// Refolds the past rows that the list shows.
  func restorePast(at position: Position) throws {
    presentation.moment = .past(PastRows(try source.timeline.state(at: position)))
  }

  func notice(_ revision: LogRevision) { source.notice(revision, presentation.shown) }
}
