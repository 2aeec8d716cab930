public import Foundation

extension FetchedResultsController {
  /// True while the list shows a fixed log position, from `seek(to:)` until ``returnToLive()``.
  public var isSeeking: Bool {
    use { !presentation.isLive }
  }

  /// Shows the list as it was at a log position, and notifies the delegate and observers of the difference.
  ///
  /// The list stays at that position, regardless of new events, until you call ``returnToLive()``. If you call this
  /// method inside a callback, the list changes after the current update cycle.
  ///
  /// - Parameter position: The position, from 0 to the log's last position. If the position is inside a transaction,
  ///   the list includes only the transaction's events up to that position. A compacted log has a horizon
  ///   (``SeekError/horizon``), which is the position through which it was compacted. In such a log, the position must
  ///   be 0, or at least the horizon.
  /// - Throws: ``SeekError`` if the log ends before the position, or if the history at the position was compacted.
  ///   ``ProjectionError`` if an event up to the position can't be applied (folded). ``EventStoreError`` if the events
  ///   can't be read. After an error, the list is unchanged.
  /// - Complexity: O(e log n) for n rows and e events after the nearest state in memory, plus the cost of computing the
  ///   difference. The first seek might have to read all events. After that, about 64 states, spread across the log,
  ///   are kept in memory, along with additional states near the shown position. A seek to the previous or next event
  ///   then reads O(log l) events on average in a log of l events, even if repeated many times.
  public func seek(to position: Position) throws {
    try use {
      let end = try store.head()
      guard position <= end else { throw SeekError(position: position, end: end) }
      presentation.moment = .past(PastRows(try source.folding(from: presentation.shown) { try $0.state(at: position) }))
      source.dropJob()
      presentation.causes.insert(.seek)
      if phase.hasFetched { group.deliver(only: self) }
    }
  }

  /// Shows the list as it was at a given time, and notifies the delegate and observers of the difference.
  ///
  /// The method calls ``seek(to:)-(Position)`` with the position that ``EventLog/position(at:)`` returns for the time.
  /// For the present and for future times, this position is the log's current end.
  ///
  /// - Parameter time: The time, with a precision of one microsecond.
  /// - Returns: The log position that the list shows after the call.
  /// - Throws: ``SeekError`` if the history at that position was compacted. ``ProjectionError`` if an event up to that
  ///   position can't be applied (folded). ``EventStoreError`` if the events can't be read. After an error, the list is
  ///   unchanged.
  /// - Complexity: The cost of ``EventLog/position(at:)``, plus the cost of ``seek(to:)-(Position)``.
  @discardableResult
  public func seek(to time: Date) throws -> Position {
    let position = try store.position(at: time)
    try seek(to: position)
    return position
  }

  /// Moves the list to the log's end, and notifies the delegate and observers of the difference.
  ///
  /// The method has no effect if ``isSeeking`` is false.
  ///
  /// - Throws: The error that prevents the list from reaching the log's end, which is one of the errors that
  ///   ``performFetch()`` throws.
  public func returnToLive() throws {
    try use {
      guard !presentation.isLive else { return }
      presentation.moment = .live
      source.timeline.forgetPast()
      presentation.causes.insert(.seek)
      advance(by: .retried)
      guard phase.hasFetched else { return }
      group.deliver(only: self)
      if let lastFailure { throw lastFailure }
    }
  }
}
