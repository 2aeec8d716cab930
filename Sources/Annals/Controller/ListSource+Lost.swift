import AnnalsLog

extension ListSource {
  /// True if a saved part of the rows or of the saved list can neither be read nor rebuilt.
  var isLost: Bool { isMending || timeline.isLost || basis.saved?.isLost ?? false }

  /// The saved pages that contain the rows or a list.
  private func origins(_ shown: Results<Row>) -> [TreePages] {
    [timeline.shared.origin, shown.storage.origin, basis.saved?.origin].compactMap { $0 }
  }

  /// Discards saved pages that weren't read yet, if another program erased data or replaced all events.
  ///
  /// The other program deleted these pages and changed the events. But if this program erases data or replaces the
  /// events, it reads the pages first.
  func notice(_ revision: LogRevision, _ shown: Results<Row>) {
    guard rowsJob == nil, let known = timeline.revision,
      (known.erasures, known.rebases) != (revision.erasures, revision.rebases)
    else { return }
    for origin in origins(shown) where !origin.isAllRead {
      origin.lose(
        PageError(
          "values were erased from the log, or all events were replaced, so the unread part of the saved list can't "
            + "be used, and the list is rebuilt from the events"))
    }
  }

  /// Discards the saved list and the rows built from it, if a part of the saved list is lost.
  func discardLost(_ shown: Results<Row>) {
    // The job may have built its list from lost data.
    dropJob()
    if let lost = origins(shown).first(where: \.isLost), let reason = lost.whatIsWrong { listCache?.lose(reason) }
    saves.restart()
    if timeline.isLost { timeline.startOver() } else if basis.saved?.isLost != true { return }
    dropSaved()
  }

  /// Folds events, and refolds all of them if the saved data turns out to be lost.
  ///
  /// After such a loss, neither the first result nor its error is valid. The method waits for a job that has the rows.
  func folding<T>(from shown: Results<Row>, _ body: (Timeline<Row>) throws -> T) throws -> T {
    takeBack()
    let outcome = Result { try body(timeline) }
    guard timeline.isLost else { return try outcome.get() }
    discardLost(shown)
    do {
      return try body(timeline)
    } catch let error as EventStoreError {
      isMending = true
      throw error
    }
  }
}
