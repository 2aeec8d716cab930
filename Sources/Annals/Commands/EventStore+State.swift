extension EventStore {
  /// Returns the current state of a stream.
  ///
  /// The decider would decide the next command on this state. Use the state in a test, in a report, or in a message to
  /// a user whose command was refused. On a screen, show a projection's rows instead. The log isn't locked, so another
  /// writer may already have appended when you use the state.
  ///
  /// - Parameters:
  ///   - decider: The decider type of the state.
  ///   - id: The stream's identifier within the decider's category. A stream without events has the decider's initial
  ///     state.
  /// - Returns: The decider after all events of the stream.
  /// - Throws: ``EventStoreError``, or ``EventCodingError`` for an event that its type cannot read.
  /// - Complexity: O(k) for the k new events since the store last had the state. O(n) for the n events of a stream
  ///   whose state it doesn't keep.
  public func state<D: Decider>(of decider: D.Type, id: String) throws -> D {
    var transaction = CommandTransaction(store: self, attempt: 1, command: nil)
    return try transaction.currentState(of: decider, D.stream(id))
  }
}
