extension EventStoreError {
  /// Creates an error for a stream that doesn't have the expected version.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - expected: The version that the writer expected.
  ///   - found: The stream's actual version.
  /// - Returns: The error.
  public static func versionConflict(stream: StreamName, expected: ExpectedVersion, found: Int) -> EventStoreError {
    var error = EventStoreError(
      .versionConflict,
      "stream \"\(stream)\": expected \(expected), found version \(found); reread the stream and retry")
    error.stream = stream
    error.expected = expected
    error.version = found
    return error
  }

  /// Creates an error for an event in the log that violates an append's ``Append/Condition``.
  ///
  /// - Parameters:
  ///   - position: The last position that the writer has read.
  ///   - found: The position of the first event that violates the condition.
  /// - Returns: The error.
  public static func conditionConflict(after position: Position, found: Position) -> EventStoreError {
    var error = EventStoreError(
      .conditionConflict,
      "expected no event after position \(position) to match the query of the append's condition, but the event at "
        + "position \(found) matches the query. Reread the log and retry")
    error.after = position
    error.position = found
    return error
  }

  /// Creates an error for an append with an ``Append/Condition`` that can't be checked after a compaction.
  ///
  /// A condition can't be checked if the log was compacted beyond the condition's position.
  ///
  /// - Parameters:
  ///   - position: The last position that the writer has read.
  ///   - horizon: The position up to which the log was compacted.
  /// - Returns: The error. It has the same code as the error for a violated condition, `conditionConflict`, because in
  ///   both cases the writer can reread the log and retry.
  public static func conditionConflict(after position: Position, compactedThrough horizon: Position) -> EventStoreError
  {
    var error = conditionConflict(after: position, found: horizon)
    error.message =
      "the append's condition on the events after position \(position) cannot be checked, because the history up to "
      + "position \(horizon) was compacted. Reread the log and retry"
    return error
  }

  /// Creates an error for an event whose identity is already in the log.
  ///
  /// - Parameters:
  ///   - id: The identity that two events would have.
  ///   - position: The position of the event that already has this identity.
  /// - Returns: The error.
  public static func duplicateEvent(_ id: EventID, at position: Position) -> EventStoreError {
    var error = EventStoreError(
      .duplicateEvent,
      "event \(id) is already in the log, at position \(position). An event's id must be unique, so give the new event "
        + "a different id")
    error.event = id
    error.position = position
    return error
  }

  /// Creates an error for a command id that was already used for a different call.
  ///
  /// - Parameters:
  ///   - id: The command's id.
  ///   - position: The log's last position when the first call was committed.
  ///   - first: The call for which the id was first used.
  ///   - now: The call for which the id is used now.
  /// - Returns: The error, whose message contains both calls.
  public static func commandReused(
    _ id: String, at position: Position, first: CommandUse, now: CommandUse
  ) -> EventStoreError {
    let isSameCall = ExactString(first.call) == ExactString(now.call)
    var error = EventStoreError(
      .commandReused,
      "the command id \(JSONValue.quoted(id)) was already used for the call `\(first.call)`. After this call, the log "
        + "ended at position \(position). Later, the id was used for "
        + "\(isSameCall ? "another call of the same kind, with different contents" : "the call `\(now.call)`"). The "
        + "later call had no effect. Give every command its own id")
    error.position = position
    return error
  }

  /// Creates an error for a stored draft that was changed or deleted since the caller read it.
  ///
  /// - Parameter version: The draft's name, identifier and edition, as the caller read them.
  /// - Returns: The error.
  public static func draftChanged(_ version: DraftVersion) -> EventStoreError {
    EventStoreError(
      .closed,
      "the draft \(JSONValue.quoted(version.name)) was changed, merged or discarded elsewhere since this branch read "
        + "it, so the call had no effect; reopen the draft with draft(named:deciders:)")
  }

  /// Creates an error for a malformed append.
  ///
  /// - Parameter message: The error's message, which describes the problem.
  /// - Returns: The error.
  public static func invalidAppend(_ message: String) -> EventStoreError {
    EventStoreError(.invalidAppend, message)
  }

  /// Creates an error for a command that conflicted with other writers in every attempt.
  ///
  /// - Parameters:
  ///   - attempts: The number of times that the store executed the command.
  ///   - message: The error's message, which describes the failure.
  /// - Returns: The error.
  public static func tooManyConflicts(attempts: Int, _ message: String) -> EventStoreError {
    var error = EventStoreError(.tooManyConflicts, message)
    error.attempts = attempts
    return error
  }

  /// Creates an error for a file with a format that is too new for this version of the library.
  ///
  /// - Parameters:
  ///   - found: The number of the file's format.
  ///   - message: The error's message, which describes the failure.
  /// - Returns: The error.
  public static func newerFormat(found: Int, _ message: String) -> EventStoreError {
    var error = EventStoreError(.newerFormat, message)
    error.format = found
    return error
  }

  /// The error for a log that changed while it was read in several batches.
  ///
  /// Between two batches, the log was compacted or values were erased from the log.
  public static var rewritten: EventStoreError {
    EventStoreError(
      .rewritten,
      "the log was compacted, or values were erased from it, during the read, so the result would mix two histories; "
        + "retry the read, or do the whole read in one call of read(_:)")
  }

  /// Creates an error for a request that needs events that were removed by a compaction.
  ///
  /// - Parameters:
  ///   - horizon: The position up to which the log was compacted.
  ///   - message: The error's message, which describes the failure.
  /// - Returns: The error.
  public static func compacted(through horizon: Position, _ message: String) -> EventStoreError {
    var error = EventStoreError(.compacted, message)
    error.position = horizon
    return error
  }

  /// Creates an error for a feature that the store doesn't support.
  ///
  /// - Parameters:
  ///   - capability: The missing feature, as a plural noun for the message, such as "saved lists".
  ///   - store: The type of the store that lacks the feature.
  ///   - advice: An alternative to the feature, such as "erase in the original log", which is added at the end of the
  ///     message after the word "or". Pass `nil` if the message needs no alternative.
  /// - Returns: The error, whose message lists the stores that support the feature.
  public static func unsupported(_ capability: String, by store: Any.Type, instead advice: String? = nil)
    -> EventStoreError
  {
    var error = EventStoreError(
      .unsupported,
      "\(store) does not support \(capability); use a MemoryEventStore or a SQLiteEventStore, or if \(store) wraps "
        + "another store, forward this feature to the wrapped store" + (advice.map { ", or \($0)" } ?? ""))
    error.capability = capability
    return error
  }
}
