extension EventStore {
  /// Returns the current state of a stream.
  ///
  /// A command that is executed now would be decided based on this state. Use the state in a test, in a report, or in a
  /// message to a user whose command was refused. On a screen, show a projection's rows instead. The log isn't locked,
  /// so another writer may have appended events before you use the state.
  ///
  /// - Parameters:
  ///   - decider: The decider type of the state.
  ///   - id: The stream's identifier within the decider's category. A stream without events has the decider's initial
  ///     state.
  /// - Returns: The decider, to which all events of the stream have been applied.
  /// - Throws: ``EventStoreError``, or ``EventCodingError`` for an event that can't be decoded.
  /// - Complexity: O(k) for the k new events since the store last used the state, or O(n) for the n events of a stream
  ///   whose state the store doesn't keep.
  public func state<D: Decider>(of decider: D.Type, id: String) throws -> D {
    var transaction = CommandTransaction(store: self, attempt: 1, command: nil)
    return try transaction.currentState(of: decider, D.stream(id))
  }
}
