extension EventStore {
  /// Returns a projection's current list as a value that is neither updated nor saved later.
  ///
  ///     let books = try store.list(of: Shelves(), ListRequest(sort: [.ascending(\.price)], section: .by(\.shelf)))
  ///
  /// You can call this method on any thread, and keep the list or pass it to any isolation. If you need a list that
  /// stays current with the log, use a ``FetchedResultsController``.
  ///
  /// - Parameters:
  ///   - projection: The projection that builds the rows.
  ///   - request: The request that defines the rows, their order and their sections, by default all rows by id.
  ///   - cacheName: The name under which a controller, or ``keepList(of:request:cacheName:)``, saves the list, or
  ///     `nil` to fold all events. With a saved list, only later events are folded.
  /// - Returns: The list at the log's end at the time of the call.
  /// - Throws: ``ProjectionError`` if an event can't be folded. ``EventCodingError`` or ``EventStoreError`` if the
  ///   events can't be read. ``ListRequestError`` if you pass a cache name, but a part of the request has no name or
  ///   the projection has no identity.
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

  /// Returns a projection's list at a position as a value that isn't updated later.
  ///
  /// - Parameters:
  ///   - projection: The projection that builds the rows.
  ///   - request: The request that defines the rows, their order and their sections.
  ///   - position: The position, from 0 to the log's last position. ``EventLog/position(at:)`` converts a time to a
  ///     position. In a compacted log, the position must be either 0, or greater than or equal to the horizon, which is
  ///     the position through which the log was compacted. ``SeekError/horizon`` contains that position.
  /// - Returns: The list.
  /// - Throws: ``SeekError`` if the log ends before the position, or if the history at the position was compacted.
  ///   ``ProjectionError`` if an event can't be folded. ``EventCodingError`` or ``EventStoreError`` if the events can't
  ///   be read.
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
    timeline.goOnTracking(request.appearingSection)
    func isLost(_ list: Results<Row>? = nil) -> Bool {
      timeline.isLost || known.storage.isLost || list?.storage.isLost ?? false
    }
    do {
      try timeline.advance(through: head())
    } catch {
      // After such a loss, neither the rows nor the error are valid.
      if isLost() { return nil }
      throw error
    }
    let list = timeline.list(prepared, knowing: known)
    return isLost(list) ? nil : list
  }
}
