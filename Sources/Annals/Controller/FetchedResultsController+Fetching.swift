import AnnalsLog
import Observation

extension FetchedResultsController {
  /// The current list, as an immutable value that you can keep and pass to any isolation.
  ///
  /// The list is empty before ``performFetch()``. You can observe this property with Swift's Observation.
  public var results: Results<Row> {
    use {
      accessResults()
      // For a controller with an isolation, a job in this isolation unloads the rows instead.
      if !group.hasOwner, pass == nil { unloadRows() }
      return presentation.shown
    }
  }

  /// The request that determines which rows the list shows, with their sort order and their sections.
  ///
  /// Call ``update(_:)`` to change the request.
  public var request: ListRequest<Row> {
    use {
      registrar.access(self, keyPath: \.request)
      return presentation.request
    }
  }

  /// The error that prevents updates of the list, or `nil` if the list can be updated.
  ///
  /// After an error, the list remains at the last log position that it could show. This is position 0, with an empty
  /// list, if a compacted or erased log can't be read to the end of its compacted history. Call ``refresh()`` to retry.
  public var failure: (any Error)? {
    use {
      registrar.access(self, keyPath: \.failure)
      return lastFailure
    }
  }

  /// Reads the log's events and builds the list.
  ///
  /// After the first fetch, the list stays current automatically. The first fetch notifies the observers
  /// (``observe(_:)``) but, as in Core Data, it doesn't notify the delegate. Every later fetch has the same effect as
  /// ``refresh()``, but throws an error if the list can't be updated.
  ///
  /// - Throws: ``ProjectionError`` if an event can't be applied (folded). The list then remains at the position before
  ///   that event's transaction. ``EventCodingError`` or ``EventStoreError`` if the events can't be read.
  ///   ``ListRequestError`` if the list has a ``cacheName``, but can't be identified. In this case, the request's
  ///   filter, a sort key or the sectioning has no name (`.unnamedPart`), or the projection has no identity
  ///   (`.unidentifiedProjection`). After a ``ListRequestError``, the list is unchanged.
  /// - Complexity: O(n) for n events, plus O(m log m) for the m resulting rows. With a saved list, n is the number of
  ///   events since the list was saved.
  public func performFetch() throws { try fetchAtOnce { _ in } }

  /// Reads the log's events, builds the list, and reports progress.
  ///
  /// If a fetch is interrupted, the next fetch resumes the work.
  ///
  /// - Parameter progress: A closure that is called every few thousand events. If it throws, the fetch stops and throws
  ///   the same error, and the list stays empty.
  /// - Throws: The same errors as ``performFetch()``, and errors from `progress`.
  public func performFetch(progress: (LogProgress) throws -> Void) throws { try fetchAtOnce(progress) }

  private func fetchAtOnce(_ progress: (LogProgress) throws -> Void) throws {
    try use {
      if phase.hasFetched {
        refresh()
        if let lastFailure { throw lastFailure }
        return
      }
      try begin()
      source.takeBack()
      var failure: (any Error)?
      if presentation.isLive {
        let end = try store.head()
        do {
          // Rows must be consistent between slices, because `progress` may execute a command that needs shared rows.
          while let reached = try source.folding(from: presentation.shown, { try $0.advanceBySlice(through: end) }) {
            try progress(LogProgress(position: reached, end: end))
          }
        } catch let error as ProjectionError {
          failure = error
        } catch {
          source.timeline.endSlices()
          throw error
        }
      }
      try end(failure)
    }
  }

  /// Reads the log's events and builds the list without blocking the caller's isolation.
  ///
  /// Use this method for long logs on an app's main actor: `try await controller.performFetch { show($0.fraction) }`.
  /// You can execute commands during the fetch. If the task is cancelled, the list doesn't change, and the next fetch
  /// resumes the work.
  ///
  /// During the fetch, the list is empty, or it is a saved list of one of the projection's
  /// ``Projection/formerVersions``. When the new list replaces a former version's list, the delegate receives the
  /// difference in one batch. If the fetch stops at an event that can't be applied (folded), the former version's list
  /// remains.
  ///
  /// - Parameters:
  ///   - isolation: The controller's isolation, by default the caller's.
  ///   - progress: A closure that is called every few thousand events. If it throws, the fetch throws the same error,
  ///     and stops in the same way as a cancelled fetch.
  /// - Throws: The same errors as ``performFetch()``, errors from `progress`, and `CancellationError`.
  public func performFetch(
    isolation: isolated (any Actor)? = #isolation, progress: (LogProgress) throws -> Void
  ) async throws {
    if use({ phase.hasFetched }) { return try fetchAtOnce { _ in } }
    // Wait for the rows that the controller is about to share.
    await waitUntilReturned(isolation: isolation) { source.offeredRows(in: group) }
    try use {
      try begin()
      try showStandIn()
    }
    var failure: (any Error)?
    do {
      try await advanceInBackground(isolation: isolation, progress)
    } catch let error as ProjectionError {
      failure = error
    }
    try use { try end(failure) }
  }

  /// Folds the existing events and builds the list on another thread.
  private func advanceInBackground(
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
        source.takeBack()
        try outcome.get()
        if source.timeline.isLost { return source.discardLost(presentation.shown) }
        if let failure = job.failure { throw failure }
      }
    }
  }

  /// Returns the job that must run before the first list can be shown, or `nil` if the remaining work takes no
  /// noticeable time.
  private func nextFetch(
    isolation: isolated (any Actor)?
  ) async throws -> (job: RowsJob<Row>, positions: AsyncStream<Position>, end: Position)? {
    // Another controller's job may have the rows.
    await waitUntilReturned(isolation: isolation) { source.timeline.shared }
    return try use {
      guard !phase.hasFetched, presentation.isLive else { return nil }
      source.takeBack()
      if !phase.hasBegun {
        // The request has changed since the fetch began.
        try trackSections(presentation.request)
        advance(by: .begun)
      }
      let end = source.timeline.reachable(try store.head())
      let left = end.rawValue - source.timeline.live.position.rawValue
      let isMade =
        source.basis.job?.prepared === presentation.prepared || source.sharedList(for: presentation) != nil
      if isMade, left <= store.environment.shortTail { return nil }
      let job = lendRows(because: .events, knowing: source.made(for: presentation)?.list.storage)
      return (job, group.run(job, through: end), end)
    }
  }

  /// Begins the first fetch once.
  private func begin() throws {
    try source.check(presentation.request)
    if phase.hasBegun { return }
    source.takeBack()
    if try source.open(for: presentation, in: store) {
      source.offerRows(in: group)
    } else {
      source.shareRows(in: group)
      try trackSections(presentation.request)
    }
    advance(by: .begun)
  }

  /// Ends the first fetch.
  ///
  /// After a failure, a former version's list remains shown, because an incomplete new list is less useful.
  private func end(_ failure: (any Error)?) throws {
    guard let failure, phase.isShowingPlaceholder, !phase.hasFetched else { return try show(failure) }
    setFailure(failure)
    throw failure
  }

  /// Shows the list of the first fetch.
  private func show(_ failure: (any Error)?) throws {
    if phase.hasFetched { return }
    advance(by: .fetched(isStopped: failure != nil))
    setFailure(failure)
    presentation.causes.insert(phase.isShowingPlaceholder ? [.events, .version] : .events)
    source.takeBack()
    source.followToEnd()
    group.observeExternalWriters()
    group.deliverFirst(self)
    source.saveIfDue(presentation, after: 512)
    if let failure { throw failure }
    // A part of the list was lost while the list was built, and the events can't be read now.
    if phase.isArriving, let lastFailure { throw lastFailure }
  }

  /// Updates the list with all events that were appended since the last update, and retries a failed update.
  ///
  /// A controller that belongs to an isolation, such as the main actor, is notified of every commit. This includes
  /// commits by other stores and processes (``EventStore/externalWriters``). So the controller usually doesn't need
  /// this call. Call this method in these cases:
  ///
  /// - to retry after a failure
  /// - if the store isn't notified of other writers
  /// - if the controller belongs to no isolation, for the reasons that ``FetchedResultsController`` describes
  ///
  /// All controllers that have the same store and the same isolation are updated together, to the same log position.
  public func refresh() {
    use {
      guard phase.hasFetched else { return }
      advance(by: .retried)
      group.deliver()
    }
  }

  /// Records the first appearance of sections if the request orders them this way.
  private func trackSections(_ request: ListRequest<Row>) throws {
    try source.trackSections(request, in: presentation.moment)
  }

  /// Changes the request, and delivers the difference between the old and the new list as one minimal batch.
  ///
  /// - Parameter change: A closure that modifies the request.
  /// - Throws: Errors from the closure. ``ListRequestError`` (`.unnamedPart`) if the list has a ``cacheName``, but the
  ///   request's filter, a sort key or the sectioning has no name. ``EventStoreError`` or ``ProjectionError`` if
  ///   rereading the events fails. The events are reread only if the request sorts sections by their first appearance.
  ///   After an error, the request is unchanged.
  public func update(_ change: (inout ListRequest<Row>) throws -> Void) throws {
    try use {
      try apply(change)
      if phase.hasFetched { group.deliver(only: self) }
    }
  }

  /// Changes the request, and builds the new list on another thread.
  ///
  /// In an `async` function, Swift selects this overload: `try await controller.update { $0.filter = … }`. While the
  /// new list is built, ``results`` doesn't change, but ``request`` is already the new request. When the new list is
  /// ready, the difference from the old list is delivered in one batch, and the call returns. If another call changes
  /// the request before the list is ready, only the list for the last request is shown. Both calls return when this
  /// list is shown. A synchronous command in the controller's isolation waits until the new list is ready.
  ///
  /// - Parameters:
  ///   - isolation: The controller's isolation, by default the caller's.
  ///   - change: A closure that modifies the request.
  /// - Throws: The same errors as the synchronous `update(_:)`.
  public func update(
    isolation: isolated (any Actor)? = #isolation, _ change: (inout ListRequest<Row>) throws -> Void
  ) async throws {
    try use { try apply(change) }
    while use({ isBehindRequest }) {
      await waitUntilReturned(isolation: isolation) { source.timeline.shared }
      if await buildElsewhere(isolation: isolation) { continue }
      return use {
        guard isBehindRequest else { return }
        source.takeBack()
        guard group.hasOwner, source.made(for: presentation) != nil, let revision = source.timeline.revision else {
          // This call reports the reason why the list can't be shown.
          return group.deliver(only: self)
        }
        // A later round delivers the events that arrived in the meantime.
        let position = source.timeline.live.position
        group.deliver(
          only: self, knowing: LogTail(head: position, revision: revision, after: position, batch: EventBatch([])))
        group.deliverExternalChanges()
      }
    }
  }

  /// Builds the requested list on the group's thread.
  ///
  /// Returns false if the list exists already or can't be built.
  private func buildElsewhere(isolation: isolated (any Actor)?) async -> Bool {
    let job: RowsJob<Row>? = use {
      guard presentation.isLive, isBehindRequest else { return nil }
      source.takeBack()
      guard source.made(for: presentation) == nil, source.sharedList(for: presentation) == nil else { return nil }
      let job = lendRows(because: presentation.causes.next)
      _ = group.run(job, through: 0)
      return job
    }
    guard let job else { return false }
    await job.done(isolation: isolation)
    defer { group.endLater(job) }
    return job.failure == nil
  }

  /// True while the controller doesn't show the requested list yet but should.
  private var isBehindRequest: Bool {
    guard phase.hasFetched, !audience.isSuspended else { return false }
    return presentation.causes.next.contains(.request) && !presentation.showsRequest
  }

  /// Waits until no job uses the rows that the closure returns.
  private func waitUntilReturned(isolation: isolated (any Actor)?, _ rows: () -> LiveRows<Row>?) async {
    while let rows = use(rows), let job = rows.job {
      await job.done(isolation: isolation)
      use { if rows.job === job { rows.takeBack() } }
    }
  }

  /// Stores a changed request for the next delivery.
  private func apply(_ change: (inout ListRequest<Row>) throws -> Void) throws {
    let (former, before) = (presentation.request, presentation.prepared)
    var request = former
    try change(&request)
    try source.listCache?.check(request)
    if phase.hasFetched, request.appearingSection != nil || former.appearingSection != nil {
      do {
        try trackSections(request)
      } catch {
        // The old sections could be folded before, so refolding them shouldn't fail.
        try? trackSections(former)
        throw error
      }
    }
    // Past states have the keys of the previous request.
    if request.keyer !== former.keyer { source.timeline.forgetPast() }
    registrar.withMutation(of: self, keyPath: \.request) { presentation.request = request }
    // The next request will need all rows, too. If they weren't kept, every letter of a search would reread them.
    let prepared = presentation.prepared
    if phase.hasFetched, prepared.filterID !== before.filterID || prepared.keyer !== before.keyer {
      source.keepsRows = true
    }
    guard phase.hasFetched else {
      // A fetch in progress began with the previous request.
      advance(by: .requestChanged)
      source.dropSaved()
      return
    }
    presentation.causes.insert(.request)
  }
}
