public import Observation

/// Keeps a sectioned, sorted list current with a store's events and tells its delegate what changed.
///
/// It does what Core Data's `NSFetchedResultsController` does, for rows that a projection makes of events:
///
///     let controller = FetchedResultsController(store: store, projection: Shelves(),
///       request: FetchRequest(sort: [.ascending(\.price), .ascending(\.title)], section: .by(\.shelf)))
///     controller.delegate = self
///     try controller.performFetch()
///
/// A controller belongs to the isolation that made it, an actor's or the main actor's, and is used only there. A commit
/// made in that isolation is delivered before `execute` returns; any other, even of another process, by a job in that
/// isolation. Make the controller in a method, or in an initialiser of the main actor: in the initial value of a
/// property, `lazy` or not, and in an actor's initialiser Swift knows no isolation.
/// A controller made without isolation is delivered to where it was used last, inside `execute` or
/// ``refresh()``.
///
/// Controllers of one store and one isolation share the rows of one projection: events are folded once, and a further
/// list costs what it shows. Two projections are one if they are of one type and have no stored properties, or are
/// equal where the type is `Equatable`, or have one ``Projection/identity``; of others nothing is known, and each folds
/// for itself.
///
/// `Docs/FromCoreData.md` sets every member of Core Data's class beside its counterpart here.
public final class FetchedResultsController<Row: Annals.Row> {
  /// What the list shows: the log's end, or a position of the past.
  enum Moment {
    case live
    case past(Timeline<Row>.State)
  }

  struct Observer {
    let number: Int
    /// The list that the observer knows.
    var known: Results<Row>
    let body: (Changes<Row>) -> Void
  }

  let store: any EventStore
  let timeline: Timeline<Row>
  /// What tells whether another controller's projection makes the same rows; nil if that is not known, or if the
  /// controller has no isolation.
  let projectionKey: ProjectionKey?
  /// The live end that the controller has seen: others may have folded on since.
  var followed: Position = 0
  let group: DeliveryGroup
  /// Nil in a group with an owner, whose isolation keeps others out.
  let guardian: CallerGuard?
  let registrar = ObservationRegistrar()
  let stops: StopReporter

  /// The name under which the list is saved beside its events, so that the next start reads it there; nil if it is not.
  ///
  /// What is saved is known by this name, the projection with its ``Projection/identity`` and its version, the shape of
  /// its rows, and the names of the request's parts: several lists may share a name, and each gets its own. At the
  /// start only what was appended since is folded, and rows are read when they are looked at. A saved list that is
  /// missing, damaged or does not fit is not used.
  ///
  /// On a store that keeps no lists (``EventStore/savedLists``), a fetch throws the error `unsupported`.
  public let cacheName: String?
  let listCache: ListCache<Row>?
  /// Why nothing is fetched: the list has a cache name, and its projection cannot be distinguished from others, or the
  /// store keeps no lists.
  let refusal: (any Error)?
  /// The list that was saved, until the first one is made from it.
  var saved: Results<Row>?
  /// True while events are folded again because a part of what was saved is lost, and they could not be read to their
  /// end yet.
  var isMending = false
  /// The position at which the list was last given to be saved.
  var lastSave: Position = 0
  /// True once the request has changed: then rows that were read or made stay in memory.
  var keepsRows = false
  /// How often the list was saved only to let go of its rows, and went on until it was, and when that is tried again.
  var (resaves, nextResave) = (0, ContinuousClock.now)
  /// What belongs to the live list that was made last, if lists are saved: the rows themselves may be further by now.
  var listed: Timeline<Row>.State?

  /// How far the first fetch is, and whether a failure has stopped the list; changed by ``advance(by:)`` alone.
  private(set) var phase = FetchPhase.idle(standsIn: false)
  /// What the list shows; independent of the phase, because you may seek before the first fetch.
  var moment = Moment.live
  var shown: Results<Row>
  var wanted: FetchRequest<Row> { didSet { preparedRequest = PreparedRequest(wanted) } }
  var preparedRequest: PreparedRequest
  /// By cut: the sections whose rows are hidden.
  var collapsed: [SectionCriterion: CollapsedSections] = [:]
  var lastFailure: (any Error)?
  /// The revision of the log that the list was made from; nil before the first one.
  var knownRevision: LogRevision?
  /// Why the next batch comes.
  var cause: ChangeCause = []
  /// Why the list came to another position without a change, so that no observer was notified.
  var unheard: ChangeCause = []
  var prepared: (new: Results<Row>, changes: Changes<Row>?, cause: ChangeCause)?
  /// The rows when the list was last passed over, and how often it was since it was made; nil if it was not.
  var passed: (rows: SortedTree<ByID>, count: Int)?
  var newFailure: (any Error)?
  /// The list that another thread cuts, or has cut, to be shown next; nil if none does.
  var listJob: ListJob<Row>?
  var pass: DeliveryPass?
  /// True while you have suspended delivery; independent of the phase, because the first list is shown all the same.
  var isSuspended = false
  /// The key path that observers know the list by; a generic type makes one in 20,000 instructions at each use.
  lazy var resultsPath = \FetchedResultsController<Row>.results

  weak var currentDelegate: (any FetchedResultsControllerDelegate<Row>)?
  /// How often the delegate was replaced, and how often when the batch began that is being delivered.
  ///
  /// Two numbers, because a weak reference is asked at every row that changed: 3 % of a change of 100,000 rows.
  var (delegateNumber, toldDelegate) = (0, 0)
  var moves: ReportedMoves = .rows
  var observers: [Observer] = [] { didSet { hasObservers = !observers.isEmpty } }
  var nextObserver = 0
  var subscriptions: [WeakSubscription<Row>] = [] { didSet { hasSubscriptions = !subscriptions.isEmpty } }
  /// What a delivery asks several times: asking the arrays looks up their types each time, 2 % of it.
  private(set) var (hasObservers, hasSubscriptions) = (false, false)

  /// Creates a controller that shows nothing yet.
  ///
  /// - Parameters:
  ///   - store: Where the events are.
  ///   - projection: Makes the rows of them.
  ///   - request: Which rows, in which order, cut into which sections.
  ///   - cacheName: The name under which the list is saved; nil to save none. See ``cacheName``.
  ///   - isolation: The isolation that the controller belongs to; leave it to its default.
  public init<P: Projection>(
    store: some EventStore, projection: P, request: FetchRequest<Row> = FetchRequest(),
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
    guardian = owner == nil ? CallerGuard() : nil
    wanted = request
    preparedRequest = PreparedRequest(request)
    var none = Rows<Row>()
    shown = Results(preparedRequest, of: &none, at: 0, knowing: nil)
    group.join(self, use: guardian)
  }

  deinit {
    for subscription in subscriptions { subscription.value?.finish() }
  }

  /// Goes to the phase after an event; whether a former version's list is shown is observed.
  func advance(by event: FetchPhase.Event) {
    let next = phase.after(event)
    guard next.standsIn != phase.standsIn else { return phase = next }
    registrar.withMutation(of: self, keyPath: \.showsFormerVersion) { phase = next }
  }

  /// Lets the caller in: it is now the one that is delivered to, if the controller has no isolation.
  func use<T>(_ body: () throws -> T) rethrows -> T {
    guard let guardian else { return try body() }
    return try guardian.use(body)
  }
}

extension FetchedResultsController: Observable {}

struct WeakSubscription<Row: Annals.Row> {
  weak var value: ChangeSubscription<Row>?
}
