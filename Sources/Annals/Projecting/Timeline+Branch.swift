extension Timeline {
  /// Folds the live end up to a position, and keeps the rows where a branch leaves its base, if it comes by.
  ///
  /// - Throws: As `advance(through:)`.
  func foldLive(
    through end: Position, from source: EventSource, _ goOn: ((Position) throws -> Bool)? = nil
  ) throws {
    // A log that is decided again meanwhile may say more than holds of the events here. What is kept is used up to the
    // position alone that the log names then.
    if let stable = try log.stableEnd(), live.position <= stable {
      let part = min(stable, end)
      if live.position < part, try !fold(&shared.state, through: part, from: source, shared.watch, goOn) { return }
      shared.anchor = live
    }
    if live.position < end { try fold(&shared.state, through: end, from: source, shared.watch, goOn) }
  }

  /// The end of the next stretch that is folded slice by slice: the rows are kept where a branch leaves its base.
  func endOfSlices(through end: Position) throws -> Position {
    guard let stable = try log.stableEnd(), live.position <= stable else { return end }
    shared.anchor = live
    return live.position < stable ? min(stable, end) : end
  }

  /// Goes back to the rows that were kept, if all events up to there are what they were.
  ///
  /// - Parameters:
  ///   - before: The revision that the rows were made from.
  ///   - found: The log's present revision.
  ///   - source: The events of that one.
  /// - Returns: False if there are no such rows; nothing has changed then.
  /// - Throws: ``EventStoreError``.
  func goBack(from before: LogRevision, to found: LogRevision, in source: EventSource) throws -> Bool {
    guard let anchor = shared.anchor, found.isSameHistory(as: before), anchor.position >= horizon,
      try source.unchanged(since: before) >= anchor.position
    else { return false }
    endSlices()
    (shared.state, shared.revision) = (anchor, found)
    for timeline in shared.timelines { timeline.goBack(to: anchor.position) }
    return true
  }
}

extension EventSource {
  /// The end of the log.
  func head() throws -> Position {
    switch self {
    case .still(let log), .moving(let log, _): try log.head()
    case .tail(let tail): tail.head
    }
  }

  /// Up to where the log has the events that it had in an earlier revision.
  fileprivate func unchanged(since earlier: LogRevision) throws -> Position {
    switch self {
    case .still(let log): return try log.unchanged(since: earlier)
    case .moving(let log, let revision):
      return try log.moment { log in
        guard try log.revision() == revision else { throw EventStoreError.rewritten }
        return try log.unchanged(since: earlier)
      }
    case .tail(let tail): return tail.revision == earlier ? tail.head : 0
    }
  }
}
