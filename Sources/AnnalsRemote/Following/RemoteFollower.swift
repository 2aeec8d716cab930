public import Annals
public import AnnalsLog

/// A follower of a remote log that runs code for every event, at least once and in stream order, on one or more
/// workers.
///
///     let mailer = try RemoteFollower(
///       "mailer", of: OrderEvent.self, in: server, startingAt: .beginning, retries: .retrying(attempts: 5),
///       quarantine: .streams(atMost: 100), partitions: 8
///     ) { recorded, context in
///       if context.isReplay { return }
///       try await mail(recorded.event, key: recorded.id)
///     }
///     try await mailer.run()
///
/// This class corresponds to `EventFollower` for a local log, and uses the same terms. The follower's position is
/// stored along with the remote log, so the follower resumes at its position even on another machine.
///
/// Every stream belongs to one partition, which is computed from the stream's name. You can run the same follower in
/// several tasks, processes or machines. Each of these runs is a worker. Every worker has a share of the partitions,
/// and a partition has only one worker at a time. A worker holds a partition through a lease (a temporary claim), which
/// the worker extends while it runs. If the worker exits or is disconnected, other workers take over its partitions
/// when the lease expires, or earlier if the worker releases the lease. When a new worker starts, workers with more
/// than their share release partitions after their current event.
///
/// A disconnected worker might still run your code while another worker already has the partition. The disconnected
/// worker's position can be lower than the other worker's position. So that the partition's position doesn't decrease,
/// the store refuses to save the disconnected worker's position. The task in which the disconnected worker runs your
/// code is then cancelled. The disconnected worker might still send requests to an external system. To let the external
/// system refuse these requests, send ``Context/fence`` with every request.
///
/// If the code throws for an event, `FollowerRetries` controls the retries. After the last attempt, the follower
/// stops with a `ProjectionError`. If you enable ``FollowerQuarantine/streams(atMost:)``, the follower instead
/// quarantines the event's stream and continues with the other streams. See ``retry(_:)`` and ``skip(_:)``.
public final class RemoteFollower<Event: Annals.Event>: Sendable {
  /// The information that a follower's code receives along with an event or a batch of events.
  public struct Context: Hashable, Sendable {
    /// True if another version of the follower's code has already handled the event.
    ///
    /// For a batch, the value is true only if another version has handled all events of the batch.
    ///
    /// The value is based on the progress that the other versions had at the worker's last heartbeat, which is its last
    /// regular request to the store.
    public let isReplay: Bool
    /// True if the worker knows of no later event in the log.
    ///
    /// For a batch, the value is true if the worker knows of no event after the last event of the batch.
    public let isLast: Bool
    /// The number of times that this worker has tried to handle the event, including this attempt, starting at 1.
    public let attempt: Int
    /// The index of the event's partition, starting at 0.
    public let partition: Int
    /// A fencing token: a number that is greater than the fence of every earlier ``FollowerLease`` of the partition.
    public let fence: Int
  }

  /// The follower's name.
  public var name: String { settings.id.name }
  /// The version number of the follower's code.
  public var version: Int { settings.id.version }
  let settings: FollowerSettings<Event>
  /// The workers of this follower in this process.
  let workers = FollowerWorkers()

  /// Creates an idle follower.
  ///
  /// - Parameters:
  ///   - name: The follower's name, unique in the log.
  ///   - version: The version number of the follower's code. Increase the number to handle all events again from the
  ///     beginning.
  ///   - events: The type of the events to handle.
  ///   - query: The query that selects the events, such as `.category("Concert")`. By default, the follower handles all
  ///     events of the type. If you change the query, the follower continues at its position, and doesn't
  ///     handle earlier events that only the new query selects.
  ///   - store: The store that contains the events, and that also stores the follower's position.
  ///   - start: The starting point if no follower with this name ever ran.
  ///   - unknownEvents: The policy for events whose stored name starts with the event type's prefix, but matches no
  ///     case of the type.
  ///   - newerEvents: The policy for events whose schema is newer than the event type's schema.
  ///   - retries: The policy for retrying an event if your code throws. By default, the follower doesn't retry.
  ///   - quarantine: The policy for events that can't be handled. By default, the follower stops before such an event.
  ///   - partitions: The number of partitions into which the streams are divided. It must be the same for all workers,
  ///     and it is the maximum number of workers that can be busy at the same time.
  ///   - lease: The time after which other workers take over the partitions of a disconnected worker, at least one
  ///     second. A worker extends its leases three times in this period.
  ///   - handle: A closure that is called with every event. In each partition, one call runs at a time. Calls for
  ///     different partitions run concurrently.
  /// - Throws: `EventStoreError` (`.unsupported`) if the store doesn't support followers, or `EventCodingError`.
  public convenience init(
    _ name: String, version: Int = 1, of events: Event.Type, to query: EventQuery = .all,
    in store: any RemoteEventStore,
    startingAt start: FollowerStart,
    unknownEvents: UnknownEventPolicy = .stop, newerEvents: NewerEventPolicy = .stop,
    retries: FollowerRetries = .none, quarantine: FollowerQuarantine = .none, partitions: Int = 1,
    lease: Duration = .seconds(30),
    handle: @escaping @Sendable (Recorded<Event>, Context) async throws -> Void
  ) throws {
    precondition(lease >= .seconds(1), "`lease` must be at least 1 second (was \(lease))")
    try self.init(
      FollowerSettings(
        id: FollowerID(name, version: version), store: store, checkpoints: try Self.checkpoints(of: store),
        query: query, start: start, policy: ReadingPolicy(unknown: unknownEvents, newer: newerEvents), retries: retries,
        quarantine: quarantine,
        partitions: partitions, lease: lease, batchSize: nil
      ) { events, context in
        for event in events { try await handle(event, context) }
      })
  }

  /// Creates an idle follower that delivers several events in one call.
  ///
  /// If the follower has a quarantine and your code still throws in the last attempt, the follower redelivers the
  /// batch's events one by one. In this way, it finds the events that your code can't handle.
  ///
  /// - Parameters:
  ///   - name: The follower's name, unique in the log.
  ///   - version: The version number of the follower's code. Increase the number to handle all events again from the
  ///     beginning.
  ///   - events: The type of the events to handle.
  ///   - query: The query that selects the events, such as `.category("Concert")`. By default, the follower handles all
  ///     events of the type. If you change the query, the follower continues at its position, and doesn't
  ///     handle earlier events that only the new query selects.
  ///   - store: The store that contains the events, and that also stores the follower's position.
  ///   - start: The starting point if no follower with this name ever ran.
  ///   - unknownEvents: The policy for events whose stored name starts with the event type's prefix, but matches no
  ///     case of the type.
  ///   - newerEvents: The policy for events whose schema is newer than the event type's schema.
  ///   - retries: The policy for retrying a batch if your code throws. By default, the follower doesn't retry.
  ///   - quarantine: The policy for events that can't be handled. By default, the follower stops before such an event.
  ///   - partitions: The number of partitions into which the streams are divided. It must be the same for all workers.
  ///   - lease: The time after which other workers take over the partitions of a disconnected worker, at least one
  ///     second.
  ///   - batchSize: The maximum number of stored events in a batch, at least 1.
  ///   - handleBatch: A closure that is called with a nonempty array of a partition's events, in the order of their
  ///     positions. The position is saved only after the closure returns, so a batch is handled at least once.
  /// - Throws: `EventStoreError` (`.unsupported`) if the store doesn't support followers, or `EventCodingError`.
  public convenience init(
    _ name: String, version: Int = 1, of events: Event.Type, to query: EventQuery = .all,
    in store: any RemoteEventStore,
    startingAt start: FollowerStart,
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
        query: query, start: start, policy: ReadingPolicy(unknown: unknownEvents, newer: newerEvents), retries: retries,
        quarantine: quarantine,
        partitions: partitions, lease: lease, batchSize: batchSize, handle: handleBatch))
  }

  /// Creates a follower with leases of any length, for tests.
  init(_ settings: FollowerSettings<Event>) throws {
    precondition(
      settings.partitions >= 1, "`partitions` must be at least 1 (was \(settings.partitions))")
    // Report problems of the event type here, not later in a worker.
    try settings.store.commands.runtime.names.use(Event.self)
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
