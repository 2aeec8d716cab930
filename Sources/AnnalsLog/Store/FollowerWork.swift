/// The part of a follower that reads events from the store, and saves the follower's progress in the store.
struct FollowerWork<Event: AnnalsLog.Event> {
  /// The events for one call of the follower's code.
  struct Step: Sendable {
    /// The decoded events.
    ///
    /// Parts of a split event share one position.
    fileprivate(set) var events: [Recorded<Event>]
    /// The first event, as stored.
    let first: StoredEvent
    /// The positions of the stored events, in order.
    fileprivate(set) var positions: [Position]
    let isReplay: Bool
    fileprivate(set) var isLast: Bool

    var last: Position { positions.last ?? first.position }
  }

  /// The next action of a follower.
  enum Next: Sendable {
    case handle(Step)
    /// A page of events is finished.
    case progress(LogProgress)
    /// No new events exist.
    case end(Position)
  }

  let name: String
  let version: Int
  let store: any EventStore
  let checkpoints: any CheckpointStore
  /// The same checkpoints, or `nil` if the log's events can't be replaced.
  private let replaceable: (any ReplaceableCheckpointStore)?
  let query: EventQuery
  let policy: ReadingPolicy
  /// The maximum number of events per call of the code, or `nil` for single events.
  let batchSize: Int?
  private var coder: EventCoder<Event>
  private var cursor: EventCursor?
  private var page: EventSubscription.Batch?
  private var index = 0
  /// The position that this follower has reached.
  private var done: Position?
  /// The furthest position of all followers with this name.
  private var reached: Position?
  /// The follower's claim during a turn, and after a turn until the last position is saved.
  private var claim: FollowerClaim?
  /// The last position that the code handled or skipped, if the log couldn't save this position yet.
  private var unsaved: Unsaved?

  /// The log's `LogRevision.rebases` at the beginning of the turn, to which `unsaved` belongs.
  private var rebases = 0

  private struct Unsaved {
    let last: Position
    let isSkipped: Bool
    /// True if an attempt to save the position failed, but might have saved it.
    var mightBeSaved = false
  }

  init(
    name: String, version: Int, store: any EventStore, checkpoints: any CheckpointStore, query: EventQuery,
    policy: ReadingPolicy, batchSize: Int?
  ) throws {
    self.name = name
    self.version = version
    self.store = store
    self.checkpoints = checkpoints
    replaceable = checkpoints as? any ReplaceableCheckpointStore
    self.query = query
    self.policy = policy
    self.batchSize = batchSize
    try store.runtime.names.use(Event.self)
    coder = try EventCoder()
  }

  /// The name of the follower's own checkpoint.
  private var own: String { FollowerCheckpoint(name: name, version: version).text }
  /// The name of the checkpoint that contains the furthest position of all followers with this name.
  private var furthest: String { FollowerCheckpoint.furthest(name) }

  /// Moves a follower that never ran to its starting position, so that it skips the earlier events.
  func start(at start: FollowerStart) throws {
    guard try checkpoints.checkpoint(named: furthest) == nil else { return }
    var now = 0
    repeat {
      now = try currentRebases()
      let position = try start.position(head: store.head(), follower: name)
      // Another process might have started at the same time. In that case, the position that was saved first is the
      // starting position.
      _ = try move(furthest, to: position, from: nil, at: now)
      let first = try checkpoints.checkpoint(named: furthest) ?? position
      _ = try move(own, to: first, from: nil, at: now)
      // If all events were replaced in the meantime, the position might be after the new log's end.
    } while try currentRebases() != now
  }

  /// Returns the log's `LogRevision.rebases`.
  private func currentRebases() throws -> Int { try replaceable?.rebases() ?? 0 }

  /// Moves a checkpoint, if it still has its old position and the log's events weren't replaced.
  private func move(_ name: String, to position: Position, from old: Position?, at rebases: Int) throws -> Bool {
    guard let replaceable else { return try checkpoints.setCheckpoint(named: name, to: position, from: old) }
    return try replaceable.setCheckpoint(named: name, to: position, from: old, at: rebases)
  }

  /// Returns the claim that was kept after the last turn, because the log couldn't save the turn's position, or a new
  /// claim.
  func claimed() throws -> FollowerClaim {
    if let claim, claim.isHeld { return claim }
    return try checkpoints.claim(follower: name)
  }

  /// Releases the claim of a call that isn't a turn, unless an unsaved position needs the claim.
  func giveUp(_ other: FollowerClaim) { if other !== claim { other.release() } }

  /// Ends a turn.
  mutating func end() {
    // Otherwise another runner would handle the unsaved events a second time.
    guard unsaved == nil else { return }
    claim?.release()
    claim = nil
  }

  /// Begins a turn at the follower's saved position.
  ///
  /// If the log couldn't save the last turn's position, for example because the disk was full, this position is saved
  /// first. So the code doesn't handle the last turn's events twice.
  ///
  /// If all events of the log were replaced since the last turn, the unsaved position and the skipped positions belong
  /// to the old log, and are dropped.
  ///
  /// - Parameters:
  ///   - claim: The follower's claim.
  ///   - skipped: The positions to skip.
  /// - Throws: ``EventStoreError``.
  mutating func begin(_ claim: FollowerClaim, skipping skipped: inout Set<Position>) throws {
    self.claim = claim
    let now = try currentRebases()
    if now != rebases { (rebases, unsaved, skipped) = (now, nil, []) }
    try save()
    done = try checkpoints.checkpoint(named: own)
    // With this checkpoint, a compaction can detect that the follower has started.
    if done == nil {
      done = try checkpoints.setCheckpoint(named: own, to: 0, from: nil) ? 0 : try checkpoints.checkpoint(named: own)
    }
    reached = try checkpoints.checkpoint(named: furthest)
    // The page is a multiple of the batch. Otherwise the last batch of a page is small, and more positions are saved.
    let batchSize = batchSize ?? 1
    let pageSize = batchSize < 256 ? (255 + batchSize) / batchSize * batchSize : batchSize
    // A compaction can't change events after the checkpoint, so these events are exactly the unhandled events.
    cursor = EventCursor(
      store, coder.widened(query), of: coder.facts.types, after: done ?? 0, batchSize: pageSize, isGuarded: true)
    page = nil
  }

  /// Returns the next action.
  ///
  /// - Parameter skipped: The positions to skip.
  /// - Returns: Events for the code, the end of a page, or the end of the log.
  /// - Throws: ``ProjectionError`` for an event that can't be decoded. The follower then stops before this event.
  mutating func next(skipping skipped: inout Set<Position>) throws -> Next {
    while true {
      // The store released the claim, because the app was about to be suspended. Until now, another runner might have
      // handled the next events, or a replica might have replaced all events. So the turn restarts at the saved
      // position.
      if claim?.isHeld == false { try begin(claimed(), skipping: &skipped) }
      guard let page else {
        guard let next = try cursor?.next() else {
          let end = cursor?.position ?? 0
          // The follower also moves past events of other types, which need no handling.
          try reach(end)
          return .end(end)
        }
        page = next
        index = 0
        continue
      }
      if let step = try step(on: page, skipping: skipped) { return .handle(step) }
      self.page = nil
      // The follower also moves past events of other types, which need no handling.
      try reach(page.position)
      return .progress(LogProgress(position: page.position, end: max(try store.head(), page.position)))
    }
  }

  /// Returns the next events of a page for the code, or `nil` at the end of the page.
  private mutating func step(
    on page: EventSubscription.Batch, skipping skipped: Set<Position>
  ) throws -> Step? {
    var found: Step?
    while index < page.events.count {
      let event = page.events[index]
      let isReplay = reached.map { event.position <= $0 } ?? false
      if let found, found.isReplay != isReplay { return found }
      if !skipped.contains(event.position) {
        let reading: EventReading<Event>
        do {
          reading = try coder.read(event, policy, to: query)
        } catch {
          // The code receives the earlier events first.
          if let found { return found }
          try stop(before: event.position)
          throw ProjectionError(reading: event, in: "The follower \"\(name)\"", because: error)
        }
        let events = reading.events.map { Recorded($0, event) }
        if !events.isEmpty {
          let isLast = page.isLive && event.position == page.position
          var step = found ?? Step(events: [], first: event, positions: [], isReplay: isReplay, isLast: isLast)
          step.events += events
          step.positions.append(event.position)
          step.isLast = isLast
          found = step
        }
      }
      index += 1
      if let found, found.positions.count >= batchSize ?? 1 { return found }
    }
    return found
  }

  /// Records that the code has handled or skipped its events.
  mutating func finish(_ step: Step, isSkipped: Bool) throws {
    unsaved = Unsaved(last: step.last, isSkipped: isSkipped)
    try save()
  }

  private mutating func save() throws {
    guard let unsaved else { return }
    try reach(unsaved.last)
    if !unsaved.isSkipped, reached.map({ $0 < unsaved.last }) ?? true {
      reached = try moveFurthest(from: reached, to: unsaved.last)
    }
    self.unsaved = nil
  }

  /// Skips the event directly after the handled events.
  ///
  /// - Returns: False if the position isn't this event's, for example because all events were replaced after the last
  ///   turn.
  mutating func pass(_ position: Position) throws -> Bool {
    let now = try currentRebases()
    if done != nil, now != rebases { return false }
    let saved = try checkpoints.checkpoint(named: own)
    guard position > saved ?? 0, position.rawValue - 1 == (saved ?? 0).rawValue, try position <= store.head() else {
      return false
    }
    guard try move(own, to: position, from: saved, at: now) else { return false }
    done = position
    return true
  }

  /// Records that all events before a position are handled, including events of other types.
  mutating func stop(before position: Position) throws {
    try reach(Position(position.rawValue - 1))
  }

  /// Records that all events through a position are handled.
  ///
  /// If all events of the log were replaced during the turn, the call has no effect, because the position belongs to
  /// the old log. A replica replaces the events only after the store has released the follower's claim, so the next
  /// call of ``next(skipping:)`` continues at the saved position, with the new log.
  ///
  /// - Throws: ``EventStoreError`` (`.followerMoved`) if the saved position isn't where this follower left it.
  mutating func reach(_ position: Position) throws {
    guard done ?? 0 < position else { return }
    do {
      if try move(own, to: position, from: done, at: rebases) {
        done = position
        return
      }
    } catch {
      let code = (error as? EventStoreError)?.code
      unsaved?.mightBeSaved = code != .suspended && code != .busy
      throw error
    }
    if try currentRebases() != rebases { return }
    let found = try checkpoints.checkpoint(named: own)
    if found == position, unsaved?.mightBeSaved == true {
      done = position
      return
    }
    unsaved = nil
    throw EventStoreError(
      .followerMoved,
      "the follower \"\(name)\" handled the events up to position \(position), but its saved position was changed in "
        + "the meantime: expected \(done.map { "\($0)" } ?? "none"), found \(found.map { "\($0)" } ?? "none"). Another "
        + "program might have handled the same events, so check their effects. Change a follower's position only while "
        + "the follower isn't running")
  }

  /// Moves the checkpoint that all versions of the follower share.
  private func moveFurthest(from old: Position?, to new: Position) throws -> Position? {
    var known = old
    while true {
      if let known, known >= new { return known }
      if try move(furthest, to: new, from: known, at: rebases) { return new }
      if try currentRebases() != rebases { return known }
      known = try checkpoints.checkpoint(named: furthest)
    }
  }
}
