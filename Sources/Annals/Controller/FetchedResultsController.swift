public import Observation

/// A controller that updates a sorted list with sections when events are appended, and notifies its delegate.
///
/// It corresponds to Core Data's `NSFetchedResultsController`, for rows that a projection builds from events:
///
///     let controller = FetchedResultsController(store: store, projection: Shelves(),
///       request: ListRequest(sort: [.ascending(\.price), .ascending(\.title)], section: .by(\.shelf)))
///     controller.delegate = self
///     try controller.performFetch()
///
/// A controller belongs to the isolation that created it, an actor or the main actor, and must be used only there.
/// After a commit from that isolation, the controller delivers the changes before `execute` returns. After any other
/// commit, even from another process, it delivers them in a job in that isolation. Create the controller in a method,
/// or in an initializer on the main actor. In the initial value of a property (even a `lazy` property) and in an
/// actor's initializer, Swift passes no isolation. A controller without isolation delivers changes only during a call
/// to `execute` or ``refresh()`` by the caller that used the controller last.
///
/// Controllers of one store and one isolation share the rows of one projection. They fold events only once, and the
/// cost of an additional list depends only on the rows that it shows. Two projections of the same type share rows if
/// they have no stored properties, are equal `Equatable` values, or have the same ``Projection/identity``. Other
/// projections can't be compared, so they fold events separately.
///
/// `Docs/FromCoreData.md` compares every member of Core Data's class with its counterpart here.
public final class FetchedResultsController<Row: Annals.Row> {
  /// The moment that the list shows: the log's end, or a position of the past.
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
  /// The live position that the controller has seen, while other controllers may have folded later events.
  var followed: Position = 0
  let group: DeliveryGroup
  /// `nil` in a group with an owner, whose isolation already excludes other callers.
  let guardian: ExclusiveAccess?
  let registrar = ObservationRegistrar()
  let stops: StopReporter

  /// The name under which the list is saved next to its events for a faster launch, or `nil` to not save the list.
  ///
  /// A saved list is identified by this name, the projection's ``Projection/identity`` and version, the shape of its
  /// rows, and the names of the request's parts. So several different lists can have the same name, and all of them are
  /// saved separately. At launch, only events after the saved list are folded, and rows are read when you access them.
  /// If the saved list is missing or damaged, or doesn't match the log, the list is built from all events.
  ///
  /// If the store can't save lists (``EventStore/savedLists`` is `nil`), a fetch throws ``EventStoreError``
  /// (`.unsupported`).
  public let cacheName: String?
  let listCache: ListCache<Row>?
  /// The error of every fetch: the list has a cache name, but its projection can't be distinguished from others, or
  /// the store doesn't save lists.
  let refusal: (any Error)?
  /// The saved list, until the first list is built from it.
  var saved: Results<Row>?
  /// True while events are refolded because a part of the saved data is lost, and their end wasn't reached yet.
  var isMending = false
  /// The position at which the last save of the list began.
  var lastSave: Position = 0
  /// True once the request has changed, so that rows stay in memory after they are read or built.
  var keepsRows = false
  /// The number of saves that only served to release rows but were overtaken by changes, and the time of the next
  /// attempt.
  var (resaves, nextResave) = (0, ContinuousClock.now)
  /// The state of the latest live list if lists are saved, because the rows themselves may have advanced further.
  var listed: Timeline<Row>.State?

  /// The progress of the first fetch and whether a failure stopped the list, changed only by ``advance(by:)``.
  private(set) var phase = FetchPhase.idle(standsIn: false)
  /// The shown moment, independent of the phase because you may seek before the first fetch.
  var moment = Moment.live
  var shown: Results<Row>
  var wanted: ListRequest<Row> { didSet { preparedRequest = PreparedRequest(wanted) } }
  var preparedRequest: PreparedRequest
  /// The hidden sections, by sectioning.
  var collapsed: [SectionCriterion: CollapsedSections] = [:]
  var lastFailure: (any Error)?
  /// The log revision that the list was built from, or `nil` before the first one.
  var knownRevision: LogRevision?
  /// The reasons for the next batch.
  var cause: ChangeCause = []
  /// The reasons for moves to another position without any change, and so without notifications.
  var unheard: ChangeCause = []
  var prepared: (new: Results<Row>, changes: Changes<Row>?, cause: ChangeCause)?
  /// The rows when the list was last passed over, and how often since it was built, or `nil` if it wasn't.
  var passed: (rows: SortedTree<ByID>, count: Int)?
  var newFailure: (any Error)?
  /// The job on another thread whose list is shown next, or `nil`.
  var listJob: ListJob<Row>?
  var pass: DeliveryPass?
  /// True while delivery is suspended, independent of the phase because the first list is shown anyway.
  var isSuspended = false
  /// The key path that observers use for the list, stored because a generic type needs 20,000 instructions to create
  /// one.
  lazy var resultsPath = \FetchedResultsController<Row>.results

  weak var currentDelegate: (any FetchedResultsControllerDelegate<Row>)?
  /// The number of delegate replacements now, and at the start of the current batch.
  ///
  /// Two numbers, because a weak reference would be read for every changed row: 3 % of a change of 100,000 rows.
  var (delegateNumber, toldDelegate) = (0, 0)
  var moves: MoveReporting = .rows
  var observers: [Observer] = [] { didSet { hasObservers = !observers.isEmpty } }
  var nextObserver = 0
  var subscriptions: [WeakSubscription<Row>] = [] { didSet { hasSubscriptions = !subscriptions.isEmpty } }
  /// Flags that a delivery reads several times, because reading the arrays looks up their types every time, 2 % of
  /// it.
  private(set) var (hasObservers, hasSubscriptions) = (false, false)

  /// Creates a controller with an empty list.
  ///
  /// - Parameters:
  ///   - store: The store with the events.
  ///   - projection: The projection that builds rows from the events.
  ///   - request: The request that defines the rows, their order and their sections.
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
          onHeavy: { [weak group] in group?.hopToOwner { $0.letGoOfRows() } })
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

  /// Changes the phase by an event, and notifies observers if a former version's list appears or disappears.
  func advance(by event: FetchPhase.Event) {
    let next = phase.after(event)
    guard next.standsIn != phase.standsIn else { return phase = next }
    registrar.withMutation(of: self, keyPath: \.showsFormerVersion) { phase = next }
  }

  /// Runs a body with exclusive access, and delivers to this caller from now on if the controller has no isolation.
  func use<T>(_ body: () throws -> T) rethrows -> T {
    guard let guardian else { return try body() }
    return try guardian.use(body)
  }
}

extension FetchedResultsController: Observable {}

struct WeakSubscription<Row: Annals.Row> {
  weak var value: ChangeSubscription<Row>?
}
