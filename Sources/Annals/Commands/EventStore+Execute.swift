import AnnalsLog

/// The number of attempts before a command fails with its last conflict.
private let maximumAttempts = 16

extension EventStore {
  /// Executes a command: reads the subject's events, decides, and appends the decided events.
  ///
  /// In a function that isn't `async`, Swift selects this overload, which blocks the caller's thread while it writes to
  /// disk. In an `async` function, Swift selects the awaited overload, `try await store.execute(…)`.
  ///
  /// If another writer appends to the subject before the commit, the store reads the new events and retries the
  /// command, with at most 16 attempts in total. A ``FetchedResultsController`` in the caller's isolation delivers its
  /// changes before this function returns.
  ///
  /// - Parameters:
  ///   - command: The command to execute.
  ///   - subject: The stream, such as `Bookshop["main"]`, or ``CommandSubject/boundary(_:)`` for a ``BoundaryDecider``.
  ///   - commandID: An id that is unique in the log, or `nil`. A command with an id is executed only once. If you
  ///     repeat the call, even in another process or after a crash, it appends no events, doesn't call the decider, and
  ///     returns the receipt of the first call. It is an error to reuse an id for a different call. `CommandUse` in
  ///     AnnalsLog describes which calls are different. A refused command isn't recorded, so you can reuse its id. The
  ///     id also becomes the causation and correlation of the appended events, unless `metadata` contains other ids for
  ///     them.
  ///   - metadata: Metadata to store with every event, such as `actor`. If an event caused the command, use
  ///     `.caused(by: event)`.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: The decider's rejection, ``EventStoreError`` (`.commandReused` for an id that was already used for a
  ///   different call) or ``EventCodingError``. In these cases, no events were added.
  /// - Complexity: O(k) for the subject's k new events since the last command. If the store doesn't keep the subject's
  ///   state, the complexity is O(n) for a stream of n events. For a boundary that selects events by tags, it is
  ///   O(m log l) for m events inside the boundary, in a log of l events. For a ``SnapshotDecider``, n and m count only
  ///   the events after the last saved state.
  @discardableResult
  public func execute<D: Decider>(
    _ command: D.Command, on subject: CommandSubject<D>, commandID: String? = nil, metadata: Metadata = [:],
    isolation: isolated (any Actor)? = #isolation
  ) throws -> Receipt {
    let identified = IdentifiedCommand.execute(commandID, command, on: subject)
    if let first = try repeated(identified) { return first }
    return try commitRetrying(identified, isolation: isolation) { transaction in
      try transaction.execute(command, on: subject, metadata: metadata)
    }.receipt
  }

  /// Executes several commands as one transaction.
  ///
  /// If another writer appends to a stream or boundary that the transaction has read, the body is rerun, with at most
  /// 16 attempts in total. So side effects of the body must tolerate repetition.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  ///   - body: A closure that executes commands on the transaction.
  /// - Returns: The body's result.
  /// - Throws: The body's error, ``EventStoreError`` or ``EventCodingError``. In these cases, no events were added.
  @discardableResult
  public func transaction<T>(
    isolation: isolated (any Actor)? = #isolation, _ body: (inout CommandTransaction) throws -> T
  ) throws -> T {
    try commitRetrying(nil, isolation: isolation, body).result
  }

  /// Executes several commands as one transaction, at most once per id.
  ///
  /// - Parameters:
  ///   - commandID: The transaction's id, unique in the log. If you repeat the call, the body doesn't run, no events
  ///     are added, and you get the receipt of the first call. Bodies can't be compared, so you also get this receipt
  ///     if you pass a different body. It is an error (`commandReused`) to reuse the id of a call that wasn't a
  ///     transaction.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  ///   - body: A closure that executes commands on the transaction. It may run several times before the commit, like
  ///     the body of `transaction(isolation:_:)`.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: The body's error, ``EventStoreError`` or ``EventCodingError``. In these cases, no events were added.
  @discardableResult
  public func transaction(
    commandID: String, isolation: isolated (any Actor)? = #isolation, _ body: (inout CommandTransaction) throws -> Void
  ) throws -> Receipt {
    let identified = IdentifiedCommand.transaction(commandID)
    if let first = try repeated(identified) { return first }
    return try commitRetrying(identified, isolation: isolation, body).receipt
  }

  private func commitRetrying<T>(
    _ command: IdentifiedCommand?, isolation: (any Actor)?, _ body: (inout CommandTransaction) throws -> T
  ) throws -> (result: T, receipt: Receipt) {
    let answer = try commitRetrying(command, willCommit: {}, body)
    if answer.receipt.count > 0 { runtime.announce(from: isolation) }
    return answer
  }

  /// Runs a body and commits its decisions, with retries after conflicts, and without an announcement.
  ///
  /// - Parameters:
  ///   - command: The id of the whole call, and the call for which the id is used, or nil without an id.
  ///   - draft: The draft that the commit merges, or nil for any other commit.
  ///   - willCommit: A closure that is called before every commit. If the closure throws, the call throws the same
  ///     error, and no events are added.
  ///   - body: A closure that executes commands on the transaction.
  /// - Returns: The result of the body's last run, and the receipt.
  /// - Throws: The body's error, ``EventStoreError`` or ``EventCodingError``. In these cases, no events were added.
  func commitRetrying<T>(
    _ command: IdentifiedCommand?, ending draft: DraftVersion? = nil, willCommit: () throws -> Void,
    _ body: (inout CommandTransaction) throws -> T
  ) throws -> (result: T, receipt: Receipt) {
    let log = DecisionLog(self)
    var conflict: EventStoreError?
    for attempt in 1...maximumAttempts {
      var transaction = CommandTransaction(on: log, attempt: attempt, command: command, ending: draft)
      let result = try body(&transaction)
      do {
        try willCommit()
        return (result, try transaction.commit(to: self))
      } catch let error as EventStoreError where error.isConflict {
        conflict = error
      }
    }
    throw EventStoreError.tooManyConflicts(
      attempts: maximumAttempts,
      "the command conflicted with other writers in each of its \(maximumAttempts) attempts, so no events were "
        + "added; retry when fewer writers append to the stream. The last conflict: "
        + (conflict?.message ?? "unknown"))
  }
}
