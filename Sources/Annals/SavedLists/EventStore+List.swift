extension EventStore {
  /// Returns a projection's current list as a value, which the store doesn't update or save later.
  ///
  ///     let books = try store.list(of: Shelves(), ListRequest(sort: [.ascending(\.price)], section: .by(\.shelf)))
  ///
  /// You can call this method on any thread, and keep the list or pass it to any isolation. If you need a list that
  /// stays current with the log, use a ``FetchedResultsController``.
  ///
  /// - Parameters:
  ///   - projection: The projection that builds the rows.
  ///   - request: The filter, the sort keys and the sections of the list. By default, the list contains all rows,
  ///     sorted by id.
  ///   - cacheName: The cache name under which a controller or ``keepList(of:request:cacheName:)`` saves this list. The
  ///     call then loads the saved list and applies only later events. If the name is `nil`, the call applies all
  ///     events.
  /// - Returns: The list at the log's end at the time of the call.
  /// - Throws: ``ProjectionError`` if the projection can't apply an event. ``EventCodingError`` or ``EventStoreError``
  ///   if the events can't be read. ``ListRequestError`` if you pass a cache name, but the request's filter, a sort key
  ///   or the sectioning has no name, or the projection has no identity.
  /// - Complexity: O(n) for n events, and O(m log m) for the m resulting rows. With a saved list, n is the number of
  ///   events since the list was saved.
  public func list<P: Projection>(
    of projection: P, _ request: ListRequest<P.Row> = ListRequest(), cacheName: String? = nil
  ) throws -> Results<P.Row> {
    let makeTimeline: @Sendable () -> Timeline<P.Row> = { Timeline(log: self, projection: projection) }
    try makeTimeline().checkEventType()
    let prepared = PreparedRequest(request)
    defer { prepared.reportFailures(in: (source, environment)) }
    if let cacheName {
      guard let savedLists else { throw EventStoreError.unsupported("saved lists", by: Self.self) }
      let cache = ListCache(
        named: cacheName, in: self, savedLists,
        signature: try ProjectionSignature(of: projection, cacheName: cacheName).text, relations: P.relations,
        makeTimeline: makeTimeline)
      try cache.check(request)
      if let list = try list(request, prepared, from: cache, makeTimeline()) { return list }
    }
    let timeline = makeTimeline()
    try timeline.track(request.appearingSection, through: 0)
    try timeline.advance(through: head())
    return timeline.list(prepared, knowing: nil)
  }

  /// Returns a projection's list as it was at a position in the log.
  ///
  /// The list is a value, so the store doesn't update it later.
  ///
  /// - Parameters:
  ///   - projection: The projection that builds the rows.
  ///   - request: The filter, the sort keys and the sections of the list. By default, the list contains all rows,
  ///     sorted by id.
  ///   - position: The position, from 0 to the log's last position. ``EventLog/position(at:)`` converts a time to a
  ///     position. A compacted log has a horizon, which is the position through which it was compacted. In such a log,
  ///     the position must be 0, or at least the horizon. If the position is invalid, ``SeekError/horizon`` contains
  ///     the horizon.
  /// - Returns: The list at the position.
  /// - Throws: ``SeekError`` if the log ends before the position, or if the history at the position was compacted.
  ///   ``ProjectionError`` if the projection can't apply an event. ``EventCodingError`` or ``EventStoreError`` if the
  ///   events can't be read.
  /// - Complexity: O(n) for the n events up to the position, and O(m log m) for the m resulting rows.
  public func list<P: Projection>(
    of projection: P, _ request: ListRequest<P.Row> = ListRequest(), at position: Position
  ) throws -> Results<P.Row> {
    let end = try head()
    guard position <= end else { throw SeekError(position: position, end: end) }
    let timeline = Timeline(log: self, projection: projection)
    try timeline.checkEventType()
    timeline.keepsPast = false
    try timeline.track(request.appearingSection, through: position)
    var state = try timeline.state(at: position)
    let prepared = PreparedRequest(request)
    defer { prepared.reportFailures(in: (source, environment)) }
    return Results(
      prepared, of: &state.rows, at: position,
      appearances: timeline.appearances(through: position), knowing: nil)
  }

  /// Returns a projection's current list as a value, which the store builds on its own threads.
  ///
  ///     let books = try await store.list(of: Shelves(), ListRequest(sort: [.ascending(\.price)]))
  ///
  /// Your actor stays free while the store reads the events and sorts the rows. In all other respects, the call works
  /// like the synchronous overload.
  ///
  /// - Parameters:
  ///   - projection: The projection that builds the rows.
  ///   - request: The filter, the sort keys and the sections of the list.
  ///   - cacheName: The cache name under which a controller or ``keepList(of:request:cacheName:)`` saves this list, or
  ///     `nil` to apply all events.
  ///   - isolation: The caller's isolation, which is the default.
  /// - Returns: The list at the log's end at the time when the store begins to read.
  /// - Throws: The errors of the synchronous overload, or `CancellationError` if the task is cancelled before the store
  ///   begins to read.
  /// - Complexity: The same as the synchronous overload.
  public func list<P: Projection>(
    of projection: P, _ request: ListRequest<P.Row> = ListRequest(), cacheName: String? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Results<P.Row> {
    try await runtime.lanes.run { _ in try self.list(of: projection, request, cacheName: cacheName) }
  }

  /// Builds a projection's list on the store's own threads, and returns the list as it was at a position in the log.
  ///
  /// Your actor stays free while the store reads the events and sorts the rows. In all other respects, the call works
  /// like the synchronous overload.
  ///
  /// - Parameters:
  ///   - projection: The projection that builds the rows.
  ///   - request: The filter, the sort keys and the sections of the list.
  ///   - position: The position, from 0 to the log's last position.
  ///   - isolation: The caller's isolation, which is the default.
  /// - Returns: The list at the position.
  /// - Throws: The errors of the synchronous overload, or `CancellationError` if the task is cancelled before the store
  ///   begins to read.
  /// - Complexity: The same as the synchronous overload.
  public func list<P: Projection>(
    of projection: P, _ request: ListRequest<P.Row> = ListRequest(), at position: Position,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Results<P.Row> {
    try await runtime.lanes.run { _ in try self.list(of: projection, request, at: position) }
  }

  /// Builds the list from a saved list and later events.
  ///
  /// Returns `nil` if no list was saved or a part of the saved list is lost.
  private func list<Row: Annals.Row>(
    _ request: ListRequest<Row>, _ prepared: PreparedRequest, from cache: ListCache<Row>, _ timeline: Timeline<Row>
  ) throws -> Results<Row>? {
    try timeline.follow()
    guard let saved = try cache.open(request, prepared, head: head()) else { return nil }
    let known = Results<Row>(ListStorage(prepared, saved: saved.list), at: saved.position)
    timeline.begin(saved)
    timeline.resumeTracking(request.appearingSection)
    func isLost(_ list: Results<Row>? = nil) -> Bool {
      timeline.isLost || known.storage.isLost || list?.storage.isLost ?? false
    }
    do {
      try timeline.advance(through: head())
    } catch {
      // If a part of the saved list is lost, neither the rows nor the error are valid.
      if isLost() { return nil }
      throw error
    }
    let list = timeline.list(prepared, knowing: known)
    return isLost(list) ? nil : list
  }
}
