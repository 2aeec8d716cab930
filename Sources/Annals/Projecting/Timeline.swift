/// A projection's rows over time: at the live end, and at any position before it.
///
/// It is not safe to share: its owner calls it from one place at a time.
final class Timeline<Row: Annals.Row> {
  /// Rows, and the position that they have been folded up to.
  struct State {
    var rows: Rows<Row>
    var position: Position = 0
  }

  /// The rows that each event of a step set.
  struct Step {
    /// The step leads from one position to the other.
    let (after, through): (Position, Position)
    var touched: [(position: Position, rows: [OrderKey])] = []
  }

  let folding: EventFolding<Row>
  let log: any EventLog
  /// How many events are at least between rows that are kept for an erasure.
  let refoldGrain: Int
  /// The rows at the live end, which other timelines may have too.
  private(set) var shared: LiveRows<Row>
  /// The rows at the live end, as far as they have been folded.
  var live: State { _read { yield shared.state } }
  /// No rows, at the beginning.
  let empty: State
  /// States on the way, kept while a controller looks at the past.
  var past = KeptStates<State>()
  /// False for one who goes forward only: then the last two states alone are kept.
  var keepsPast = true
  /// The rows that were saved, for one who goes to positions before the live end; nil if nothing was restored.
  private(set) var restored: State?
  /// Which events of the last short step set which rows, for one who goes forward only; nil if it is not known.
  private(set) var lastStep: Step?
  /// When sections first appeared, while that is asked for.
  private(set) var sections = SectionAppearances<Row>()
  /// The revision of the log that the rows were made from; nil before anything was read.
  var revision: LogRevision? { shared.revision }
  /// The position up to which the history was compacted in that revision.
  var horizon: Position { revision?.compacted.horizon ?? 0 }

  init<P: Projection>(log: any EventLog, projection: P) where P.Row == Row {
    self.log = log
    refoldGrain = (log as? any EventStore)?.environment.refoldGrain ?? 64
    empty = State(rows: Rows(for: P.self))
    shared = LiveRows(empty)
    folding = ProjectionFolding(projection)
    shared.join(self)
  }

  /// Creates one that folds the rows of another on a thread of its own.
  ///
  /// - Parameters:
  ///   - other: The timeline, in its isolation.
  ///   - rows: A copy of its rows.
  init(like other: Timeline, _ rows: LiveRows<Row>) {
    (log, refoldGrain, empty, shared, sections) =
      (other.log, other.refoldGrain, other.empty, rows, other.sections)
    folding = other.folding.copy()
    rows.join(self)
  }

  /// Takes over what was noted of sections while the rows were folded elsewhere.
  func take(_ sections: SectionAppearances<Row>) { self.sections = sections }

  /// Goes on with the rows of others instead of its own, which are of the same projection and the same log.
  func share(_ others: LiveRows<Row>) {
    guard others !== shared else { return }
    shared.openRun?.run.stop()
    if others.revision != revision { forget() }
    shared.leave(self)
    shared = others
    others.join(self)
  }

  /// Folds the live end up to a position, or up to where the history was compacted, if that is later.
  ///
  /// On an error the live end stands where the last transaction that could be folded ended.
  ///
  /// - Parameters:
  ///   - end: The position.
  ///   - goOn: Called between two transactions with the position that was reached; what it throws ends the work there,
  ///     and what was folded stays.
  /// - Throws: `ProjectionError`, `EventStoreError`, and what `goOn` throws.
  func advance(through end: Position, _ goOn: ((Position) throws -> Bool)? = nil) throws {
    try checkEventType()
    try inOneRevision { source in
      endSlices()
      try advance(through: end, from: source, goOn)
    }
  }

  /// Folds the live end up to the end of a log that stands still, such as that of a transaction.
  ///
  /// - Throws: As `advance(through:)`.
  func advance(in log: any EventLog) throws {
    try checkEventType()
    endSlices()
    try follow(in: log)
    try advance(through: log.head(), from: .still(log))
  }

  /// Folds what a tail has in memory.
  ///
  /// - Returns: False if the tail is of another revision, or begins too late or ends too early; nothing was folded
  ///   then.
  /// - Throws: As `advance(through:)`.
  func advance(with tail: LogTail) throws -> Bool {
    // What another list of the same rows has folded already was checked then.
    if tail.head > 0, tail.head <= live.position, tail.revision == revision {
      endSlices()
      return true
    }
    try checkEventType()
    guard tail.revision == revision else { return false }
    endSlices()
    if tail.head <= live.position { return true }
    guard tail.after <= live.position, tail.batch.last == tail.head else { return false }
    try foldLive(through: tail.head, from: .tail(tail))
    return true
  }

  private func advance(
    through end: Position, from source: EventSource, _ goOn: ((Position) throws -> Bool)? = nil
  ) throws {
    try foldLive(through: reachable(end), from: source, goOn)
  }

  /// Begins to fold slice by slice.
  func open(through end: Position, from source: EventSource) throws {
    shared.openRun = OpenRun(run: try folding.run(in: source, after: live.position, through: end), start: live)
    shared.state.rows.expect(end.rawValue - live.position.rawValue)
  }

  /// Folds on until `goOn` says that it is enough; answers the position that was reached.
  func foldSlice(from source: EventSource, _ goOn: @escaping (Position) -> Bool) throws -> Position {
    guard let (run, start) = shared.openRun.map({ ($0.run, $0.start) }) else {
      preconditionFailure("a slice of what was not opened")
    }
    do {
      var watch = shared.watch
      watch.goOn = goOn
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

  /// Ends what is folded slice by slice; what was folded stays.
  func endSlices() { shared.endSlices() }

  /// The first position from one on that has a state: of what was compacted there is none but the first and the last.
  func reachable(_ position: Position) -> Position { position == 0 ? 0 : max(position, horizon) }

  /// Refuses a type that cannot be stored as an event, or whose prefix another type in use has.
  func checkEventType() throws { try folding.checkEventType(for: log) }

  /// Follows the log to its present revision.
  ///
  /// If that is another one, all that was folded is folded again, and states of the past are forgotten.
  func follow() throws { try inOneRevision { _ in } }

  /// Runs a body with events that are all of one revision, the log's present one.
  ///
  /// The body runs again if the log was rewritten meanwhile.
  func inOneRevision<T>(_ body: (EventSource) throws -> T) throws -> T {
    // The log may be rewritten again before everything is folded once more.
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

  /// Follows a log that stands still to its revision.
  func follow(in log: any EventLog) throws { try follow(log.revision(), from: .still(log), to: live.position) }

  /// Follows the log to a revision, and folds again what was folded up to a position: one that stopped at an event that
  /// cannot be folded stays before that one.
  private func follow(_ found: LogRevision, from source: EventSource, to position: Position) throws {
    guard found != revision else { return }
    let before = revision
    if let before, try goBack(from: before, to: found, in: source) {
      // After a rebase there may be other events, and one that stopped tries them.
      if found.rebases != before.rebases { return }
    } else {
      shared.revision = found
      if before == nil { return }
      startOver()
    }
    // Of what was compacted there is no state but the last one; and a branch may have fewer events than before.
    try foldLive(through: min(reachable(position), source.head()), from: source)
  }

  /// All that folding changes.
  struct Mark {
    fileprivate let live: State
    fileprivate let anchors: [State]
    fileprivate let sections: SectionAppearances<Row>
    fileprivate let revision: LogRevision?
  }

  /// Where the timeline stands, so that it can return there.
  var mark: Mark {
    precondition(shared.openRun == nil, "a mark is of a settled timeline")
    return Mark(live: live, anchors: shared.anchors, sections: sections, revision: revision)
  }

  /// Returns to where the timeline stood.
  func `return`(to mark: Mark) {
    precondition(shared.isAlone, "only rows that no one shares return")
    (shared.state, shared.anchors, shared.revision) = (mark.live, mark.anchors, mark.revision)
    sections = mark.sections
  }

  /// Begins at rows that were saved, instead of at none; ``follow()`` was called before they were read.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - position: The position that they show.
  ///   - appearances: When sections first appeared.
  func begin(_ rows: Rows<Row>, at position: Position, _ appearances: [SectionKey: Position]) {
    precondition(shared.isAlone, "rows that others have go on as they are")
    endSlices()
    (shared.state, shared.anchors) = (State(rows: rows, position: position), [])
    if keepsForErasures() { keepForErasures() }
    sections.positions = appearances
    // Others do not need it, and would keep what the live list has long changed.
    restored = keepsPast ? nil : live
  }

  /// Begins at no rows, and keeps nothing of what was folded; nor does any timeline that has the same rows.
  func startOver() {
    endSlices()
    (shared.state, shared.anchors) = (empty, [])
    for timeline in shared.timelines { timeline.forget() }
  }

  /// Forgets what was made from events after a position, and what was made on the way.
  func goBack(to position: Position) {
    (past, lastStep) = (KeptStates(), nil)
    if let known = restored, known.position > position { restored = nil }
    sections.goBack(to: position)
  }

  /// Forgets what was made on the way and beside the live end.
  func forget() {
    (past, restored, lastStep) = (KeptStates(), nil, nil)
    sections.forget()
  }

  /// Goes on to note when the sections of a request first appeared; until the live end this is known already.
  func goOnTracking(_ sectionKey: (@Sendable (Row) -> SectionKey?)?) {
    (sections.key, sections.seen) = (sectionKey, live.position)
    if sectionKey != nil { shared.isTracked = true }
  }

  /// When sections first appeared, as it is known at the live end.
  var appearances: [SectionKey: Position] { appearances(through: live.position) }

  /// When sections first appeared, as it is known at a position: those that come later have not appeared there.
  func appearances(through position: Position) -> [SectionKey: Position] { sections.through(position) }

  /// The list of the rows at the live end.
  func list(_ request: PreparedRequest, knowing known: Results<Row>?) -> Results<Row> {
    endSlices()
    let position = live.position
    return Results(
      request, of: &shared.state.rows, at: position, appearances: appearances, knowing: known,
      isAlone: shared.isAlone)
  }

  /// Passes over what was folded since a list was looked at, if nothing of it concerns the list.
  ///
  /// - Parameters:
  ///   - list: The list.
  ///   - known: The rows when it was looked at.
  /// - Returns: The rows as they are now; nil if the list must be made again.
  func passOver(_ list: ListStorage, since known: SortedTree<ByID>) -> SortedTree<ByID>? {
    endSlices()
    let isAlone = shared.isAlone
    return shared.state.rows.entries.passOver(list, since: known, isAlone: isAlone)
  }

  /// Begins to note when the sections of a request first appeared; nil ends it.
  ///
  /// What happened before is folded again: whether a section was empty then depends on the request.
  func track(_ sectionKey: (@Sendable (Row) -> SectionKey?)?, through end: Position) throws {
    // A job may be about to give back what it noted.
    shared.takeBack()
    sections = SectionAppearances(key: sectionKey)
    guard sectionKey != nil else { return }
    shared.isTracked = true
    try inOneRevision { source in
      sections.forget()
      var state = empty
      try fold(&state, through: reachable(end), from: source)
    }
  }

  /// Folds on, and keeps what was folded if `goOn` ends it.
  ///
  /// What is `watching` notes it; this timeline alone if it is nil. On an error the state stands where the last whole
  /// transaction ended.
  ///
  /// - Returns: False if `goOn` said so.
  @discardableResult
  func fold(
    _ state: inout State, through end: Position, from source: EventSource, noting step: Bool = false,
    _ watching: EventRun<Row>.Watch? = nil, _ goOn: ((Position) throws -> Bool)? = nil
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
    if let goOn {
      watch.goOn = { position in
        do {
          return try goOn(position)
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

  /// Folds from the first event up to a position for what is watched on the way, and keeps nothing.
  func foldWatching(through end: Position, from source: EventSource, _ watch: EventRun<Row>.Watch) throws {
    let run = try folding.run(in: source, after: 0, through: end)
    defer { run.stop() }
    var rows = empty.rows
    rows.expect(end.rawValue)
    _ = try run.fold(into: &rows, watch)
  }

  /// Half a transaction, or half an event, may be in the rows of a run that failed: folds again what was whole.
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
        // Half of it would be folded twice the next time.
        state = start
        throw error
      }
      state.rows.settle()
    }
    state.position = run.wholeEnd
  }

  /// Notes when sections first appeared, while a request asks for it.
  var watch: EventRun<Row>.Watch {
    guard sections.key != nil else { return .init() }
    return .init(note: { [self] position, rows in sections.note(position, rows) })
  }
}
