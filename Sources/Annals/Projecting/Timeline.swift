import AnnalsLog

/// A projection's rows over time: at the log's end (the live end), and at any earlier position.
///
/// A timeline is not thread-safe, so its owner must not call it concurrently.
final class Timeline<Row: Annals.Row> {
  /// Rows, and the position through which they have been folded.
  struct State {
    var rows: Rows<Row>
    var position: Position = 0
    /// The list of an anchor's rows, from which the rows were folded.
    var anchor: ListStorage?
  }

  /// The rows that were set by the events of a step.
  struct Step {
    /// The position before the step, and the position at its end.
    let (after, through): (Position, Position)
    var touched: [(position: Position, rows: [OrderKey])] = []
  }

  let folding: EventFolding<Row>
  let log: any EventLog
  /// The minimum number of events between rows that are kept for erasures.
  let refoldGrain: Int
  /// The rows at the live end, which other timelines may share.
  private(set) var shared: LiveRows<Row>
  /// The folded rows at the live end.
  var live: State { _read { yield shared.state } }
  /// The empty state at the beginning.
  let empty: State
  /// The states at past positions, kept while a controller seeks.
  var past = KeptStates<State>()
  /// False for an owner that only moves forward.
  ///
  /// For such an owner, only the last two states are kept.
  var keepsPast = true
  /// A source of states at or shortly before positions that are distant from all known states, or `nil`.
  var anchors: ((Position) throws -> State?)?
  /// The number of events that are folded instead of using an anchor.
  var anchorDistance = 0
  /// True if the anchors aren't used.
  var foldsAll = false
  /// The restored saved rows, or `nil`.
  ///
  /// From these rows, an owner that only moves forward can fold to a position before the live end.
  private(set) var restored: State?
  /// The events and rows of the last short step, for an owner that only moves forward, or `nil` if unknown.
  private(set) var lastStep: Step?
  /// The first appearances of sections, while they are needed.
  private(set) var sections = SectionAppearances<Row>()
  /// The log revision that the rows were built from, or `nil` before the first read.
  var revision: LogRevision? { shared.revision }
  /// The position through which the log was compacted, in the revision that the rows were built from.
  var horizon: Position { revision?.compacted.horizon ?? 0 }

  init<P: Projection>(log: any EventLog, projection: P) where P.Row == Row {
    self.log = log
    refoldGrain = (log as? any EventStore)?.environment.refoldGrain ?? 64
    empty = State(rows: Rows(for: P.self))
    shared = LiveRows(LiveRows.Content(state: empty))
    folding = ProjectionFolding(projection)
    shared.join(self)
  }

  /// Creates a timeline that folds another timeline's rows on a separate thread.
  ///
  /// - Parameters:
  ///   - other: The other timeline, accessed in its isolation.
  ///   - rows: A copy of its rows.
  init(like other: Timeline, _ rows: LiveRows<Row>) {
    (log, refoldGrain, empty, shared, sections) =
      (other.log, other.refoldGrain, other.empty, rows, other.sections)
    folding = other.folding.copy()
    rows.join(self)
  }

  /// Stores the section appearances that were recorded while another thread folded the rows.
  func take(_ sections: SectionAppearances<Row>) { self.sections = sections }

  /// Switches to the rows of other timelines for the same projection and log.
  ///
  /// No job may have these rows.
  func share(_ others: LiveRows<Row>) {
    guard others !== shared else { return }
    shared.openRun?.run.stop()
    if others.revision != revision { forget() }
    shared.leave(self)
    shared = others
    others.join(self)
  }

  /// Folds events into the live rows up to a position, or up to the end of compacted history if that is later.
  ///
  /// After an error, the live rows are at the end of the last transaction that could be folded.
  ///
  /// - Parameters:
  ///   - end: The position.
  ///   - mayContinue: A closure that is called between transactions with the reached position. If it throws, the work
  ///     ends at the reached position, and the rows folded so far are kept.
  /// - Throws: `ProjectionError`, `EventStoreError`, and errors of `mayContinue`.
  func advance(through end: Position, _ mayContinue: ((Position) throws -> Bool)? = nil) throws {
    try checkEventType(isStored: live.position > 0)
    try inOneRevision { source in
      endSlices()
      try advance(through: end, from: source, mayContinue)
    }
  }

  /// Folds events into the live rows up to the end of a log that doesn't change, such as a transaction's log.
  ///
  /// - Throws: The same errors as `advance(through:)`.
  func advance(in log: any EventLog) throws {
    try checkEventType(isStored: live.position > 0)
    endSlices()
    try follow(in: log)
    try advance(through: log.head(), from: .still(log))
  }

  /// Folds events that are in memory: the tail of the log.
  ///
  /// - Returns: False if the tail has another revision, begins too late or ends too early. In this case, no event is
  ///   folded.
  /// - Throws: The same errors as `advance(through:)`.
  func advance(with tail: LogTail) throws -> Bool {
    // Events that another list of the same rows has already folded were checked at that time.
    if tail.head > 0, tail.head <= live.position, tail.revision == revision {
      endSlices()
      return true
    }
    try checkEventType(isStored: live.position > 0)
    guard tail.revision == revision else { return false }
    endSlices()
    if tail.head <= live.position { return true }
    guard tail.after <= live.position, tail.batch.last == tail.head else { return false }
    try foldLive(through: tail.head, from: .tail(tail))
    return true
  }

  private func advance(
    through end: Position, from source: EventSource, _ mayContinue: ((Position) throws -> Bool)? = nil
  ) throws {
    try foldLive(through: reachable(end), from: source, mayContinue)
  }

  /// Starts to fold in slices.
  func open(through end: Position, from source: EventSource) throws {
    shared.openRun = OpenRun(run: try folding.run(in: source, after: live.position, through: end), start: live)
    shared.state.rows.expect(end.rawValue - live.position.rawValue)
  }

  /// Folds until `mayContinue` returns false, and returns the reached position.
  func foldSlice(from source: EventSource, _ mayContinue: @escaping (Position) -> Bool) throws -> Position {
    guard let (run, start) = shared.openRun.map({ ($0.run, $0.start) }) else {
      preconditionFailure("a slice of events was applied before open(through:from:) was called. Please report this")
    }
    do {
      var watch = shared.watch
      watch.mayContinue = mayContinue
      let isDone = try run.fold(into: &shared.state.rows, watch)
      shared.state.position = run.wholeEnd
      if isDone { endSlices() }
      return live.position
    } catch {
      shared.openRun = nil
      try foldBack(&shared.state, to: start, run, from: source, shared.watch)
      throw error
    }
  }

  /// Ends folding in slices, and keeps the rows folded so far.
  func endSlices() { shared.endSlices() }

  /// Returns the first position at or after the given position for which the log still has a state.
  ///
  /// Compacted history has only its first and its last state.
  func reachable(_ position: Position) -> Position { position == 0 ? 0 : max(position, horizon) }

  /// Checks that the event type can be stored, and that no other type in use has the same prefix.
  ///
  /// - Parameter isStored: True if rows of stored events exist, so that only the prefix is checked.
  /// - Throws: ``EventCodingError``.
  func checkEventType(isStored: Bool = false) throws {
    try folding.checkEventType(for: log, isStored: isStored)
  }

  /// Brings the rows to the log's current revision.
  ///
  /// If the revision has changed, all folded events are refolded, and states of the past are discarded.
  func follow() throws { try inOneRevision { _ in } }

  /// Runs a body with a source of events that all have the log's current revision.
  ///
  /// If the log is rewritten while the body runs, the body is rerun.
  func inOneRevision<T>(_ body: (EventSource) throws -> T) throws -> T {
    // The log may be rewritten once more before everything is refolded.
    var reached: Position = 0
    while true {
      do {
        let found = try log.revision()
        let source = EventSource.moving(log, found)
        reached = max(reached, live.position)
        try follow(found, from: source, to: reached)
        return try body(source)
      } catch let error as EventStoreError where error.code == .rewritten {
        continue
      }
    }
  }

  /// Brings the rows to the revision of a log that doesn't change.
  func follow(in log: any EventLog) throws { try follow(log.revision(), from: .still(log), to: live.position) }

  /// Brings the rows to a revision of the log, by refolding the events up to a position.
  ///
  /// If the timeline stopped before an event that can't be folded, it remains at that position.
  private func follow(_ found: LogRevision, from source: EventSource, to position: Position) throws {
    guard found != revision else { return }
    let before = revision
    if let before, try goBack(from: before, to: found, in: source) {
      // A rebase may change the events, so a stopped timeline retries them.
      if found.rebases != before.rebases { return }
    } else {
      shared.revision = found
      if before == nil { return }
      startOver()
    }
    // Compacted history has only its last state, and a branch may have fewer events than before.
    try foldLive(through: min(reachable(position), source.head()), from: source)
  }

  /// The complete state that folding changes, to which the timeline can return.
  struct Mark {
    fileprivate let live: State
    fileprivate let anchors: [State]
    fileprivate let sections: SectionAppearances<Row>
    fileprivate let revision: LogRevision?
  }

  /// The current state of the timeline, to which it can return.
  var mark: Mark {
    precondition(
      shared.openRun == nil,
      "the state of a timeline was read while it was applying events in slices. Please report this")
    return Mark(live: live, anchors: shared.anchors, sections: sections, revision: revision)
  }

  /// Returns to an earlier state of the timeline.
  func `return`(to mark: Mark) {
    precondition(
      shared.isAlone,
      "the rows of a list were reset to an earlier state, although another list also uses the rows. Please report this"
    )
    (shared.state, shared.anchors, shared.revision) = (mark.live, mark.anchors, mark.revision)
    shared.lists.removeAll()
    sections = mark.sections
  }

  /// Starts from saved rows instead of the empty state.
  ///
  /// Call ``follow()`` before you read the saved rows.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - position: The position that they show.
  ///   - appearances: The positions at which sections first appeared.
  func begin(_ rows: Rows<Row>, at position: Position, _ appearances: [SectionKey: Position]) {
    precondition(
      shared.isAlone,
      "the rows of a list were replaced by saved rows, although another list uses the old rows. Please report this")
    endSlices()
    (shared.state, shared.anchors) = (State(rows: rows, position: position), [])
    shared.lists.removeAll()
    if keepsForErasures() { keepForErasures() }
    sections.positions = appearances
    // Owners that keep past states don't need these rows, and would retain old versions of the live list's parts.
    restored = keepsPast ? nil : live
  }

  /// Restarts from the empty state, and discards all folded data, for all timelines that use the same rows.
  func startOver() {
    endSlices()
    (shared.state, shared.anchors) = (empty, [])
    shared.lists.removeAll()
    for timeline in shared.timelines { timeline.forget() }
  }

  /// Discards data from events after a position, and all states at past positions.
  func goBack(to position: Position) {
    (past, lastStep) = (KeptStates(), nil)
    if let known = restored, known.position > position { restored = nil }
    sections.goBack(to: position)
  }

  /// Discards all data except the live rows.
  func forget() {
    (past, restored, lastStep) = (KeptStates(), nil, nil)
    sections.forget()
  }

  /// Resumes the recording of first appearances of sections.
  ///
  /// The appearances up to the live end are already known.
  func resumeTracking(_ sectionKey: (@Sendable (Row) -> SectionKey?)?) {
    (sections.key, sections.seen) = (sectionKey, live.position)
    if sectionKey != nil { shared.isTracked = true }
  }

  /// The first appearances of sections up to the live end.
  var appearances: [SectionKey: Position] { appearances(through: live.position) }

  /// Returns the first appearances of sections up to a position.
  func appearances(through position: Position) -> [SectionKey: Position] { sections.through(position) }

  /// Builds the list from the rows at the live end.
  func list(_ request: PreparedRequest, knowing known: Results<Row>?) -> Results<Row> {
    endSlices()
    let position = live.position
    return Results(
      request, of: &shared.state.rows, at: position, appearances: appearances, knowing: known,
      isAlone: shared.isAlone)
  }

  /// Skips the events folded since a list was last checked, if none of them affects the list.
  ///
  /// - Parameters:
  ///   - list: The list.
  ///   - known: The rows at the last check.
  /// - Returns: The current rows, or `nil` if the list must be rebuilt.
  func passOver(_ list: ListStorage, since known: SortedTree<ByID>) -> SortedTree<ByID>? {
    endSlices()
    let isAlone = shared.isAlone
    return shared.state.rows.entries.passOver(list, since: known, isAlone: isAlone)
  }

  /// Starts to record first appearances of a request's sections, or stops recording if the key is `nil`.
  ///
  /// Earlier events are refolded, because the request determines when a section was empty.
  func track(_ sectionKey: (@Sendable (Row) -> SectionKey?)?, through end: Position) throws {
    sections = SectionAppearances(key: sectionKey)
    guard sectionKey != nil else { return }
    shared.isTracked = true
    try inOneRevision { source in
      sections.forget()
      var state = empty
      try fold(&state, through: reachable(end), from: source)
    }
  }

  /// Folds events into a state.
  ///
  /// If `mayContinue` ends the fold, the state keeps the events folded so far.
  ///
  /// The callbacks of `watching` are called for the events. If `watching` is `nil`, this timeline's own callbacks are
  /// called. After an error, the state is at the end of the last whole transaction.
  ///
  /// - Returns: False if `mayContinue` returned false.
  @discardableResult
  func fold(
    _ state: inout State, through end: Position, from source: EventSource, noting step: Bool = false,
    _ watching: EventRun<Row>.Watch? = nil, _ mayContinue: ((Position) throws -> Bool)? = nil
  ) throws -> Bool {
    let start = state
    let run = try folding.run(in: source, after: state.position, through: end)
    state.rows.expect(end.rawValue - state.position.rawValue)
    defer { run.stop() }
    var interruption: (any Error)?
    var watch = watching ?? watch
    lastStep = step ? Step(after: start.position, through: end) : nil
    if step {
      watch.note = { [self, note = watch.note] position, rows in
        note?(position, rows)
        lastStep?.touched.append((position, rows.entries.touched ?? []))
      }
    }
    if let mayContinue {
      watch.mayContinue = { position in
        do {
          return try mayContinue(position)
        } catch {
          interruption = error
          return false
        }
      }
    }
    do {
      let isDone = try run.fold(into: &state.rows, watch)
      state.rows.settle()
      state.position = run.wholeEnd
      if let interruption { throw interruption }
      return isDone
    } catch {
      lastStep = nil
      if interruption != nil { throw error }
      try foldBack(&state, to: start, run, from: source, watching ?? self.watch)
      throw error
    }
  }

  /// Folds events from the first event up to a position, only to call the watch's callbacks.
  ///
  /// The rows are discarded.
  func foldWatching(through end: Position, from source: EventSource, _ watch: EventRun<Row>.Watch) throws {
    let run = try folding.run(in: source, after: 0, through: end)
    defer { run.stop() }
    var rows = empty.rows
    rows.expect(end.rawValue)
    _ = try run.fold(into: &rows, watch)
  }

  /// Refolds the whole transactions of a failed run, because the run's rows may contain only a part of a transaction or
  /// event.
  private func foldBack(
    _ state: inout State, to start: State, _ run: EventRun<Row>, from source: EventSource,
    _ watch: EventRun<Row>.Watch
  ) throws {
    run.stop()
    state = start
    if run.wholeEnd > start.position {
      let again = try folding.run(in: source, after: start.position, through: run.wholeEnd)
      defer { again.stop() }
      state.rows.expect(run.wholeEnd.rawValue - start.position.rawValue)
      do {
        _ = try again.fold(into: &state.rows, watch)
      } catch {
        // Otherwise, the next fold would repeat a part of the events.
        state = start
        throw error
      }
      state.rows.settle()
    }
    state.position = run.wholeEnd
  }

  /// The callbacks that record first appearances of sections, while a request needs them.
  var watch: EventRun<Row>.Watch {
    guard sections.key != nil else { return .init() }
    return .init(note: { [self] position, rows in sections.note(position, rows) })
  }
}
