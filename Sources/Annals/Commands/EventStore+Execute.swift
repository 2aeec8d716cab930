/// How many times a command is decided before it fails with its last conflict.
private let maximumAttempts = 16

extension EventStore {
  /// Executes a command: reads the stream, decides, and appends what was decided.
  ///
  /// This is the call of a function that is not `async`: the caller's thread waits for the disk. In an `async` function
  /// you get the call that is awaited, `try await store.execute(…)`.
  ///
  /// If another writer appended meanwhile, the command is decided again, at most 16 times. Controllers in the caller's
  /// isolation have delivered before this returns.
  ///
  /// - Parameters:
  ///   - command: What someone wants.
  ///   - decider: Who decides.
  ///   - id: Which of the decider's streams.
  ///   - commandID: The command's id, unique in the log, so that the command is executed once. If you repeat the call,
  ///     even in another process or after a crash, it appends no events, doesn't call the decider, and returns the
  ///     first receipt. An id that was used for another call is an error. ``CommandUse`` describes which calls differ.
  ///     A refused command leaves no trace. The events' causation and correlation are the id, unless the metadata name
  ///     other ids.
  ///   - expected: What the stream must be; a conflict with it is thrown and not tried again.
  ///   - metadata: What the events say of themselves; `.caused(by: event)` for what an event led to.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: The decider's rejection, ``EventStoreError`` (`commandReused` for an id that was used for another call)
  ///   or ``EventCodingError``, and then no events were added.
  /// - Complexity: O(k) for the k events that came since the last command on the stream. O(n) for n events of a stream
  ///   whose state the store does not keep; for a ``SnapshotDecider``, those since a state was saved.
  @discardableResult
  public func execute<D: Decider>(
    _ command: D.Command, on decider: D.Type, id: String, commandID: String? = nil,
    expecting expected: ExpectedVersion = .any, metadata: Metadata = [:],
    isolation: isolated (any Actor)? = #isolation
  ) throws -> Receipt {
    let identified = IdentifiedCommand.execute(commandID, command, on: decider, in: D.stream(id))
    if let first = try repeated(identified) { return first }
    return try commitRetrying(identified, isolation: isolation) { transaction in
      try transaction.execute(command, on: decider, id: id, expecting: expected, metadata: metadata)
    }.receipt
  }

  /// Executes a command on the events inside its boundary: reads them, decides, and appends what was decided.
  ///
  /// If another writer appended inside the boundary meanwhile, the command is decided again, at most 16 times.
  /// Controllers in the caller's isolation have delivered before this returns.
  ///
  /// - Parameters:
  ///   - command: What someone wants.
  ///   - decider: Who decides.
  ///   - commandID: What tells the command from every other, so that it is executed once.
  ///   - metadata: What the events say of themselves.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: The decider's rejection, ``EventStoreError`` or ``EventCodingError``, and then nothing was added.
  /// - Complexity: O(k) for the k events that came since the last command on the same boundary. O(m log n) for m events
  ///   inside a boundary whose state the store does not keep, in a log of n, where the boundary names tags.
  @discardableResult
  public func execute<D: BoundaryDecider>(
    _ command: D.Command, on decider: D.Type, commandID: String? = nil, metadata: Metadata = [:],
    isolation: isolated (any Actor)? = #isolation
  ) throws -> Receipt {
    let identified = IdentifiedCommand.execute(commandID, command, on: decider)
    if let first = try repeated(identified) { return first }
    return try commitRetrying(identified, isolation: isolation) { transaction in
      try transaction.execute(command, on: decider, metadata: metadata)
    }.receipt
  }

  /// Executes several commands as one transaction.
  ///
  /// If another writer appended to one of the streams meanwhile, the body runs again, at most 16 times. What it does
  /// beside the transaction must tolerate that.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation; leave it to its default.
  ///   - body: Executes commands on the transaction.
  /// - Returns: What the body returned.
  /// - Throws: What the body throws, ``EventStoreError`` or ``EventCodingError``, and then nothing was added.
  @discardableResult
  public func transaction<T>(
    isolation: isolated (any Actor)? = #isolation, _ body: (inout CommandTransaction) throws -> T
  ) throws -> T {
    try commitRetrying(nil, isolation: isolation, body).result
  }

  /// Executes several commands as one transaction, once.
  ///
  /// - Parameters:
  ///   - commandID: The transaction's id, unique in the log. If you repeat the call, the body doesn't run, no events
  ///     are added, and you get the first receipt. Bodies can't be compared, so this also holds for another body. An id
  ///     that was used for anything but a transaction is an error (`commandReused`).
  ///   - isolation: The caller's isolation; leave it to its default.
  ///   - body: Executes commands on the transaction; it may run several times, like the body of
  ///     `transaction(isolation:_:)`.
  /// - Returns: Where the events went.
  /// - Throws: What the body throws, ``EventStoreError`` or ``EventCodingError``, and then nothing was added.
  @discardableResult
  public func transaction(
    commandID: String, isolation: isolated (any Actor)? = #isolation, _ body: (inout CommandTransaction) throws -> Void
  ) throws -> Receipt {
    let identified = IdentifiedCommand.transaction(commandID)
    if let first = try repeated(identified) { return first }
    return try commitRetrying(identified, isolation: isolation, body).receipt
  }

  /// Misses the stream.
  @available(*, unavailable, message: "say which stream: execute(_:on:id:)")
  @discardableResult
  public func execute<D: Decider>(_ command: D.Command, on decider: D.Type) throws -> Receipt {
    preconditionFailure("unavailable")
  }

  private func commitRetrying<T>(
    _ command: IdentifiedCommand?, isolation: (any Actor)?, _ body: (inout CommandTransaction) throws -> T
  ) throws -> (result: T, receipt: Receipt) {
    let answer = try commitRetrying(command, willCommit: {}, body)
    if answer.receipt.count > 0 { signal.announce(from: isolation) }
    return answer
  }

  /// Runs a body and commits what it decided, again while it meets conflicts; announces nothing.
  ///
  /// - Parameters:
  ///   - command: The id of the whole, with the call that it is given for, or nil without an id.
  ///   - draft: The draft that the commit merges, or nil for any other commit.
  ///   - willCommit: Called before each commit; what it throws ends the work, and nothing is added.
  ///   - body: Executes commands on the transaction.
  /// - Returns: What the body returned last, and where the events went.
  /// - Throws: What the body throws, ``EventStoreError`` or ``EventCodingError``, and then nothing was added.
  func commitRetrying<T>(
    _ command: IdentifiedCommand?, ending draft: DraftPlace? = nil, willCommit: () throws -> Void,
    _ body: (inout CommandTransaction) throws -> T
  ) throws -> (result: T, receipt: Receipt) {
    var conflict: EventStoreError?
    for attempt in 1...maximumAttempts {
      var transaction = CommandTransaction(store: self, attempt: attempt, command: command, ending: draft)
      let result = try body(&transaction)
      do {
        try willCommit()
        return (result, try transaction.commit())
      } catch let error as EventStoreError where error.isConflict {
        conflict = error
      }
    }
    throw EventStoreError.tooManyConflicts(
      attempts: maximumAttempts,
      "the command met a conflict in each of \(maximumAttempts) tries, and nothing was added; the last was: "
        + (conflict?.message ?? "unknown") + "; try again when fewer write to the stream")
  }
}
