/// A log of events to which you can append events.
///
/// You can share a store between threads and isolations. The methods `append`, `execute` and `transaction` have two
/// overloads. The synchronous overload blocks the caller's thread while it writes to disk. The `async` overload writes
/// on one of the store's own threads, and awaits the result.
///
/// To write a custom store, implement ``commit(_:)``, ``read(_:)``, ``source``, ``environment`` and ``runtime``. The
/// protocol's extensions then provide the methods of ``EventLog``, and also `append` and `execute`, which notify the
/// controllers that watch the store. All of the members that you implement are synchronous, because they access a local
/// log. For a log on a server, implement `RemoteEventStore` instead.
///
/// A store can have further capabilities: ``checkpoints``, ``snapshots``, ``drafts``, ``savedLists``, ``inlineLists``,
/// ``erasing``, ``compacting``, ``grouping``, ``externalWriters``. It can also implement ``statistics(streamLimit:)``,
/// if it can count events faster than by reading them. To wrap another store, conform to
/// `ForwardingEventStore`. `Tests/Support/Outside` contains examples.
///
/// A store treats two strings (ids, names, or the subjects of ``Personal`` values) as equal only if their Unicode
/// scalars are equal. But Swift's `==` also treats `"\u{E9}"` and `"e\u{301}"` as equal, so compare the strings' `utf8`
/// views in a custom store. The types ``StreamName``, ``EventTag`` and ``EventID`` already do this.
///
/// Every store follows these rules. An append is atomic across all its streams. Positions and versions never change,
/// and have no gaps except for events that a compaction removed. Positions increase in the order of commits. Every read
/// that starts after an append has returned sees the appended events. `StoreContract` in AnnalsStoreTesting checks
/// these rules.
///
///     let store = try SQLiteEventStore(path: "shop.annals")
///     try store.execute(.insert(annals), on: Bookshop["main"])
///     let events = try store.events(of: BookEvent.self)
public protocol EventStore: EventLog, AnyObject {
  /// The source that identifies this store in the ``EventID`` of every event that is created in this store.
  var source: String { get }

  /// The store's dependencies, such as its clock, its identifier generator and its test hook.
  var environment: StoreEnvironment { get }

  /// The store's runtime, which calls the registered watchers after commits, and keeps decider states in memory.
  ///
  /// A store that wraps another store returns the wrapped store's runtime, because the wrapped store's
  /// ``externalWriters`` announces commits through this runtime.
  var runtime: StoreRuntime { get }

  /// Commits an append, or throws and leaves the log unchanged.
  ///
  /// The store checks the append's expected versions and conditions. It also adds an identity and a time to events that
  /// have none, and refuses an identity that the log already contains. The method must not hold a lock when it returns.
  /// Apps call `append(_:isolation:)` instead of this method, because `append` also notifies the store's watchers.
  ///
  /// In a custom store, call ``Append/validate()``, which throws for values that no store can save.
  ///
  /// - Parameter append: The events to append, with the expected versions of their streams. Without events, the call
  ///   only checks the append's expected versions and conditions.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: ``EventStoreError``.
  func commit(_ append: Append) throws -> Receipt

  /// Calls a closure with a snapshot of the log, so that all reads in the closure are consistent.
  ///
  /// Other writers can append while the closure runs, but the closure doesn't see their events. The closure can use the
  /// snapshot on any thread, but only until the closure returns. The closure can also append to the store, or read from
  /// the store directly, outside the snapshot. A file store can't shrink its file while the closure runs, so don't wait
  /// for users or networks in the closure.
  ///
  /// - Parameter body: A closure that gets the snapshot, and reads from it.
  /// - Returns: The result of `body`.
  /// - Throws: ``EventStoreError``, or the error of `body`.
  func read<T>(_ body: (any EventLog) throws -> T) throws -> T

  /// Returns statistics of the log's contents, for example the names of its event types and streams.
  ///
  /// The default implementation reads all events. Implement the method if your store can count faster, so that the
  /// command-line tool finds types, streams and sources without reading the log.
  ///
  /// - Parameter streamLimit: The maximum number of streams in `LogStatistics.largestStreams`.
  /// - Returns: The statistics.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(n) for n events.
  func statistics(streamLimit: Int) throws -> LogStatistics

  /// The storage for checkpoints, which are named positions in the log, or `nil` (the default) if the store doesn't
  /// support them.
  var checkpoints: (any CheckpointStore)? { get }

  /// The storage for decider states, or `nil` (the default) if the store doesn't save them.
  var snapshots: (any SnapshotStore)? { get }

  /// The storage for drafts, or `nil` (the default) if the store doesn't support them.
  var drafts: (any DraftStore)? { get }

  /// The storage for saved lists, or `nil` (the default) if the store doesn't save them.
  var savedLists: (any SavedListStore)? { get }

  /// The interface for lists that the store updates in the transaction of every append, or `nil` (the default) if the
  /// store doesn't support such lists.
  var inlineLists: (any InlineListStore)? { get }

  /// The interface for erasing personal data, or `nil` (the default) if the store doesn't support erasures.
  var erasing: (any ErasingStore)? { get }

  /// The interface for compacting the log, or `nil` (the default) if the store doesn't support compactions.
  var compacting: (any CompactingStore)? { get }

  /// The interface for committing several appends with one disk sync, or `nil` (the default) if the store commits every
  /// append separately.
  var grouping: (any GroupingStore)? { get }

  /// The interface that notifies this store's watchers of commits by other stores and processes, or `nil` (the default)
  /// if the log has no other writers.
  var externalWriters: (any ExternalWriters)? { get }
}

/// An interface that notifies a store's watchers when other stores or other processes commit to the store's log.
public protocol ExternalWriters: Sendable {
  /// Starts to notify the watchers that are registered in the store's ``EventStore/runtime`` of other writers' commits.
  ///
  /// - Returns: A token. The notifications stop when you release the token.
  func announce() -> StoreRuntime.Token
}

extension EventStore {
  /// `nil`, because the store doesn't support checkpoints.
  public var checkpoints: (any CheckpointStore)? { nil }
  /// `nil`, because the store doesn't save states.
  public var snapshots: (any SnapshotStore)? { nil }
  /// `nil`, because the store doesn't support drafts.
  public var drafts: (any DraftStore)? { nil }
  /// `nil`, because the store doesn't save lists.
  public var savedLists: (any SavedListStore)? { nil }
  /// `nil`, because the store doesn't update lists in its appends.
  public var inlineLists: (any InlineListStore)? { nil }
  /// `nil`, because the store can't erase data.
  public var erasing: (any ErasingStore)? { nil }
  /// `nil`, because the store can't compact its log.
  public var compacting: (any CompactingStore)? { nil }
  /// `nil`, because the store commits every append separately.
  public var grouping: (any GroupingStore)? { nil }
  /// `nil`, because the log has no other writers.
  public var externalWriters: (any ExternalWriters)? { nil }
}

extension EventStore {
  /// Returns the position of the log's last event, or 0 for an empty log.
  public func head() throws -> Position { try read { try $0.head() } }

  /// Returns the log's revision, which changes with every erasure and every compaction.
  public func revision() throws -> LogRevision { try read { try $0.revision() } }

  /// Returns the position through which the log's events haven't changed since an earlier revision.
  public func unchanged(since earlier: LogRevision) throws -> Position { try read { try $0.unchanged(since: earlier) } }

  /// Returns a stream's version: the number of events that were ever appended to it, or 0 for a missing stream.
  public func version(of stream: StreamName) throws -> Int { try read { try $0.version(of: stream) } }

  /// Returns the position of the event with the given identity, or `nil` if the log never contained the event.
  public func position(of id: EventID) throws -> Position? { try read { try $0.position(of: id) } }

  /// Reads the events that match a query, in the order of their positions.
  public func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    try read { try $0.events(query, after: after, through: through, limit: limit) }
  }

  /// Reads the events that match a query, newest first.
  public func eventsBackwards(
    _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    try read { try $0.eventsBackwards(query, after: after, through: through, limit: limit) }
  }

  /// Reads events of all types, and returns them as a batch.
  public func batch(after: Position, through: Position, limit: Int) throws -> EventBatch {
    try read { try $0.batch(after: after, through: through, limit: limit) }
  }

  /// Reads the events of the requested types, and returns them as a batch, possibly with events of other types.
  public func batch(of types: EventTypeFilter, after: Position, through: Position, limit: Int) throws -> EventBatch {
    try read { try $0.batch(of: types, after: after, through: through, limit: limit) }
  }

  /// Reads the events after a position, together with the log's last position and revision.
  public func tail(after: Position, through: Position?, limit: Int) throws -> LogTail {
    try read { try $0.tail(after: after, through: through, limit: limit) }
  }

  /// Reads the events of a stream after a position, together with the stream's version and the log's revision.
  public func tail(of stream: StreamName, after: Position) throws -> StreamTail {
    try read { try $0.tail(of: stream, after: after) }
  }

  /// Reads the events of a stream after the caller's last event, together with the stream's version and the log's
  /// revision.
  ///
  /// The caller passes the position and the version of its last event. If the stream has no new events, a store that
  /// remembers the stream's version can return without searching for events.
  public func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail {
    try read { try $0.tail(of: stream, after: after, version: version) }
  }

  /// Returns the receipt of the command that was committed under an id, or `nil` if no such command was committed.
  public func receipt(ofCommand commandID: String) throws -> Receipt? {
    try read { try $0.receipt(ofCommand: commandID) }
  }
}

extension EventStore {
  /// Commits an append, and notifies the store's watchers, such as controllers.
  ///
  /// In a function that isn't `async`, Swift selects this overload, which blocks the caller's thread while it writes to
  /// disk. In an `async` function, Swift selects the awaited overload, `try await store.append(…)`.
  ///
  /// Controllers in the caller's isolation deliver their changes before the call returns. Controllers in other
  /// isolations are notified asynchronously.
  ///
  /// - Parameters:
  ///   - append: The events to append, with the expected versions of their streams.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: ``EventStoreError``. The log is then unchanged.
  @discardableResult
  public func append(_ append: Append, isolation: isolated (any Actor)? = #isolation) throws -> Receipt {
    let receipt = try commit(append)
    if receipt.count > 0 { runtime.announce(from: isolation) }
    return receipt
  }
}
