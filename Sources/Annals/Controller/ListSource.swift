import AnnalsLog

/// The source of a controller's lists: the folded rows, the saved list, and the job that builds a list.
///
/// While a job has the rows, they must not be read. So a method of the controller calls ``takeBack()``, which waits for
/// the job, before it reads the rows.
final class ListSource<Row: Annals.Row> {
  let timeline: Timeline<Row>
  /// A key that identifies projections with the same rows, or `nil` if they can't be compared or the controller has
  /// no isolation.
  private let projectionKey: ProjectionKey?
  let listCache: ListCache<Row>?
  /// The error that every fetch throws, or `nil`.
  ///
  /// It is set if the list has a cache name, but the projection has no identity or the store can't save lists.
  private let refusal: (any Error)?
  /// The last position at the log's end that this controller has processed.
  ///
  /// Other controllers with the same rows may have folded later events.
  private(set) var followed: Position = 0
  /// The log revision that the list was built from, or `nil` before the first list is built.
  private(set) var listRevision: LogRevision?
  var basis = ListBasis<ListStorage, ListJob<Row>>.shown { didSet { isShown = basis.isShown } }
  /// True if only the shown list exists.
  ///
  /// A delivery reads this flag instead of the basis, because the basis' type would be looked up every time.
  private var isShown = true
  /// True after a part of the saved data was lost, until all events are refolded.
  var isMending = false
  var saves = SaveSchedule()
  /// True once the request has changed.
  ///
  /// After that, rows stay in memory after they are read or built.
  var keepsRows = false
  /// The state from which the latest list at the log's end was built, if lists are saved.
  ///
  /// The rows themselves may already be at a later position.
  var listed: Timeline<Row>.State?

  init<P: Projection>(
    _ store: some EventStore, _ projection: P, cacheName: String?, in group: DeliveryGroup
  ) where P.Row == Row {
    let makeTimeline: @Sendable () -> Timeline<Row> = { Timeline(log: store, projection: projection) }
    timeline = makeTimeline()
    projectionKey = group.hasOwner ? ProjectionKey(projection) : nil
    guard let cacheName else {
      (listCache, refusal) = (nil, nil)
      return
    }
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
  }

  /// Throws for a projection or a request whose list can't be fetched.
  func check(_ request: ListRequest<Row>) throws {
    if let refusal { throw refusal }
    // If no saved list is found, the first event is checked completely.
    try timeline.checkEventType(isStored: listCache != nil)
    try listCache?.check(request)
  }

  /// The running or finished job that has the rows, or `nil`.
  var rowsJob: RowsJob<Row>? { timeline.shared.job }

  /// Waits for the job that has the rows, and takes the rows back.
  func takeBack() { timeline.shared.takeBack() }

  /// True if no job has the rows, and the rows aren't lost and have the list's revision.
  var isSettled: Bool { rowsJob == nil && !isLost && listRevision == timeline.revision }

  /// True if new events that don't affect the list may be skipped.
  var mayPassOver: Bool { listCache == nil && isShown }

  /// True if the rows are at a later position than the last position that this controller has processed.
  var isAhead: Bool { timeline.live.position > followed }

  /// Records that the controller has processed all rows.
  func followToEnd() { followed = timeline.live.position }

  /// Records the revision of the rows.
  ///
  /// - Returns: The causes of the changes if the log was rewritten since the last list, or `nil` for the same revision.
  ///   The causes of the first list are empty.
  func noteRevision() -> ChangeCause? {
    guard let found = timeline.revision, found != listRevision else { return nil }
    defer { listRevision = found }
    guard let listRevision else { return [] }
    listCache?.forget()
    saves.restart()
    return ChangeCause(from: listRevision, to: found)
  }

  /// Records the first appearance of sections if the request orders them this way.
  ///
  /// The method waits for a job that is about to return its recorded appearances.
  func trackSections(_ request: ListRequest<Row>, in moment: ListPresentation<Row>.Moment) throws {
    takeBack()
    guard let sectionKey = request.appearingSection else { return try timeline.track(nil, through: 0) }
    // Kept states were folded without recording, so the appearances up to their positions would be missing.
    timeline.forgetPast()
    var end = timeline.live.position
    if case .past(let rows) = moment { end = max(end, rows.state.position) }
    try timeline.track(sectionKey, through: end)
  }
}

// Controllers of one store, one isolation and one projection share rows. At most one of these controllers saves its
// lists.
extension ListSource {
  /// The rows that another controller of a group offers, or `nil`.
  func offeredRows(in group: DeliveryGroup) -> LiveRows<Row>? { projectionKey.flatMap { group.rows(of: $0, Row.self) } }

  /// Uses the rows of another controller in the group, or offers the controller's own rows to the other controllers.
  ///
  /// The method waits for a job that has the other rows.
  func shareRows(in group: DeliveryGroup) {
    guard let others = offeredRows(in: group) else { return offerRows(in: group) }
    if others === timeline.shared { return }
    if let listCache {
      if others.saver != nil { return }
      others.saver = listCache
    }
    others.takeBack()
    timeline.share(others)
  }

  /// Offers the controller's rows to other controllers, unless the group already has such rows.
  func offerRows(in group: DeliveryGroup) {
    guard let projectionKey, offeredRows(in: group) == nil else { return }
    timeline.shared.saver = listCache
    group.offer(timeline.shared, of: projectionKey)
  }
}

// The next list.
extension ListSource {
  /// Lends the rows to a job that also builds a list.
  ///
  /// After this call, the rows must not be read until the job has run.
  func lend(_ list: ListJob<Row>) -> RowsJob<Row> {
    let job = timeline.shared.lend(from: timeline)
    job.add(list, of: timeline)
    basis = basis.after(.lent(list))
    return job
  }

  func dropJob() { basis = basis.after(.jobDropped) }

  func dropSaved() { basis = basis.after(.savedDropped) }

  /// Returns the job's list, or `nil` if the job has no list for the request at the rows' revision.
  ///
  /// Call ``takeBack()`` first, so that the job is done.
  func made(for presentation: ListPresentation<Row>) -> ListJob<Row>.Made? {
    guard presentation.isLive, let job = basis.job, job.prepared === presentation.prepared, let made = job.made,
      made.revision == timeline.revision
    else { return nil }
    return made.list.storage.isLost ? nil : made
  }

  /// Returns the list at the log's end that another controller has built for an equal request, or `nil`.
  ///
  /// Call ``takeBack()`` first.
  func sharedList(for presentation: ListPresentation<Row>) -> Results<Row>? {
    guard listCache == nil, presentation.isLive else { return nil }
    timeline.endSlices()
    let position = timeline.live.position
    return timeline.shared.lists.current(of: presentation.prepared, at: position, timeline.revision)
      .map { Results($0, at: position) }
  }

  /// Makes a list at the log's end available to controllers with an equal request.
  func share(_ list: ListStorage) {
    guard listCache == nil, list.collapsed == .none, !list.prepared.keyer.rules.isByAppearance else { return }
    timeline.shared.lists.add(list, at: timeline.live.position, timeline.revision)
  }

  /// Returns the list at the log's end, either from a job or from the rows, with the changes if the job computed them.
  func nextList(for presentation: ListPresentation<Row>) -> (list: Results<Row>, changes: Changes<Row>?) {
    var known = presentation.shown.storage
    defer { if listCache != nil { listed = timeline.live } }
    if !basis.isShown {
      let (job, made) = (basis.job, made(for: presentation))
      known = made?.list.storage ?? basis.saved ?? known
      basis = basis.after(.built)
      if let made, let job, made.list.position == timeline.live.position, job.collapsed == presentation.collapsed,
        job.shown.storage === presentation.shown.storage
      {
        share(made.list.storage)
        return (made.list, made.changes)
      }
    }
    if let shared = sharedList(for: presentation) {
      return (shared.collapsing(presentation.collapsed, knowing: presentation.shown), nil)
    }
    // A controller that has no list of the request yet continues with the list of another controller.
    if known.prepared !== presentation.prepared || known.list.ids.isEmpty,
      let other = timeline.shared.lists.last(of: presentation.prepared)
    {
      known = other
    }
    let list = timeline.list(presentation.prepared, knowing: Results(known, at: presentation.shown.position))
    share(list.storage)
    return (list.collapsing(presentation.collapsed, knowing: presentation.shown), nil)
  }
}
