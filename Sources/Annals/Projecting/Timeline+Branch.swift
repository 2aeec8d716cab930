import AnnalsLog

/// The positions at which rows are kept for refolding after an erasure: the last few multiples of a distance, the
/// grain.
///
/// If the first event of an erased subject is in the last hundredth of the log, rows before that event are kept. Their
/// position is at most three grains before the event, and a grain is at most a 64th of the log.
enum RefoldMarks {
  /// The number of marks.
  static var count: Int { 3 }

  /// Returns the next mark between two positions, or `nil` if no mark between them would be kept.
  ///
  /// `finest` is the minimum number of events between two marks.
  static func next(after position: Int, through end: Int, finest: Int) -> Int? {
    var grain = finest
    while end / grain >= 128 { grain *= 2 }
    let number = max(position / grain + 1, end / grain - count + 1)
    return number * grain <= end ? number * grain : nil
  }
}

extension Timeline {
  /// Folds events into the live rows up to a position, and keeps the rows at some positions for later refolding.
  ///
  /// In a branch, the rows at its fork point are kept. In a log with erasable data, the rows at a few positions before
  /// the end are kept.
  ///
  /// - Throws: The same errors as `advance(through:)`.
  func foldLive(
    through end: Position, from source: EventSource, _ mayContinue: ((Position) throws -> Bool)? = nil
  ) throws {
    do {
      try foldKeeping(through: end, from: source, mayContinue)
    } catch let error as EventStoreError {
      // Compacted history has only its first and its last state. The rows between them are of no state of the log, so
      // no list may show them while the other events can't be read.
      if live.position < horizon { startOver() }
      throw error
    }
  }

  private func foldKeeping(
    through end: Position, from source: EventSource, _ mayContinue: ((Position) throws -> Bool)?
  ) throws {
    // A branch that is reevaluated at the same time may report a later stable end than these events have. This doesn't
    // matter, because kept rows are used only up to the position that the log reports when they are used.
    if let stable = try log.stableEnd(), live.position <= stable {
      let part = min(stable, end)
      if live.position < part, try !fold(&shared.state, through: part, from: source, shared.watch, mayContinue) {
        return
      }
      shared.anchors = [live]
    } else {
      while let mark = nextMark(after: live.position, through: end), keepsForErasures() {
        var isUninterrupted = true
        try fold(&shared.state, through: end, from: source, shared.watch) { position in
          isUninterrupted = try mayContinue?(position) ?? true
          return isUninterrupted && position.rawValue < mark
        }
        guard isUninterrupted, live.position.rawValue >= mark else { return }
        keepForErasures()
      }
    }
    if live.position < end { try fold(&shared.state, through: end, from: source, shared.watch, mayContinue) }
  }

  /// Returns the next position before the given end at which rows are kept, in a log with erasable data.
  func nextMark(after position: Position, through end: Position) -> Int? {
    RefoldMarks.next(after: position.rawValue, through: end.rawValue, finest: refoldGrain)
  }

  /// Returns true if an erasure may remove data from the log's events.
  func keepsForErasures() -> Bool {
    // If this is unknown, everything is refolded after an erasure.
    (try? (log as? any EventStore)?.erasing?.hasPersonalValues()) == true
  }

  /// Keeps the rows at the live end, for refolding after a later erasure.
  func keepForErasures() { shared.anchors = shared.anchors.suffix(RefoldMarks.count - 1) + [live] }

  /// Returns the end of the next range to fold in slices.
  ///
  /// A range that begins before a branch's fork point ends at the fork point, because the rows at the fork point are
  /// kept.
  func endOfSlices(through end: Position) throws -> Position {
    guard let stable = try log.stableEnd(), live.position <= stable else { return end }
    shared.anchors = [live]
    return live.position < stable ? min(stable, end) : end
  }

  /// Returns to the latest kept rows for which all events up to their position are unchanged.
  ///
  /// - Parameters:
  ///   - before: The revision that the rows were built from.
  ///   - found: The log's current revision.
  ///   - source: The events of the current revision.
  /// - Returns: False if no such rows exist. In this case, the timeline doesn't change.
  /// - Throws: ``EventStoreError`` if the log can't be read.
  func goBack(from before: LogRevision, to found: LogRevision, in source: EventSource) throws -> Bool {
    guard found.compacted == before.compacted, !shared.anchors.isEmpty else { return false }
    let known = try source.unchanged(since: before)
    // After an erasure, pages that weren't read before no longer exist.
    let isReadable = found.erasures == before.erasures
    let anchors = shared.anchors.prefix {
      $0.position <= known && (isReadable || $0.rows.entries.origin?.isAllRead ?? true)
    }
    guard let anchor = anchors.last, anchor.position >= horizon else { return false }
    endSlices()
    // Later anchors may contain erased data.
    (shared.state, shared.revision, shared.anchors) = (anchor, found, Array(anchors))
    for timeline in shared.timelines { timeline.goBack(to: anchor.position) }
    return true
  }
}

extension EventSource {
  /// Returns the end of the log.
  func head() throws -> Position {
    switch self {
    case .still(let log), .moving(let log, _): try log.head()
    case .tail(let tail): tail.head
    }
  }

  /// Returns the position through which the log has the same events as in an earlier revision.
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
