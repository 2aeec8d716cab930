import AnnalsLog

extension UndoHistory {
  /// Executes a command as a step that can be undone.
  ///
  /// The command is executed in the same way as by the store's `execute` method. If a command produces no events, or if
  /// its decider can't reverse it, the command isn't a step, so it doesn't clear the steps to redo.
  ///
  /// - Parameters:
  ///   - command: The command to execute.
  ///   - subject: The stream, such as `Hall["a"]`, or ``CommandSubject/boundary(_:)``. Its decider must be one of the
  ///     history's deciders. If you pass a subject of another decider, the program traps.
  ///   - title: The step's title for the user interface, for example `"Take Seat"`. Erasing a person's data doesn't
  ///     erase the title, so don't include personal data in it.
  ///   - group: The group to which the command is added, or `nil` to make the command a new step.
  ///   - commandID: An id that is unique in the log, or `nil`. If you repeat the call with this id, the command isn't
  ///     executed a second time, and you get the first receipt.
  ///   - metadata: Metadata to store with every event. The history itself sets the events' ``Metadata/author``.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: The decider's error if the decider refuses the command, ``EventStoreError`` or ``EventCodingError``. In
  ///   these cases, no events were added.
  @discardableResult
  public func execute<D: UndoableDecider>(
    _ command: D.Command, on subject: CommandSubject<D>, named title: String? = nil, in group: UndoGroup? = nil,
    commandID: String? = nil, metadata: Metadata = [:], isolation: isolated (any Actor)? = #isolation
  ) throws -> Receipt {
    try announcing(isolation) {
      try commit(title, group, .execute(commandID, command, on: subject)) { transaction in
        _ = try transaction.execute(command, on: subject, metadata: metadata)
      }.receipt
    }
  }

  /// Executes several commands as one transaction, which can be undone as one step.
  ///
  /// The body can also execute commands whose decider doesn't support undo, but an undo doesn't reverse the effects of
  /// such commands.
  ///
  /// - Parameters:
  ///   - title: The step's title for the user interface. Erasing a person's data doesn't erase the title, so don't
  ///     include personal data in it.
  ///   - group: The group to which the commands are added, or `nil` to make the commands a new step.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  ///   - body: A closure that executes commands on the transaction. If another writer causes a conflict, the closure
  ///     runs again.
  /// - Returns: The body's result.
  /// - Throws: The body's error, ``EventStoreError`` or ``EventCodingError``. In these cases, no events were added.
  @discardableResult
  public func transaction<T>(
    named title: String? = nil, in group: UndoGroup? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: (inout CommandTransaction) throws -> T
  ) throws -> T {
    var result: T?
    try announcing(isolation) {
      let answer = try commit(title, group, nil, body)
      result = answer.result
      return answer.receipt
    }
    guard let result else {
      preconditionFailure("a transaction without a command id didn't run its closure. Please report this")
    }
    return result
  }

  @discardableResult
  private func announcing(_ isolation: (any Actor)?, _ commit: () throws -> Receipt) rethrows -> Receipt {
    let receipt = try commit()
    if receipt.count > 0, !receipt.isRepeated { store.runtime.announce(from: isolation) }
    return receipt
  }

  /// Returns true if all previous commands of a group were undone or compacted.
  ///
  /// In this case, the group's next command gets the number 1. With a higher number, it would look like a part of a
  /// step whose first commands were removed by a compaction.
  private func startsOver(_ group: UndoGroup) throws -> Bool {
    let revision = try store.revision()
    if group.end <= revision.compacted.horizon { return true }
    let window = try latestWindow(of: revision)
    // If the known steps are too few to decide this, read all of them.
    var fold = window.fold
    let isKnown = window.isAll || fold.reversed.contains(group.id) || fold.undo.contains { $0.id == group.id }
    if !isKnown { fold = try allSteps() }
    return fold.reversed.contains(group.id) && !fold.undo.contains { $0.id == group.id }
  }

  /// Runs a body, marks its events as a step, and commits its decisions without notifying watchers.
  ///
  /// - Returns: The body's result (nil if the command was committed before) and the receipt.
  func commit<T>(
    _ title: String?, _ group: UndoGroup?, _ command: IdentifiedCommand?, willCommit: () throws -> Void = {},
    _ body: (inout CommandTransaction) throws -> T
  ) throws -> (result: T?, receipt: Receipt) {
    if let first = try store.repeated(command) { return (nil, first) }
    let step = group?.id ?? store.environment.makeID()
    if let group, group.count > 0, try startsOver(group) { group.startOver() }
    var (mark, entries): (UndoMark?, [Append.Entry]) = (nil, [])
    let answer = try store.commitRetrying(command, willCommit: willCommit) { transaction in
      transaction.mark = self.mark(step, group?.title ?? title, count: group?.count ?? 0)
      let result = try body(&transaction)
      mark = transaction.mark as? UndoMark
      entries = transaction.entries
      return result
    }
    if let mark, !answer.receipt.isRepeated {
      group?.didCommit(mark.count, through: answer.receipt.position)
      var window: UndoWindow?
      keep(mark, entries, at: answer.receipt, after: &window)
    }
    return answer
  }
}
