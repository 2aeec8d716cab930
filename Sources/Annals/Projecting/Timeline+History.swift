/// What a row was after each event that changed it.
package struct RowHistory<Row: Annals.Row>: Sendable {
  /// The row from a position on.
  package struct Step: Sendable {
    /// The position of the event.
    package let position: Position
    /// The row before it; nil if there was none.
    package let old: Row?
    /// The row after it; nil if there is none any more.
    package let new: Row?
  }

  /// The steps, the oldest first.
  package private(set) var steps: [Step] = []

  /// Folds a log up to a position, once, and notes what becomes of a row.
  ///
  /// An event that sets the row to what it was is no step.
  ///
  /// - Parameters:
  ///   - id: The row's id.
  ///   - projection: What makes the rows.
  ///   - log: The log.
  ///   - end: The last position.
  ///   - progress: Called every few thousand events with the position that was reached.
  /// - Throws: ``ProjectionError``, ``EventStoreError``, and what `progress` throws.
  /// - Complexity: O(n) for n events.
  package init<P: Projection>(
    of id: Row.ID, in projection: P, _ log: any EventLog, through end: Position,
    progress: (Position) throws -> Void = { _ in }
  ) throws where P.Row == Row {
    let timeline = Timeline<Row>(log: log, projection: projection)
    let found = try withoutActuallyEscaping(progress) { try timeline.history(of: OrderKey(id), through: end, $0) }
    steps = found
  }
}

extension Timeline {
  /// The steps of the row with an id, up to a position.
  fileprivate func history(
    of id: OrderKey, through end: Position, _ progress: @escaping (Position) throws -> Void
  ) throws -> [RowHistory<Row>.Step] {
    try checkEventType()
    return try inOneRevision { source in
      var steps: [RowHistory<Row>.Step] = []
      var last: Row?
      var told = 0
      try foldWatching(
        through: reachable(end), from: source,
        .init(
          note: { position, rows in
            guard let touched = rows.entries.touched, touched.contains(id) || !rows.related.isEmpty else { return }
            let row = rows[key: id]
            guard !row.isSame(as: last) else { return }
            steps.append(.init(position: position, old: last, new: row))
            last = row
          },
          goOn: { reached in
            if reached.rawValue - told >= 4_096 {
              told = reached.rawValue
              try progress(reached)
            }
            return true
          }))
      return steps
    }
  }
}

extension Timeline {
  /// The positions of the events after a position that set rows, by row, up to another position.
  ///
  /// - Parameters:
  ///   - ids: The rows.
  ///   - start: The position after which to begin.
  ///   - end: The last position.
  /// - Returns: For each id the positions, in order.
  /// - Throws: As `state(at:)`.
  /// - Complexity: O(e log n) for e events between the positions, beside what it takes to know the state at `start`.
  func positions(setting ids: [OrderKey], after start: Position, through end: Position) throws -> [[Position]] {
    var found = [[Position]](repeating: [], count: ids.count)
    var places: [UInt64: [Int]] = [:]
    for (place, id) in ids.enumerated() { places[id.fingerprint, default: []].append(place) }
    func note(_ touched: [OrderKey], at position: Position) {
      for id in touched {
        for place in places[id.fingerprint] ?? [] where ids[place] == id && found[place].last != position {
          found[place].append(position)
        }
      }
    }
    if let lastStep, lastStep.after == start, lastStep.through == end {
      for (position, touched) in lastStep.touched { note(touched, at: position) }
      return found
    }
    var state = try state(at: start)
    try inOneRevision { source in
      found = .init(repeating: [], count: ids.count)
      let run = try folding.run(in: source, after: start, through: end)
      defer { run.stop() }
      let watch = EventRun<Row>.Watch(note: { position, rows in note(rows.entries.touched ?? [], at: position) })
      _ = try run.fold(into: &state.rows, watch)
    }
    return found
  }
}
