/// Appends events and reads them back in the order of their positions.
///
/// A store is safe to share between threads and isolations. Local stores answer at once, so that nothing here is
/// asynchronous. A type of your own becomes a store with the requirements below; `append` and `execute` come with the
/// protocol and tell the controllers that watch the store.
///
/// Every store keeps these rules: an append is atomic over all its streams; positions and versions never change, and have no holes
/// but where a compaction cut events; commit order is position order; an append that has returned is seen by every read that
/// starts later.
public protocol EventStore: AnyObject, Sendable {
  /// The source that events made in this store carry.
  var source: String { get }

  /// The time, the identifiers and the hook that the store uses.
  var environment: StoreEnvironment { get }

  /// Tells those who watch the store of its commits.
  var signal: CommitSignal { get }

  /// Commits an append, or throws and changes nothing.
  ///
  /// The store checks expectations and conditions, gives an identity and a time to events that have none, and refuses an
  /// identity that the log has. It holds no lock when it returns. Call ``append(_:isolation:)`` instead, which also tells
  /// the store's watchers.
  ///
  /// - Parameter append: What to commit; without entries, conditions are checked and nothing is added.
  /// - Returns: Where the events went.
  /// - Throws: ``EventStoreError``.
  func commit(_ append: Append) throws -> Receipt

  /// The position of the last event, 0 in an empty log.
  ///
  /// - Returns: The position.
  /// - Throws: ``EventStoreError``.
  func head() throws -> Position

  /// The number of events that were appended to a stream, 0 if there is no such stream.
  ///
  /// - Parameter stream: The stream.
  /// - Returns: The version.
  /// - Throws: ``EventStoreError``.
  func version(of stream: StreamName) throws -> Int

  /// The place of the event with an identity.
  ///
  /// - Parameter id: The identity.
  /// - Returns: The position, also of an event that a compaction cut; nil if the log never had such an event.
  /// - Throws: ``EventStoreError``.
  func position(of id: EventID) throws -> Position?

  /// Reads a page of events in the order of their positions.
  ///
  /// - Parameters:
  ///   - query: Which events.
  ///   - after: The position after which to start; 0 for the first event.
  ///   - through: The last position to read; nil for the log's end.
  ///   - limit: The largest number of events to return, 1 or more.
  /// - Returns: The events. Fewer than `limit` means that there are no more at the time of the call.
  /// - Throws: ``EventStoreError``, also when an event on the way is damaged.
  /// - Complexity: O(log n + m) for m events read, where the query can be answered from an index.
  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent]

  /// Reads a page of events backwards: the last ones, the newest first.
  ///
  /// By default they are found by reading all that come before them.
  ///
  /// - Parameters:
  ///   - query: Which events.
  ///   - after: The position at which to end, which is not read; 0 to read the first event too.
  ///   - through: The position at which to begin; nil for the log's end.
  ///   - limit: The largest number of events to return, 1 or more.
  /// - Returns: The events. Fewer than `limit` means that there are no more.
  /// - Throws: ``EventStoreError``, also when an event on the way is damaged.
  func eventsBackwards(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent]

  /// The receipt of a command that was committed under an id.
  ///
  /// By default it throws: a store that keeps no command ids refuses commands that have one.
  ///
  /// - Parameter commandID: The command's id.
  /// - Returns: The receipt, or nil if no such command was committed.
  /// - Throws: ``EventStoreError``.
  func receipt(ofCommand commandID: String) throws -> Receipt?

  /// How often something was erased from the log; see ``ErasingStore``.
  ///
  /// By default never.
  ///
  /// - Returns: The number, which only grows.
  /// - Throws: ``EventStoreError``.
  func erasures() throws -> Int

  /// Up to where the history was compacted, and how often; see ``CompactingStore``.
  ///
  /// By default never.
  ///
  /// - Returns: What was compacted.
  /// - Throws: ``EventStoreError``.
  func compacted() throws -> CompactedHistory

  /// How often what the log has became another than what was appended: by an erasure, or by a compaction.
  ///
  /// By default the number of both. Whoever made something of the events makes it anew when the number is another than it was.
  ///
  /// - Returns: The number, which only grows.
  /// - Throws: ``EventStoreError``.
  func rewrites() throws -> Int

  /// Begins to announce, through ``signal``, what others append to the same log: other stores and other processes.
  ///
  /// By default there are no others.
  ///
  /// - Returns: What keeps the announcements coming; they end when nobody holds it.
  func announceOthers() -> CommitSignal.Token?
}

extension EventStore {
  /// Reads a page of events backwards, by reading all that come before them.
  public func eventsBackwards(
    _ query: EventQuery, after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    precondition(limit > 0, "a page has room for at least one event, a limit of \(limit) does not")
    var last: [StoredEvent] = []
    try forEachEvent(query, after: after, through: through) { event in
      last.append(event)
      if last.count / 2 >= limit { last.removeFirst(last.count - limit) }
    }
    return last.suffix(limit).reversed()
  }

  /// Refuses: the store keeps no command ids.
  public func receipt(ofCommand commandID: String) throws -> Receipt? {
    throw EventStoreError.invalidAppend(
      "\(Self.self) keeps no command ids: implement receipt(ofCommand:), or execute the command without an id")
  }

  /// None: nothing is erased.
  public func erasures() throws -> Int { 0 }

  /// Nothing: the whole history is there.
  public func compacted() throws -> CompactedHistory { .none }

  /// The number of erasures and of compactions.
  public func rewrites() throws -> Int { try erasures() + compacted().count }

  /// Nothing: there are no others.
  public func announceOthers() -> CommitSignal.Token? { nil }
}

extension EventStore {
  /// Commits an append and tells those who watch the store.
  ///
  /// Controllers in the caller's isolation have delivered before this returns, others are told by a job in theirs.
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

  /// Reads events one after the other, a page at a time.
  ///
  /// - Parameters:
  ///   - query: Which events.
  ///   - after: The position after which to start.
  ///   - through: The last position to read; nil for the log's end as it is at the call.
  ///   - pageSize: How many events to read at once at most, 1 or more; fewer are read where events are large.
  ///   - body: Called with each event.
  /// - Throws: ``EventStoreError``, and what the body throws.
  public func forEachEvent(
    _ query: EventQuery = .all, after: Position = 0, through: Position? = nil, pageSize: Int = 512,
    _ body: (StoredEvent) throws -> Void
  ) throws {
    let end = try through ?? head()
    var last = after
    if query.alternatives == nil, let paged = self as? any PagedEventStore {
      // Pages of bytes end early where events are large; of each event a value is made when its turn comes.
      while last < end {
        let page = try paged.page(after: last, through: end, limit: pageSize)
        guard let final = page.rows.last else { return }
        for index in page.rows.indices { try body(page.stored(index)) }
        last = Position(final.position)
      }
      return
    }
    // Events may be large: how many are read at once depends on how large those before them were.
    var limit = min(pageSize, 32)
    while last < end {
      let page = try events(query, after: last, through: end, limit: limit)
      var bytes = 0
      for event in page {
        bytes += event.payload?.utf8.count ?? 0
        try body(event)
      }
      guard page.count == limit, let final = page.last else { return }
      last = final.position
      limit = bytes > 4_194_304 ? max(1, limit / 4) : min(pageSize, limit < 1 << 40 ? limit * 4 : limit)
    }
  }
}

extension EventStore {
  /// Reads in several steps what must be of one log: again, if somebody rewrote it meanwhile.
  package func steadily<T>(_ read: () throws -> T) throws -> T {
    while true {
      let before = try rewrites()
      let answer = Result { try read() }
      // What failed may have failed because half of it was of one log, and half of another.
      if try rewrites() == before { return try answer.get() }
    }
  }
}
