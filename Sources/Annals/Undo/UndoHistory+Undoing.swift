import AnnalsLog

extension UndoHistory {
  /// Undoes a step by executing, in one transaction, the commands that reverse the step.
  ///
  /// - Parameters:
  ///   - step: The step to undo, or `nil` for the author's last step. If you pass an earlier step, only that step is
  ///     undone.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: ``UndoError``, ``EventStoreError`` or ``EventCodingError``. In these cases, the log is unchanged, and
  ///   you can undo the step later.
  /// - Complexity: The complexity of the commands that reverse the step. If the step was executed by another history
  ///   object, for example before a restart, the first undo also takes O(n) for the n events of the step's streams.
  @discardableResult
  public func undo(_ step: Step? = nil, isolation: isolated (any Actor)? = #isolation) throws -> Receipt {
    let receipt = try reverse(step, isRedo: false)
    store.runtime.announce(from: isolation)
    return receipt
  }

  /// Redoes a step by reversing the step's undo.
  ///
  /// - Parameters:
  ///   - step: The step to redo, or `nil` for the step that was undone last.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: The same errors as `undo`.
  @discardableResult
  public func redo(_ step: Step? = nil, isolation: isolated (any Actor)? = #isolation) throws -> Receipt {
    let receipt = try reverse(step, isRedo: true)
    store.runtime.announce(from: isolation)
    return receipt
  }

  /// Reverses a step, or the undo of a step, without notifying watchers.
  func reverse(_ step: Step?, isRedo: Bool, willCommit: () throws -> Void = {}) throws -> Receipt {
    // A retry after a conflict uses the same step, because the user has seen its name.
    var wanted = step
    var (window, mark, entries): (UndoWindow?, UndoMark?, [Append.Entry]) = (nil, nil, [])
    let receipt = try store.commitRetrying(nil, willCommit: willCommit) { transaction in
      // If the log has no events since this history's last commit, don't read the steps. Reading took half the time.
      if let latest = try takeLatest(), let target = try decide(wanted, isRedo: isRedo, on: latest, in: &transaction) {
        wanted = target
        window = latest
        mark = transaction.mark as? UndoMark
        entries = transaction.entries
        return
      }
      let latest = try self.window()
      let target = try target(wanted, isRedo: isRedo, in: latest.fold)
      try decide(target, isRedo: isRedo, of: latest, in: &transaction)
      wanted = target
      window = latest
      mark = transaction.mark as? UndoMark
      entries = transaction.entries
    }.receipt
    keep(mark, entries, at: receipt, after: &window)
    return receipt
  }

  /// Decides on the known steps without reading the log.
  ///
  /// - Returns: The step, or nil if the known steps weren't sufficient. In this case, the transaction was reset, and
  ///   the caller must read the log.
  private func decide(
    _ step: Step?, isRedo: Bool, on latest: UndoWindow, in transaction: inout CommandTransaction
  ) throws -> Step? {
    do {
      let target = try target(step, isRedo: isRedo, in: latest.fold)
      try decide(target, isRedo: isRedo, of: latest, in: &transaction)
      // After an erasure, the reversing commands may contain erased values.
      if transaction.isDecided(on: latest.revision) { return target }
    } catch is UndoError {}
    transaction.startOver()
    return nil
  }

  /// Decides the commands that reverse a step, as a part of a transaction.
  private func decide(
    _ target: Step, isRedo: Bool, of window: UndoWindow, in transaction: inout CommandTransaction
  ) throws {
    try transaction.check(UndoCheck(window: window, step: target, isRedo: isRedo), isFresh: true)
    let reversals = try target.parts.reversed().map {
      try reversal(of: $0, in: target, isRedo: isRedo, window)
    }
    transaction.mark = mark(store.environment.makeID(), target.title, .init(step: target.id, isRedo: isRedo))
    for reversal in reversals {
      do {
        try reversal.decide([:], in: &transaction)
      } catch {
        throw try Self.refusal(error, of: target, isRedo: isRedo, reversal)
      }
      if var mark = transaction.mark as? UndoMark {
        mark.endReversal()
        transaction.mark = mark
      }
    }
    if transaction.entries.isEmpty {
      throw UndoError(
        .withoutEffect,
        "the reversal of \(target) produces no events, so the \(isRedo ? "redo" : "undo") has no effect. Pass another "
          + "step of `stacks()`", target)
    }
  }

  /// Returns the requested step in its current form on the stack.
  private func target(_ wanted: Step?, isRedo: Bool, in fold: UndoFold) throws -> Step {
    let stack = fold.stack(isRedo: isRedo)
    guard let wanted else {
      if let last = stack.last { return last }
      throw isRedo
        ? UndoError(
          .nothingToRedo,
          "the author \"\(author)\" has no step to redo. Offer a redo only if `stacks().redo` isn't empty")
        : UndoError(
          .nothingToUndo,
          "the author \"\(author)\" has no step to undo. Offer an undo only if `stacks().undo` isn't empty")
    }
    if let found = stack.last(where: { $0.id == wanted.id }) { return found }
    throw UndoCheck.missing(wanted, isRedo: isRedo, isReversed: fold.reversed.contains(wanted.id))
  }

  /// - Throws: The given error, if it isn't the decider's rejection but another error that prevented the decision.
  private static func refusal(
    _ error: any Error, of step: Step, isRedo: Bool, _ reversal: UndoReversal
  ) throws -> UndoError {
    if error is EventStoreError || error is EventCodingError || error is CancellationError { throw error }
    var reason = sentence(of: error)
    if reason.hasSuffix(".") { reason.removeLast() }
    return UndoError(
      .refused,
      "\(step) cannot be \(isRedo ? "redone" : "undone") now, because its reversal "
        + "\(reversal.commands()) was refused: \(reason). The log is unchanged, so you can retry later",
      step,
      underlying: error)
  }
}
