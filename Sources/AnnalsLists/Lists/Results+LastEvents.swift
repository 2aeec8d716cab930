public import AnnalsLog

// The positions of the events that set the rows.
//
// An event's position leads to its author and its time: `store.event(at: position)?.metadata.author`.

extension Results {
  /// Returns the position of the last event that set the row with the given id.
  ///
  /// An event sets a row if the projection assigns, inserts or changes the row, even if the row's content stays the
  /// same. If a row depends on an entity (``Relation``), an event that changes the entity also sets the row, but only
  /// if the row's content changes.
  ///
  ///     if let position = list.lastEvent(forID: "b1"), let event = try store.event(at: position) {
  ///       print("changed by \(event.metadata.author ?? "an unknown author") at \(event.time)")
  ///     }
  ///
  /// In the list of a branch, the events of the branch itself have positions after `Branch.fork`.
  ///
  /// A compaction can remove the event at the returned position. In a list that is built after the compaction, the
  /// method returns the position of the last remaining event that set the row.
  ///
  /// - Parameter id: The row's id.
  /// - Returns: The position. The result is `nil` if the list doesn't show the row, if the row can't be read, or if no
  ///   event set the row, for example in ``Rows`` that a test fills.
  /// - Complexity: O(log n) for n rows.
  public func lastEvent(forID id: Row.ID) -> Position? { path(forID: id).flatMap { lastEvent(at: $0) } }

  /// Returns the position of the last event that set the row at the given path.
  ///
  /// ``lastEvent(forID:)`` describes the events that set a row.
  ///
  /// - Parameter path: The row's path.
  /// - Returns: The position. The result is `nil` if the path is invalid, if the row can't be read, or if no event set
  ///   the row, for example in ``Rows`` that a test fills.
  /// - Complexity: O(log n) for n rows.
  public func lastEvent(at path: RowPath) -> Position? { entry(at: path)?.lastEvent }

  /// Returns the rows that were set by events after a position.
  ///
  /// For example, `list.rows(setAfter: branch.fork)` contains the rows of a branch's list that the branch's own
  /// commands set. Deleted rows aren't included.
  ///
  /// - Parameter position: The position. The event at this position itself isn't included.
  /// - Returns: The rows, in the list's order.
  /// - Complexity: O(n) for n rows of the list. A saved list is read completely.
  public func rows(setAfter position: Position) -> [Row] {
    var found: [Row] = []
    for section in shown {
      for entry in section.rows where entry.event > position { found.append(Rows<Row>.box(entry).row) }
    }
    return found
  }
}

extension ResultsSection {
  /// The position of the last event that set a row of the section, or `nil` if the section has no rows.
  ///
  /// Deleted rows, and rows that moved to another section, don't count.
  ///
  /// - Complexity: O(n) for n rows of the section.
  public var lastEvent: Position? { node.rows.lazy.map(\.event).max().flatMap { $0 > 0 ? $0 : nil } }
}

extension RowEntry {
  /// The position of the last event that set the row, or `nil` if it is unknown.
  fileprivate var lastEvent: Position? { event > 0 ? event : nil }
}
