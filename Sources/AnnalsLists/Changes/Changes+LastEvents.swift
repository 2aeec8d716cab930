public import AnnalsLog

extension Changes {
  /// Returns the position of the last event that set the row of a change.
  ///
  /// - Parameter change: A change from ``rows``.
  /// - Returns: The position, or `nil` if the row was deleted. In this case, the event that deleted the row is in the
  ///   range from ``from`` to ``to``.
  /// - Complexity: O(log n) for n rows.
  public func lastEvent(of change: RowChange<Row>) -> Position? {
    switch change {
    case .delete: nil
    case .insert(_, let path, _), .move(_, _, let path, _), .update(_, _, let path): new.lastEvent(at: path)
    }
  }
}
