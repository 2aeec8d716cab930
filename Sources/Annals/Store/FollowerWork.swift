/// What a follower has read, and how far it has come: the part of it that touches the store.
struct FollowerWork<Event: Annals.Event> {
  /// Events that the follower's code gets in one call.
  struct Step: Sendable {
    /// The decoded events: several of one position where an upcaster split it.
    fileprivate(set) var events: [Recorded<Event>]
    /// The first of them, as it is stored.
    let first: StoredEvent
    /// The stored events' positions, in order.
    fileprivate(set) var positions: [Position]
    let isReplay: Bool
    fileprivate(set) var isLast: Bool

    var last: Position { positions.last ?? first.position }
  }

  /// What comes next.
  enum Next: Sendable {
    case handle(Step)
    /// A page of events is done.
    case progress(LogProgress)
    /// There is nothing new.
    case end(Position)
  }

  let name: String
  let version: Int
  let store: any EventStore
  let checkpoints: any CheckpointStore
  let policy: ReadingPolicy
  /// How many events the code gets at most in one call; nil if it gets one after the other.
  let batchSize: Int?
  private var coder: EventCoder<Event>
  private var cursor: EventCursor?
  private var page: EventSubscription.Batch?
  private var index = 0
  /// Up to where this follower has come.
  private var done: Position?
  /// Up to where any follower of the name has come.
  private var reached: Position?

  init(
    name: String, version: Int, store: any EventStore, checkpoints: any CheckpointStore, policy: ReadingPolicy,
    batchSize: Int?
  ) throws {
    (self.name, self.version, self.store, self.checkpoints) = (name, version, store, checkpoints)
    (self.policy, self.batchSize) = (policy, batchSize)
    try store.signal.names.use(Event.self)
    coder = try EventCoder()
  }

  /// Where the follower's own position is kept.
  private var own: String { FollowerCheckpoint(name: name, version: version).text }
  /// Where it is kept how far any follower of the name has come.
  private var furthest: String { FollowerCheckpoint.furthest(name) }

  /// Lets a follower that never ran begin after what is there.
  func beginAtEnd() throws {
    guard try checkpoints.checkpoint(named: furthest) == nil else { return }
    let head = try store.head()
    // Another process may have begun just now; then its beginning counts.
    _ = try checkpoints.setCheckpoint(named: furthest, to: head, from: nil)
    _ = try checkpoints.setCheckpoint(named: own, to: head, from: nil)
  }

  /// Begins a turn where the follower stands.
  mutating func begin() throws {
    done = try checkpoints.checkpoint(named: own)
    // With this checkpoint a compaction sees that a follower is on its way.
    if done == nil { done = try move(own, from: nil, to: 0) }
    reached = try checkpoints.checkpoint(named: furthest)
    // No log is compacted beyond a checkpoint, so that what is left after one is what was not handled.
    cursor = EventCursor(
      store, .all, of: coder.facts.types, after: done ?? 0, batchSize: max(256, batchSize ?? 1), isGuarded: true)
    page = nil
  }

  /// Answers what comes next.
  ///
  /// - Parameter skipped: The positions that are left out.
  /// - Returns: Events for the code, or that a page or the log is done.
  /// - Throws: ``ProjectionError`` at an event that cannot be decoded; the follower then stands before it.
  mutating func next(skipping skipped: Set<Position>) throws -> Next {
    while true {
      guard let page else {
        guard let next = try cursor?.next() else {
          let end = cursor?.position ?? 0
          // Events of others need no handling, and are passed all the same.
          try reach(end)
          return .end(end)
        }
        (page, index) = (next, 0)
        continue
      }
      if let step = try step(on: page, skipping: skipped) { return .handle(step) }
      self.page = nil
      // Events of others need no handling, and are passed all the same.
      if done ?? 0 < page.position { done = try move(own, from: done, to: page.position) }
      return .progress(LogProgress(position: page.position, end: max(try store.head(), page.position)))
    }
  }

  /// The next events of a page for the code; nil if there are no more.
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
          reading = try coder.read(type: event.type, schema: event.schema, payload: event.payload, policy)
        } catch {
          // The code gets those before it first.
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

  /// Notes that the code has handled what it got, or has left it out.
  mutating func finish(_ step: Step, isSkipped: Bool) throws {
    done = try move(own, from: done, to: step.last)
    if !isSkipped, reached.map({ $0 < step.last }) ?? true {
      reached = try move(furthest, from: reached, to: step.last)
    }
  }

  /// Notes that what came before an event is done, also what was others'.
  mutating func stop(before position: Position) throws {
    try reach(Position(position.rawValue - 1))
  }

  /// Notes that everything up to a position is done.
  mutating func reach(_ position: Position) throws {
    if done ?? 0 < position { done = try move(own, from: done, to: position) }
  }

  private func move(_ checkpoint: String, from old: Position?, to new: Position) throws -> Position {
    var known = old
    while true {
      // Another process runs a follower of this name too, and was further; the one that is behind goes on from there.
      if let known, known >= new { return known }
      if try checkpoints.setCheckpoint(named: checkpoint, to: new, from: known) { return new }
      known = try checkpoints.checkpoint(named: checkpoint)
    }
  }
}
