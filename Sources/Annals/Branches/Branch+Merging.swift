import AnnalsLog
import Synchronization

extension Branch {
  /// Re-decides the branch's commands based on the current state of the branch's ``base``, and appends the resulting
  /// events to the base in one transaction.
  ///
  /// To re-decide a command, the branch calls the decider's `decide` with the base's state.
  ///
  /// A ``FetchedResultsController`` that shows a list of the base delivers its changes before this function returns, if
  /// the controller is in the caller's isolation. After the merge, the branch accepts no more commands, and lists on
  /// the branch keep showing the branch's last state. If you repeat the call, it returns the receipt of the first call.
  ///
  /// The metadata of the appended events contains the ids of the branch's commands. But the base keeps a receipt only
  /// for the merge's `commandID`, not for the ids of the branch's commands. If the base has already executed a command
  /// with the same id as a branch's command, the merge omits the branch's command.
  ///
  /// - Parameters:
  ///   - commandID: An id for the merge, or `nil`. The id must be unique in the base. If you repeat a merge with the
  ///     same id, no events are added. A draft that the store keeps under a name doesn't need an id, because it is
  ///     merged only once.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: ``Branch/MergeError`` if commands are refused in the base's current state. The function can also throw
  ///   ``EventStoreError`` or ``EventCodingError``. After an error, no events were added, and the branch is unchanged.
  @discardableResult
  public func merge(commandID: String? = nil, isolation: isolated (any Actor)? = #isolation) throws -> Receipt {
    let (receipt, hasAdded) = try mergeIntoBase(commandID)
    if hasAdded { base.runtime.announce(from: isolation) }
    return receipt
  }

  /// Merges the branch into its base, on the base store's own threads.
  ///
  /// In all other respects, this function behaves like the overload that isn't `async`. If the task is cancelled before
  /// the commit begins, no events are added.
  ///
  /// - Parameters:
  ///   - commandID: An id for the merge, or `nil`. The id must be unique in the base. If you repeat a merge with the
  ///     same id, no events are added. A draft that the store keeps under a name doesn't need an id, because it is
  ///     merged only once.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: The errors of the overload that isn't `async`, and `CancellationError`.
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
    // First, this read replaces commands whose content was erased from a kept draft.
    if keeping != nil, state.withLock({ $0.phase.isOpen }) { try read { _ in } }
    let begun: (commands: [Command], version: DraftVersion?, receipt: Receipt?) = try state.withLock { state in
      if case .merged(let receipt) = state.phase { return ([], nil, receipt) }
      try state.checkIsOpen()
      state.phase = .merging
      return (state.commands, state.version, nil)
    }
    if let receipt = begun.receipt { return (receipt.repeated(), false) }
    do {
      let receipt = try commit(begun.commands, commandID, begun.version, willCommit)
      state.withLock { $0.phase = .merged(receipt) }
      return (receipt, receipt.count > 0 && !receipt.isRepeated)
    } catch {
      let isDiscarded = state.withLock { state in
        guard case .merging = state.phase else { return true }
        state.phase = .open
        return false
      }
      if isDiscarded { forget(begun.version) }
      throw error
    }
  }

  /// Decides the commands on the base, and commits their events.
  ///
  /// The transaction of the commit also deletes a kept draft, so that no other program can add a command to it before
  /// the commit.
  private func commit(
    _ commands: [Command], _ commandID: String?, _ version: DraftVersion?, _ willCommit: () throws -> Void
  ) throws -> Receipt {
    let draft = version.flatMap { $0.edition > 0 ? $0 : nil }
    // A draft is merged once, regardless of the ids that its callers pass.
    var merge = IdentifiedCommand.merge(commandID ?? draft?.id)
    if let draft { merge = merge.map { IdentifiedCommand(id: $0.id, use: draft.use) } }
    if let merge {
      var ending = Append(commandID: merge.id)
      ending.useOrigin = .given(merge.use)
      ending.endingDraft = draft
      if let first = try ending.repeated({ try base.receipt(ofCommand: $0) }) { return first }
    }
    do {
      return try decide(commands, merge, draft, willCommit)
    } catch let error as EventStoreError where error.code == .duplicateEvent {
      // Another writer has just appended an event with the identity of a command's event. The retry
      // then includes the command in the refused commands.
      return try decide(commands, merge, draft, willCommit)
    }
  }

  private func decide(
    _ commands: [Command], _ merge: IdentifiedCommand?, _ draft: DraftVersion?, _ willCommit: () throws -> Void
  ) throws -> Receipt {
    try base.commitRetrying(merge, ending: draft, willCommit: willCommit) { transaction in
      let position = try base.head()
      var refused: [Conflict] = []
      func decide(_ command: Command, _ transaction: inout CommandTransaction) throws -> Bool {
        let before = transaction.entries.count
        do {
          // The base executed the same command under its id, so a merge would execute it twice.
          if try base.repeated(command.identified) != nil { return true }
          try command.decide(in: &transaction)
          for case let id? in transaction.entries.dropFirst(before).map(\.event.id) {
            if let position = try base.position(of: id) { throw EventStoreError.duplicateEvent(id, at: position) }
          }
          return true
        } catch {
          refused.append(try Conflict(command, refusedBy: error))
          return false
        }
      }
      var accepted: [Command] = []
      for command in commands {
        let before = transaction.entries.count
        if try decide(command, &transaction) {
          accepted.append(command)
        } else if transaction.entries.count > before {
          // Re-decide without the events that the refused command had added before its refusal.
          transaction.startOver()
          for earlier in accepted { _ = try decide(earlier, &transaction) }
        }
      }
      if !refused.isEmpty { throw MergeError(refused: refused, position: position, count: commands.count) }
    }.receipt
  }
}
