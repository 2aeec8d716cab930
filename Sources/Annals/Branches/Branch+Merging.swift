import Synchronization

extension Branch {
  /// Decides the branch's commands again on the base as it is now, and adds what they lead to, in one transaction.
  ///
  /// Controllers on the base in the caller's isolation have delivered before this returns. From then on the branch
  /// takes no command, and lists on it keep showing what it was. If you merge it again, you get the first receipt.
  ///
  /// Ids that commands were given on the branch are in the metadata of their events. The base does not have them as
  /// ids of its own commands: it knows the merge by the id that you give here.
  ///
  /// - Parameters:
  ///   - commandID: What tells the merge from every other command of the base.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: ``BranchConflicts`` if commands are refused, ``EventStoreError`` or ``EventCodingError``. Nothing was
  ///   added then, and the branch is what it was.
  @discardableResult
  public func merge(commandID: String? = nil, isolation: isolated (any Actor)? = #isolation) throws -> Receipt {
    let (receipt, hasAdded) = try mergeIntoBase(commandID)
    if hasAdded { base.signal.announce(from: isolation) }
    return receipt
  }

  /// Merges the branch on the base's own threads.
  ///
  /// It otherwise does what the call does that is not awaited. If the task is cancelled before the commit begins,
  /// nothing is added.
  ///
  /// - Parameters:
  ///   - commandID: What tells the merge from every other command of the base.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: As the other, and `CancellationError`.
  @discardableResult
  public func merge(
    commandID: String? = nil, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Receipt {
    try await base.committing(nil, isolation: isolation) { isCancelled in
      try self.mergeIntoBase(commandID) { if isCancelled() { throw CancellationError() } }
    }
  }

  private func mergeIntoBase(
    _ commandID: String?, willCommit: () throws -> Void = {}
  ) throws -> (result: Receipt, hasAdded: Bool) {
    let begun: (commands: [BranchCommand], place: DraftPlace?, receipt: Receipt?) = try state.withLock { state in
      if case .merged(let receipt) = state.phase { return ([], nil, receipt) }
      try state.checkIsOpen()
      state.phase = .merging
      return (state.commands, state.place, nil)
    }
    if let receipt = begun.receipt { return (receipt.repeated(), false) }
    do {
      // A draft that is kept is merged once, also if the process ends before it is deleted.
      let commandID = commandID ?? begun.place.flatMap { $0.edition > 0 ? $0.id : nil }
      let receipt = try decide(begun.commands, commandID) {
        try ensureIsKept(begun.place)
        try willCommit()
      }
      state.withLock { $0.phase = .merged(receipt) }
      forget(begun.place)
      return (receipt, receipt.count > 0 && !receipt.isRepeated)
    } catch {
      // It may have been discarded meanwhile.
      state.withLock { if case .merging = $0.phase { $0.phase = .open } }
      throw error
    }
  }

  private func decide(
    _ commands: [BranchCommand], _ commandID: String?, _ willCommit: () throws -> Void
  ) throws -> Receipt {
    if let commandID, let first = try base.receipt(ofCommand: commandID) { return first.repeated() }
    return try base.commitRetrying(commandID: commandID, willCommit: willCommit) { transaction in
      let position = try base.head()
      var refused: [BranchConflict] = []
      func decide(_ command: BranchCommand, _ transaction: inout CommandTransaction) throws -> Bool {
        do {
          try command.decide(in: &transaction)
          return true
        } catch {
          refused.append(try BranchConflict(command, refusedBy: error))
          return false
        }
      }
      var accepted: [BranchCommand] = []
      for command in commands {
        if try decide(command, &transaction) {
          accepted.append(command)
        } else if command.values.count > 1 {
          // What a transaction had led to before it was refused is nothing that those after it are decided on.
          transaction.startOver()
          for earlier in accepted { _ = try decide(earlier, &transaction) }
        }
      }
      if !refused.isEmpty { throw BranchConflicts(refused: refused, position: position, count: commands.count) }
    }.receipt
  }
}
