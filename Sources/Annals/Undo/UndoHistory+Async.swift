extension UndoHistory {
  /// Executes a command on a stream as a step that can be undone, on the store's own threads.
  ///
  /// It otherwise does what the call does that is not awaited. If the task is cancelled before the commit begins,
  /// nothing is added.
  ///
  /// - Parameters:
  ///   - command: What someone wants.
  ///   - decider: Who decides: one of the history's deciders; another one traps.
  ///   - id: Which of the decider's streams.
  ///   - title: What the step is called on a screen; it stays when a subject is erased.
  ///   - group: The step that the command belongs to; nil for one of its own.
  ///   - commandID: What tells the command from every other, so that it is executed once.
  ///   - expected: What the stream must be; a conflict with it is thrown and not tried again.
  ///   - metadata: What the events say of themselves; their actor is the history's.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: As the other, and `CancellationError`.
  @discardableResult
  public func execute<D: UndoableDecider>(
    _ command: D.Command, on decider: D.Type, id: String, named title: String? = nil, in group: UndoGroup? = nil,
    commandID: String? = nil, expecting expected: ExpectedVersion = .any, metadata: Metadata = [:],
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Receipt {
    let identified = IdentifiedCommand.execute(commandID, command, on: decider, in: D.stream(id))
    return try await committing(title, group, identified, .stream(D.stream(id)), isolation) { transaction in
      _ = try transaction.execute(command, on: D.self, id: id, expecting: expected, metadata: metadata)
    }.receipt
  }

  /// Executes a command on the events inside its boundary as a step that can be undone, on the store's own threads.
  ///
  /// - Parameters:
  ///   - command: What someone wants.
  ///   - decider: Who decides: one of the history's deciders; another one traps.
  ///   - title: What the step is called on a screen; it stays when a subject is erased.
  ///   - group: The step that the command belongs to; nil for one of its own.
  ///   - commandID: What tells the command from every other, so that it is executed once.
  ///   - metadata: What the events say of themselves; their actor is the history's.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: As the other, and `CancellationError`.
  @discardableResult
  public func execute<D: UndoableDecider & BoundaryDecider>(
    _ command: D.Command, on decider: D.Type, named title: String? = nil, in group: UndoGroup? = nil,
    commandID: String? = nil, metadata: Metadata = [:], isolation: isolated (any Actor)? = #isolation
  ) async throws -> Receipt {
    let identified = IdentifiedCommand.execute(commandID, command, on: decider)
    let boundary = D.boundary(for: command)
    return try await committing(title, group, identified, .boundary(boundary), isolation) { transaction in
      _ = try transaction.execute(command, on: D.self, metadata: metadata)
    }.receipt
  }

  /// Executes several commands as one transaction, which is one step, on the store's own threads.
  ///
  /// - Parameters:
  ///   - title: What the step is called on a screen; it stays when a subject is erased.
  ///   - group: The step that the commands belong to; nil for one of their own.
  ///   - isolation: The caller's isolation; leave it to its default.
  ///   - body: Executes commands on the transaction, on a thread of the store; it runs again after a conflict.
  /// - Returns: What the body returned.
  /// - Throws: As the other, and `CancellationError`.
  @discardableResult
  public func transaction<T: Sendable>(
    named title: String? = nil, in group: UndoGroup? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> T {
    guard let result = try await committing(title, group, nil, nil, isolation, body).result else {
      preconditionFailure("a body without a command's id runs")
    }
    return result
  }

  /// Takes a step back, on the store's own threads.
  ///
  /// - Parameters:
  ///   - step: The step; nil for the actor's last one.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: As the other, and `CancellationError`.
  @discardableResult
  public func undo(_ step: UndoStep? = nil, isolation: isolated (any Actor)? = #isolation) async throws -> Receipt {
    try await reversing(step, isRedo: false, isolation)
  }

  /// Repeats a step, on the store's own threads.
  ///
  /// - Parameters:
  ///   - step: The step; nil for the one that was undone last.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: As the other, and `CancellationError`.
  @discardableResult
  public func redo(_ step: UndoStep? = nil, isolation: isolated (any Actor)? = #isolation) async throws -> Receipt {
    try await reversing(step, isRedo: true, isolation)
  }

  private func committing<T: Sendable>(
    _ title: String?, _ group: UndoGroup?, _ command: IdentifiedCommand?, _ key: WorkLanes.Key?,
    _ isolation: isolated (any Actor)?, _ body: @escaping @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> (result: T?, receipt: Receipt) {
    try await store.committing(key, isolation: isolation) { isCancelled in
      let answer = try self.commit(title, group, command) {
        if isCancelled() { throw CancellationError() }
      } _: {
        try body(&$0)
      }
      return (answer, answer.receipt.count > 0 && !answer.receipt.isRepeated)
    }
  }

  private func reversing(
    _ step: UndoStep?, isRedo: Bool, _ isolation: isolated (any Actor)?
  ) async throws -> Receipt {
    try await store.committing(nil, isolation: isolation) { isCancelled in
      let receipt = try self.reverse(step, isRedo: isRedo) { if isCancelled() { throw CancellationError() } }
      return (receipt, true)
    }
  }
}
