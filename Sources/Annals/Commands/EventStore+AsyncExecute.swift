import AnnalsLog

extension EventStore {
  /// Executes a command on the store's own threads: reads the stream, decides, and appends the decided events.
  ///
  /// No thread of Swift's concurrency pool waits for the disk, and several waiting calls share one disk sync. Calls for
  /// the same stream run one after another. If another writer appends to the stream before the commit, the store reads
  /// the new events and retries the command, with at most 16 attempts in total. A ``FetchedResultsController`` in the
  /// caller's isolation delivers its changes before this function returns.
  ///
  /// If the task is cancelled before the commit begins, no events are added. Once the commit has begun, you get the
  /// receipt, even in a cancelled task.
  ///
  /// - Parameters:
  ///   - command: The command to execute. It is sent to another thread, but doesn't have to be `Sendable` if you don't
  ///     use it afterwards.
  ///   - decider: The decider type that handles the command.
  ///   - id: The stream's identifier within the decider's category.
  ///   - commandID: An id that is unique in the log, or `nil`. If you repeat the call with this id, the command isn't
  ///     executed a second time, and you get the receipt of the first call.
  ///   - expected: The version that the stream must have. If the stream has another version, the call throws without a
  ///     retry.
  ///   - metadata: Metadata to store with every event, such as `actor`. If an event caused the command, use
  ///     `.caused(by: event)`.
  ///   - isolation: The caller's isolation, which is the default.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: The decider's rejection, ``EventStoreError``, ``EventCodingError`` or `CancellationError`. In these
  ///   cases, no events were added.
  /// - Complexity: O(k) for the stream's k new events since the last command. If the store doesn't keep the stream's
  ///   state, O(n) for the stream's n events. For a ``SnapshotDecider``, n is the number of events since the last saved
  ///   state.
  @discardableResult
  public func execute<D: Decider>(
    _ command: sending D.Command, on decider: D.Type, id: String, commandID: String? = nil,
    expecting expected: ExpectedVersion = .any, metadata: Metadata = [:],
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Receipt {
    let identified = IdentifiedCommand.execute(commandID, command, on: decider, in: D.stream(id))
    let sent = SentCommand(command)
    return try await committing(identified, key: .stream(D.stream(id)), isolation: isolation) { transaction in
      _ = try transaction.execute(
        sent.command, on: D.self, id: id, expecting: expected, metadata: metadata)
    }.receipt
  }

  /// Executes a command on the store's own threads: reads the events inside the command's boundary, decides, and
  /// appends the decided events.
  ///
  /// No thread of Swift's concurrency pool waits for the disk, and several waiting calls share one disk sync. The
  /// boundary is the query that ``BoundaryDecider/boundary(for:)`` returns. Calls with the same boundary run one after
  /// another. If another writer appends events inside the boundary before the commit, the store reads the new events
  /// and retries the command, with at most 16 attempts in total. A ``FetchedResultsController`` in the caller's
  /// isolation delivers its changes before this function returns.
  ///
  /// If the task is cancelled before the commit begins, no events are added. Once the commit has begun, you get the
  /// receipt, even in a cancelled task.
  ///
  /// - Parameters:
  ///   - command: The command to execute. It is sent to another thread, but doesn't have to be `Sendable` if you don't
  ///     use it afterwards.
  ///   - decider: The decider type that handles the command.
  ///   - commandID: An id that is unique in the log, or `nil`. If you repeat the call with this id, the command isn't
  ///     executed a second time, and you get the receipt of the first call.
  ///   - metadata: Metadata to store with every event, such as `actor`.
  ///   - isolation: The caller's isolation, which is the default.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: The decider's rejection, ``EventStoreError``, ``EventCodingError`` or `CancellationError`. In these
  ///   cases, no events were added.
  /// - Complexity: O(k) for the k new events inside the boundary since the last command on the same boundary. If the
  ///   store doesn't keep the boundary's state, and the boundary's query selects events by tags, O(m log n) for the m
  ///   events inside the boundary, in a log of n events.
  @discardableResult
  public func execute<D: BoundaryDecider>(
    _ command: sending D.Command, on decider: D.Type, commandID: String? = nil, metadata: Metadata = [:],
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Receipt {
    let boundary = D.boundary(for: command)
    let identified = IdentifiedCommand.execute(commandID, command, on: decider)
    let sent = SentCommand(command)
    return try await committing(identified, key: .boundary(boundary), isolation: isolation) { transaction in
      _ = try transaction.execute(sent.command, on: D.self, metadata: metadata)
    }.receipt
  }

  /// Executes several commands as one transaction, on the store's own threads.
  ///
  /// If another writer appends to a stream or boundary that the transaction has read, the body is rerun, with at most
  /// 16 attempts in total. So side effects of the body must tolerate repetition. If the task is cancelled before the
  /// commit begins, no events are added. Once the commit has begun, you get the result, even in a cancelled task.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation, which is the default.
  ///   - body: A closure that executes commands on the transaction. It runs on a thread of the store.
  /// - Returns: The body's result.
  /// - Throws: The body's error, ``EventStoreError``, ``EventCodingError`` or `CancellationError`. In these cases, no
  ///   events were added.
  @discardableResult
  public func transaction<T: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> T {
    guard let result = try await committing(nil, key: nil, isolation: isolation, body).result else {
      preconditionFailure("a call without a command id must run its closure")
    }
    return result
  }

  /// Executes several commands as one transaction on the store's own threads, at most once per id.
  ///
  /// - Parameters:
  ///   - commandID: The transaction's id, unique in the log. If you repeat the call, the body doesn't run, no events
  ///     are added, and you get the receipt of the first call.
  ///   - isolation: The caller's isolation, which is the default.
  ///   - body: A closure that executes commands on the transaction. It runs on a thread of the store, possibly several
  ///     times before the commit.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: The body's error, ``EventStoreError``, ``EventCodingError`` or `CancellationError`. In these cases, no
  ///   events were added.
  @discardableResult
  public func transaction(
    commandID: String, isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (inout CommandTransaction) throws -> Void
  ) async throws -> Receipt {
    try await committing(.transaction(commandID), key: nil, isolation: isolation, body).receipt
  }

  /// Runs a body and commits its decisions, on the store's threads.
  ///
  /// - Returns: The receipt, and the body's result, which is nil if the command was committed before.
  private func committing<T: Sendable>(
    _ command: IdentifiedCommand?, key: WorkLanes.Key?, isolation: isolated (any Actor)?,
    _ body: @escaping @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> (result: T?, receipt: Receipt) {
    try await committing(key, isolation: isolation) { isCancelled in
      if let first = try self.repeated(command) { return ((nil, first), false) }
      let (result, receipt) = try self.commitRetrying(command) {
        if isCancelled() { throw CancellationError() }
      } _: {
        try body(&$0)
      }
      return ((result, receipt), receipt.count > 0)
    }
  }
}

/// A command that is sent to another thread.
///
/// `@unchecked Sendable`: the caller no longer uses the command, and only one thread at a time has it.
private struct SentCommand<Command>: @unchecked Sendable {
  let command: Command

  init(_ command: sending Command) { self.command = command }
}
