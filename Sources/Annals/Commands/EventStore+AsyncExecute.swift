extension EventStore {
  /// Executes a command on the store's own threads: reads the stream, decides, and appends what was decided.
  ///
  /// No thread of Swift's pool waits for the disk, and several calls that wait share one sync. Calls on one stream take
  /// turns. If another writer appended meanwhile, the command is decided again, at most 16 times. Controllers in the
  /// caller's isolation have delivered before this returns.
  ///
  /// If the task is cancelled before the commit begins, nothing is added. Once it has begun you get the receipt, even
  /// in a cancelled task.
  ///
  /// - Parameters:
  ///   - command: What someone wants. It goes to another thread and need not be `Sendable`, if you do not use it
  ///     afterwards.
  ///   - decider: Who decides.
  ///   - id: Which of the decider's streams.
  ///   - commandID: What tells the command from every other, so that it is executed once.
  ///   - expected: What the stream must be; a conflict with it is thrown and not tried again.
  ///   - metadata: What the events say of themselves; `.caused(by: event)` for what an event led to.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: The decider's rejection, ``EventStoreError``, ``EventCodingError`` or `CancellationError`, and then
  ///   nothing was added.
  /// - Complexity: O(k) for the k events that came since the last command on the stream. O(n) for n events of a stream
  ///   whose state the store does not keep; for a ``SnapshotDecider``, those since a state was saved.
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

  /// Executes a command on the events inside its boundary, on the store's own threads.
  ///
  /// No thread of Swift's pool waits for the disk, and several calls that wait share one sync. Calls with the same
  /// boundary take turns. If another writer appended inside the boundary meanwhile, the command is decided again, at
  /// most 16 times. Controllers in the caller's isolation have delivered before this returns.
  ///
  /// If the task is cancelled before the commit begins, nothing is added. Once it has begun you get the receipt, even
  /// in a cancelled task.
  ///
  /// - Parameters:
  ///   - command: What someone wants. It goes to another thread and need not be `Sendable`, if you do not use it
  ///     afterwards.
  ///   - decider: Who decides.
  ///   - commandID: What tells the command from every other, so that it is executed once.
  ///   - metadata: What the events say of themselves.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: The decider's rejection, ``EventStoreError``, ``EventCodingError`` or `CancellationError`, and then
  ///   nothing was added.
  /// - Complexity: O(k) for the k events that came since the last command on the same boundary. O(m log n) for m events
  ///   inside a boundary whose state the store does not keep, in a log of n, where the boundary names tags.
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
  /// If another writer appended to one of the streams meanwhile, the body runs again, at most 16 times. What it does
  /// beside the transaction must tolerate that. If the task is cancelled before the commit begins, nothing is added.
  /// Once it has begun you get the result, even in a cancelled task.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation; leave it to its default.
  ///   - body: Executes commands on the transaction, on a thread of the store.
  /// - Returns: What the body returned.
  /// - Throws: What the body throws, ``EventStoreError``, ``EventCodingError`` or `CancellationError`, and then nothing
  ///   was added.
  @discardableResult
  public func transaction<T: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> T {
    guard let result = try await committing(nil, key: nil, isolation: isolation, body).result else {
      preconditionFailure("a body without a command's id runs")
    }
    return result
  }

  /// Executes several commands as one transaction, once, on the store's own threads.
  ///
  /// - Parameters:
  ///   - commandID: What sets the whole apart from every other. If you give it again, the body does not run, nothing is
  ///     added, and you get the first receipt.
  ///   - isolation: The caller's isolation; leave it to its default.
  ///   - body: Executes commands on the transaction, on a thread of the store; it may run several times.
  /// - Returns: Where the events went.
  /// - Throws: What the body throws, ``EventStoreError``, ``EventCodingError`` or `CancellationError`, and then nothing
  ///   was added.
  @discardableResult
  public func transaction(
    commandID: String, isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (inout CommandTransaction) throws -> Void
  ) async throws -> Receipt {
    try await committing(.transaction(commandID), key: nil, isolation: isolation, body).receipt
  }

  /// Runs a body and commits what it decided, on the store's threads.
  ///
  /// - Returns: What the body returned, nil if the command was committed before; and where the events went.
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

/// A command on its way to another thread.
///
/// `@unchecked Sendable`: the caller has given the command away, and one thread at a time has it.
private struct SentCommand<Command>: @unchecked Sendable {
  let command: Command

  init(_ command: sending Command) { self.command = command }
}
