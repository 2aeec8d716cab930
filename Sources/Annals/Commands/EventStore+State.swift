extension EventStore {
  /// The state that a stream's events lead a decider to.
  ///
  /// It is what the decider would decide the next command on, for a test, a report or a message to somebody whose command was
  /// refused; a screen shows a projection's rows. Nothing is locked: others may have appended by the time that it is looked at.
  ///
  /// - Parameters:
  ///   - decider: Whose state.
  ///   - id: Which of the decider's streams; one without events leads to the decider's beginning.
  /// - Returns: The decider as it has evolved.
  /// - Throws: ``EventStoreError``, or ``EventCodingError`` for an event that its type cannot read.
  /// - Complexity: O(n) for n events of the stream; for a ``SnapshotDecider``, those since a state was kept.
  public func state<D: Decider>(of decider: D.Type, id: String) throws -> D {
    var transaction = CommandTransaction(store: self, attempt: 1, commandID: nil)
    return try transaction.fold(decider, D.stream(id)).state
  }
}
