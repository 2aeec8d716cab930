extension EventStore {
  /// The list of a projection as it is now, once: nothing is observed, kept or saved.
  ///
  ///     let books = try store.list(of: Shelves(), FetchRequest(sort: [.ascending(\.price)], section: .by(\.shelf)))
  ///
  /// You may call it on any thread, and keep or send the list anywhere. To stay current with the log, use a
  /// ``FetchedResultsController``.
  ///
  /// - Parameters:
  ///   - projection: Makes the rows.
  ///   - request: Which rows, in which order, cut into which sections; by default all, by id.
  ///   - cacheName: The name under which a controller, or ``keepList(of:request:cacheName:)``, saves the list: what is
  ///     saved is read, and only the events since are folded. Nil to fold all events.
  /// - Returns: The list, at the log's end as it was at the call.
  /// - Throws: ``ProjectionError`` at an event that cannot be folded; ``EventCodingError``, ``EventStoreError``;
  ///   ``FetchRequestError`` if there is a cache name and a part of the request has no name or the projection no
  ///   identity.
  /// - Complexity: O(n) for n events, and O(m log m) for the m rows made of them. With a saved list, n are the events
  ///   since it was saved.
  public func list<P: Projection>(
    of projection: P, _ request: FetchRequest<P.Row> = FetchRequest(), cacheName: String? = nil
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

  /// The list of a projection as it was at a position, once.
  ///
  /// - Parameters:
  ///   - projection: Makes the rows.
  ///   - request: Which rows, in which order, cut into which sections.
  ///   - position: The position, 0 to the log's last one; ``EventLog/position(at:)`` says which one belongs to a time.
  ///     In a log that was compacted, 0 or one from the horizon on.
  /// - Returns: The list.
  /// - Throws: ``SeekError`` if the log ends before the position, or if the history there was compacted;
  ///   ``ProjectionError``, ``EventCodingError``, ``EventStoreError``.
  /// - Complexity: O(n) for the n events up to the position, and O(m log m) for the m rows made of them.
  public func list<P: Projection>(
    of projection: P, _ request: FetchRequest<P.Row> = FetchRequest(), at position: Position
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

  /// The list made of a saved one and of what came since; nil if there is none, or if a part of it is lost.
  private func list<Row: Annals.Row>(
    _ request: FetchRequest<Row>, _ prepared: PreparedRequest, from cache: ListCache<Row>, _ timeline: Timeline<Row>
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
      // What was folded into what is lost, or was thrown, is worth nothing.
      if isLost() { return nil }
      throw error
    }
    let list = timeline.list(prepared, knowing: known)
    return isLost(list) ? nil : list
  }
}
