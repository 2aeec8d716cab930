extension UndoHistory {
  /// Takes a step back: executes the commands that its deciders say, as one transaction.
  ///
  /// - Parameters:
  ///   - step: The step; nil for the actor's last one. One that is not the last can be given too: then it alone is
  ///     taken back.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: ``UndoError``, ``EventStoreError`` or ``EventCodingError``. Nothing was changed then, and the step can
  ///   be undone later.
  /// - Complexity: That of the commands, if this history has executed the step; else also O(n) for the n events of each
  ///   of its streams, once.
  @discardableResult
  public func undo(_ step: UndoStep? = nil, isolation: isolated (any Actor)? = #isolation) throws -> Receipt {
    let receipt = try reverse(step, isRedo: false)
    store.signal.announce(from: isolation)
    return receipt
  }

  /// Repeats a step: takes its undo back.
  ///
  /// - Parameters:
  ///   - step: The step; nil for the one that was undone last.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: As `undo`.
  @discardableResult
  public func redo(_ step: UndoStep? = nil, isolation: isolated (any Actor)? = #isolation) throws -> Receipt {
    let receipt = try reverse(step, isRedo: true)
    store.signal.announce(from: isolation)
    return receipt
  }

  /// Takes a step back, or the undo of one; announces nothing.
  func reverse(_ step: UndoStep?, isRedo: Bool, willCommit: () throws -> Void = {}) throws -> Receipt {
    // What is tried again after a conflict is the same step: a user has seen its name.
    var wanted = step
    var (window, mark, entries): (UndoWindow?, UndoMark?, [Append.Entry]) = (nil, nil, [])
    let receipt = try store.commitRetrying(nil, willCommit: willCommit) { transaction in
      // Where nothing came since this history's last commit, its steps are not read: that was half of the time.
      if let latest = try takeLatest(), let target = try decide(wanted, isRedo: isRedo, on: latest, in: &transaction) {
        (wanted, window) = (target, latest)
        (mark, entries) = (transaction.mark as? UndoMark, transaction.entries)
        return
      }
      let latest = try self.window()
      let target = try target(wanted, isRedo: isRedo, in: latest.fold)
      try decide(target, isRedo: isRedo, of: latest, in: &transaction)
      (wanted, window) = (target, latest)
      (mark, entries) = (transaction.mark as? UndoMark, transaction.entries)
    }.receipt
    keep(mark, entries, at: receipt, after: &window)
    return receipt
  }

  /// Decides on what is known without reading the steps.
  ///
  /// - Returns: The step; nil if that did not do, and then the transaction is as it was, and the log is asked.
  private func decide(
    _ step: UndoStep?, isRedo: Bool, on latest: UndoWindow, in transaction: inout CommandTransaction
  ) throws -> UndoStep? {
    do {
      let target = try target(step, isRedo: isRedo, in: latest.fold)
      try decide(target, isRedo: isRedo, of: latest, in: &transaction)
      // After an erasure, what takes a step back may have values that are gone.
      if transaction.isDecided(on: latest.revision) { return target }
    } catch is UndoError {}
    transaction.startOver()
    return nil
  }

  /// Decides what takes a step back.
  private func decide(
    _ target: UndoStep, isRedo: Bool, of window: UndoWindow, in transaction: inout CommandTransaction
  ) throws {
    try transaction.check(UndoCheck(window: window, step: target, isRedo: isRedo), isFresh: true)
    let reversals = try target.parts.reversed().map { try reversal(of: $0, in: target, window) }
    transaction.mark = mark(store.environment.makeID(), target.title, .init(step: target.id, isRedo: isRedo))
    for reversal in reversals {
      do {
        try reversal.decide([:], in: &transaction)
      } catch {
        throw try Self.refusal(error, of: target, isRedo: isRedo)
      }
    }
    if transaction.entries.isEmpty {
      throw UndoError(
        .withoutEffect, "nothing is left to take back of \(target): what would take it back leads to no events",
        target)
    }
  }

  /// The step that is meant, as the log has it now.
  private func target(_ wanted: UndoStep?, isRedo: Bool, in fold: UndoFold) throws -> UndoStep {
    let stack = fold.stack(isRedo: isRedo)
    guard let wanted else {
      if let last = stack.last { return last }
      throw isRedo
        ? UndoError(.nothingToRedo, "\(actor) has nothing to redo")
        : UndoError(.nothingToUndo, "\(actor) has nothing to undo")
    }
    if let found = stack.last(where: { $0.id == wanted.id }) { return found }
    throw UndoCheck.missing(wanted, isRedo: isRedo, isReversed: fold.reversed.contains(wanted.id))
  }

  /// - Throws: The error, if it does not say that the command is refused, but that it could not be decided.
  private static func refusal(_ error: any Error, of step: UndoStep, isRedo: Bool) throws -> UndoError {
    if error is EventStoreError || error is EventCodingError || error is CancellationError { throw error }
    return UndoError(
      .refused, "\(step) cannot be \(isRedo ? "redone" : "undone") now, and nothing was changed: \(error)", step,
      underlying: error)
  }
}
