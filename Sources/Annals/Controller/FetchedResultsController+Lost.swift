extension FetchedResultsController {
  /// True if a part of what was saved can neither be read nor made again: of the rows that events are folded into, or
  /// of the list that is shown.
  var isLost: Bool {
    if isMending || timeline.isLost || shown.storage.isLost || saved?.storage.isLost == true { return true }
    guard case .past(let state) = moment else { return false }
    return state.isLost
  }

  /// Makes again from the events what was lost.
  ///
  /// - Returns: False if the events cannot be read either. What is shown stays then, and it is tried again at the next
  ///   commit; what was folded until then is not folded twice.
  func mend(_ head: Result<Position, any Error>) -> Bool {
    giveUpSaved()
    isMending = true
    advance(by: .retried)
    cause.insert(.repair)
    do {
      if case .past(let state) = moment {
        if state.isLost { moment = .past(try timeline.state(at: state.position)) }
      } else {
        // The others of the group may be asked to go less far than this list was.
        try timeline.advance(through: max(head.get(), store.head()))
      }
    } catch {
      newFailure = error
      if error is EventStoreError { return false }
      // Up to this event the list is right.
      advance(by: .failed(isFinal: true))
    }
    isMending = false
    if newFailure == nil { setFailure(nil) }
    return true
  }

  /// Gives up what was saved and not read yet, if something was erased by another program.
  ///
  /// Its pages are gone, and the events say something else. An erasure of this program reads them before.
  func notice(_ revision: LogRevision) {
    guard let known = timeline.revision, known.erasures != revision.erasures else { return }
    for origin in [timeline.live.rows.entries.origin, shown.storage.origin] {
      guard let origin, !origin.isAllRead else { continue }
      origin.lose(PageError("something was erased before all pages of the list were read"))
    }
  }

  /// Forgets what was saved and what was folded into it, if a part of it is lost.
  func giveUpSaved() {
    // It may have been cut from what is lost.
    listJob = nil
    if let reason = lossOfSaved { listCache?.lose(reason) }
    if saved?.storage.isLost == true { saved = nil }
    lastSave = 0
    guard timeline.isLost else { return }
    timeline.startOver()
    saved = nil
  }

  /// What was lost.
  private var lossOfSaved: String? {
    for origin in [timeline.live.rows.entries.origin, shown.storage.origin, saved?.storage.origin] {
      if let origin, origin.isLost { return origin.whatIsWrong }
    }
    return nil
  }

  /// Folds events, and all of them if it turns out that what was saved is lost: what was folded, or was thrown, is
  /// worth nothing then.
  func folding<T>(_ body: () throws -> T) throws -> T {
    let outcome = Result { try body() }
    guard timeline.isLost else { return try outcome.get() }
    giveUpSaved()
    do {
      return try body()
    } catch let error as EventStoreError {
      isMending = true
      throw error
    }
  }
}
