import Synchronization

/// A list that is folded and saved in the transaction of every append: no append is there without it.
///
/// ``EventStore/keepList(of:request:cacheName:)`` makes one. As soon as an append has returned, ``results`` shows it, on any
/// thread; and a controller with the same projection, request and cache name begins with it, in whatever process, and has nothing to
/// fold. It costs every append the folding and the pages that change.
///
/// The list is kept up to date as long as somebody holds this, and for appends of the store that made it. What other processes
/// append is folded with this store's next append.
public final class InlineList<Row: Annals.Row>: Sendable {
  private struct State {
    let timeline: Timeline<Row>
    let prepared: PreparedRequest
    var list: Results<Row>
    var failure: ProjectionError?
    /// True once a part of what was saved can neither be read nor made again.
    var isLost: Bool { timeline.isLost || list.storage.isLost }

    /// Folds what is new, and all if a part of what was saved is lost: nothing that was made of it holds.
    ///
    /// - Returns: True if the list is another one.
    @discardableResult
    mutating func follow(_ store: any EventStore, _ cache: ListCache<Row>) throws -> Bool {
      if !isLost {
        let outcome = Result { try followOnce(store) }
        if !isLost { return try outcome.get() }
      }
      let origin = timeline.live.rows.entries.origin ?? list.storage.origin
      cache.lose(origin?.whatIsWrong ?? "a part of the list is lost")
      timeline.beginAnew()
      failure = nil
      return try followOnce(store, isAnew: true)
    }

    private mutating func followOnce(_ store: any EventStore, isAnew: Bool = false) throws -> Bool {
      let rewrites = timeline.rewrites
      do {
        try timeline.foldRewritten(reading: store)
        if failure == nil { try timeline.advance(through: store.head(), reading: store) }
      } catch let error as ProjectionError {
        failure = error
      }
      let isOther = isAnew || timeline.rewrites != rewrites || timeline.live.position > list.position
      guard isOther else { return false }
      list = timeline.list(prepared, knowing: list)
      return true
    }

    /// What the transaction that is open led to, and where all stood before it.
    var open: (list: Results<Row>, failure: ProjectionError?, before: Timeline<Row>.Mark)?
  }

  private let state: Mutex<State>
  private let cache: ListCache<Row>
  private let request: FetchRequest<Row>

  init<P: Projection>(
    _ store: any CacheStore, _ projection: P, _ request: FetchRequest<Row>, cacheName: String
  ) throws where P.Row == Row {
    let signature = try ProjectionSignature(of: projection, cacheName: cacheName)
    let makeTimeline: @Sendable () -> Timeline<Row> = { Timeline(store: store, projection: projection) }
    let timeline = makeTimeline()
    let prepared = PreparedRequest(request)
    self.request = request
    cache = ListCache(
      named: cacheName, in: store, signature: signature.text, relations: P.relations, makeTimeline: makeTimeline)
    var rows = Rows(for: P.self)
    var list = Results(prepared, of: &rows, at: 0, knowing: nil)
    try timeline.foldRewritten()
    if let saved = try cache.open(request, prepared, head: store.head()) {
      timeline.begin(saved)
      list = Results(ListStorage(prepared, saved: saved.list), at: saved.position)
    }
    timeline.goOnTracking(request.appearingSection)
    var state = State(timeline: timeline, prepared: prepared, list: list)
    // The long way is gone here, and not in a transaction, for which others would have to wait.
    try state.follow(store, cache)
    if state.list.position > 0 {
      do {
        try cache.save(timeline.state(of: state.list), of: request)
      } catch  where state.isLost {
        // What was lost was found out by saving it.
        try state.follow(store, cache)
        try cache.save(timeline.state(of: state.list), of: request)
      }
    }
    self.state = Mutex(state)
  }

  /// The list after the last append that was committed.
  public var results: Results<Row> { state.withLock { $0.list } }

  /// The event that cannot be folded, and why; nil if there is none.
  ///
  /// Appends go on all the same. The list stands before that event until it is made by better code.
  public var failure: ProjectionError? { state.withLock { $0.failure } }

  /// What became of the saved list.
  public var cacheReport: CacheReport { cache.report }
}

extension InlineList: InlineMember {
  package func fold(in transaction: any CacheStore) throws {
    try state.withLock { state in
      let (mark, known, rewrites) = (state.timeline.mark, (state.list, state.failure), state.timeline.rewrites)
      state.open = (known.0, known.1, mark)
      // Until the transaction is committed the list is what it was.
      defer {
        state.open?.list = state.list
        state.open?.failure = state.failure
        (state.list, state.failure) = known
      }
      let isOther = try state.follow(transaction, cache)
      if state.timeline.rewrites != rewrites { cache.forget() }
      guard isOther else { return }
      let list = state.list
      do {
        try cache.save(state.timeline.state(of: list), of: request, in: transaction)
      } catch let error as EventStoreError {
        throw error
      } catch {
        // A row that cannot be saved keeps nobody from appending; the report says which.
      }
    }
  }

  package func settle(isCommitted: Bool) {
    state.withLock { state in
      guard let open = state.open else { return }
      state.open = nil
      if isCommitted {
        (state.list, state.failure) = (open.list, open.failure)
      } else {
        state.timeline.return(to: open.before)
        cache.forget()
      }
    }
  }
}

/// What is kept up to date in the transaction of every append.
package protocol InlineMember: AnyObject, Sendable {
  /// Folds what a transaction appended, and saves what became of it in the transaction.
  ///
  /// - Parameter transaction: The log as the transaction sees it.
  /// - Throws: What keeps it from being saved; the transaction is given up then.
  func fold(in transaction: any CacheStore) throws

  /// Learns what became of the transaction.
  func settle(isCommitted: Bool)
}

/// A store that keeps lists in the transactions of its appends.
package protocol InlineStore: CacheStore {
  /// Begins to keep a member up to date, as long as somebody holds it.
  func addInline(_ member: any InlineMember) throws
}

extension EventStore {
  /// Keeps a list that is folded and saved in the transaction of every append.
  ///
  /// - Parameters:
  ///   - projection: Makes the rows.
  ///   - request: Which rows, in which order, cut into which sections; its parts have names.
  ///   - cacheName: The name that the list is saved under.
  /// - Returns: The list, at the log's end, and kept there as long as somebody holds it.
  /// - Throws: ``FetchRequestError`` if a part of the request has no name or the projection no identity; ``EventStoreError``, with the code `invalidAppend` if the
  ///   store cannot keep lists; ``EventCodingError``.
  /// - Complexity: O(n) for the n events since the list was saved last.
  public func keepList<P: Projection>(
    of projection: P, request: FetchRequest<P.Row>, cacheName: String
  ) throws -> InlineList<P.Row> {
    guard let store = self as? any InlineStore else {
      throw EventStoreError(
        .invalidAppend,
        "\(Self.self) keeps no lists in its appends: expected a SQLiteEventStore or a MemoryEventStore; show the list with a "
          + "FetchedResultsController")
    }
    let list = try InlineList(store, projection, request, cacheName: cacheName)
    try store.addInline(list)
    return list
  }
}
