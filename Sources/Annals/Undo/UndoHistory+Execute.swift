extension UndoHistory {
  /// Executes a command on a stream as a step that can be undone.
  ///
  /// It does what `execute` of the store does. A command that leads to no events, or that nothing takes back, is no
  /// step, and clears nothing.
  ///
  /// - Parameters:
  ///   - command: What someone wants.
  ///   - decider: Who decides: one of the history's deciders; another one traps.
  ///   - id: Which of the decider's streams.
  ///   - title: What the step is called on a screen: `"Take Seat"`. It stays when a subject is erased: let it say
  ///     nothing about a person.
  ///   - group: The step that the command belongs to; nil for one of its own.
  ///   - commandID: What tells the command from every other, so that it is executed once.
  ///   - expected: What the stream must be; a conflict with it is thrown and not tried again.
  ///   - metadata: What the events say of themselves; their actor is the history's.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: The decider's rejection, ``EventStoreError`` or ``EventCodingError``, and then nothing was added.
  @discardableResult
  public func execute<D: UndoableDecider>(
    _ command: D.Command, on decider: D.Type, id: String, named title: String? = nil, in group: UndoGroup? = nil,
    commandID: String? = nil, expecting expected: ExpectedVersion = .any, metadata: Metadata = [:],
    isolation: isolated (any Actor)? = #isolation
  ) throws -> Receipt {
    try announcing(isolation) {
      let identified = IdentifiedCommand.execute(commandID, command, on: decider, in: D.stream(id))
      return try commit(title, group, identified) { transaction in
        _ = try transaction.execute(command, on: decider, id: id, expecting: expected, metadata: metadata)
      }.receipt
    }
  }

  /// Executes a command on the events inside its boundary as a step that can be undone.
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
  /// - Throws: The decider's rejection, ``EventStoreError`` or ``EventCodingError``, and then nothing was added.
  @discardableResult
  public func execute<D: UndoableDecider & BoundaryDecider>(
    _ command: D.Command, on decider: D.Type, named title: String? = nil, in group: UndoGroup? = nil,
    commandID: String? = nil, metadata: Metadata = [:], isolation: isolated (any Actor)? = #isolation
  ) throws -> Receipt {
    try announcing(isolation) {
      let identified = IdentifiedCommand.execute(commandID, command, on: decider)
      return try commit(title, group, identified) { transaction in
        _ = try transaction.execute(command, on: decider, metadata: metadata)
      }.receipt
    }
  }

  /// Executes several commands as one transaction, which is one step.
  ///
  /// Commands of deciders that say nothing about undoing are executed too, and an undo leaves what they did.
  ///
  /// - Parameters:
  ///   - title: What the step is called on a screen; it stays when a subject is erased.
  ///   - group: The step that the commands belong to; nil for one of their own.
  ///   - isolation: The caller's isolation; leave it to its default.
  ///   - body: Executes commands on the transaction; it runs again after a conflict.
  /// - Returns: What the body returned.
  /// - Throws: What the body throws, ``EventStoreError`` or ``EventCodingError``, and then nothing was added.
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
    guard let result else { preconditionFailure("a body without a command's id runs") }
    return result
  }

  @discardableResult
  private func announcing(_ isolation: (any Actor)?, _ commit: () throws -> Receipt) rethrows -> Receipt {
    let receipt = try commit()
    if receipt.count > 0, !receipt.isRepeated { store.signal.announce(from: isolation) }
    return receipt
  }

  /// True if all commands of a group so far were taken back or compacted.
  ///
  /// The next one is then the first of its step: if it had a later number, it would look like a half of a step whose
  /// beginning a compaction has cut.
  private func startsOver(_ group: UndoGroup) throws -> Bool {
    let revision = try store.revision()
    if group.end <= revision.compacted.horizon { return true }
    let window = try latestWindow(of: revision)
    // If the steps that were read are too few to show it, all are read.
    var fold = window.fold
    let isKnown = window.isAll || fold.reversed.contains(group.id) || fold.undo.contains { $0.id == group.id }
    if !isKnown { fold = try allSteps() }
    return fold.reversed.contains(group.id) && !fold.undo.contains { $0.id == group.id }
  }

  /// Runs a body with the marks of a step, and commits what it decided; announces nothing.
  ///
  /// - Returns: What the body returned, nil if the command was committed before; and where the events went.
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
      (mark, entries) = (transaction.mark as? UndoMark, transaction.entries)
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
