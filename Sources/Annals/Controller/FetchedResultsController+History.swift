extension FetchedResultsController {
  /// Sets whether states of the past are kept for seeking backwards.
  ///
  /// A reader that only moves forward doesn't need them.
  package func keepPast(_ isKept: Bool) { use { timeline.keepsPast = isKept } }

  /// Returns the positions of the events that set the given rows, in a range of positions.
  ///
  /// - Parameters:
  ///   - ids: The rows' ids.
  ///   - start: The position before the first event.
  ///   - end: The last position.
  /// - Returns: The positions for every id, in order.
  /// - Throws: The same errors as ``seek(to:)``.
  package func positions(setting ids: [Row.ID], after start: Position, through end: Position) throws -> [[Position]] {
    try use { try folding { try timeline.positions(setting: ids.map { OrderKey($0) }, after: start, through: end) } }
  }
}
