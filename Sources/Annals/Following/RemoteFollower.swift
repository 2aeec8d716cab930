/// A follower of a remote log that runs code for every event, at least once and in stream order, on one or more
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
/// It corresponds to ``EventFollower`` for a local log, and uses the same terms. The position is stored along with the
/// remote log, so the follower resumes at its position even on another machine.
///
/// Every stream belongs to one partition, which is computed from the stream's name. You can run the same follower in
/// several tasks, processes or machines, and each of these is a worker. Every worker has a share of the partitions, and
/// a partition has only one worker at a time. A worker holds a partition through a lease, which the worker extends
/// while it runs. If the worker exits or is disconnected, other workers take over its partitions when the lease
/// expires, or earlier if the worker releases the lease. When a new worker starts, workers with more than their share
/// release partitions after their current event.
///
/// A disconnected worker might still run its code while another worker already has the partition. The store refuses the
/// disconnected worker's saves, so a position doesn't move back. The task of the disconnected worker's code is then
/// cancelled. To let an external system refuse requests that such a worker still sends, send ``Context/fence`` with
/// each request.
///
/// If the code throws for an event, ``FollowerRetries`` controls the retries. After the last attempt, the follower
/// stops with a ``ProjectionError``. With a ``FollowerQuarantine``, the follower instead quarantines the event's stream
/// and continues with the other streams. See ``retry(_:)`` and ``skip(_:)``.
public final class RemoteFollower<Event: Annals.Event>: Sendable {
  /// The information that a follower's code receives with an event.
  public struct Context: Hashable, Sendable {
    /// True if another version of the follower has handled the event.
    ///
    /// With batches, the value is true only if another version has handled all events of the batch.
    ///
    /// The value is based on the progress that the other versions had at the worker's last heartbeat, which is its last
    /// regular request to the store.
    public let isReplay: Bool
    /// True if the event, or the last event of the batch, is the last known event of the log.
    public let isLast: Bool
    /// The number of this worker's attempts to handle the event, including this attempt, so it starts at 1.
    public let attempt: Int
    /// The index of the event's partition, starting at 0.
    public let partition: Int
    /// A number that is greater than the fences of all earlier leases of the partition.
    public let fence: Int
  }

  /// The starting point of a follower that never ran before.
  public enum Start: Hashable, Sendable {
    /// The log's first event.
    case beginning
    /// The end of the log when the follower first runs.
    case end
  }

  /// The follower's name.
  public var name: String { settings.id.name }
  /// The version of the follower's code.
  public var version: Int { settings.id.version }
  let settings: FollowerSettings<Event>
  /// The workers of this follower in this process.
  let workers = FollowerWorkers()

  /// Creates an idle follower.
  ///
  /// - Parameters:
  ///   - name: The follower's name, unique in the log.
  ///   - version: The version of the follower's code. Increase it to handle all events again from the beginning.
  ///   - events: The type of the events.
  ///   - store: The store of the events, which also stores the follower's position.
  ///   - start: The starting point if no follower of this name ever ran.
  ///   - unknownEvents: The policy for events whose stored name begins with the prefix of the type `events` but matches
  ///     none of that type's cases.
  ///   - newerEvents: The policy for events whose schema is newer than the schema of the type `events`.
  ///   - retries: The retries if your code throws. By default, the follower doesn't retry.
  ///   - quarantine: The policy for events that can't be handled. By default, the follower stops before such an event.
  ///   - partitions: The number of partitions for the streams, which must be the same for all workers. It is also the
  ///     maximum number of workers that can be busy at the same time.
  ///   - lease: The time after which other workers take over the partitions of a lost worker, at least one second. A
  ///     worker extends its leases three times in this period.
  ///   - handle: The closure to call with every event of a partition, one call at a time. Calls for different
  ///     partitions run concurrently.
  /// - Throws: ``EventStoreError`` (`.unsupported`) if the store doesn't support followers, or ``EventCodingError``.
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

  /// Creates an idle follower that delivers several events in one call.
  ///
  /// With a quarantine, if the code also throws in the last attempt, the events of the batch are redelivered one by
  /// one. This finds the events that can't be handled.
  ///
  /// - Parameters:
  ///   - name: The follower's name, unique in the log.
  ///   - version: The version of the follower's code. Increase it to handle all events again from the beginning.
  ///   - events: The type of the events.
  ///   - store: The store of the events, which also stores the follower's position.
  ///   - start: The starting point if no follower of this name ever ran.
  ///   - unknownEvents: The policy for events whose stored name begins with the prefix of the type `events` but matches
  ///     none of that type's cases.
  ///   - newerEvents: The policy for events whose schema is newer than the schema of the type `events`.
  ///   - retries: The retries of a batch if your code throws. By default, the follower doesn't retry.
  ///   - quarantine: The policy for events that can't be handled. By default, the follower stops before such an event.
  ///   - partitions: The number of partitions for the streams, which must be the same for all workers.
  ///   - lease: The time after which other workers take over the partitions of a lost worker, at least one second.
  ///   - batchSize: The maximum number of stored events in a batch, at least 1.
  ///   - handleBatch: The closure to call with a nonempty array of events of a partition, in order. The position is
  ///     saved once after the closure returns, so a batch is handled at least once.
  /// - Throws: ``EventStoreError`` (`.unsupported`) if the store doesn't support followers, or ``EventCodingError``.
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

  /// Creates a follower with leases of any length, for tests.
  init(_ settings: FollowerSettings<Event>) throws {
    precondition(
      settings.partitions >= 1, "`partitions` must be at least 1 (was \(settings.partitions))")
    // Report problems of the event type here, not later in a worker.
    try settings.store.commands.signal.names.use(Event.self)
    _ = try EventCoder<Event>()
    self.settings = settings
  }

  private static func checkpoints(of store: any RemoteEventStore) throws -> any RemoteCheckpointStore {
    guard let checkpoints = store.checkpoints else {
      throw EventStoreError.unsupported("checkpoints", by: type(of: store))
    }
    return checkpoints
  }
}
