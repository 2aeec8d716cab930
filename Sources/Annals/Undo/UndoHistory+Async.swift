import AnnalsLog

extension UndoHistory {
  /// Executes a command as a step that can be undone.
  ///
  /// The command is executed on the store's own threads. Apart from that, the call behaves like the synchronous method.
  /// If the task is cancelled before the commit begins, no events are added.
  ///
  /// - Parameters:
  ///   - command: The command to execute.
  ///   - subject: The stream, such as `Hall["a"]`, or ``CommandSubject/boundary(_:)``. The subject's decider must
  ///     be one of the deciders that you passed when you created the ``UndoHistory``. If you pass a subject of another
  ///     decider, the program traps.
  ///   - title: The step's title for the user interface. Erasing a person's data doesn't erase the title, so don't
  ///     include personal data in it.
  ///   - group: The key of a group, for example `"title"` for the typing in a title, or `nil` to make the command a new
  ///     step. If the author's last step has the same key, the command is added to that step, even after a restart.
  ///     After an undo or a redo, the command is a new step. The key is stored in the events' metadata, so don't
  ///     include personal data in it.
  ///   - interval: The longest time between two commands of a group, or `nil` for any time. Without a group, the value
  ///     has no effect. If the value is negative, the program traps.
  ///   - commandID: An id that is unique in the log, or `nil`. If you repeat the call with this id, the command isn't
  ///     executed a second time, and you get the first receipt.
  ///   - metadata: Metadata to store with every event. The history itself sets the events' ``Metadata/author``.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: The errors of the synchronous method, or `CancellationError`.
  @discardableResult
  public func execute<D: UndoableDecider>(
    _ command: D.Command, on subject: CommandSubject<D>, named title: String? = nil, in group: String? = nil,
    within interval: Duration? = nil, commandID: String? = nil, metadata: Metadata = [:],
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Receipt {
    let identified = IdentifiedCommand.execute(commandID, command, on: subject)
    let lane = subject.lane(for: command)
    return try await committing(title, group, within: interval, identified, lane, isolation) { transaction in
      _ = try transaction.execute(command, on: subject, metadata: metadata)
    }.receipt
  }

  /// Executes several commands as one transaction, which can be undone as one step.
  ///
  /// The commands are executed on the store's own threads.
  ///
  /// - Parameters:
  ///   - title: The step's title for the user interface. Erasing a person's data doesn't erase the title, so don't
  ///     include personal data in it.
  ///   - group: The key of a group, or `nil` to make the commands a new step. If the author's last step has the same
  ///     key, the commands are added to that step, in the same way as a command that you pass to `execute`.
  ///   - interval: The longest time between two transactions of a group, or `nil` for any time.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  ///   - body: A closure that executes commands on the transaction, on a thread of the store. If another writer causes
  ///     a conflict, the closure runs again.
  /// - Returns: The body's result.
  /// - Throws: The errors of the synchronous method, or `CancellationError`.
  @discardableResult
  public func transaction<T: Sendable>(
    named title: String? = nil, in group: String? = nil, within interval: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> T {
    guard let result = try await committing(title, group, within: interval, nil, nil, isolation, body).result else {
      preconditionFailure("a transaction without a command id didn't run its closure. Please report this")
    }
    return result
  }

  /// Undoes a step, on the store's own threads.
  ///
  /// - Parameters:
  ///   - step: The step to undo, or `nil` for the author's last step. If you pass an earlier step, only that step is
  ///     undone.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: The errors of the synchronous method, or `CancellationError`.
  @discardableResult
  public func undo(_ step: Step? = nil, isolation: isolated (any Actor)? = #isolation) async throws
    -> Receipt
  {
    try await reversing(step, isRedo: false, isolation)
  }

  /// Redoes a step, on the store's own threads.
  ///
  /// - Parameters:
  ///   - step: The step to redo, or `nil` for the step that was undone last.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: The errors of the synchronous method, or `CancellationError`.
  @discardableResult
  public func redo(_ step: Step? = nil, isolation: isolated (any Actor)? = #isolation) async throws
    -> Receipt
  {
    try await reversing(step, isRedo: true, isolation)
  }

  private func committing<T: Sendable>(
    _ title: String?, _ group: String?, within interval: Duration?, _ command: IdentifiedCommand?,
    _ key: WorkLanes.Key?,
    _ isolation: isolated (any Actor)?, _ body: @escaping @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> (result: T?, receipt: Receipt) {
    try await store.committing(key, isolation: isolation) { isCancelled in
      let answer = try self.commit(title, group, within: interval, command) {
        if isCancelled() { throw CancellationError() }
      } _: {
        try body(&$0)
      }
      return (answer, answer.receipt.count > 0 && !answer.receipt.isRepeated)
    }
  }

  private func reversing(
    _ step: Step?, isRedo: Bool, _ isolation: isolated (any Actor)?
  ) async throws -> Receipt {
    try await store.committing(nil, isolation: isolation) { isCancelled in
      let receipt = try self.reverse(step, isRedo: isRedo) { if isCancelled() { throw CancellationError() } }
      return (receipt, true)
    }
  }
}
