import AnnalsLog

extension EventStore {
  /// Executes a command on the store's own threads: reads the subject's events, decides, and appends the decided
  /// events.
  ///
  /// No thread of Swift's concurrency pool waits for the disk, and several waiting calls share one disk sync. Calls for
  /// the same subject run one after another. If another writer appends to the subject before the commit, the store
  /// reads the new events and retries the command, with at most 16 attempts in total. A ``FetchedResultsController`` in
  /// the caller's isolation delivers its changes before this function returns. But if the decider rejects the command
  /// because of another task's commit, the controller might show that commit only after the error.
  ///
  /// If the task is cancelled before the commit begins, no events are added. Once the commit has begun, you get the
  /// receipt, even in a cancelled task.
  ///
  /// - Parameters:
  ///   - command: The command to execute. It is sent to another thread, but doesn't have to be `Sendable` if you don't
  ///     use it afterwards.
  ///   - subject: The stream, such as `Bookshop["main"]`, or ``CommandSubject/boundary(_:)`` for a ``BoundaryDecider``.
  ///   - commandID: An id that is unique in the log, or `nil`. If you repeat the call with this id, the command isn't
  ///     executed a second time, and you get the receipt of the first call.
  ///   - metadata: Metadata to store with every event, such as `actor`. If an event caused the command, use
  ///     `.caused(by: event)`.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: The decider's rejection, ``EventStoreError``, ``EventCodingError`` or `CancellationError`. In these
  ///   cases, no events were added.
  /// - Complexity: The same as the synchronous overload.
  @discardableResult
  public func execute<D: Decider>(
    _ command: sending D.Command, on subject: CommandSubject<D>, commandID: String? = nil, metadata: Metadata = [:],
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Receipt {
    let identified = IdentifiedCommand.execute(commandID, command, on: subject)
    let lane = subject.lane(for: command)
    let sent = SentCommand(command)
    return try await committing(identified, key: lane, isolation: isolation) { transaction in
      _ = try transaction.execute(sent.command, on: subject, metadata: metadata)
    }.receipt
  }

  /// Executes several commands as one transaction, on the store's own threads.
  ///
  /// If another writer appends to a stream or boundary that the transaction has read, the body is rerun, with at most
  /// 16 attempts in total. So side effects of the body must tolerate repetition. If the task is cancelled before the
  /// commit begins, no events are added. Once the commit has begun, you get the result, even in a cancelled task.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
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
      preconditionFailure("a transaction without a command id didn't run its closure. Please report this")
    }
    return result
  }

  /// Executes several commands as one transaction on the store's own threads, at most once per id.
  ///
  /// - Parameters:
  ///   - commandID: The transaction's id, unique in the log. If you repeat the call, the body doesn't run, no events
  ///     are added, and you get the receipt of the first call.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
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
package struct SentCommand<Command>: @unchecked Sendable {
  package let command: Command

  package init(_ command: sending Command) { self.command = command }
}
