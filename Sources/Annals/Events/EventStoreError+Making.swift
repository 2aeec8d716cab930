extension EventStoreError {
  /// A stream is not at the expected version.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - expected: What the writer expected.
  ///   - found: The stream's version.
  /// - Returns: The error.
  public static func versionConflict(stream: StreamName, expected: ExpectedVersion, found: Int) -> EventStoreError {
    var error = EventStoreError(
      .versionConflict,
      "stream \"\(stream)\": expected \(expected), found version \(found); read it again and decide again")
    (error.stream, error.expected, error.version) = (stream, expected, found)
    return error
  }

  /// An event that a condition forbids has been appended.
  ///
  /// - Parameters:
  ///   - position: The position that the writer had read up to.
  ///   - found: The first event in the way.
  /// - Returns: The error.
  public static func conditionConflict(after position: Position, found: Position) -> EventStoreError {
    var error = EventStoreError(
      .conditionConflict,
      "expected no matching event after position \(position), found one at \(found); read again and decide again")
    (error.after, error.position) = (position, found)
    return error
  }

  /// The history after a condition's position was compacted, so that it cannot be known whether an event is in the way.
  ///
  /// - Parameters:
  ///   - position: The position that the writer had read up to.
  ///   - horizon: The position up to which the history was compacted.
  /// - Returns: The error, a conflict: a writer that reads again knows what is left.
  public static func conditionConflict(after position: Position, compactedThrough horizon: Position) -> EventStoreError
  {
    var error = conditionConflict(after: position, found: horizon)
    error.message =
      "expected no matching event after position \(position), and the history up to \(horizon) was compacted "
      + "meanwhile, so that it cannot be known; read again and decide again"
    return error
  }

  /// An event with this identity is in the log already.
  ///
  /// - Parameters:
  ///   - id: The identity.
  ///   - position: Where the log has it.
  /// - Returns: The error.
  public static func duplicateEvent(_ id: EventID, at position: Position) -> EventStoreError {
    var error = EventStoreError(
      .duplicateEvent,
      "event \(id) is in the log already, at position \(position); an event's id may be used once")
    (error.event, error.position) = (id, position)
    return error
  }

  /// A command's id was used for another call before.
  ///
  /// - Parameters:
  ///   - id: The command's id.
  ///   - position: The log's end when the first call was committed.
  ///   - first: The call that the id was used for.
  ///   - now: The call that it is given for now.
  /// - Returns: The error, which names both calls.
  public static func commandReused(
    _ id: String, at position: Position, first: CommandUse, now: CommandUse
  ) -> EventStoreError {
    let isSameCall = ExactString(first.call) == ExactString(now.call)
    var error = EventStoreError(
      .commandReused,
      "the command id \(JSONValue.quoted(id)) was used for \(first.call) at position \(position), and is now given "
        + "for \(isSameCall ? "the same call with another command" : now.call); nothing was added: give every command "
        + "a new id")
    error.position = position
    return error
  }

  /// A kept draft isn't in the version that a caller knows.
  ///
  /// - Parameter place: The version that the caller knows.
  /// - Returns: The error.
  public static func draftChanged(_ place: DraftPlace) -> EventStoreError {
    EventStoreError(
      .closed,
      "the draft \(JSONValue.quoted(place.name)) was changed, merged or discarded elsewhere since this branch read it; "
        + "nothing was done: open it again by branch(keptAs:deciders:)")
  }

  /// The append itself is not one.
  ///
  /// - Parameter message: What is wrong with it.
  /// - Returns: The error.
  public static func invalidAppend(_ message: String) -> EventStoreError {
    EventStoreError(.invalidAppend, message)
  }

  /// A command met a conflict in each of its tries.
  ///
  /// - Parameters:
  ///   - attempts: The number of tries.
  ///   - message: What happened.
  /// - Returns: The error.
  public static func tooManyConflicts(attempts: Int, _ message: String) -> EventStoreError {
    var error = EventStoreError(.tooManyConflicts, message)
    error.attempts = attempts
    return error
  }

  /// A file was written in a newer format than this library reads.
  ///
  /// - Parameters:
  ///   - found: The format of the file.
  ///   - message: What happened.
  /// - Returns: The error.
  public static func newerFormat(found: Int, _ message: String) -> EventStoreError {
    var error = EventStoreError(.newerFormat, message)
    error.format = found
    return error
  }

  /// The log was compacted, or something was erased from it, while it was read step by step.
  public static var rewritten: EventStoreError {
    EventStoreError(
      .rewritten,
      "the log was compacted, or something was erased from it, while it was read, so that what was read is of two "
        + "histories; read it again, or all of it inside read(_:)")
  }

  /// The history up to a position was compacted, and what was asked for would need it.
  ///
  /// - Parameters:
  ///   - horizon: The position up to which the history was compacted.
  ///   - message: What happened.
  /// - Returns: The error.
  public static func compacted(through horizon: Position, _ message: String) -> EventStoreError {
    var error = EventStoreError(.compacted, message)
    error.position = horizon
    return error
  }

  /// The store does not offer what was asked for.
  ///
  /// - Parameters:
  ///   - capability: What it does not offer, as a noun in the plural: "saved lists", "checkpoints".
  ///   - store: The store's type.
  ///   - advice: What to do without it, as the end of a sentence; nil if there is nothing to add.
  /// - Returns: The error, whose message names the stores that offer it.
  public static func unsupported(_ capability: String, by store: Any.Type, instead advice: String? = nil)
    -> EventStoreError
  {
    var error = EventStoreError(
      .unsupported,
      "\(store) does not support \(capability): use a MemoryEventStore or a SQLiteEventStore, or let \(store) forward "
        + "what the store inside it offers" + (advice.map { "; or \($0)" } ?? ""))
    error.capability = capability
    return error
  }
}
