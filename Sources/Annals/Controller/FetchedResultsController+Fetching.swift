import Observation

extension FetchedResultsController {
  /// The list as it is now: an immutable value, which may be kept and sent anywhere.
  ///
  /// Empty before ``performFetch()``. Observation tells of its changes.
  public var results: Results<Row> {
    use {
      registrar.access(self, keyPath: resultsPath)
      // One that has an isolation is asked to by a job there.
      if !group.hasOwner, pass == nil { letGoOfRows() }
      return shown
    }
  }

  /// Which rows are shown; changed by ``update(_:)``.
  public var request: FetchRequest<Row> {
    use {
      registrar.access(self, keyPath: \.request)
      return wanted
    }
  }

  /// Why the list cannot be kept current; nil while it is.
  ///
  /// The list then stands at the last good position. ``refresh()`` tries again.
  public var failure: (any Error)? {
    use {
      registrar.access(self, keyPath: \.failure)
      return lastFailure
    }
  }

  /// Reads the events and shows the list.
  ///
  /// The first fetch makes the list; as with Core Data the delegate hears nothing of it, observers do. After it the
  /// list keeps itself current, and another fetch is a ``refresh()`` that throws.
  ///
  /// - Throws: ``ProjectionError``, and then the list stands at the last good position; ``EventCodingError``,
  ///   ``EventStoreError``, or ``FetchRequestError`` if there is a ``cacheName`` and a part of the request has no name
  ///   or the projection no identity, and then nothing changed.
  /// - Complexity: O(n) for n events, and O(m log m) for the m rows made of them. With a saved list, n are the events
  ///   since it was saved.
  public func performFetch() throws { try fetchAtOnce { _ in } }

  /// Reads the events and shows the list, and says how far it is.
  ///
  /// What was folded when the work is ended early stays: the next fetch continues from there.
  ///
  /// - Parameter progress: Called every few thousand events with how far the fetch is; what it throws ends the fetch,
  ///   and the list stays empty.
  /// - Throws: As ``performFetch()``, and what `progress` throws.
  public func performFetch(progress: (LogProgress) throws -> Void) throws { try fetchAtOnce(progress) }

  private func fetchAtOnce(_ progress: (LogProgress) throws -> Void) throws {
    try use {
      if phase.hasFetched {
        refresh()
        if let lastFailure { throw lastFailure }
        return
      }
      try begin()
      var failure: (any Error)?
      if case .live = moment {
        let end = try store.head()
        do {
          // What `progress` does, such as executing a command, may need rows that are shared: they are whole meanwhile.
          while let reached = try folding({ try timeline.advanceBySlice(through: end) }) {
            try progress(LogProgress(position: reached, end: end))
          }
        } catch let error as ProjectionError {
          failure = error
        } catch {
          timeline.endSlices()
          throw error
        }
      }
      try end(failure)
    }
  }

  /// Reads the events and shows the list, letting others in the caller's isolation have their turn now and then.
  ///
  /// For long logs, in an app's main actor: write `try await controller.performFetch { show($0.fraction) }`. Until it
  /// returns the list is empty, or one of ``Projection/formerVersions`` stands in, and commands may be executed
  /// meanwhile. If the task is cancelled it stays so; what was folded stays, and the next fetch goes on from there. The
  /// delegate is given the change from a list that stands in to the one that is made, in one batch. If that one ends at
  /// an event that cannot be folded, what stands in stays.
  ///
  /// - Parameters:
  ///   - isolation: The controller's isolation; leave it to its default.
  ///   - progress: Called every few thousand events with how far the fetch is; what it throws ends it, as a
  ///     cancellation does.
  /// - Throws: As ``performFetch()``, and `CancellationError`.
  public func performFetch(
    isolation: isolated (any Actor)? = #isolation, progress: (LogProgress) throws -> Void
  ) async throws {
    if use({ phase.hasFetched }) { return try fetchAtOnce { _ in } }
    // The rows that the controller is about to share.
    await areBack(isolation: isolation) { projectionKey.flatMap { group.rows(of: $0, Row.self) } }
    try use {
      try begin()
      try showStandIn()
    }
    var failure: (any Error)?
    do {
      try await advanceElsewhere(isolation: isolation, progress)
    } catch let error as ProjectionError {
      failure = error
    }
    try use { try end(failure) }
  }

  /// Folds what is there on another thread, and cuts the list there.
  private func advanceElsewhere(
    isolation: isolated (any Actor)?, _ progress: (LogProgress) throws -> Void
  ) async throws {
    while let (job, positions, end) = try await nextFetch(isolation: isolation) {
      let outcome: Result<Void, any Error>
      do {
        for await reached in positions {
          try progress(LogProgress(position: reached, end: max(end, reached)))
          try Task.checkCancellation()
        }
        try Task.checkCancellation()
        outcome = .success(())
      } catch {
        job.cancel()
        outcome = .failure(error)
      }
      await job.done(isolation: isolation)
      try use {
        timeline.shared.takeBack()
        try outcome.get()
        if timeline.isLost { return giveUpSaved() }
        if let failure = job.failure { throw failure }
      }
    }
  }

  /// The work that is left before the first list is there; nil if the rest is done in no time.
  private func nextFetch(
    isolation: isolated (any Actor)?
  ) async throws -> (job: RowsJob<Row>, positions: AsyncStream<Position>, end: Position)? {
    // Another controller's job may have the rows.
    await areBack(isolation: isolation) { timeline.shared }
    return try use {
      guard !phase.hasFetched, case .live = moment else { return nil }
      if !phase.hasBegun {
        // The request has changed since the fetch began.
        try trackSections(wanted)
        advance(by: .begun)
      }
      let end = timeline.reachable(try store.head())
      let left = end.rawValue - timeline.live.position.rawValue
      if listJob?.prepared === preparedRequest, left <= store.environment.shortTail { return nil }
      let job = lendRows(cause: .events, knowing: currentMadeList?.list)
      return (job, group.run(job, through: end), end)
    }
  }

  /// Begins the first fetch, once.
  private func begin() throws {
    if let refusal { throw refusal }
    try timeline.checkEventType()
    try listCache?.check(wanted)
    if phase.hasBegun { return }
    if try !beginWithSavedList() {
      shareRows()
      try trackSections(wanted)
    }
    advance(by: .begun)
  }

  /// Ends the first fetch, unless a list stands in and is worth more than half of the one that should follow it.
  private func end(_ failure: (any Error)?) throws {
    guard let failure, phase.standsIn, !phase.hasFetched else { return try show(failure) }
    setFailure(failure)
    throw failure
  }

  /// Shows what the first fetch has made.
  private func show(_ failure: (any Error)?) throws {
    if phase.hasFetched { return }
    advance(by: .fetched(isStopped: failure != nil))
    setFailure(failure)
    cause.insert(.events)
    followed = timeline.live.position
    if phase.standsIn { cause.insert(.version) }
    group.hearOthers()
    group.deliverFirst(self)
    saveIfDue(after: 512)
    if let failure { throw failure }
    // The list was lost when it was made, and the events cannot be read any more.
    if phase.isArriving, let lastFailure { throw lastFailure }
  }

  /// Shows what was appended meanwhile, by other processes too, and tries again what failed.
  ///
  /// A controller that belongs to an isolation does not need it: it hears of each commit, also of other stores and
  /// processes (``EventStore/otherWriters``). It is for a controller without isolation, for a store that does not hear
  /// others, and to try again what failed. All controllers that the caller has on this store reach the position
  /// together.
  public func refresh() {
    use {
      guard phase.hasFetched else { return }
      advance(by: .retried)
      group.deliver()
    }
  }

  /// Changes the request, once for all its parts: what follows is an ordinary, minimal batch.
  ///
  /// - Parameter change: Changes the request.
  /// - Throws: What the closure throws; ``FetchRequestError`` if there is a ``cacheName`` and a part of the request has
  ///   no name; ``EventStoreError`` or ``ProjectionError`` where sections are ordered by first appearance and the
  ///   events must be read again. The request is then what it was.
  public func update(_ change: (inout FetchRequest<Row>) throws -> Void) throws {
    try use {
      try take(change)
      if phase.hasFetched { group.deliver(only: self) }
    }
  }

  /// Changes the request, and cuts the new list on another thread.
  ///
  /// In an `async` function Swift takes this call: `try await controller.update { $0.filter = … }`. Until the new list
  /// is there ``results`` stays what it was, while ``request`` is the new one. Then what changed is delivered in one
  /// batch, and this returns. If the request is changed again meanwhile, the list of the last request is the next one
  /// that is shown, and both calls return when it is. A command that is executed in the controller's isolation
  /// meanwhile, and not awaited, waits for the list.
  ///
  /// - Parameters:
  ///   - isolation: The controller's isolation; leave it to its default.
  ///   - change: Changes the request.
  /// - Throws: As the call that is not awaited.
  public func update(
    isolation: isolated (any Actor)? = #isolation, _ change: (inout FetchRequest<Row>) throws -> Void
  ) async throws {
    try use { try take(change) }
    while use({ isBehindRequest }) {
      await areBack(isolation: isolation) { timeline.shared }
      if await cutElsewhere(isolation: isolation) { continue }
      return use {
        guard isBehindRequest else { return }
        guard group.hasOwner, currentMadeList != nil, let revision = timeline.revision else {
          // What cannot be shown is reported there.
          return group.deliver(only: self)
        }
        // What came meanwhile is for a round.
        let position = timeline.live.position
        group.deliver(
          only: self, knowing: LogTail(head: position, revision: revision, after: position, batch: EventBatch([])))
        group.deliverBesides()
      }
    }
  }

  /// Has the list of the request cut on the group's thread; false if that is done, or cannot be.
  private func cutElsewhere(isolation: isolated (any Actor)?) async -> Bool {
    let job: RowsJob<Row>? = use {
      guard case .live = moment, isBehindRequest, currentMadeList == nil else { return nil }
      let job = lendRows(cause: cause)
      _ = group.run(job, through: 0)
      return job
    }
    guard let job else { return false }
    await job.done(isolation: isolation)
    defer { group.endLater(job) }
    return job.failure == nil
  }

  /// True while the list of the request that is wanted is not shown, and should be.
  private var isBehindRequest: Bool {
    guard phase.hasFetched, !isSuspended else { return false }
    return cause.contains(.request) && shown.storage.prepared !== preparedRequest
  }

  /// Waits until no job has the rows that a closure answers.
  private func areBack(isolation: isolated (any Actor)?, _ rows: () -> LiveRows<Row>?) async {
    while let rows = use(rows), let job = rows.job {
      await job.done(isolation: isolation)
      use { if rows.job === job { rows.takeBack() } }
    }
  }

  /// Takes a request, which is delivered next.
  private func take(_ change: (inout FetchRequest<Row>) throws -> Void) throws {
    var request = wanted
    try change(&request)
    try listCache?.check(request)
    if phase.hasFetched, request.appearingSection != nil || wanted.appearingSection != nil {
      do {
        try trackSections(request)
      } catch {
        // What was tracked before could be folded, so that it can be again.
        try? trackSections(wanted)
        throw error
      }
    }
    // States of the past have their keys from the request that was.
    if request.keyer !== wanted.keyer { timeline.forgetPast() }
    let before = preparedRequest
    registrar.withMutation(of: self, keyPath: \.request) { wanted = request }
    // The next request will need all rows too: each letter of a search would read them again.
    if preparedRequest.filterID !== before.filterID || preparedRequest.keyer !== before.keyer {
      keepsRows = keepsRows || phase.hasFetched
    }
    guard phase.hasFetched else {
      // A fetch that is under way began with the request that was.
      advance(by: .requestChanged)
      saved = nil
      return
    }
    cause.insert(.request)
  }

  /// Makes the list of the request, the moment and the collapsed sections as they are.
  func list() -> Results<Row> {
    expandedList().collapsing(collapsed[wanted.criterion] ?? .none, knowing: shown)
  }

  private func expandedList() -> Results<Row> {
    switch moment {
    case .live:
      let list = timeline.list(preparedRequest, knowing: currentMadeList?.list ?? saved ?? shown)
      (saved, listJob) = (nil, nil)
      if listCache != nil { listed = timeline.live }
      return list
    case .past(var state):
      // A job may be about to write keys into rows that this state has too.
      timeline.shared.takeBack()
      let list = Results(
        preparedRequest, of: &state.rows, at: state.position,
        appearances: timeline.appearances(through: state.position),
        // Other states of the past keep the entries that they have: the next step finds by them what is another row.
        knowing: shown, isAlone: false)
      moment = .past(state)
      return list
    }
  }

  func setFailure(_ failure: (any Error)?) {
    guard failure != nil || lastFailure != nil else { return }
    if let failure { stops.report(failure, in: store) } else { stops.goesOn() }
    registrar.withMutation(of: self, keyPath: \.failure) { lastFailure = failure }
  }

  /// Lets the timeline note when sections first appeared, if the request orders them so.
  private func trackSections(_ request: FetchRequest<Row>) throws {
    guard let sectionKey = request.appearingSection else { return try timeline.track(nil, through: 0) }
    // A state that is kept was folded without it: what came up to there would not be noted.
    timeline.forgetPast()
    var end = timeline.live.position
    if case .past(let state) = moment { end = max(end, state.position) }
    try timeline.track(sectionKey, through: end)
  }

}
