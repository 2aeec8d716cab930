extension FetchedResultsController {
  /// Sets whether the controller keeps states at past positions in memory, for seeking backwards.
  ///
  /// A caller that only seeks forwards doesn't need these states.
  package func keepPast(_ isKept: Bool) { use { source.timeline.keepsPast = isKept } }

  /// Sets a source of rows at past positions, so that a distant seek folds few events.
  ///
  /// - Parameters:
  ///   - distance: The number of events that are folded instead.
  ///   - make: A closure that returns rows at or shortly before a position, with the list of these rows, or `nil` to
  ///     set no source.
  package func setAnchors(
    distance: Int = 0,
    _ make: ((PreparedRequest, Position) throws -> (rows: Rows<Row>, list: ListStorage, position: Position)?)?
  ) {
    use {
      source.timeline.forgetPast()
      source.timeline.anchorDistance = distance
      source.timeline.anchors = make.map { make in
        { [presentation] position in
          try make(presentation.prepared, position).map {
            Timeline.State(rows: $0.rows, position: $0.position, anchor: $0.list)
          }
        }
      }
    }
  }

  /// Sets whether a seek folds all events since the nearest state in memory, and uses no anchor.
  package func foldsAll(_ foldsAll: Bool) { use { source.timeline.foldsAll = foldsAll } }

  /// Returns the positions of the events that inserted, changed or deleted the given rows, within a range of positions.
  ///
  /// - Parameters:
  ///   - ids: The rows' ids.
  ///   - start: The position before the range.
  ///   - end: The last position of the range.
  /// - Returns: The positions for every id, in order.
  /// - Throws: The same errors as ``seek(to:)``.
  package func positions(setting ids: [Row.ID], after start: Position, through end: Position) throws -> [[Position]] {
    try use {
      try source.folding(from: presentation.shown) {
        try $0.positions(setting: ids.map { OrderKey($0) }, after: start, through: end)
      }
    }
  }
}
