import AnnalsLog
import Dispatch
import Synchronization

/// The object that folds and saves an ``InlineList`` in the transaction of every append.
///
/// The store calls this object in every append.
final class InlineFolder<Row: Annals.Row>: Sendable {
  /// A closure that folds new events into a timeline.
  ///
  /// After a failure, it only brings the timeline to the log's revision.
  private typealias Advance = (Timeline<Row>, _ hasFailed: Bool) throws -> Void

  private struct State {
    let timeline: Timeline<Row>
    let prepared: PreparedRequest
    var list: Results<Row>
    var failure: ProjectionError?
    /// True once a part of the saved data can neither be read nor rebuilt.
    var isLost: Bool { timeline.isLost || list.storage.isLost }

    /// Folds new events.
    ///
    /// If a part of the saved data is lost, all events are folded, because rows built from that data are invalid.
    ///
    /// - Returns: True if the list changed.
    @discardableResult
    mutating func follow(_ cache: ListCache<Row>, _ advance: Advance) throws -> Bool {
      if !isLost {
        let outcome = Result { try followOnce(advance) }
        if !isLost { return try outcome.get() }
      }
      let origin = timeline.live.rows.entries.origin ?? list.storage.origin
      cache.lose(
        origin?.whatIsWrong ?? "a part of the saved list can't be read, so the list is rebuilt from all events")
      timeline.startOver()
      failure = nil
      return try followOnce(advance, isNew: true)
    }

    private mutating func followOnce(_ advance: Advance, isNew: Bool = false) throws -> Bool {
      let revision = timeline.revision
      do {
        try advance(timeline, failure != nil)
      } catch let error as ProjectionError {
        failure = error
      }
      let isOther = isNew || timeline.revision != revision || timeline.live.position > list.position
      guard isOther else { return false }
      list = timeline.list(prepared, knowing: list)
      return true
    }

    /// The results of the open transaction, and the state before it.
    var open: (list: Results<Row>, failure: ProjectionError?, before: Timeline<Row>.Mark)?
  }

  private let state: Mutex<State>
  private let cache: ListCache<Row>
  private let request: ListRequest<Row>
  /// The store, which isn't retained because it retains its inline lists.
  private weak let store: (any EventStore)?
  private let stops: StopReporter

  init<P: Projection>(
    _ store: any EventStore, _ lists: any SavedListStore, _ projection: P, _ request: ListRequest<Row>,
    cacheName: String
  ) throws where P.Row == Row {
    let signature = try ProjectionSignature(of: projection, cacheName: cacheName)
    let makeTimeline: @Sendable () -> Timeline<Row> = { Timeline(log: store, projection: projection) }
    let timeline = makeTimeline()
    let prepared = PreparedRequest(request)
    self.request = request
    self.store = store
    stops = StopReporter(.list, "\(P.self)")
    cache = ListCache(
      named: cacheName, in: store, lists, signature: signature.text, relations: P.relations, makeTimeline: makeTimeline)
    var rows = Rows(for: P.self)
    var list = Results(prepared, of: &rows, at: 0, knowing: nil)
    try timeline.follow()
    if let saved = try cache.open(request, prepared, head: store.head()) {
      timeline.begin(saved)
      list = Results(ListStorage(prepared, saved: saved.list), at: saved.position)
    }
    timeline.resumeTracking(request.appearingSection)
    var state = State(timeline: timeline, prepared: prepared, list: list)
    func catchUp(_ timeline: Timeline<Row>, hasFailed: Bool) throws {
      if hasFailed { try timeline.follow() } else { try timeline.advance(through: store.head()) }
    }
    // There may be many events. Fold them here, because other writers would have to wait for a transaction.
    try state.follow(cache, catchUp)
    if state.list.position > 0 {
      do {
        try cache.save(timeline.state(of: state.list), of: request)
      } catch  where state.isLost {
        // The save itself detected the loss.
        try state.follow(cache, catchUp)
        try cache.save(timeline.state(of: state.list), of: request)
      }
    }
    if let failure = state.failure { stops.report(failure, in: store) }
    prepared.reportFailures(in: (store.source, store.environment))
    self.state = Mutex(state)
  }

  var results: Results<Row> { state.withLock { $0.list } }
  var failure: ProjectionError? { state.withLock { $0.failure } }
  var cacheReport: CacheReport { cache.report }
}

extension InlineFolder: InlineListMember {
  func fold(_ log: any EventLog, saving lists: any SavedListStore) throws {
    try state.withLock { state in
      let (mark, known, revision) = (state.timeline.mark, (state.list, state.failure), state.timeline.revision)
      state.open = (known.0, known.1, mark)
      // The list doesn't change until the transaction is committed.
      defer {
        state.open?.list = state.list
        state.open?.failure = state.failure
        (state.list, state.failure) = known
      }
      let isOther = try state.follow(cache) { timeline, hasFailed in
        if hasFailed { try timeline.follow(in: log) } else { try timeline.advance(in: log) }
      }
      if state.timeline.revision != revision { cache.forget() }
      guard isOther else { return }
      let list = state.list
      do {
        try cache.save(state.timeline.state(of: list), of: request, in: lists)
      } catch let error as EventStoreError {
        throw error
      } catch {
        // A row that can't be saved doesn't prevent appends, and the report contains the reason.
      }
    }
  }

  func settle(isCommitted: Bool) {
    let (failure, prepared) = state.withLock { state -> (ProjectionError?, PreparedRequest) in
      guard let open = state.open else { return (nil, state.prepared) }
      state.open = nil
      if isCommitted {
        (state.list, state.failure) = (open.list, open.failure)
      } else {
        state.timeline.return(to: open.before)
        cache.forget()
      }
      return (state.failure, state.prepared)
    }
    guard failure != nil || !prepared.filterFailures.isEmpty, let store else { return }
    // Report on another thread, because the writer of an append holds the store's lock here.
    DispatchQueue.global().async { [stops] in
      if let failure { stops.report(failure, in: store) }
      prepared.reportFailures(in: (store.source, store.environment))
    }
  }
}
