extension FetchedResultsController {
  /// Says whether states of the past are kept for going back; a reader that only goes forward needs none.
  package func keepPast(_ isKept: Bool) { use { timeline.keepsPast = isKept } }


  /// The positions of the events that set rows, by row, after one position and up to another.
  ///
  /// - Parameters:
  ///   - ids: The rows' ids.
  ///   - start: The position after which to begin.
  ///   - end: The last position.
  /// - Returns: For each id the positions, in order.
  /// - Throws: As ``seek(to:)``.
  package func positions(setting ids: [Row.ID], after start: Position, through end: Position) throws -> [[Position]] {
    try use { try folding { try timeline.positions(setting: ids.map { OrderKey($0) }, after: start, through: end) } }
  }
}
