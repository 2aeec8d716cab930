extension FetchedResultsController {
  /// Sets whether the controller keeps states at past positions in memory, for seeking backwards.
  ///
  /// A caller that only seeks forwards doesn't need these states.
  package func keepPast(_ isKept: Bool) { use { source.timeline.keepsPast = isKept } }

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
