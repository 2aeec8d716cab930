public import Foundation

extension FetchedResultsController {
  /// True while the list shows a position of the past, which you went to.
  public var isSeeking: Bool {
    use { if case .past = moment { true } else { false } }
  }

  /// Shows a position of the past, and tells what changed on the way there, forwards or backwards.
  ///
  /// The list stays there, whatever is appended, until ``returnToLive()``. Inside a callback the list goes there once
  /// the open bracket has closed.
  ///
  /// - Parameter position: The position, 0 to the log's last one; one inside a transaction shows half of it. In a log
  ///   that was compacted, 0 or one from the horizon on.
  /// - Throws: ``SeekError`` if the log ends before the position, or if the history there was compacted;
  ///   ``ProjectionError`` if an event on the way cannot be folded; ``EventStoreError``. Nothing has changed then.
  /// - Complexity: O(e log n) for e events from the nearest state that is kept and n rows, and the cost of a
  ///   difference. The first seek may have to read all events. From then on some 64 states are kept over the whole log,
  ///   and others around where one is: a step back or forth reads O(log n) events on average, however often it is
  ///   repeated.
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

  /// Shows the past as it was known at a time, and tells what changed on the way there, forwards or backwards.
  ///
  /// It seeks to ``EventLog/position(at:)`` like ``seek(to:)-(Position)``. For the present and a future time, this is
  /// the log's current end.
  ///
  /// - Parameter time: The time, exact to the microsecond.
  /// - Returns: The position that is shown.
  /// - Throws: ``SeekError`` if the history there was compacted; ``ProjectionError`` if an event on the way cannot be
  ///   folded; ``EventStoreError``. Nothing has changed then.
  /// - Complexity: That of ``EventLog/position(at:)`` and of a seek to a position.
  @discardableResult
  public func seek(to time: Date) throws -> Position {
    let position = try store.position(at: time)
    try seek(to: position)
    return position
  }

  /// Returns to the live end, and tells what changed on the way there; does nothing if the list is there.
  ///
  /// - Throws: What keeps the list from the end, as ``performFetch()``; it then stands at the last good position.
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
