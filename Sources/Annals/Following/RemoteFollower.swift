/// Does something at each event of a remote log, at least once and in the order of each stream, with one or several
/// workers.
///
///     let mailer = try RemoteFollower(
///       "mailer", of: OrderEvent.self, in: server, retries: .retrying(attempts: 5),
///       quarantine: .streams(atMost: 100), partitions: 8
///     ) { recorded, context in
///       if context.isReplay { return }
///       try await mail(recorded.event, key: recorded.id)
///     }
///     try await mailer.run()
///
/// It is what ``EventFollower`` is for a log on this side, with the same words. The position is kept beside the log, so
/// the follower goes on where it was, on whatever machine it runs next.
///
/// The streams are dealt out to partitions by their names. Run the same follower in several tasks, processes or
/// machines: each is a worker and has a share of the partitions, one worker a partition at a time. A worker holds a
/// partition by a lease, which it prolongs while it runs. If it ends or is cut off, others have its partitions when the
/// lease is over, at the latest. When another worker comes, those that have more than their share give some up, after
/// the event that they are at.
///
/// A worker that was cut off may still run its code when another one has its partition. What it wants to save is
/// refused, so that a position does not go back. The code's task is cancelled then, and ``Context/fence`` lets a system
/// outside refuse what such a worker still sends.
///
/// An event at which the code throws is tried again as ``FollowerRetries`` says. After that the follower stops with a
/// ``ProjectionError``. With a ``FollowerQuarantine`` it sets the event's stream aside and goes on with the others; see
/// ``retry(_:)`` and ``skip(_:)``.
public final class RemoteFollower<Event: Annals.Event>: Sendable {
  /// What a follower's code knows beside the event.
  public struct Context: Hashable, Sendable {
    /// True if a follower of this name and another version has handled the event before, as far as was known at the
    /// last heartbeat; a batch has no events of both kinds.
    public let isReplay: Bool
    /// True if the event, or the last one of a batch, is the log's last one, as far as is known.
    public let isLast: Bool
    /// How often this worker calls the code for the event, with this time: 1 for the first.
    public let attempt: Int
    /// Which of the follower's partitions the event is in, from 0.
    public let partition: Int
    /// A number that is greater than that of each worker that had the partition before.
    public let fence: Int
  }

  /// Where a follower begins that never ran.
  public enum Start: Hashable, Sendable {
    /// At the log's first event.
    case beginning
    /// After the event that is the last one when the follower runs first.
    case end
  }

  /// What the follower is called.
  public var name: String { settings.id.name }
  /// The number of its code.
  public var version: Int { settings.id.version }
  let settings: FollowerSettings<Event>
  /// The workers of this follower that run in this process.
  let workers = FollowerWorkers()

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
  ///   - retries: How often an event is tried again; by default it is not.
  ///   - quarantine: What happens at an event that cannot be handled; by default the follower stops before it.
  ///   - partitions: Into how many parts the streams are dealt out, the same for all workers: the largest number of
  ///     workers that have something to do at once.
  ///   - lease: After how long others take over what a worker had that is gone, a second or more. It prolongs its
  ///     leases three times in that time.
  ///   - handle: Called with each event of a partition, one call at a time; calls for several partitions run at the
  ///     same time.
  /// - Throws: ``EventStoreError``, with the code `unsupported` if the store keeps no followers' positions;
  ///   ``EventCodingError``.
  public convenience init(
    _ name: String, version: Int = 1, of events: Event.Type, in store: any RemoteEventStore,
    startingAt start: Start = .beginning,
    unknownEvents: UnknownEventPolicy = .stop, newerEvents: NewerEventPolicy = .stop,
    retries: FollowerRetries = .none, quarantine: FollowerQuarantine = .none, partitions: Int = 1,
    lease: Duration = .seconds(30),
    handle: @escaping @Sendable (Recorded<Event>, Context) async throws -> Void
  ) throws {
    precondition(lease >= .seconds(1), "`lease` must be at least 1 second (was \(lease))")
    try self.init(
      FollowerSettings(
        id: FollowerID(name, version: version), store: store, checkpoints: try Self.checkpoints(of: store),
        start: start, policy: ReadingPolicy(unknown: unknownEvents, newer: newerEvents), retries: retries,
        quarantine: quarantine,
        partitions: partitions, lease: lease, batchSize: nil
      ) { events, context in
        for event in events { try await handle(event, context) }
      })
  }

  /// Makes a follower that hands over several events in one call; it does nothing yet.
  ///
  /// If the code throws after its last attempt and there is a quarantine, the events of the batch come again one by
  /// one, to find those that cannot be handled.
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
  ///   - quarantine: What happens at an event that cannot be handled; by default the follower stops before it.
  ///   - partitions: Into how many parts the streams are dealt out, the same for all workers.
  ///   - lease: After how long others take over what a worker had that is gone, a second or more.
  ///   - batchSize: How many stored events a batch has at most, 1 or more.
  ///   - handleBatch: Called with some events of a partition, in order and never none. Their position is saved once,
  ///     after it has returned: a batch is handled at least once.
  /// - Throws: ``EventStoreError``, with the code `unsupported` if the store keeps no followers' positions;
  ///   ``EventCodingError``.
  public convenience init(
    _ name: String, version: Int = 1, of events: Event.Type, in store: any RemoteEventStore,
    startingAt start: Start = .beginning,
    unknownEvents: UnknownEventPolicy = .stop, newerEvents: NewerEventPolicy = .stop,
    retries: FollowerRetries = .none, quarantine: FollowerQuarantine = .none, partitions: Int = 1,
    lease: Duration = .seconds(30), batchSize: Int,
    handleBatch: @escaping @Sendable ([Recorded<Event>], Context) async throws -> Void
  ) throws {
    precondition(lease >= .seconds(1), "`lease` must be at least 1 second (was \(lease))")
    precondition(batchSize > 0, "`batchSize` must be at least 1 (was \(batchSize))")
    try self.init(
      FollowerSettings(
        id: FollowerID(name, version: version), store: store, checkpoints: try Self.checkpoints(of: store),
        start: start, policy: ReadingPolicy(unknown: unknownEvents, newer: newerEvents), retries: retries,
        quarantine: quarantine,
        partitions: partitions, lease: lease, batchSize: batchSize, handle: handleBatch))
  }

  /// Makes one with leases of any length, for tests.
  init(_ settings: FollowerSettings<Event>) throws {
    precondition(
      settings.partitions >= 1, "`partitions` must be at least 1 (was \(settings.partitions))")
    // What is wrong with the type is said now, and not by a worker later.
    try settings.store.commands.signal.names.use(Event.self)
    _ = try EventCoder<Event>()
    self.settings = settings
  }

  private static func checkpoints(of store: any RemoteEventStore) throws -> any RemoteCheckpointStore {
    guard let checkpoints = store.checkpoints else {
      throw EventStoreError.unsupported("followers' positions", by: type(of: store))
    }
    return checkpoints
  }
}
