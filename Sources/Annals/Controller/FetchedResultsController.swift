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
/// Create the controller in a method, or in an initializer on the main actor. Elsewhere, the controller might have no
/// isolation, because Swift passes no isolation to a controller that you create in an actor's initializer, or as the
/// initial value of a property (even a `lazy` property). A controller without isolation delivers changes only to the
/// task or thread that used the controller last, during that caller's calls to `execute` or ``refresh()``.
///
/// Controllers with the same store, isolation and projection share their rows. Together, they apply (fold) every event
/// only once, and the cost of an additional list depends only on the rows that the list shows. Two projections of the
/// same type share rows if they have no stored properties, are equal `Equatable` values, or have the same
/// ``Projection/identity``. Other projections can't be compared, so their controllers fold events separately. If their
/// requests are equal too, the controllers share one list.
///
/// A controller of a floating ``Branch`` delivers a commit to the branch's base in a separate job, because another
/// thread first re-decides the branch's commands.
///
/// `Docs/FromCoreData.md` compares every member of Core Data's class with its counterpart here.
public final class FetchedResultsController<Row: Annals.Row> {
  let store: any EventStore
  let source: ListSource<Row>
  let presentation: ListPresentation<Row>
  let audience = ListAudience<Row>()
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
  /// names of the request's filter, sort keys and sectioning, and a few other properties of the projection and the
  /// request, which `Docs/SavedLists.md` lists. So several different lists can have the same name, and every list is
  /// saved separately. At launch, only events that were appended after the save are applied (folded), and rows are read
  /// when you access them. If the saved list is missing or damaged, doesn't match the log, or has rows with other
  /// encoded properties than the row type, the list is built from all events.
  ///
  /// If the store can't save lists (``EventStore/savedLists`` is `nil`), a fetch throws ``EventStoreError``
  /// (`.unsupported`).
  public let cacheName: String?

  /// The progress of the first fetch and whether a failure stopped the list, changed only by ``advance(by:)``.
  private(set) var phase = FetchPhase.idle(isShowingPlaceholder: false)
  private(set) var lastFailure: (any Error)?
  var newFailure: (any Error)?
  var pass: DeliveryPass?
  /// The key path that observers use for the list.
  ///
  /// It is stored because creating a key path of a generic type takes 20,000 instructions.
  private lazy var resultsPath = \FetchedResultsController<Row>.results

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
    self.cacheName = cacheName
    group = DeliveryGroup.of(store, owner: owner)
    guardian = owner == nil ? ExclusiveAccess() : nil
    source = ListSource(store, projection, cacheName: cacheName, in: group)
    presentation = ListPresentation(request, in: cacheName == nil ? group : nil)
    group.join(self, use: guardian)
  }

  /// Changes the phase according to an event, and notifies observers if a former version's list appears or disappears.
  func advance(by event: FetchPhase.Event) {
    let next = phase.after(event)
    guard next.isShowingPlaceholder != phase.isShowingPlaceholder else { return phase = next }
    registrar.withMutation(of: self, keyPath: \.showsFormerVersion) { phase = next }
  }

  /// Shows a list, and notifies the observers of ``results``.
  func show(_ list: Results<Row>) {
    registrar.withMutation(of: self, keyPath: resultsPath) { presentation.shown = list }
  }

  /// Records a read of ``results``.
  func accessResults() { registrar.access(self, keyPath: resultsPath) }

  /// Sets and reports the error that prevents updates of the list, or `nil` once the list can be updated.
  func setFailure(_ failure: (any Error)?) {
    guard failure != nil || lastFailure != nil else { return }
    if let failure { stops.report(failure, in: store) } else { stops.noteSuccess() }
    registrar.withMutation(of: self, keyPath: \.failure) { lastFailure = failure }
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
