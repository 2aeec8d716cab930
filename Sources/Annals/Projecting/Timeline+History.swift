/// The versions of a row after every event that changed it.
package struct RowHistory<Row: Annals.Row>: Sendable {
  /// The row before and after an event.
  package struct Step: Sendable {
    /// The position of the event.
    package let position: Position
    /// The row before the event, or `nil` if it didn't exist.
    package let old: Row?
    /// The row after the event, or `nil` if it no longer exists.
    package let new: Row?
  }

  /// The steps, oldest first.
  package private(set) var steps: [Step] = []

  /// Folds a log once, up to a position, and records the changes of a row.
  ///
  /// An event that sets the row to the same value is not a step.
  ///
  /// - Parameters:
  ///   - id: The row's id.
  ///   - projection: The projection that builds the rows.
  ///   - log: The log.
  ///   - end: The last position.
  ///   - progress: A closure that is called every few thousand events with the reached position.
  /// - Throws: ``ProjectionError``, ``EventStoreError``, and errors of `progress`.
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
  /// Returns the steps of the row with an id, up to a position.
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
          mayContinue: { reached in
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
  /// Returns the positions of the events that inserted, changed or deleted the given rows, within a range of positions.
  ///
  /// - Parameters:
  ///   - ids: The rows' ids.
  ///   - start: The position before the range.
  ///   - end: The last position of the range.
  /// - Returns: The positions for every id, in order.
  /// - Throws: The same errors as `state(at:)`.
  /// - Complexity: O(e log n) for e events between the positions, plus the cost of the state at `start`.
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
