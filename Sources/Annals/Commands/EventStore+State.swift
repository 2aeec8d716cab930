extension EventStore {
  /// The state that a stream's events lead a decider to.
  ///
  /// The decider would decide the next command on this state. Use it in a test, in a report, or in a message to a user
  /// whose command was refused; on a screen, show a projection's rows. Nothing is locked: another writer may have
  /// appended by the time you look at it.
  ///
  /// - Parameters:
  ///   - decider: Whose state.
  ///   - id: Which of the decider's streams; one without events leads to the decider's beginning.
  /// - Returns: The decider as it has evolved.
  /// - Throws: ``EventStoreError``, or ``EventCodingError`` for an event that its type cannot read.
  /// - Complexity: O(k) for the k events that came since the store had the state last; O(n) for n events of a stream
  ///   whose state it does not keep.
  public func state<D: Decider>(of decider: D.Type, id: String) throws -> D {
    var transaction = CommandTransaction(store: self, attempt: 1, command: nil)
    return try transaction.currentState(of: decider, D.stream(id))
  }
}
