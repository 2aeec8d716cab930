/// Where rows are kept to be folded again from there, once something is erased: the last few multiples of a grain.
///
/// A subject whose first event is in the last hundredth of the log has such rows before it, at most three grains of at
/// most a 64th of the log ago.
enum RefoldMarks {
  /// How many are kept.
  static var count: Int { 3 }

  /// The next mark on the way from one position to another; nil if there is none that would be kept.
  ///
  /// `finest` is how many events are between two at least.
  static func next(after position: Int, through end: Int, finest: Int) -> Int? {
    var grain = finest
    while end / grain >= 128 { grain *= 2 }
    let number = max(position / grain + 1, end / grain - count + 1)
    return number * grain <= end ? number * grain : nil
  }
}

extension Timeline {
  /// Folds the live end up to a position, and keeps the rows where a branch leaves its base, if it comes by, or some of
  /// those before the end of a log that something can be erased from.
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
      shared.anchors = [live]
    } else {
      while let mark = nextMark(after: live.position, through: end), keepsForErasures() {
        var mayGoOn = true
        try fold(&shared.state, through: end, from: source, shared.watch) { position in
          mayGoOn = try goOn?(position) ?? true
          return mayGoOn && position.rawValue < mark
        }
        guard mayGoOn, live.position.rawValue >= mark else { return }
        keepForErasures()
      }
    }
    if live.position < end { try fold(&shared.state, through: end, from: source, shared.watch, goOn) }
  }

  /// The next position on the way to another one at which rows are kept, in a log that something can be erased from.
  func nextMark(after position: Position, through end: Position) -> Int? {
    RefoldMarks.next(after: position.rawValue, through: end.rawValue, finest: refoldGrain)
  }

  /// True if an erasure may take something out of the log's events.
  func keepsForErasures() -> Bool {
    // Without an answer, everything is folded again when the time comes.
    (try? (log as? any EventStore)?.erasing?.hasPersonalValues()) == true
  }

  /// Keeps the rows at the live end, as the last ones before what is erased some time.
  func keepForErasures() { shared.anchors = shared.anchors.suffix(RefoldMarks.count - 1) + [live] }

  /// The end of the next stretch that is folded slice by slice: the rows are kept where a branch leaves its base.
  func endOfSlices(through end: Position) throws -> Position {
    guard let stable = try log.stableEnd(), live.position <= stable else { return end }
    shared.anchors = [live]
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
    guard found.compacted == before.compacted, !shared.anchors.isEmpty else { return false }
    let known = try source.unchanged(since: before)
    // After an erasure pages that were not read before are gone.
    let isReadable = found.erasures == before.erasures
    let anchors = shared.anchors.prefix {
      $0.position <= known && (isReadable || $0.rows.entries.origin?.isAllRead ?? true)
    }
    guard let anchor = anchors.last, anchor.position >= horizon else { return false }
    endSlices()
    // Later ones may say what was erased.
    (shared.state, shared.revision, shared.anchors) = (anchor, found, Array(anchors))
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
