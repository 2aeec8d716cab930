import Dispatch
import Synchronization

/// Does something at each event, at least once and in order, and remembers in the log how far it has come.
///
/// Use it for code with effects outside the log, for example to send mails, notify a server, or fill another program's
/// index.
///
///     let mailer = try EventFollower(
///       "mailer", of: OrderEvent.self, in: store, retries: .retrying(attempts: 5)
///     ) { recorded, context in
///       if context.isReplay { return }
///       try await mail(recorded.event, key: recorded.id)
///     }
///     try await mailer.run()
///
/// The code may be asynchronous or not. What the follower itself reads and saves in an `async` call, it does on a
/// thread of its own; code that is not asynchronous runs there too, and may block it.
///
/// After each event that was handled, its position is saved under the follower's name and version. A process that ends
/// between the two handles the event again. If something must not happen twice, ask by the event's `id` whether it
/// happened. A follower of another version begins at the beginning, and every event that one of its name has handled
/// before is a replay to it.
///
/// If an upcaster splits an event into several, you get them one after the other, each with the stored event's id and
/// position. If one is not handled, all of them come again.
///
/// A follower with a `batchSize` hands over several events in one call, and saves one position for all of them. If the
/// code throws, or the process ends before the position is saved, the whole batch comes again, perhaps with other
/// events in it.
///
/// An event that cannot be decoded, or at which the code throws, stops the follower before it, with a
/// ``ProjectionError`` that names it; a batch stops it before its first event. With ``FollowerRetries`` the code is
/// called again after a delay that grows, in the awaited calls of ``catchUp(isolation:progress:)`` and
/// ``run(isolation:)``. The next call tries the event again; ``skip(_:)`` leaves it out.
///
/// You may call the follower from its own code, and from tasks that this code begins. `catchUp` then does nothing,
/// since what came meanwhile is handled next anyway, and returns how far the follower is. `skip` of an event that is
/// being handled lets the follower pass it as soon as the code returns or throws; what the code throws is thrown all
/// the same. Other threads and tasks wait until the catching up is done, so do not wait in the code for a thread that
/// calls the follower. In an `async` function these calls are awaited, and block no thread.
///
/// One process at a time runs the followers of a name. If two do, both handle events, and a checkpoint never goes back.
///
/// A log is not compacted beyond what a follower that has begun has handled. If a follower never comes again, forget it
/// with ``EventStore/forgetFollower(_:version:)``.
public final class EventFollower<Event: Annals.Event>: Sendable {
  /// What a follower's code knows beside the event.
  public struct Context: Hashable, Sendable {
    /// True if a follower of this name has handled the event before; a batch has no events of both kinds.
    ///
    /// It is also true if the event was there before the first one began, and that one began at the end.
    public let isReplay: Bool
    /// True if the event, or the last one of a batch, is the log's last one, as far as is known.
    public let isLast: Bool
    /// How often the code is called for the event in one call of `catchUp` or `run`, with this time: 1 for the first.
    public let attempt: Int
  }

  /// Where a follower begins that never ran.
  public enum Start: Hashable, Sendable {
    /// At the log's first event.
    case beginning
    /// After the event that is the last one when the follower is made.
    case end
  }

  private enum Code: Sendable {
    case plain(@Sendable (Recorded<Event>, Context) throws -> Void)
    case asynchronous(@Sendable (Recorded<Event>, Context) async throws -> Void)
    case batches(Int, @Sendable ([Recorded<Event>], Context) async throws -> Void)
  }

  /// What the follower is called.
  public let name: String
  /// The number of its code.
  public let version: Int
  private let store: any EventStore
  private let checkpoints: any CheckpointStore
  private let retries: FollowerRetries
  private let code: Code
  /// Passed by who catches up, so that each event is handled by one caller.
  private let gate = FollowerGate()
  private let work: Mutex<FollowerWork<Event>>
  /// The events that are left out from inside.
  private let skipped = Mutex<Set<Position>>([])
  /// Where asynchronous calls read and save.
  private let queue: DispatchQueue
  private let stops: StopReporter

  /// Makes a follower whose code is not asynchronous; it does nothing yet.
  ///
  /// - Parameters:
  ///   - name: What the follower is called, no other of the log.
  ///   - version: The number of its code, raised when all events are to be handled again.
  ///   - events: The type of events.
  ///   - store: Where the events are, and where the follower's position is kept.
  ///   - start: Where a follower of this name begins that never ran.
  ///   - unknownEvents: What happens at an event with the type's prefix and none of its cases.
  ///   - newerEvents: What happens at an event whose schema is newer than the type's.
  ///   - retries: How often awaited calls try an event again; by default they do not.
  ///   - handle: Called with each event, by one thread at a time.
  /// - Throws: ``EventStoreError``, with the code `unsupported` if the store keeps no checkpoints;
  ///   ``EventCodingError``.
  public convenience init(
    _ name: String, version: Int = 1, of events: Event.Type, in store: some EventStore,
    startingAt start: Start = .beginning,
    unknownEvents: UnknownEventPolicy = .stop, newerEvents: NewerEventPolicy = .stop,
    retries: FollowerRetries = .none,
    handle: @escaping @Sendable (Recorded<Event>, Context) throws -> Void
  ) throws {
    let policy = ReadingPolicy(unknown: unknownEvents, newer: newerEvents)
    try self.init(name, version, store, start, policy, retries, .plain(handle))
  }

  /// Makes a follower whose code is asynchronous; it does nothing yet.
  ///
  /// - Parameters:
  ///   - name: What the follower is called, no other of the log.
  ///   - version: The number of its code, raised when all events are to be handled again.
  ///   - events: The type of events.
  ///   - store: Where the events are, and where the follower's position is kept.
  ///   - start: Where a follower of this name begins that never ran.
  ///   - unknownEvents: What happens at an event with the type's prefix and none of its cases.
  ///   - newerEvents: What happens at an event whose schema is newer than the type's.
  ///   - retries: How often an event is tried again; by default it is not.
  ///   - handle: Called with each event, one call at a time, in the isolation that the code names, or in none.
  /// - Throws: ``EventStoreError``, with the code `unsupported` if the store keeps no checkpoints;
  ///   ``EventCodingError``.
  public convenience init(
    _ name: String, version: Int = 1, of events: Event.Type, in store: some EventStore,
    startingAt start: Start = .beginning,
    unknownEvents: UnknownEventPolicy = .stop, newerEvents: NewerEventPolicy = .stop,
    retries: FollowerRetries = .none,
    handle: @escaping @Sendable (Recorded<Event>, Context) async throws -> Void
  ) throws {
    let policy = ReadingPolicy(unknown: unknownEvents, newer: newerEvents)
    try self.init(name, version, store, start, policy, retries, .asynchronous(handle))
  }

  /// Makes a follower that hands over several events in one call; it does nothing yet.
  ///
  ///     let indexer = try EventFollower("indexer", of: BookEvent.self, in: store, batchSize: 100) { batch, _ in
  ///       try await index.put(batch.map(\.event))
  ///     }
  ///
  /// - Parameters:
  ///   - name: What the follower is called, no other of the log.
  ///   - version: The number of its code, raised when all events are to be handled again.
  ///   - events: The type of events.
  ///   - store: Where the events are, and where the follower's position is kept.
  ///   - start: Where a follower of this name begins that never ran.
  ///   - unknownEvents: What happens at an event with the type's prefix and none of its cases.
  ///   - newerEvents: What happens at an event whose schema is newer than the type's.
  ///   - retries: How often a batch is tried again; by default it is not.
  ///   - batchSize: How many stored events a batch has at most, 1 or more. What an upcaster makes of one event is in
  ///     one batch.
  ///   - handleBatch: Called with some events, in order and never none, one call at a time. Its position is saved once,
  ///     after it has returned: a batch is handled at least once.
  /// - Throws: ``EventStoreError``, with the code `unsupported` if the store keeps no checkpoints;
  ///   ``EventCodingError``.
  public convenience init(
    _ name: String, version: Int = 1, of events: Event.Type, in store: some EventStore,
    startingAt start: Start = .beginning,
    unknownEvents: UnknownEventPolicy = .stop, newerEvents: NewerEventPolicy = .stop,
    retries: FollowerRetries = .none, batchSize: Int,
    handleBatch: @escaping @Sendable ([Recorded<Event>], Context) async throws -> Void
  ) throws {
    precondition(batchSize > 0, "`batchSize` must be at least 1 (was \(batchSize))")
    let policy = ReadingPolicy(unknown: unknownEvents, newer: newerEvents)
    try self.init(name, version, store, start, policy, retries, .batches(batchSize, handleBatch))
  }

  private init(
    _ name: String, _ version: Int, _ store: any EventStore, _ start: Start, _ policy: ReadingPolicy,
    _ retries: FollowerRetries, _ code: Code
  ) throws {
    guard let checkpoints = store.checkpoints else {
      throw EventStoreError.unsupported("checkpoints", by: type(of: store))
    }
    (self.name, self.version, self.store, self.checkpoints) = (name, version, store, checkpoints)
    (self.retries, self.code) = (retries, code)
    stops = StopReporter(.follower, name)
    let batchSize: Int? = if case .batches(let size, _) = code { size } else { nil }
    work = Mutex(
      try FollowerWork(
        name: name, version: version, store: store, checkpoints: checkpoints, policy: policy, batchSize: batchSize))
    queue = DispatchQueue(label: "Annals.follower.\(name)")
    if start == .end { try work.withLock { try $0.beginAtEnd() } }
  }

  /// Where the follower's own position is kept.
  private var own: String { FollowerCheckpoint(name: name, version: version).text }

  /// The position up to which everything has been handled.
  public var position: Position {
    get throws { try checkpoints.checkpoint(named: own) ?? 0 }
  }

  /// Handles the events that are there and were not handled yet, on the caller's thread.
  ///
  /// This is the call of a function that is not `async`, for a follower whose code is not. It tries each event once.
  /// Code at the top level of a program prefers this call even where it awaits, which is an error of the compiler. Pass
  /// `isolation: #isolation` there to get the call that is awaited.
  /// Called by the follower's own code, it does nothing and answers how far the follower is.
  ///
  /// - Parameter progress: Called now and then with how far the follower is; what it throws ends the work there.
  /// - Returns: The position that was reached.
  /// - Throws: ``ProjectionError`` at an event that cannot be handled; ``EventStoreError``, with the code `unsupported`
  ///   if the follower's code is asynchronous; what `progress` throws.
  @available(*, noasync, message: "at top level write: try await follower.catchUp(isolation: #isolation)")
  @discardableResult
  public func catchUp(progress: (LogProgress) throws -> Void = { _ in }) throws -> Position {
    if FollowerTurn.inside(self) != nil { return try position }
    guard case .plain = code else {
      throw EventStoreError(
        .unsupported,
        "The follower \"\(name)\" cannot catch up here: its code is asynchronous and this function is not; call "
          + "`try await catchUp()` in an async function")
    }
    gate.enter()
    defer { gate.leave() }
    let turn = FollowerTurn(self, failures: nil)
    defer { finish(turn) }
    do {
      try work.withLock { try $0.begin() }
      while true {
        switch try advance(after: nil, in: turn, isCancelled: { false }) {
        case .end(let position):
          stops.goesOn()
          return position
        case .progress(let reached): try inside(turn) { try progress(reached) }
        case .handle: preconditionFailure("code that is not asynchronous has handled its events")
        }
      }
    } catch {
      reportStop(error, in: turn)
      throw error
    }
  }

  /// Handles the events that are there and were not handled yet.
  ///
  /// Called by the follower's own code, it does nothing and answers how far the follower is. A task that is cancelled
  /// ends the work between two events: an event whose code has returned is not handled again.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation; leave it to its default.
  ///   - progress: Called now and then, in the caller's isolation, with how far the follower is; what it throws ends
  ///     the work there.
  /// - Returns: The position that was reached.
  /// - Throws: ``ProjectionError`` at an event that cannot be handled, also after the last attempt of
  ///   ``FollowerRetries``; ``EventStoreError``; `CancellationError`; what `progress` throws.
  @discardableResult
  public func catchUp(
    isolation: isolated (any Actor)? = #isolation, progress: (LogProgress) throws -> Void = { _ in }
  ) async throws -> Position {
    if FollowerTurn.inside(self) != nil { return try position }
    var failures: (position: Position, count: Int)?
    while true {
      let turn = FollowerTurn(self, failures: failures)
      do {
        return try await run(turn, isolation, progress)
      } catch {
        guard let position = turn.failure else {
          reportStop(error, in: turn)
          throw error
        }
        let count = turn.attempt(at: position)
        failures = (position, count)
        guard let delay = retries.delay(after: count) else {
          reportStop(error, in: turn)
          throw error
        }
        try await store.environment.sleep(delay)
      }
    }
  }

  /// Catches up once.
  private func run(
    _ turn: FollowerTurn, _ isolation: isolated (any Actor)?, _ progress: (LogProgress) throws -> Void
  ) async throws -> Position {
    try await gate.enter()
    defer { gate.leave() }
    defer { finish(turn) }
    try await onQueue { [self] _ in try work.withLock { try $0.begin() } }
    var handled: FollowerWork<Event>.Step?
    while true {
      let done = handled
      handled = nil
      switch try await onQueue({ [self] in try advance(after: done, in: turn, isCancelled: $0) }) {
      case .end(let position):
        stops.goesOn()
        return position
      case .progress(let reached): try inside(turn) { try progress(reached) }
      case .handle(let step):
        do {
          try await handle(step, in: turn)
        } catch {
          let isCancelled = Task.isCancelled
          throw try await onQueue { [self] _ in try failed(at: step, error, in: turn, isCancelled: isCancelled) }
        }
        handled = step
      }
    }
  }

  /// Notes what was handled, and handles what follows as far as the code is not asynchronous.
  private func advance(
    after handled: FollowerWork<Event>.Step?, in turn: FollowerTurn, isCancelled: () -> Bool
  ) throws -> FollowerWork<Event>.Next {
    if let handled { try finish(handled) }
    while true {
      if isCancelled() { throw CancellationError() }
      let skipped = skipped.withLock { $0 }
      let next = try work.withLock { try $0.next(skipping: skipped) }
      switch next {
      case .end: note(.followerBehind, .level(0))
      case .progress(let reached):
        note(.followerBehind, .level(max(0, reached.end.rawValue - reached.position.rawValue)))
      case .handle: break
      }
      guard case .plain(let handle) = code, case .handle(let step) = next else { return next }
      do {
        turn.begin(step.positions)
        defer { turn.end() }
        let context = context(of: step, in: turn)
        try inside(turn) {
          for event in step.events where !isSkipped(event.position) { try handle(event, context) }
        }
      } catch {
        throw try failed(at: step, error, in: turn, isCancelled: isCancelled())
      }
      try finish(step)
    }
  }

  /// Calls asynchronous code.
  private func handle(_ step: FollowerWork<Event>.Step, in turn: FollowerTurn) async throws {
    turn.begin(step.positions)
    defer { turn.end() }
    let context = context(of: step, in: turn)
    try await FollowerTurn.$current.withValue(turn) {
      switch code {
      case .asynchronous(let handle):
        for event in step.events where !isSkipped(event.position) { try await handle(event, context) }
      case .batches(_, let handle): try await handle(step.events, context)
      case .plain: preconditionFailure("code that is not asynchronous is called on the queue")
      }
    }
  }

  private func context(of step: FollowerWork<Event>.Step, in turn: FollowerTurn) -> Context {
    Context(isReplay: step.isReplay, isLast: step.isLast, attempt: turn.attempt(at: step.first.position))
  }

  private func finish(_ step: FollowerWork<Event>.Step) throws {
    let isSkipped = !isBatching && isSkipped(step.last)
    try work.withLock { try $0.finish(step, isSkipped: isSkipped) }
    note(.followedEvents, .count(step.positions.count))
    skipped.withLock { $0 = $0.filter { $0 > step.last } }
  }

  /// Notes that the code threw; answers what to throw.
  private func failed(
    at step: FollowerWork<Event>.Step, _ error: any Error, in turn: FollowerTurn, isCancelled: Bool
  ) throws -> any Error {
    // The event itself is done if it was skipped.
    let isSkipped = !isBatching && isSkipped(step.last)
    try work.withLock { isSkipped ? try $0.reach(step.last) : try $0.stop(before: step.first.position) }
    if isCancelled { return CancellationError() }
    if isSkipped { turn.pass() } else { turn.fail(at: step.first.position) }
    note(.followerFailures, .count(1))
    return ProjectionError(.refused, at: step.first, in: "The follower \"\(name)\"", because: error)
  }

  /// Reports an event that the follower stands before; what it has passed stops it no more.
  private func reportStop(_ error: any Error, in turn: FollowerTurn) {
    if error is ProjectionError, !turn.hasPassed { stops.report(error, in: store) }
  }

  private func finish(_ turn: FollowerTurn) {
    turn.finish()
    // An event of a batch is left out when the batch comes again; a single one has been passed.
    if !isBatching { skipped.withLock { $0 = [] } }
  }

  /// Passes the event that the follower stands before.
  ///
  /// Called by the follower's own code, it passes the event that is being handled as soon as the code returns or
  /// throws, and no other. If that is one of a batch and the code throws, the batch comes again without the event.
  ///
  /// - Parameter position: The event's position, as the ``ProjectionError`` says: another one is not passed.
  /// - Returns: True if it was passed, false if the follower does not stand before it.
  /// - Throws: ``EventStoreError``.
  @discardableResult
  public func skip(_ position: Position) throws -> Bool {
    if let turn = FollowerTurn.inside(self) { return try skip(position, in: turn) }
    gate.enter()
    defer { gate.leave() }
    return try pass(position)
  }

  /// Passes the event that the follower stands before, without blocking a thread.
  ///
  /// Called by the follower's own code, it passes the event that is being handled as soon as the code returns or
  /// throws, and no other. If that is one of a batch and the code throws, the batch comes again without the event.
  ///
  /// - Parameters:
  ///   - position: The event's position, as the ``ProjectionError`` says: another one is not passed.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: True if it was passed, false if the follower does not stand before it.
  /// - Throws: ``EventStoreError``; `CancellationError` if the task is cancelled while another call is under way.
  @discardableResult
  public func skip(_ position: Position, isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
    if let turn = FollowerTurn.inside(self) {
      // At once: code that is not asynchronous may hold the queue until it returns.
      if turn.events != nil { return try skip(position, in: turn) }
      return try await onQueue { [self] _ in try skip(position, in: turn) }
    }
    try await gate.enter()
    defer { gate.leave() }
    return try await onQueue { [self] _ in try pass(position) }
  }

  private func skip(_ position: Position, in turn: FollowerTurn) throws -> Bool {
    // Between two events, where the progress is reported, the next one can be passed at once.
    guard try turn.events.map({ $0.contains(position) }) ?? pass(position) else { return false }
    skipped.withLock { _ = $0.insert(position) }
    return true
  }

  /// Passes the event after those that are done.
  private func pass(_ position: Position) throws -> Bool {
    let done = try checkpoints.checkpoint(named: own)
    guard position > done ?? 0, position.rawValue - 1 == (done ?? 0).rawValue, try position <= store.head() else {
      return false
    }
    return try checkpoints.setCheckpoint(named: own, to: position, from: done)
  }

  private func note(_ name: StoreMeasurement.Name, _ value: StoreMeasurement.Value) {
    store.environment.note(name, value, ["follower": self.name])
  }

  private func isSkipped(_ position: Position) -> Bool { skipped.withLock { $0.contains(position) } }

  private var isBatching: Bool { if case .batches = code { true } else { false } }

  /// Runs the follower's code, or what its caller gave it.
  private func inside(_ turn: FollowerTurn, _ body: () throws -> Void) rethrows {
    try FollowerTurn.$current.withValue(turn, operation: body)
  }

  /// Runs a body on the follower's own thread; it runs also if the task is cancelled.
  private func onQueue<T: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (() -> Bool) throws -> T
  ) async throws -> T {
    try await WaitingJob.run(on: queue, canBeWithdrawn: false, body)
  }

  /// Handles the events that are there and those that come, until the task is cancelled.
  ///
  /// - Parameter isolation: The caller's isolation; leave it to its default.
  /// - Throws: As ``catchUp(isolation:progress:)``, except for the `CancellationError` of a task that is cancelled.
  public func run(isolation: isolated (any Actor)? = #isolation) async throws {
    let wake = CommitWake(store)
    var wakes = wake.stream.makeAsyncIterator()
    while !Task.isCancelled {
      do {
        try await catchUp()
      } catch is CancellationError {
        return
      } catch {
        // An event that it stands before was reported by the catching up.
        if !(error is ProjectionError) { stops.report(error, in: store) }
        throw error
      }
      guard await wakes.next(isolation: isolation) != nil else { return }
    }
  }
}

extension EventStore {
  /// Forgets how far a follower has come, so that the log may be compacted without it.
  ///
  /// If it runs again all the same, it begins at the beginning, and what one of its name has handled is a replay to it.
  ///
  /// - Parameters:
  ///   - name: What the follower is called.
  ///   - version: The number of its code.
  /// - Throws: ``EventStoreError``, with the code `unsupported` if the store keeps no checkpoints.
  public func forgetFollower(_ name: String, version: Int) throws {
    guard let checkpoints else { throw EventStoreError.unsupported("checkpoints", by: Self.self) }
    try checkpoints.deleteCheckpoint(named: FollowerCheckpoint(name: name, version: version).text)
  }
}

/// The name under which it is kept how far a follower has come.
struct FollowerCheckpoint: Hashable {
  let name: String
  let version: Int

  var text: String { "follower/\(name)/version/\(version)" }

  /// The name under which it is kept how far any follower of a name has come.
  static func furthest(_ name: String) -> String {
    let text = "follower/\(name)"
    // A name may end as if it had a version: then it is no version's own.
    return FollowerCheckpoint(text) == nil ? text : "furthest/" + text
  }
}

extension FollowerCheckpoint {
  /// The follower of a name under which something is kept; nil if it is another's, or that of all versions.
  init?(_ text: String) {
    // A follower's name may have slashes; the version comes last.
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0] == "follower", parts[parts.count - 2] == "version",
      let version = Int(parts[parts.count - 1])
    else { return nil }
    self.init(name: parts[1..<parts.count - 2].joined(separator: "/"), version: version)
  }
}
