public import Foundation

extension FetchedResultsController {
  /// True while the list shows a position of the past after a seek.
  public var isSeeking: Bool {
    use { if case .past = moment { true } else { false } }
  }

  /// Shows a position of the past, and reports the changes on the way there, forwards or backwards.
  ///
  /// The list stays at that position, regardless of new events, until ``returnToLive()``. Inside a callback, the list
  /// seeks after the current update cycle.
  ///
  /// - Parameter position: The position, from 0 to the log's last one. A position inside a transaction shows half of
  ///   the transaction. In a compacted log, the position must be 0, the horizon or a later one.
  /// - Throws: ``SeekError`` if the log ends before the position, or if the history there was compacted.
  ///   ``ProjectionError`` if an event on the way can't be folded. ``EventStoreError`` if the events can't be read.
  ///   After an error, the list is unchanged.
  /// - Complexity: O(e log n) for e events from the nearest kept state and n rows, and the cost of a difference. The
  ///   first seek may have to read all events. After that, about 64 states are kept across the log, and more of them
  ///   near the shown position. A step back or forth then reads O(log n) events on average, even if repeated many
  ///   times.
  public func seek(to position: Position) throws {
    try use {
      let end = try store.head()
      guard position <= end else { throw SeekError(position: position, end: end) }
      moment = .past(try folding { try timeline.state(at: position) })
      listJob = nil
      cause.insert(.seek)
      if phase.hasFetched { group.deliver(only: self) }
    }
  }

  /// Shows the past as it was known at a time, and reports the changes on the way there, forwards or backwards.
  ///
  /// It seeks to ``EventLog/position(at:)`` like ``seek(to:)-(Position)``. For the present and for future times, the
  /// position is the log's current end.
  ///
  /// - Parameter time: The time, exact to the microsecond.
  /// - Returns: The position that the list shows.
  /// - Throws: ``SeekError`` if the history there was compacted. ``ProjectionError`` if an event on the way can't be
  ///   folded. ``EventStoreError`` if the events can't be read. After an error, the list is unchanged.
  /// - Complexity: The cost of ``EventLog/position(at:)`` and of a seek to a position.
  @discardableResult
  public func seek(to time: Date) throws -> Position {
    let position = try store.position(at: time)
    try seek(to: position)
    return position
  }

  /// Returns to the live end and reports the changes on the way there, or does nothing if the list is live already.
  ///
  /// - Throws: The error that stopped the list at the last good position, as ``performFetch()``.
  public func returnToLive() throws {
    try use {
      guard case .past = moment else { return }
      moment = .live
      timeline.forgetPast()
      cause.insert(.seek)
      advance(by: .retried)
      guard phase.hasFetched else { return }
      group.deliver(only: self)
      if let lastFailure { throw lastFailure }
    }
  }
}
