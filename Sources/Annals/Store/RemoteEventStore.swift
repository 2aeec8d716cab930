/// A remote log of events, whose calls are all awaited because they use a network.
///
/// It has the vocabulary of an ``EventStore``: you append, read, execute commands and subscribe, but every call is
/// `async`. Deciders, boundaries and transaction bodies are written once and run on both kinds of stores. No thread
/// blocks on the network.
///
///     let receipt = try await store.execute(.insert(book), on: Bookshop.self, id: "main")
///
/// It deliberately isn't an ``EventStore``. A list reads its store in the caller's isolation, and would block your
/// screen for the duration of a network request.
///
/// A custom type becomes a remote store with ``commit(_:)``, ``ask(_:)`` and three properties. It follows the rules of
/// ``EventStore``. `StoreContract` in AnnalsTesting checks them through a `BlockingEventStore`.
public protocol RemoteEventStore: AnyObject, Sendable {
  /// The source of the events that are created in this store.
  var source: String { get }

  /// The store's clock, identifier generator and test hook.
  var environment: StoreEnvironment { get }

  /// The local state of commands, for which the store creates and returns one ``CommandMemory``.
  var commands: CommandMemory { get }

  /// Commits an append, or throws and leaves the log unchanged.
  ///
  /// The store checks expectations and conditions. It adds an identity and a time to events without them, and refuses
  /// an identity that the log already contains. Call ``append(_:)`` instead, which also wakes the store's
  /// subscriptions.
  ///
  /// - Parameter append: The append to commit. Without entries, the call only checks the conditions.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: ``EventStoreError``.
  func commit(_ append: Append) async throws -> Receipt

  /// Returns the results of several queries in one snapshot, using one round trip if possible.
  ///
  /// - Parameter questions: The queries. With an empty array, only the log's end and revision are read.
  /// - Returns: The log's end and revision, and the results in the order of the queries.
  /// - Throws: ``EventStoreError``, including for damaged events in the range.
  func ask(_ questions: [LogQuery]) async throws -> LogResponse

  /// Returns a sequence that yields when new events of any writer might exist.
  ///
  /// By default, it yields once a second. A store that is notified of commits yields immediately. It still yields
  /// occasionally without a notification, because network messages can be lost.
  ///
  /// - Returns: A sequence that ends when its task is cancelled.
  func news() -> AsyncStream<Void>

  /// The progress of followers, or `nil` by default if the store doesn't support followers.
  var checkpoints: (any RemoteCheckpointStore)? { get }

  /// The erasure of personal data, or `nil` by default if the store doesn't support it.
  var erasing: (any RemoteErasingStore)? { get }

  /// The compaction of the log, or `nil` by default if the store doesn't support it.
  var compacting: (any RemoteCompactingStore)? { get }
}

extension RemoteEventStore {
  /// `nil`, because the store doesn't support followers.
  public var checkpoints: (any RemoteCheckpointStore)? { nil }
  /// `nil`, because the store can't erase data.
  public var erasing: (any RemoteErasingStore)? { nil }
  /// `nil`, because the store can't compact its log.
  public var compacting: (any RemoteCompactingStore)? { nil }

  /// Returns a sequence that yields once a second, because new events might exist.
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
