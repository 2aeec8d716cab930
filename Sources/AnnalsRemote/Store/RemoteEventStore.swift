public import AnnalsLog

/// A store for a log of events on a server, with methods that are `async` because they use the network.
///
/// You can append, read, execute commands and subscribe, as with an `EventStore`. Your deciders and transactions work
/// on both kinds of store without changes. No thread blocks while it waits for the network.
///
///     let receipt = try await store.execute(.insert(book), on: Bookshop["main"])
///
/// A remote store deliberately isn't an `EventStore`. A list reads its store synchronously in the caller's isolation,
/// so a list on a remote store would block your screen during network requests. To show lists, use a ``Replica``, which
/// is a local copy of the log.
///
/// To write a custom remote store, implement ``commit(_:)``, ``ask(_:)``, ``source``, ``environment`` and ``commands``.
/// The store must follow the rules of `EventStore`. To test this, call the method `check(remote:)` on every rule in
/// `StoreContract.rules` from AnnalsStoreTesting.
public protocol RemoteEventStore: AnyObject, Sendable {
  /// The source of the events that are created in this store.
  var source: String { get }

  /// The store's dependencies, including its clock, its identifier generator and a hook for tests.
  var environment: StoreEnvironment { get }

  /// The memory that the store needs to execute commands: cached decider states, and one queue per stream.
  ///
  /// A store creates one ``CommandMemory``, and always returns the same object.
  var commands: CommandMemory { get }

  /// Commits an append, or throws and leaves the log unchanged.
  ///
  /// The store checks the append's expectations and conditions. It adds an identity and a time to events that have
  /// none, and refuses an identity that the log already contains. Apps call ``append(_:)`` instead, because that method
  /// also wakes the store's subscriptions.
  ///
  /// - Parameter append: The append to commit. If it has no entries, the call only checks its expectations and
  ///   conditions.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: `EventStoreError`.
  func commit(_ append: Append) async throws -> Receipt

  /// Returns the results of several queries, read from one snapshot of the log, with a single network round trip if
  /// possible.
  ///
  /// - Parameter questions: The queries. With an empty array, only the log's end and revision are read.
  /// - Returns: The log's end and revision, and the results in the order of the queries.
  /// - Throws: `EventStoreError`, for example if an event in a queried range is damaged.
  func ask(_ questions: [LogQuery]) async throws -> LogResponse

  /// Returns statistics of the log's contents, for example the names of its event types and streams.
  ///
  /// The default implementation reads all events over the network. Implement the method if your server can count them,
  /// so that the command-line tool prints an overview of the log immediately.
  ///
  /// - Parameter streamLimit: The maximum number of streams in `LogStatistics.largestStreams`.
  /// - Returns: The statistics.
  /// - Throws: `EventStoreError`, for example `.rewritten` if the log was rewritten while the default implementation
  ///   read it.
  func statistics(streamLimit: Int) async throws -> LogStatistics

  /// Checks within a time limit that the log accepts appends, for example before a load balancer sends requests to a
  /// service.
  ///
  /// The default implementation makes an append without events. Implement the method if your server can check more
  /// cheaply, or can report more precise errors. Concurrent calls can share a check.
  ///
  /// - Parameter limit: The maximum time of the call.
  /// - Returns: The position of the last event.
  /// - Throws: `EventStoreError`, for example `.busy` if the log is locked or the server didn't respond within the
  ///   limit, `.readOnly`, or `unreachable` of `PostgresEventStore`. `CancellationError` if the task is cancelled.
  func health(within limit: Duration) async throws -> Position

  /// Returns a sequence that yields when new events from any writer might exist.
  ///
  /// By default, the sequence yields once a second. If the server notifies your store of commits, implement this method
  /// so that the sequence yields at every notification. The sequence should also yield occasionally without a
  /// notification, because network messages can be lost.
  ///
  /// - Returns: A sequence that ends when its task is cancelled.
  func news() -> AsyncStream<Void>

  /// The storage for followers' progress, or `nil` (the default) if the store doesn't support followers.
  var checkpoints: (any RemoteCheckpointStore)? { get }

  /// The interface for erasing personal data, or `nil` (the default) if the store doesn't support it.
  var erasing: (any RemoteErasingStore)? { get }

  /// The interface for compacting the log, or `nil` (the default) if the store doesn't support it.
  var compacting: (any RemoteCompactingStore)? { get }
}

extension RemoteEventStore {
  /// The default, `nil`, for a store that doesn't support followers.
  public var checkpoints: (any RemoteCheckpointStore)? { nil }
  /// The default, `nil`, for a store that can't erase data.
  public var erasing: (any RemoteErasingStore)? { nil }
  /// The default, `nil`, for a store that can't compact its log.
  public var compacting: (any RemoteCompactingStore)? { nil }

  /// Returns the default sequence, which yields once a second, so that readers regularly look for new events.
  public func news() -> AsyncStream<Void> {
    let sleep = environment.sleep
    return AsyncStream { continuation in
      let task = Task {
        while !Task.isCancelled {
          do { try await sleep(.seconds(1)) } catch { break }
          continuation.yield()
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
