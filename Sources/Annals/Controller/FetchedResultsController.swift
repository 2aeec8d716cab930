import AnnalsLog
public import Observation

/// A controller that updates a sorted list with sections when events are appended, and notifies its delegate.
///
/// It corresponds to Core Data's `NSFetchedResultsController`, for rows that a ``Projection`` builds from events:
///
///     let controller = FetchedResultsController(store: store, projection: Shelves(),
///       request: ListRequest(sort: [.ascending(\.price), .ascending(\.title)], section: .by(\.shelf)))
///     controller.delegate = self
///     try controller.performFetch()
///
/// A controller belongs to the isolation that created it (an actor, such as the main actor), and must be used only
/// there. After a commit from that isolation, the controller delivers the changes before `execute` returns. After any
/// other commit, even from another process, it delivers the changes in a separate job in that isolation.
///
/// Create the controller in a method, or in an initializer on the main actor. Otherwise, the controller can have no
/// isolation: Swift passes no isolation in the initial value of a property (even a `lazy` property) and in an actor's
/// initializer. A controller without isolation delivers changes only during a call to `execute` or ``refresh()`` by the
/// caller that used the controller last.
///
/// Controllers with the same store, isolation and projection share their rows. Together, they apply (fold) every event
/// only once, and the cost of an additional list depends only on the rows that the list shows. Two projections of the
/// same type share rows if they have no stored properties, are equal `Equatable` values, or have the same
/// ``Projection/identity``. Other projections can't be compared, so their controllers fold events separately.
///
/// `Docs/FromCoreData.md` compares every member of Core Data's class with its counterpart here.
public final class FetchedResultsController<Row: Annals.Row> {
  /// The moment that the list shows: the log's end or a past position.
  enum Moment {
    case live
    case past(Timeline<Row>.State)
  }

  struct Observer {
    let number: Int
    /// The last list that the observer received.
    var known: Results<Row>
    let body: (Changes<Row>) -> Void
  }

  let store: any EventStore
  let timeline: Timeline<Row>
  /// A key that identifies projections with the same rows, or `nil` if they can't be compared or the controller has
  /// no isolation.
  let projectionKey: ProjectionKey?
  /// The last position at the log's end that this controller has processed.
  ///
  /// Other controllers with the same rows may have folded later events.
  var followed: Position = 0
  let group: DeliveryGroup
  /// The lock for a controller without isolation.
  ///
  /// It is `nil` in a group with an owner, because the owner's isolation already excludes other callers.
  let guardian: ExclusiveAccess?
  let registrar = ObservationRegistrar()
  let stops: StopReporter

  /// The name under which the list is saved next to its events for a faster launch, or `nil` to not save the list.
  ///
  /// A saved list is identified by this name, the projection's ``Projection/identity`` and ``Projection/version``, the
  /// encoded properties of its rows, and the names of the request's parts, such as its filter. So several different
  /// lists can have the same name, and every list is saved separately. At launch, only events that were appended after
  /// the save are applied (folded), and rows are read when you access them. If the saved list is missing or damaged, or
  /// doesn't match the log, the list is built from all events.
  ///
  /// If the store can't save lists (``EventStore/savedLists`` is `nil`), a fetch throws ``EventStoreError``
  /// (`.unsupported`).
  public let cacheName: String?
  let listCache: ListCache<Row>?
  /// The error that every fetch throws, or `nil`.
  ///
  /// It is set if the list has a cache name, but the projection has no identity or the store can't save lists.
  let refusal: (any Error)?
  /// The saved list, until the first list is built from it.
  var saved: Results<Row>?
  /// True after a part of the saved data was lost, until all events are refolded.
  var isMending = false
  /// The position at which the last save of the list began.
  var lastSave: Position = 0
  /// True once the request has changed.
  ///
  /// After that, rows stay in memory after they are read or built.
  var keepsRows = false
  /// The number of saves that couldn't release rows because the list changed during the save, and the time of the next
  /// attempt.
  var (resaves, nextResave) = (0, ContinuousClock.now)
  /// The state from which the latest list at the log's end was built, if lists are saved.
  ///
  /// The rows themselves may already be at a later position.
  var listed: Timeline<Row>.State?

  /// The progress of the first fetch and whether a failure stopped the list, changed only by ``advance(by:)``.
  private(set) var phase = FetchPhase.idle(isShowingPlaceholder: false)
  /// The shown moment, independent of the phase because you may seek before the first fetch.
  var moment = Moment.live
  var shown: Results<Row>
  var wanted: ListRequest<Row> { didSet { preparedRequest = PreparedRequest(wanted) } }
  var preparedRequest: PreparedRequest
  /// The hidden sections, by sectioning.
  var collapsed: [SectionCriterion: CollapsedSections] = [:]
  var lastFailure: (any Error)?
  /// The log revision that the list was built from, or `nil` before the first list is built.
  var knownRevision: LogRevision?
  /// The causes of the next batch.
  var cause: ChangeCause = []
  /// The causes of position changes without a notification, because the list's content was the same.
  var unheard: ChangeCause = []
  var prepared: (new: Results<Row>, changes: Changes<Row>?, cause: ChangeCause)?
  /// The rows at the last check that found the list unaffected by events, and the number of such checks since the list
  /// was built.
  ///
  /// The value is `nil` before the first such check.
  var passed: (rows: SortedTree<ByID>, count: Int)?
  var newFailure: (any Error)?
  /// The job on another thread whose list is shown next, or `nil`.
  var listJob: ListJob<Row>?
  var pass: DeliveryPass?
  /// True while delivery is suspended.
  ///
  /// This flag is independent of the phase, because the first list is shown even during a suspension.
  var isSuspended = false
  /// The key path that observers use for the list.
  ///
  /// It is stored because creating a key path of a generic type takes 20,000 instructions.
  lazy var resultsPath = \FetchedResultsController<Row>.results

  weak var currentDelegate: (any FetchedResultsControllerDelegate<Row>)?
  /// The number of delegate replacements until now, and until the start of the current batch.
  ///
  /// The numbers avoid reading a weak reference for every changed row, which took 3 % of the time of a change of
  /// 100,000 rows.
  var (delegateNumber, toldDelegate) = (0, 0)
  var moves: MoveReporting = .rows
  var observers: [Observer] = [] { didSet { hasObservers = !observers.isEmpty } }
  var nextObserver = 0
  var subscriptions: [WeakSubscription<Row>] = [] { didSet { hasSubscriptions = !subscriptions.isEmpty } }
  /// Flags that a delivery reads several times instead of the arrays.
  ///
  /// Reading the arrays looks up their types every time, which took 2 % of a delivery's time.
  private(set) var (hasObservers, hasSubscriptions) = (false, false)

  /// Creates a controller with an empty list.
  ///
  /// - Parameters:
  ///   - store: The store with the events.
  ///   - projection: The projection that builds rows from the events.
  ///   - request: The request that defines the list's rows, their sort order and their sections.
  ///   - cacheName: The name under which the list is saved, or `nil` to not save it. See ``cacheName``.
  ///   - isolation: The isolation that the controller belongs to, by default the caller's.
  public init<P: Projection>(
    store: some EventStore, projection: P, request: ListRequest<Row> = ListRequest(),
    cacheName: String? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) where P.Row == Row {
    let owner: (any Actor)? = isolation ?? (MainQueue.isCurrent ? MainActor.shared : nil)
    self.store = store
    stops = StopReporter(.list, "\(P.self)")
    let makeTimeline: @Sendable () -> Timeline<Row> = { Timeline(log: store, projection: projection) }
    timeline = makeTimeline()
    projectionKey = owner == nil ? nil : ProjectionKey(projection)
    self.cacheName = cacheName
    let group = DeliveryGroup.of(store, owner: owner)
    self.group = group
    if let cacheName {
      do {
        guard let savedLists = store.savedLists else {
          throw EventStoreError.unsupported("saved lists", by: type(of: store))
        }
        let signature = try ProjectionSignature(of: projection, cacheName: cacheName)
        listCache = ListCache(
          named: cacheName, in: store, savedLists, signature: signature.text, formerSignatures: signature.former,
          relations: P.relations, makeTimeline: makeTimeline,
          onHeavy: { [weak group] in group?.hopToOwner { $0.unloadRows() } })
        refusal = nil
      } catch {
        (listCache, refusal) = (nil, error)
      }
    } else {
      (listCache, refusal) = (nil, nil)
    }
    guardian = owner == nil ? ExclusiveAccess() : nil
    wanted = request
    preparedRequest = PreparedRequest(request)
    var none = Rows<Row>()
    shown = Results(preparedRequest, of: &none, at: 0, knowing: nil)
    group.join(self, use: guardian)
  }

  deinit {
    for subscription in subscriptions { subscription.value?.finish() }
  }

  /// Changes the phase according to an event, and notifies observers if a former version's list appears or disappears.
  func advance(by event: FetchPhase.Event) {
    let next = phase.after(event)
    guard next.isShowingPlaceholder != phase.isShowingPlaceholder else { return phase = next }
    registrar.withMutation(of: self, keyPath: \.showsFormerVersion) { phase = next }
  }

  /// Runs a body with exclusive access.
  ///
  /// If the controller has no isolation, later changes are delivered to this caller.
  func use<T>(_ body: () throws -> T) rethrows -> T {
    guard let guardian else { return try body() }
    return try guardian.use(body)
  }
}

extension FetchedResultsController: Observable {}

struct WeakSubscription<Row: Annals.Row> {
  weak var value: ChangeSubscription<Row>?
}
