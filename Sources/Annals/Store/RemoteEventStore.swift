/// A log of events that is far away: each call waits for a network, and so each is awaited.
///
/// It has the words of an ``EventStore``: you append, read, execute commands and subscribe, and each call is `async`. A
/// decider, a boundary and the body of a transaction are written once and run on both. No thread waits for the network.
///
///     let receipt = try await store.execute(.insert(book), on: Bookshop.self, id: "main")
///
/// It is no ``EventStore`` on purpose. A list reads its store in the caller's isolation, and would hold your screen for
/// as long as the network takes.
///
/// A type of your own becomes a remote store with ``commit(_:)``, ``ask(_:)`` and three properties. It keeps the rules
/// that ``EventStore`` names; `StoreContract` in AnnalsTesting checks them through a `BlockingEventStore`.
public protocol RemoteEventStore: AnyObject, Sendable {
  /// The source that events made in this store carry.
  var source: String { get }

  /// The time, the identifiers and the hook that the store uses.
  var environment: StoreEnvironment { get }

  /// What commands keep on this side; make one ``CommandMemory`` for each store, and answer it.
  var commands: CommandMemory { get }

  /// Commits an append, or throws and changes nothing.
  ///
  /// The store checks expectations and conditions, gives an identity and a time to events that have none, and refuses
  /// an identity that the log has. Call ``append(_:)`` instead, which also wakes the store's subscriptions.
  ///
  /// - Parameter append: What to commit; without entries, conditions are checked and nothing is added.
  /// - Returns: Where the events went.
  /// - Throws: ``EventStoreError``.
  func commit(_ append: Append) async throws -> Receipt

  /// Answers questions about the log, all of one moment; in one round trip where the store can.
  ///
  /// - Parameter questions: The questions; with none, the log's end and its revision are read.
  /// - Returns: The log's end and revision, and the answers in the order of the questions.
  /// - Throws: ``EventStoreError``, also when an event on the way is damaged.
  func ask(_ questions: [LogQuestion]) async throws -> LogReading

  /// Says that there may be new events of any writer.
  ///
  /// By default it says so once a second. A store that hears of commits says so at once, and still now and then without
  /// having heard: what a network says can be lost.
  ///
  /// - Returns: A sequence that ends when its task is cancelled.
  func news() -> AsyncStream<Void>

  /// Keeps how far followers have come; nil, as by default, if the store keeps none.
  var checkpoints: (any RemoteCheckpointStore)? { get }

  /// Erases what the events say of a person; nil, as by default, if the store erases nothing.
  var erasing: (any RemoteErasingStore)? { get }

  /// Cuts and replaces events; nil, as by default, if the store compacts nothing.
  var compacting: (any RemoteCompactingStore)? { get }
}

extension RemoteEventStore {
  /// The store keeps no followers' positions.
  public var checkpoints: (any RemoteCheckpointStore)? { nil }
  /// The store erases nothing.
  public var erasing: (any RemoteErasingStore)? { nil }
  /// The store compacts nothing.
  public var compacting: (any RemoteCompactingStore)? { nil }

  /// Says once a second that there may be new events.
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
