import Synchronization

/// Does something at each event, once at least and in order, and remembers in the log how far it has come.
///
/// Use it for code with effects outside the log, for example to send mails, notify a server, or fill another program's
/// index.
///
///     let mailer = try EventFollower("mailer", of: OrderEvent.self, in: store) { recorded, context in
///       if context.isReplay { return }
///       try mail(recorded.event, key: recorded.id)
///     }
///     try await mailer.run()
///
/// After each event that was handled, its position is saved under the follower's name and version. A process that ends
/// between the two handles the event again. If something must not happen twice, ask by the event's `id` whether it
/// happened. A follower of another version begins at the beginning, and every event that one of its name has handled
/// before is a replay to it.
///
/// If an upcaster splits an event into several, you get them one after the other, each with the stored event's id and
/// position. If one is not handled, all of them come again.
///
/// An event that cannot be decoded, or at which the code throws, stops the follower before it, with a
/// ``ProjectionError`` that names it. The next ``catchUp(progress:)`` tries it again; ``skip(_:)`` leaves it out.
///
/// You may call the follower from its own code. ``catchUp(progress:)`` then does nothing, since what came meanwhile is
/// handled next anyway, and returns how far the follower is. ``skip(_:)`` of the event that is being handled lets the
/// follower pass it as soon as the code returns or throws; what the code throws is thrown all the same. Other threads
/// wait until the catching up is done, so do not wait in the code for a thread that calls the follower.
///
/// One process at a time runs the followers of a name. If two do, both handle events, and a checkpoint never goes back.
///
/// A log is not compacted beyond what a follower that has begun has handled. If a follower never comes again, forget it
/// with ``EventStore/forgetFollower(_:version:)``.
public final class EventFollower<Event: Annals.Event>: Sendable {
  /// What a follower's code knows beside the event.
  public struct Context: Hashable, Sendable {
    /// True if a follower of this name has handled the event before.
    ///
    /// It is also true if the event was there before the first one began, and that one began at the end.
    public let isReplay: Bool
    /// True if the event is the log's last one, as far as is known.
    public let isLast: Bool
  }

  /// Where a follower begins that never ran.
  public enum Start: Hashable, Sendable {
    /// At the log's first event.
    case beginning
    /// After the event that is the last one when the follower is made.
    case end
  }

  /// What the follower is called.
  public let name: String
  /// The number of its code.
  public let version: Int
  private let store: any EventStore
  private let checkpoints: any CheckpointStore
  private let policy: ReadingPolicy
  private let handle: @Sendable (Recorded<Event>, Context) throws -> Void
  /// Held while a thread catches up, so that each event is handled by one thread.
  private let coder: Mutex<EventCoder<Event>>
  /// Who catches up, for calls that come from inside.
  private let turn = Mutex(Turn())
  private let stops: StopReporter

  private struct Turn {
    /// Who catches up; nil if no thread does.
    var caller: CallerID?
    /// The event that is being handled.
    var event: Position?
    /// The event that was left out from inside.
    var skipped: Position?
  }

  /// Makes a follower; it does nothing yet.
  ///
  /// - Parameters:
  ///   - name: What the follower is called, no other of the log.
  ///   - version: The number of its code, raised when all events are to be handled again.
  ///   - events: The type of events.
  ///   - store: Where the events are, and where the follower's position is kept.
  ///   - start: Where a follower of this name begins that never ran.
  ///   - unknownEvents: What happens at an event with the type's prefix and none of its cases.
  ///   - newerEvents: What happens at an event whose schema is newer than the type's.
  ///   - handle: Called with each event, by one thread at a time.
  /// - Throws: ``EventStoreError``, with the code `unsupported` if the store keeps no checkpoints;
  ///   ``EventCodingError``.
  public init(
    _ name: String, version: Int = 1, of events: Event.Type, in store: some EventStore,
    startingAt start: Start = .beginning,
    unknownEvents: UnknownEventPolicy = .stop, newerEvents: NewerEventPolicy = .stop,
    handle: @escaping @Sendable (Recorded<Event>, Context) throws -> Void
  ) throws {
    guard let checkpoints = store.checkpoints else {
      throw EventStoreError.unsupported("checkpoints", by: type(of: store))
    }
    (self.name, self.version, self.store, self.checkpoints) = (name, version, store, checkpoints)
    stops = StopReporter(.follower, name)
    (policy, self.handle) = (ReadingPolicy(unknown: unknownEvents, newer: newerEvents), handle)
    coder = Mutex(try EventCoder())
    guard start == .end, try checkpoints.checkpoint(named: furthest) == nil else { return }
    let head = try store.head()
    // Another process may have begun just now; then its beginning counts.
    _ = try checkpoints.setCheckpoint(named: furthest, to: head, from: nil)
    _ = try checkpoints.setCheckpoint(named: own, to: head, from: nil)
  }

  /// Where the follower's own position is kept.
  private var own: String { FollowerCheckpoint(name: name, version: version).text }
  /// Where it is kept how far any follower of the name has come.
  private var furthest: String { FollowerCheckpoint.furthest(name) }

  /// The position up to which everything has been handled.
  public var position: Position {
    get throws { try checkpoints.checkpoint(named: own) ?? 0 }
  }

  /// Handles the events that are there and were not handled yet.
  ///
  /// Called by the follower's own code, it does nothing and answers how far the follower is.
  ///
  /// - Parameter progress: Called now and then with how far the follower is; what it throws ends the work there.
  /// - Returns: The position that was reached.
  /// - Throws: ``ProjectionError`` at an event that cannot be handled; ``EventStoreError``; what `progress` throws.
  @discardableResult
  public func catchUp(progress: (LogProgress) throws -> Void = { _ in }) throws -> Position {
    let caller = CallerID.current
    if turn.withLock({ $0.caller == caller }) { return try position }
    return try coder.withLock { coder in
      turn.withLock { $0 = Turn(caller: caller) }
      defer { turn.withLock { $0 = Turn() } }
      var done = try checkpoints.checkpoint(named: own)
      // With this checkpoint a compaction sees that a follower is on its way.
      if done == nil { done = try move(own, from: nil, to: 0) }
      var reached = try checkpoints.checkpoint(named: furthest)
      // No log is compacted beyond a checkpoint, so that what is left after one is what was not handled.
      var cursor = EventCursor(store, .all, after: done ?? 0, batchSize: 256, isGuarded: true)
      while let batch = try cursor.next() {
        for event in batch.events {
          let context = Context(
            isReplay: reached.map { event.position <= $0 } ?? false,
            isLast: batch.isLive && event.position == batch.position)
          if isSkipped(event.position) { continue }
          let isHandled: Bool
          do {
            turn.withLock { $0.event = event.position }
            defer { turn.withLock { $0.event = nil } }
            isHandled = try handle(event, context, &coder)
          } catch {
            // What came before it is done, also what was others'; and the event itself, if it was skipped.
            let last = isSkipped(event.position) ? event.position : Position(event.position.rawValue - 1)
            if done ?? 0 < last { done = try move(own, from: done, to: last) }
            if !isSkipped(event.position) { stops.report(error, in: store) }
            throw error
          }
          if isSkipped(event.position) {
            done = try move(own, from: done, to: event.position)
            continue
          }
          if isHandled {
            done = try move(own, from: done, to: event.position)
            if reached.map({ $0 < event.position }) ?? true {
              reached = try move(furthest, from: reached, to: event.position)
            }
          }
        }
        // Events of others need no handling, and are passed all the same.
        if done ?? 0 < batch.position { done = try move(own, from: done, to: batch.position) }
        try progress(LogProgress(position: batch.position, end: max(store.head(), batch.position)))
      }
      return cursor.position
    }
  }

  /// Passes the event that the follower stands before.
  ///
  /// Called by the follower's own code, it passes the event that is being handled as soon as the code returns or
  /// throws, and no other.
  ///
  /// - Parameter position: The event's position, as the ``ProjectionError`` says: another one is not passed.
  /// - Returns: True if it was passed, false if the follower does not stand before it.
  /// - Throws: ``EventStoreError``.
  @discardableResult
  public func skip(_ position: Position) throws -> Bool {
    let caller = CallerID.current
    let (isInside, event) = turn.withLock { ($0.caller == caller, $0.event) }
    guard isInside else { return try coder.withLock { _ in try pass(position) } }
    // Between two events, where the progress is reported, the next one can be passed at once.
    guard try event.map({ $0 == position }) ?? pass(position) else { return false }
    turn.withLock { $0.skipped = position }
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

  private func isSkipped(_ position: Position) -> Bool { turn.withLock { $0.skipped == position } }

  /// Handles the events that are there and those that come, until the task is cancelled.
  ///
  /// - Parameter isolation: The caller's isolation; leave it to its default.
  /// - Throws: As ``catchUp(progress:)``.
  public func run(isolation: isolated (any Actor)? = #isolation) async throws {
    let wake = CommitWake(store)
    var wakes = wake.stream.makeAsyncIterator()
    while !Task.isCancelled {
      do {
        try catchUp { _ in try Task.checkCancellation() }
      } catch is CancellationError {
        return
      } catch {
        stops.report(error, in: store)
        throw error
      }
      guard await wakes.next(isolation: isolation) != nil else { return }
    }
  }

  /// Decodes and handles an event; false if it is another type's, or left out.
  private func handle(_ stored: StoredEvent, _ context: Context, _ coder: inout EventCoder<Event>) throws -> Bool {
    let reading: EventReading<Event>
    do {
      reading = try coder.read(type: stored.type, schema: stored.schema, payload: stored.payload, policy)
    } catch {
      throw ProjectionError(reading: stored, in: "The follower \"\(name)\"", because: error)
    }
    if case .none = reading { return false }
    do {
      try reading.forEach { event in
        if !isSkipped(stored.position) { try handle(Recorded(event, stored), context) }
      }
    } catch {
      throw ProjectionError(.refused, at: stored, in: "The follower \"\(name)\"", because: error)
    }
    return true
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
