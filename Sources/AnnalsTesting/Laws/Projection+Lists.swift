public import Annals

extension Projection {
  /// Verifies that a list is the same regardless of the batches in which its events arrive.
  ///
  /// The method first applies the history in batches of one event, then of two events, and so on, up to the whole
  /// history. Then it splits the history into two batches, once after every event. A simulated table view
  /// (``MirrorTable``) must accept all batches and show the final list. The combined changes of all batches must equal
  /// the changes between the first list and the final list.
  ///
  /// - Parameters:
  ///   - history: The events of one stream, in order.
  ///   - request: The filter, sort order and sections of the list. By default, the list contains all rows.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` or ``MirrorTable/Violation`` if the changes are wrong. Another error if an event can't be
  ///   stored or applied.
  /// - Complexity: For n events, the method computes O(n log n) differences between lists.
  public func ensureBatchesSplit(
    _ history: [Event], in request: ListRequest<Row> = ListRequest(), fileID: String = #fileID, line: UInt = #line
  ) throws {
    let run = LawRun("ensureBatchesSplit", of: Self.self)
    defer { run.end() }
    let lists = try lists(history, request)
    let end = lists.count - 1
    guard end > 0 else { return }
    let sizes = (1...end).map { Array(stride(from: 0, to: end, by: $0)) + [end] }
    for stops in sizes + (1..<max(end, 1)).map({ [0, $0, end] }) {
      var table = MirrorTable(lists[0])
      var composed = Changes(from: lists[0], to: lists[0])
      for (from, to) in Swift.zip(stops, stops.dropFirst()) {
        let changes = Changes(from: lists[from], to: lists[to])
        try table.apply(changes)
        composed = composed.then(changes)
      }
      let direct = Changes(from: lists[0], to: lists[end])
      try ensure(
        composed.sections == direct.sections && composed.rows == direct.rows,
        "the combined changes must not depend on the batches. With one batch of all events, the changes are "
          + "\(direct.rows). With batches that end after the events \(Array(stops.dropFirst())), the combined changes "
          + "are \(composed.rows)",
        fileID: fileID, line: line)
    }
  }

  /// Verifies that the changes of every event turn the previous list into the next list.
  ///
  /// The method also verifies that the inverted changes restore the previous list. Finally, it combines the changes of
  /// several events, and compares them with the direct difference between the first list and the last list.
  ///
  /// - Parameters:
  ///   - history: The events of one stream, in order.
  ///   - request: The filter, sort order and sections of the list. By default, the list contains all rows.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` or ``MirrorTable/Violation`` if the changes are wrong. Another error if an event can't be
  ///   stored or applied.
  /// - Complexity: For n events, the method computes O(n) differences between lists.
  public func ensureChangesHold(
    _ history: [Event], in request: ListRequest<Row> = ListRequest(), fileID: String = #fileID, line: UInt = #line
  ) throws {
    let run = LawRun("ensureChangesHold", of: Self.self)
    defer { run.end() }
    let lists = try lists(history, request)
    for (old, new) in Swift.zip(lists, lists.dropFirst()) {
      let changes = Changes(from: old, to: new)
      try ensure(
        changes.isEmpty == (old == new),
        changes.isEmpty
          ? "the list changed, but `Changes` contains no changes"
          : "the list didn't change, but `Changes` contains changes",
        fileID: fileID, line: line)
      for profile in MirrorTable<Row>.Profile.allCases {
        var table = MirrorTable(old, profile: profile)
        try table.apply(changes)
        try table.ensureShows(new)
      }
      var back = MirrorTable(new)
      try back.apply(changes.inverted)
      let direct = Changes(from: lists[0], to: new)
      let composed = Changes(from: lists[0], to: old).then(changes)
      try ensure(
        composed.sections == direct.sections && composed.rows == direct.rows,
        "the changes between the first list and the list at position \(new.position) are \(direct.rows), but the "
          + "combined changes of the single events are \(composed.rows)", fileID: fileID, line: line)
    }
  }

  /// Verifies that a table view shows the right list if a controller's delegate updates it only with the controller's
  /// changes.
  ///
  /// Every event is a separate transaction in an in-memory store. The delegate updates a simulated table view
  /// (``MirrorTable``). Moved rows and sections are reported to the delegate as moves, not as deletions and insertions.
  /// After every event, the table view must show the list that a new controller fetches.
  ///
  /// - Parameters:
  ///   - history: The events of one stream, in order.
  ///   - request: The filter, sort order and sections of the list. By default, the list contains all rows.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the lists differ. Another error if an event can't be stored or applied.
  /// - Complexity: O(n²) for n events.
  public func ensureTableFollows(
    _ history: [Event], in request: ListRequest<Row> = ListRequest(), fileID: String = #fileID, line: UInt = #line
  ) throws {
    let run = LawRun("ensureTableFollows", of: Self.self)
    defer { run.end() }
    let store = MemoryEventStore(source: "laws", environment: StoreEnvironment(report: { _ in }))
    let controller = FetchedResultsController(store: store, projection: self, request: request)
    try controller.performFetch()
    controller.reportedMoves = [.rows, .sections]
    let delegate = MirrorDelegate(controller.results)
    controller.delegate = delegate
    Coverage.note(history)
    for (number, entry) in try LawHistory(history).entries.enumerated() {
      try store.append(Append([entry], to: "history"))
      controller.refresh()
      if let failure = controller.failure { throw failure }
      if let violation = delegate.violations.first {
        throw Unmet(description: "at event \(number + 1): \(violation)", fileID: fileID, line: line)
      }
      let fresh = FetchedResultsController(store: store, projection: self, request: request)
      try fresh.performFetch()
      try ensure(
        controller.results == fresh.results,
        "after event \(number + 1), a new controller shows \(text(fresh.results)), but the controller that received "
          + "all changes shows \(text(controller.results))", fileID: fileID, line: line)
    }
  }

  /// Verifies that a history of an older event type produces the same list as a history of the current event type.
  ///
  /// The old events are stored in the form of their own type. Then they are read as this projection's events. They can
  /// have current or former names of these events, and upcasters convert them.
  ///
  /// - Parameters:
  ///   - old: The events of the older type, in order. The older type must have the current type's prefix and a lower
  ///     schema number.
  ///   - new: The events as they would be recorded today.
  ///   - request: The filter, sort order and sections of the list to compare. By default, the list contains all rows.
  ///   - stream: The stream of the events, for upcasters that use the stream.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the lists differ. Another error if an event can't be stored, read or applied.
  public func ensureReads<Old: Annals.Event>(
    _ old: [Old], as new: [Event], in request: ListRequest<Row> = ListRequest(), stream: StreamName = "history",
    fileID: String = #fileID, line: UInt = #line
  ) throws {
    try ensureReads(LawHistory(old).entries, as: new, in: request, stream: stream, fileID: fileID, line: line)
  }

  /// Verifies that stored events of older schemas produce the same list as current events.
  ///
  /// - Parameters:
  ///   - old: The stored events, in order, with their schemas.
  ///   - new: The events as they would be recorded today.
  ///   - request: The filter, sort order and sections of the list to compare. By default, the list contains all rows.
  ///   - stream: The stream of the events, for upcasters that use the stream.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the lists differ. Another error if an event can't be read or applied.
  public func ensureReads(
    _ old: [NewEvent], as new: [Event], in request: ListRequest<Row> = ListRequest(), stream: StreamName = "history",
    fileID: String = #fileID, line: UInt = #line
  ) throws {
    Coverage.note(new)
    let lists = try [
      LawHistory<Event>(stored: old, in: stream), LawHistory(new, in: stream),
    ].map { history in
      let rows = try allRows(history.recorded)
      return Results(request, of: rows[rows.count - 1], at: 0)
    }
    try ensure(
      lists[0] == lists[1],
      "the new events result in \(text(lists[1])), but the old events result in \(text(lists[0]))",
      fileID: fileID, line: line)
  }

  /// Returns the list at the start and after every event.
  private func lists(_ history: [Event], _ request: ListRequest<Row>) throws -> [Results<Row>] {
    Coverage.note(history)
    return try allRows(LawHistory(history).recorded).enumerated().map { number, rows in
      Results(request, of: rows, at: Position(number))
    }
  }
}
