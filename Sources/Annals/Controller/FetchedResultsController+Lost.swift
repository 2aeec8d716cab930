import AnnalsLog

extension FetchedResultsController {
  /// True if a saved part of the rows or of the shown list can neither be read nor rebuilt.
  var isLost: Bool {
    if isMending || timeline.isLost || shown.storage.isLost || saved?.storage.isLost == true { return true }
    guard case .past(let state) = moment else { return false }
    return state.isLost
  }

  /// Rebuilds lost data from the events.
  ///
  /// - Returns: False if the events can't be read either. The shown list then remains. The next commit retries, and
  ///   doesn't refold the events that were already folded.
  func mend(_ head: Result<Position, any Error>) -> Bool {
    giveUpSaved()
    isMending = true
    advance(by: .retried)
    cause.insert(.repair)
    do {
      if case .past(let state) = moment {
        if state.isLost { moment = .past(try timeline.state(at: state.position)) }
      } else {
        // The tail may end before this list's position, because other controllers of the group may be behind.
        try timeline.advance(through: max(head.get(), store.head()))
      }
    } catch {
      newFailure = error
      if error is EventStoreError { return false }
      // The list is correct up to this event.
      advance(by: .failed(isFinal: true))
    }
    isMending = false
    if newFailure == nil { setFailure(nil) }
    return true
  }

  /// Discards saved pages that weren't read yet, if another program erased data.
  ///
  /// The erasure deleted these pages and changed the events. If this program erases data, it reads the pages first.
  func notice(_ revision: LogRevision) {
    guard let known = timeline.revision, known.erasures != revision.erasures else { return }
    for origin in [timeline.live.rows.entries.origin, shown.storage.origin] {
      guard let origin, !origin.isAllRead else { continue }
      origin.lose(PageError("values were erased before all pages of the list were read"))
    }
  }

  /// Discards the saved list and the rows built from it, if a part of the saved list is lost.
  func giveUpSaved() {
    // The job may have built its list from lost data.
    listJob = nil
    if let reason = lossOfSaved { listCache?.lose(reason) }
    if saved?.storage.isLost == true { saved = nil }
    lastSave = 0
    guard timeline.isLost else { return }
    timeline.startOver()
    saved = nil
  }

  /// The reason why saved data was lost, or `nil`.
  private var lossOfSaved: String? {
    for origin in [timeline.live.rows.entries.origin, shown.storage.origin, saved?.storage.origin] {
      if let origin, origin.isLost { return origin.whatIsWrong }
    }
    return nil
  }

  /// Folds events, and refolds all of them if the saved data turns out to be lost.
  ///
  /// After such a loss, neither the first result nor its error is valid.
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
