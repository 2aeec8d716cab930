/// A log of events that can be read, and appended to.
///
/// A store is safe to share between threads and isolations. Local stores answer at once, so that nothing that a store
/// implements is asynchronous. `append`, `execute` and `transaction` are there twice: a function that is not `async`
/// waits for the disk on its own thread, an `async` one awaits a thread of the store. A type of your own becomes a
/// store with ``commit(_:)``, ``read(_:)`` and three properties. Everything that an ``EventLog`` answers comes with the
/// protocol, through ``read(_:)``. So do `append` and `execute`, which also notify the controllers that watch the
/// store. What a store can do beyond that are its capabilities: ``checkpoints``, ``snapshots``, ``drafts``,
/// ``savedLists``, ``inlineLists``, ``erasing``, ``compacting``, ``grouping``, ``otherWriters``. A store that wraps
/// another forwards each of them in a line, and its ``signal`` too. `Tests/Outside` has such stores to read.
///
/// Two texts that a store is given (ids, names, subjects) are one only if their Unicode scalars are. Swift's `==` also
/// takes `"\u{E9}"` and `"e\u{301}"` as equal, so compare `utf8`. ``StreamName``, ``EventTag`` and ``EventID`` do so
/// themselves.
///
/// Every store keeps these rules. An append is atomic over all its streams. Positions and versions never change, and
/// have no holes except where a compaction cut events. Commit order is position order. An append that has returned is
/// seen by every read that starts later. `StoreContract` in AnnalsTesting checks them.
///
///     let store = try SQLiteEventStore(path: "shop.annals")
///     try store.execute(.insert(annals), on: Bookshop.self, id: "main")
///     let events = try store.events(of: BookEvent.self)
public protocol EventStore: EventLog, AnyObject {
  /// The source that events made in this store carry.
  var source: String { get }

  /// The time, the identifiers and the hook that the store uses.
  var environment: StoreEnvironment { get }

  /// Notifies those who watch the store of its commits.
  ///
  /// A store that wraps another answers that store's signal: what ``otherWriters`` announces comes through it.
  var signal: CommitSignal { get }

  /// Commits an append, or throws and changes nothing.
  ///
  /// The store checks expectations and conditions, gives an identity and a time to events that have none, and refuses
  /// an identity that the log has. It holds no lock when it returns. Call `append(_:isolation:)` instead, which also
  /// notifies the store's watchers.
  ///
  /// ``Append/validate()`` refuses what no store can keep.
  ///
  /// - Parameter append: What to commit; without entries, conditions are checked and nothing is added.
  /// - Returns: Where the events went.
  /// - Throws: ``EventStoreError``.
  func commit(_ append: Append) throws -> Receipt

  /// Reads what belongs together: all answers of the log that the body gets are of one moment.
  ///
  /// Others append meanwhile, and the body does not see it. It may use the log on any thread until it returns, and not
  /// later. It may also append to the store, or read from it; that is then of another moment. A store in a file cannot
  /// make its file shorter while a body reads, so do not wait for people or networks in it.
  ///
  /// - Parameter body: Reads from the log.
  /// - Returns: What the body returned.
  /// - Throws: ``EventStoreError``, and what the body throws.
  func read<T>(_ body: (any EventLog) throws -> T) throws -> T

  /// Keeps how far someone has come in the events; nil, as by default, if the store cannot.
  var checkpoints: (any CheckpointStore)? { get }

  /// Keeps states of deciders; nil, as by default, if the store cannot.
  var snapshots: (any SnapshotStore)? { get }

  /// Keeps the commands of drafts; nil, as by default, if the store cannot.
  var drafts: (any DraftStore)? { get }

  /// Keeps lists; nil, as by default, if the store cannot.
  var savedLists: (any SavedListStore)? { get }

  /// Keeps lists up to date in the transaction of each append; nil, as by default, if the store cannot.
  var inlineLists: (any InlineListStore)? { get }

  /// Erases what the events say of a subject; nil, as by default, if the store cannot.
  var erasing: (any ErasingStore)? { get }

  /// Compacts the log; nil, as by default, if the store cannot.
  var compacting: (any CompactingStore)? { get }

  /// Commits several appends at once; nil, as by default, if the store commits each for itself.
  var grouping: (any GroupingStore)? { get }

  /// Announces what other stores and other processes append to the same log; nil, as by default, if there are none.
  var otherWriters: (any OtherWriters)? { get }
}

/// Announces what other stores and other processes append to a log.
public protocol OtherWriters: Sendable {
  /// Begins to announce their commits through the store's ``EventStore/signal``.
  ///
  /// - Returns: What keeps the announcements coming; they end when it is no longer held.
  func announce() -> CommitSignal.Token
}

extension EventStore {
  /// None: the store keeps no checkpoints.
  public var checkpoints: (any CheckpointStore)? { nil }
  /// None: the store keeps no states.
  public var snapshots: (any SnapshotStore)? { nil }
  /// None: the store keeps no drafts.
  public var drafts: (any DraftStore)? { nil }
  /// None: the store keeps no lists.
  public var savedLists: (any SavedListStore)? { nil }
  /// None: the store keeps no lists in its appends.
  public var inlineLists: (any InlineListStore)? { nil }
  /// None: nothing is erased.
  public var erasing: (any ErasingStore)? { nil }
  /// None: nothing is compacted.
  public var compacting: (any CompactingStore)? { nil }
  /// None: each append is committed for itself.
  public var grouping: (any GroupingStore)? { nil }
  /// None: there are no other writers.
  public var otherWriters: (any OtherWriters)? { nil }
}

extension EventStore {
  /// The position of the last event, 0 in an empty log.
  public func head() throws -> Position { try read { try $0.head() } }

  /// Which of its histories the log has.
  public func revision() throws -> LogRevision { try read { try $0.revision() } }

  /// The position up to which the log still has the events that it had in an earlier revision.
  public func unchanged(since earlier: LogRevision) throws -> Position { try read { try $0.unchanged(since: earlier) } }

  /// The number of events that were appended to a stream, 0 if there is no such stream.
  public func version(of stream: StreamName) throws -> Int { try read { try $0.version(of: stream) } }

  /// The position of the event with an identity, or nil.
  public func position(of id: EventID) throws -> Position? { try read { try $0.position(of: id) } }

  /// Reads some events in the order of their positions.
  public func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    try read { try $0.events(query, after: after, through: through, limit: limit) }
  }

  /// Reads some events backwards, the newest first.
  public func eventsBackwards(
    _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    try read { try $0.eventsBackwards(query, after: after, through: through, limit: limit) }
  }

  /// Reads all kinds of events as a batch.
  public func batch(after: Position, through: Position, limit: Int) throws -> EventBatch {
    try read { try $0.batch(after: after, through: through, limit: limit) }
  }

  /// Reads events of some types as a batch.
  public func batch(of types: EventTypeChoice, after: Position, through: Position, limit: Int) throws -> EventBatch {
    try read { try $0.batch(of: types, after: after, through: through, limit: limit) }
  }

  /// Reads what comes after a position, with the log's end and revision.
  public func tail(after: Position, through: Position?, limit: Int) throws -> LogTail {
    try read { try $0.tail(after: after, through: through, limit: limit) }
  }

  /// Reads the events of a stream after a position, with the stream's version and the log's revision.
  public func tail(of stream: StreamName, after: Position) throws -> StreamTail {
    try read { try $0.tail(of: stream, after: after) }
  }

  /// Reads the events of a stream after one that the reader knows, with the stream's version and the log's revision.
  public func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail {
    try read { try $0.tail(of: stream, after: after, version: version) }
  }

  /// The receipt of a command that was committed under an id, or nil.
  public func receipt(ofCommand commandID: String) throws -> Receipt? {
    try read { try $0.receipt(ofCommand: commandID) }
  }
}

extension EventStore {
  /// Commits an append and notifies those who watch the store.
  ///
  /// This is the call of a function that is not `async`: the caller's thread waits for the disk. In an `async` function
  /// you get the call that is awaited, `try await store.append(…)`.
  ///
  /// Controllers in the caller's isolation have delivered before this returns, others are notified by a job in theirs.
  ///
  /// - Parameters:
  ///   - append: What to commit.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: ``EventStoreError``, and then nothing was added.
  @discardableResult
  public func append(_ append: Append, isolation: isolated (any Actor)? = #isolation) throws -> Receipt {
    let receipt = try commit(append)
    if receipt.count > 0 { signal.announce(from: isolation) }
    return receipt
  }
}
