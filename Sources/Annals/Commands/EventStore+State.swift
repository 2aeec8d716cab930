extension EventStore {
  /// Returns the current state of a stream.
  ///
  /// A command that you execute now would be decided based on this state. Use the state in a test, in a report, or in a
  /// message to a user whose command was refused. On a screen, show a projection's rows instead. The log isn't locked,
  /// so another writer may have appended events before you use the state.
  ///
  /// - Parameter subject: The stream, such as `Bookshop["main"]`. A stream without events has the decider's initial
  ///   state. If you pass a boundary, the program traps, because a boundary has no state without a command.
  /// - Returns: The state, as a value of the decider type. It includes the effects of all events of the stream.
  /// - Throws: ``EventStoreError`` (`.versionConflict` if the subject expects another version), or ``EventCodingError``
  ///   for an event that can't be decoded.
  /// - Complexity: O(k) for the stream's k new events since the store last used the state. If the store doesn't keep
  ///   the state, O(n) for the stream's n events.
  public func state<D: Decider>(of subject: CommandSubject<D>) throws -> D {
    var transaction = CommandTransaction(on: DecisionLog(self), attempt: 1, command: nil)
    return try transaction.currentState(of: subject)
  }

  /// Returns the current state of a stream, which the store reads on its own threads.
  ///
  /// Your actor stays free, and no thread of Swift's concurrency pool waits for the disk. In all other respects, the
  /// call works like the synchronous overload.
  ///
  /// - Parameters:
  ///   - subject: The stream, such as `Bookshop["main"]`. Passing a boundary is a runtime error.
  ///   - isolation: The caller's isolation, which is the default.
  /// - Returns: The state, as a value of the decider type.
  /// - Throws: ``EventStoreError``, ``EventCodingError`` for an event that can't be decoded, or `CancellationError` if
  ///   the task is cancelled before the store begins to read.
  /// - Complexity: The same as the synchronous overload.
  public func state<D: Decider>(
    of subject: CommandSubject<D>, isolation: isolated (any Actor)? = #isolation
  ) async throws -> D {
    try await runtime.lanes.run { _ in try self.state(of: subject) }
  }
}
