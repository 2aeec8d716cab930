import Dispatch
import Foundation
import Synchronization

/// An object that calls your code for every event, in order and at least once, and saves the position of the last
/// handled event.
///
/// Use a follower for code with effects outside the log, for example to send mails, notify a server, or fill another
/// program's index.
///
///     let mailer = try EventFollower(
///       "mailer", of: OrderEvent.self, in: store, startingAt: .end, retries: .retrying(attempts: 5)
///     ) { recorded, context in
///       if context.isReplay { return }
///       try await mail(recorded.event, key: recorded.id)
///     }
///     try await mailer.run()
///
/// Your code can be synchronous or asynchronous. If you call the follower's `async` methods, the follower reads and
/// saves on its own thread. Synchronous code also runs on that thread, and is allowed to block it.
///
/// After every handled event, the follower saves the position under its name and version. If the process exits after
/// your code has handled an event, but before the position is saved, the event is handled twice. If an effect must not
/// happen twice, use the event's `id` to check whether the effect already happened. A follower with a new version
/// starts at the log's beginning. Every event that an earlier version of the follower has handled is then marked as a
/// replay (``Context/isReplay``).
///
/// If an ``Upcaster`` splits a stored event into several events, your code receives them one after the other, with the
/// stored event's id and position. If your code throws for one of these events, all of them are redelivered.
///
/// A follower with a `batchSize` delivers several events in one call, and saves one position for all of them. If your
/// code throws, or the process exits before the position is saved, the whole batch is redelivered. The new batch might
/// contain more or fewer events.
///
/// The follower stops before an event that can't be decoded, or for which your code throws. `catchUp` or `run` then
/// throws a ``ProjectionError`` that names the event. With batches, the follower stops before the first event of the
/// batch. The next call retries the event, unless you skip it with ``skip(_:)``. If the follower has
/// ``FollowerRetries``, the awaited ``catchUp(isolation:progress:)`` and ``run(isolation:)`` first retry your code
/// after increasing delays.
///
/// If your code executes a command, the handled event becomes the cause of the command's events: the event's id is
/// their ``Metadata/causation``, and the event's correlation is their ``Metadata/correlation``. If you pass metadata
/// with a causation, that causation is used instead. With a `batchSize`, your code handles several events in one call,
/// so the command has no single cause. In this case, pass `metadata: .caused(by: event)`.
///
/// Your code can call the follower's methods, and so can tasks that your code starts. In such a call, `catchUp` only
/// returns the follower's position, because the running call will handle new events anyway. If your code calls `skip`
/// for the event that it is handling, the follower moves past the event as soon as the code returns or throws. If the
/// code throws, `catchUp` or `run` still throws the error. Calls from other threads and tasks wait until the follower
/// has caught up. So your code must not wait for a thread that calls the follower. In an `async` function, waiting
/// calls don't block a thread.
///
/// Only one runner at a time handles a follower's events, in all processes that use the log. `catchUp` and `run` claim
/// the follower for a turn, which ends when all events are handled. A second runner waits for this turn, and then
/// continues from the saved position. `catchUp` waits at most a minute, and then throws ``EventStoreError``
/// (`.followerBusy`), which names the process that runs the follower. While no new events exist, no runner has the
/// claim. If a process is killed, the system releases its claim.
///
/// A log can't be compacted beyond the position of a follower that has started. To remove this limit after you retire a
/// follower, call ``EventStore/forgetFollower(_:version:)``.
public final class EventFollower<Event: AnnalsLog.Event>: Sendable {
  /// The information that your code receives with an event or a batch of events.
  public struct Context: Hashable, Sendable {
    /// True if an earlier version of the follower has handled the event.
    ///
    /// For a batch, the value is true only if an earlier version has handled all events of the batch.
    ///
    /// If the first version of the follower started at the log's end, the value is also true for all events before the
    /// position at which the first version started.
    public let isReplay: Bool
    /// True if the event, or the last event of the batch, was the log's last event when the follower read it.
    public let isLast: Bool
    /// The number of this attempt to handle the event or batch, counted from 1 in every call of `catchUp` or `run`.
    public let attempt: Int
  }

  private enum Code: Sendable {
    case plain(@Sendable (Recorded<Event>, Context) throws -> Void)
    case asynchronous(@Sendable (Recorded<Event>, Context) async throws -> Void)
    case batches(Int, @Sendable ([Recorded<Event>], Context) async throws -> Void)
  }

  /// The follower's name.
  public let name: String
  /// The version of the follower's code.
  public let version: Int
  private let store: any EventStore
  private let checkpoints: any CheckpointStore
  private let retries: FollowerRetries
  private let code: Code
  /// The gate that admits one catching-up caller at a time, so that every event is handled by one caller.
  private let gate = FollowerGate()
  private let work: Mutex<FollowerWork<Event>>
  /// The events that the follower's own code skips.
  private let skipped = Mutex<Set<Position>>([])
  /// The queue on which asynchronous calls read and save.
  private let queue: DispatchQueue
  private let stops: StopReporter

  /// Creates a follower with synchronous code, which runs when you call `catchUp` or `run`.
  ///
  /// - Parameters:
  ///   - name: The follower's name, unique in the log.
  ///   - version: The version of the follower's code. Increase the version to rerun your code for all events, starting
  ///     with the log's first event.
  ///   - events: The event type.
  ///   - query: The query that selects the events, such as `.category("Concert")`. By default, the follower handles all
  ///     events of the type. If you change the query, the new query applies only to events after the follower's
  ///     position.
  ///   - store: The event store, which also stores the follower's position.
  ///   - start: The place in the log at which the follower starts if no follower with this name ever ran.
  ///   - unknownEvents: The policy for events whose stored name starts with the event type's prefix, but matches no
  ///     case of the type.
  ///   - newerEvents: The policy for events whose schema is newer than the event type's schema.
  ///   - retries: The policy for retries after your code throws. By default, the follower doesn't retry. Only the
  ///     awaited `catchUp` and `run` use this policy.
  ///   - handle: The closure to call with every event, on one thread at a time.
  /// - Throws: ``EventStoreError`` (`.unsupported`) if the store doesn't support checkpoints. ``EventCodingError``,
  ///   for example if the event type can't be stored, or if another type in use has the same prefix.
  public convenience init(
    _ name: String, version: Int = 1, of events: Event.Type, to query: EventQuery = .all,
    in store: some EventStore,
    startingAt start: FollowerStart,
    unknownEvents: UnknownEventPolicy = .stop, newerEvents: NewerEventPolicy = .stop,
    retries: FollowerRetries = .none,
    handle: @escaping @Sendable (Recorded<Event>, Context) throws -> Void
  ) throws {
    let policy = ReadingPolicy(unknown: unknownEvents, newer: newerEvents)
    try self.init(name, version, query, store, start, policy, retries, .plain(handle))
  }

  /// Creates a follower with asynchronous code, which runs when you call `catchUp` or `run`.
  ///
  /// - Parameters:
  ///   - name: The follower's name, unique in the log.
  ///   - version: The version of the follower's code. Increase the version to rerun your code for all events, starting
  ///     with the log's first event.
  ///   - events: The event type.
  ///   - query: The query that selects the events, such as `.category("Concert")`. By default, the follower handles all
  ///     events of the type. If you change the query, the new query applies only to events after the follower's
  ///     position.
  ///   - store: The event store, which also stores the follower's position.
  ///   - start: The place in the log at which the follower starts if no follower with this name ever ran.
  ///   - unknownEvents: The policy for events whose stored name starts with the event type's prefix, but matches no
  ///     case of the type.
  ///   - newerEvents: The policy for events whose schema is newer than the event type's schema.
  ///   - retries: The policy for retries after your code throws. By default, the follower doesn't retry.
  ///   - handle: The closure to call with every event, one call at a time. If the closure declares an isolation, such
  ///     as `@MainActor`, it runs in that isolation. Otherwise it runs without isolation.
  /// - Throws: ``EventStoreError`` (`.unsupported`) if the store doesn't support checkpoints. ``EventCodingError``,
  ///   for example if the event type can't be stored, or if another type in use has the same prefix.
  public convenience init(
    _ name: String, version: Int = 1, of events: Event.Type, to query: EventQuery = .all,
    in store: some EventStore,
    startingAt start: FollowerStart,
    unknownEvents: UnknownEventPolicy = .stop, newerEvents: NewerEventPolicy = .stop,
    retries: FollowerRetries = .none,
    handle: @escaping @Sendable (Recorded<Event>, Context) async throws -> Void
  ) throws {
    let policy = ReadingPolicy(unknown: unknownEvents, newer: newerEvents)
    try self.init(name, version, query, store, start, policy, retries, .asynchronous(handle))
  }

  /// Creates a follower that delivers several events in one call of your code.
  ///
  /// Your code runs when you call `catchUp` or `run`.
  ///
  ///     let indexer = try EventFollower(
  ///       "indexer", of: BookEvent.self, in: store, startingAt: .beginning, batchSize: 100
  ///     ) { batch, _ in
  ///       try await index.put(batch.map(\.event))
  ///     }
  ///
  /// - Parameters:
  ///   - name: The follower's name, unique in the log.
  ///   - version: The version of the follower's code. Increase the version to rerun your code for all events, starting
  ///     with the log's first event.
  ///   - events: The event type.
  ///   - query: The query that selects the events, such as `.category("Concert")`. By default, the follower handles all
  ///     events of the type. If you change the query, the new query applies only to events after the follower's
  ///     position.
  ///   - store: The event store, which also stores the follower's position.
  ///   - start: The place in the log at which the follower starts if no follower with this name ever ran.
  ///   - unknownEvents: The policy for events whose stored name starts with the event type's prefix, but matches no
  ///     case of the type.
  ///   - newerEvents: The policy for events whose schema is newer than the event type's schema.
  ///   - retries: The policy for retries of a batch after your code throws. By default, the follower doesn't retry.
  ///   - batchSize: The maximum number of stored events in a batch, at least 1. If an ``Upcaster`` splits a stored
  ///     event, the resulting events are all in the same batch.
  ///   - handleBatch: The closure to call with a nonempty array of events, in order, one call at a time. The follower
  ///     saves the position after the closure returns, so a batch is handled at least once.
  /// - Throws: ``EventStoreError`` (`.unsupported`) if the store doesn't support checkpoints. ``EventCodingError``,
  ///   for example if the event type can't be stored, or if another type in use has the same prefix.
  public convenience init(
    _ name: String, version: Int = 1, of events: Event.Type, to query: EventQuery = .all,
    in store: some EventStore,
    startingAt start: FollowerStart,
    unknownEvents: UnknownEventPolicy = .stop, newerEvents: NewerEventPolicy = .stop,
    retries: FollowerRetries = .none, batchSize: Int,
    handleBatch: @escaping @Sendable ([Recorded<Event>], Context) async throws -> Void
  ) throws {
    precondition(batchSize > 0, "`batchSize` must be at least 1 (was \(batchSize))")
    let policy = ReadingPolicy(unknown: unknownEvents, newer: newerEvents)
    try self.init(name, version, query, store, start, policy, retries, .batches(batchSize, handleBatch))
  }

  private init(
    _ name: String, _ version: Int, _ query: EventQuery, _ store: any EventStore, _ start: FollowerStart,
    _ policy: ReadingPolicy, _ retries: FollowerRetries, _ code: Code
  ) throws {
    guard let checkpoints = store.checkpoints else {
      throw EventStoreError.unsupported("checkpoints", by: type(of: store))
    }
    self.name = name
    self.version = version
    self.store = store
    self.checkpoints = checkpoints
    self.retries = retries
    self.code = code
    stops = StopReporter(.follower, name)
    let batchSize: Int? = if case .batches(let size, _) = code { size } else { nil }
    work = Mutex(
      try FollowerWork(
        name: name, version: version, store: store, checkpoints: checkpoints, query: query, policy: policy,
        batchSize: batchSize))
    queue = DispatchQueue(label: "Annals.follower.\(name)")
    if start != .beginning { try work.withLock { try $0.start(at: start) } }
  }

  /// The name of the follower's own checkpoint.
  private var own: String { FollowerCheckpoint(name: name, version: version).text }

  /// The position through which all events have been handled.
  public var position: Position {
    get throws { try checkpoints.checkpoint(named: own) ?? 0 }
  }

  /// Handles the existing events that haven't been handled yet, on the caller's thread.
  ///
  /// The follower's code must be synchronous, and this overload doesn't retry events. Inside the follower's own code,
  /// the call only returns the follower's position.
  ///
  /// Swift selects this overload in a function that isn't `async`, and also at the top level of a program. So
  /// `try await follower.catchUp()` doesn't compile at the top level. To call the awaited overload there, write
  /// `try await follower.catchUp(isolation: #isolation)`.
  ///
  /// - Parameter progress: A closure to call from time to time with the follower's progress. If the closure throws, the
  ///   call ends with that error.
  /// - Returns: The follower's position after the call.
  /// - Throws: ``ProjectionError`` if an event can't be decoded, or if your code throws. ``EventStoreError``, for
  ///   example `.unsupported` if your code is asynchronous. The error of `progress`.
  @available(*, noasync, message: "use the asynchronous method: try await follower.catchUp(isolation: #isolation)")
  @discardableResult
  public func catchUp(progress: (LogProgress) throws -> Void = { _ in }) throws -> Position {
    if FollowerTurn.inside(self) != nil { return try position }
    guard case .plain = code else {
      throw EventStoreError(
        .unsupported,
        "the follower \"\(name)\" can't catch up in a synchronous call, because the follower's code is asynchronous; "
          + "call `try await catchUp()` in an async function")
    }
    gate.enter()
    defer { gate.leave() }
    let turn = FollowerTurn(self, failures: nil)
    defer { finish(turn) }
    do {
      let claim = try claim()
      try begin(claim)
      while true {
        switch try advance(after: nil, in: turn, isCancelled: { false }) {
        case .end(let position):
          stops.noteSuccess()
          return position
        case .progress(let reached): try inside(turn) { try progress(reached) }
        case .handle:
          preconditionFailure(
            "if a follower's code is synchronous, `advance` must handle every event. Please report this")
        }
      }
    } catch {
      reportStop(error, in: turn)
      throw error
    }
  }

  /// Handles the existing events that haven't been handled yet.
  ///
  /// Inside the follower's own code, the call only returns the follower's position. If the task is cancelled, the call
  /// ends between two events, so an event that your code has handled isn't handled twice.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  ///   - progress: A closure to call from time to time with the follower's progress, in the caller's isolation. If the
  ///     closure throws, the call ends with that error.
  /// - Returns: The follower's position after the call.
  /// - Throws: ``ProjectionError`` if an event can't be decoded, or if your code throws in the last attempt that
  ///   ``FollowerRetries`` allows. ``EventStoreError``, `CancellationError`, or the error of `progress`.
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

  /// Begins a turn at the follower's saved position.
  private func begin(_ claim: FollowerClaim) throws {
    try work.withLock { work in try skipped.withLock { try work.begin(claim, skipping: &$0) } }
  }

  /// Claims the follower, or waits until another runner's turn ends, on the caller's thread.
  private func claim() throws -> FollowerClaim {
    var failures = 0
    while true {
      do {
        return try work.withLock { try $0.claimed() }
      } catch let error as EventStoreError where error.code == .followerBusy {
        failures += 1
        guard let delay = FollowerRetries.claim.delay(after: failures) else { throw error }
        Thread.sleep(forTimeInterval: delay / .seconds(1))
      }
    }
  }

  /// Claims the follower, or waits until another runner's turn ends, without blocking a thread.
  private func claim(isolation: isolated (any Actor)? = #isolation) async throws -> FollowerClaim {
    var failures = 0
    while true {
      do {
        return try await onQueue { [self] _ in try work.withLock { try $0.claimed() } }
      } catch let error as EventStoreError where error.code == .followerBusy {
        failures += 1
        guard let delay = FollowerRetries.claim.delay(after: failures) else { throw error }
        try await store.environment.sleep(delay)
      }
    }
  }

  /// Catches up once, without retries.
  private func run(
    _ turn: FollowerTurn, _ isolation: isolated (any Actor)?, _ progress: (LogProgress) throws -> Void
  ) async throws -> Position {
    try await gate.enter()
    defer { gate.leave() }
    defer { finish(turn) }
    let claim = try await claim()
    try await onQueue { [self] _ in try begin(claim) }
    var handled: FollowerWork<Event>.Step?
    while true {
      let done = handled
      handled = nil
      switch try await onQueue({ [self] in try advance(after: done, in: turn, isCancelled: $0) }) {
      case .end(let position):
        stops.noteSuccess()
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

  /// Records the handled step, then handles the following events until asynchronous code must be called.
  private func advance(
    after handled: FollowerWork<Event>.Step?, in turn: FollowerTurn, isCancelled: () -> Bool
  ) throws -> FollowerWork<Event>.Next {
    if let handled { try finish(handled) }
    while true {
      if isCancelled() { throw CancellationError() }
      let next = try work.withLock { work in try skipped.withLock { try work.next(skipping: &$0) } }
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
        try turn.run(for: step.events) {
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
    try await turn.run(for: step.events) {
      switch code {
      case .asynchronous(let handle):
        for event in step.events where !isSkipped(event.position) { try await handle(event, context) }
      case .batches(_, let handle): try await handle(step.events, context)
      case .plain:
        preconditionFailure("if a follower's code is synchronous, only `advance` can call the code. Please report this")
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

  /// Records that the code threw, and returns the error to throw.
  private func failed(
    at step: FollowerWork<Event>.Step, _ error: any Error, in turn: FollowerTurn, isCancelled: Bool
  ) throws -> any Error {
    // If the code skipped the event before it threw, the event counts as handled.
    let isSkipped = !isBatching && isSkipped(step.last)
    try work.withLock { isSkipped ? try $0.reach(step.last) : try $0.stop(before: step.first.position) }
    if isCancelled { return CancellationError() }
    if isSkipped { turn.pass() } else { turn.fail(at: step.first.position) }
    note(.followerFailures, .count(1))
    return ProjectionError(.refused, at: step.first, in: "The follower \"\(name)\"", because: error)
  }

  /// Reports the event that stops the follower, unless the follower has already passed it.
  private func reportStop(_ error: any Error, in turn: FollowerTurn) {
    if error is ProjectionError, !turn.hasPassed { stops.report(error, in: store) }
  }

  private func finish(_ turn: FollowerTurn) {
    turn.finish()
    work.withLock { $0.end() }
    // A follower with batches keeps the skipped positions, so that a retry omits these events. A follower without
    // batches has already passed its skipped event.
    if !isBatching { skipped.withLock { $0 = [] } }
  }

  /// Skips the event that stopped the follower.
  ///
  /// Inside the follower's own code, you can skip only the event that the code is handling. The follower then moves
  /// past the event as soon as the code returns or throws. If the code handles a batch and throws, the batch is
  /// redelivered without the event.
  ///
  /// - Parameter position: The event's position, as in ``ProjectionError/event``. Other events aren't skipped.
  /// - Returns: True if the event was skipped, or false if this event didn't stop the follower.
  /// - Throws: ``EventStoreError``.
  @discardableResult
  public func skip(_ position: Position) throws -> Bool {
    if let turn = FollowerTurn.inside(self) { return try skip(position, in: turn) }
    gate.enter()
    defer { gate.leave() }
    let claim = try claim()
    defer { work.withLock { $0.giveUp(claim) } }
    return try work.withLock { try $0.pass(position) }
  }

  /// Skips the event that stopped the follower, without blocking a thread.
  ///
  /// Inside the follower's own code, you can skip only the event that the code is handling. The follower then moves
  /// past the event as soon as the code returns or throws. If the code handles a batch and throws, the batch is
  /// redelivered without the event.
  ///
  /// - Parameters:
  ///   - position: The event's position, as in ``ProjectionError/event``. Other events aren't skipped.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: True if the event was skipped, or false if this event didn't stop the follower.
  /// - Throws: ``EventStoreError``, or `CancellationError` if the task is cancelled while it waits for another call of
  ///   the follower.
  @discardableResult
  public func skip(_ position: Position, isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
    if let turn = FollowerTurn.inside(self) {
      // Don't use the queue here, because synchronous code can occupy the queue until the code returns.
      if turn.events != nil { return try skip(position, in: turn) }
      return try await onQueue { [self] _ in try skip(position, in: turn) }
    }
    try await gate.enter()
    defer { gate.leave() }
    let claim = try await claim()
    defer { work.withLock { $0.giveUp(claim) } }
    return try await onQueue { [self] _ in try work.withLock { try $0.pass(position) } }
  }

  private func skip(_ position: Position, in turn: FollowerTurn) throws -> Bool {
    // Between two events, where the progress is reported, the next event can be skipped immediately.
    guard try turn.events.map({ $0.contains(position) }) ?? work.withLock({ try $0.pass(position) }) else {
      return false
    }
    skipped.withLock { _ = $0.insert(position) }
    return true
  }

  private func note(_ name: StoreMeasurement.Name, _ value: StoreMeasurement.Value) {
    store.environment.note(name, value, ["follower": self.name])
  }

  private func isSkipped(_ position: Position) -> Bool { skipped.withLock { $0.contains(position) } }

  private var isBatching: Bool { if case .batches = code { true } else { false } }

  /// Runs the follower's code, or a closure from the caller of `catchUp`, as part of a turn.
  private func inside(_ turn: FollowerTurn, _ body: () throws -> Void) rethrows {
    try FollowerTurn.$current.withValue(turn, operation: body)
  }

  /// Runs a body on the follower's own thread, even if the task is cancelled.
  private func onQueue<T: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (() -> Bool) throws -> T
  ) async throws -> T {
    try await WaitingJob.run(on: queue, canBeWithdrawn: false, body)
  }

  /// Handles existing and new events until the task is cancelled.
  ///
  /// The log can be unreadable or unwritable for a while, for example because the device is locked, the disk is full,
  /// or another process holds the lock. In that case, the follower reports the failure (``StoreEnvironment/report``)
  /// and retries, at first after a second and later every 15 seconds. While the store is suspended, the follower waits.
  /// Events that your code has handled are not redelivered.
  ///
  /// - Parameter isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Throws: The errors of ``catchUp(isolation:progress:)``, except for ``EventStoreError`` with the codes `.io`,
  ///   `.busy` and `.suspended`. When the task is cancelled, the call returns instead of throwing `CancellationError`.
  public func run(isolation: isolated (any Actor)? = #isolation) async throws {
    let wake = CommitWake(store)
    var wakes = wake.stream.makeAsyncIterator()
    var outages = 0
    while !Task.isCancelled {
      do {
        try await catchUp()
        outages = 0
      } catch is CancellationError {
        return
      } catch {
        let code = (error as? EventStoreError)?.code
        switch code {
        case .suspended:
          // The store notifies its watchers when it is resumed.
          guard await wakes.next(isolation: isolation) != nil else { return }
          continue
        case .followerBusy: continue  // The call has waited for the other runner's turn, which is longer than usual.
        case .followerMoved, .io, .busy: stops.report(error, in: store, effect: .paused)
        default:
          // The event that stops the follower was already reported by `catchUp`.
          if !(error is ProjectionError) { stops.report(error, in: store) }
          throw error
        }
        // The next turn starts at the position that another runner saved.
        if code == .followerMoved { continue }
        outages += 1
        do {
          let delays = FollowerRetries.outage
          try await store.environment.sleep(delays.delay(after: outages) ?? delays.largestDelay)
        } catch is CancellationError {
          return
        }
        continue
      }
      guard await wakes.next(isolation: isolation) != nil else { return }
    }
  }
}

extension EventStore {
  /// Deletes a follower's saved position, so that the log can be compacted beyond this position.
  ///
  /// If the follower runs later, it starts at the log's beginning. Events that any version of the follower has handled
  /// are then marked as replays (``EventFollower/Context/isReplay``).
  ///
  /// - Parameters:
  ///   - name: The follower's name.
  ///   - version: The version of the follower's code.
  /// - Throws: ``EventStoreError`` (`.unsupported`) if the store doesn't support checkpoints.
  public func forgetFollower(_ name: String, version: Int) throws {
    guard let checkpoints else { throw EventStoreError.unsupported("checkpoints", by: Self.self) }
    try checkpoints.deleteCheckpoint(named: FollowerCheckpoint(name: name, version: version).text)
  }
}

/// The name of a follower's checkpoint.
struct FollowerCheckpoint: Hashable {
  let name: String
  let version: Int

  var text: String { "follower/\(name)/version/\(version)" }

  /// Returns the name of the checkpoint that contains the furthest position of all followers with a given name.
  static func furthest(_ name: String) -> String {
    let text = "follower/\(name)"
    // A follower's name can itself end with a version, such as "mailer/version/2". The prefix then distinguishes this
    // checkpoint from the checkpoint of that version.
    return FollowerCheckpoint(text) == nil ? text : "furthest/" + text
  }
}

extension FollowerCheckpoint {
  /// Parses the name of a follower's checkpoint.
  ///
  /// Returns `nil` for other checkpoints, including the checkpoint of the furthest position.
  init?(_ text: String) {
    // A follower's name can contain slashes, so only the last component is the version.
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0] == "follower", parts[parts.count - 2] == "version",
      let version = Int(parts[parts.count - 1])
    else { return nil }
    self.init(name: parts[1..<parts.count - 2].joined(separator: "/"), version: version)
  }
}
