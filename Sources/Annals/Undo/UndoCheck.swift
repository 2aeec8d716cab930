import Foundation

/// The condition of an undo or a redo: the step must be on its stack.
///
/// The condition is also checked when a draft is re-decided.
struct UndoCheck: Sendable, CustomStringConvertible {
  /// The known steps of the author, which are updated before they are used.
  let window: UndoWindow
  let step: UndoHistory.Step
  let isRedo: Bool

  func ensureHolds(in fold: UndoFold) throws {
    if fold.stack(isRedo: isRedo).contains(where: { $0.id == step.id }) { return }
    throw Self.missing(step, isRedo: isRedo, isReversed: fold.reversed.contains(step.id))
  }

  static func missing(_ step: UndoHistory.Step, isRedo: Bool, isReversed: Bool) -> UndoError {
    let word = isRedo ? "redo" : "undo"
    if isReversed {
      return UndoError(
        .alreadyReversed,
        "\(step) cannot be \(word)ne twice, because this step was already reversed. Call `stacks()` to get the current "
          + "steps", step)
    }
    return UndoError(
      .notFound,
      "\(step) cannot be \(word)ne, because this step is not on the \(word) stack: a newer command cleared the step, "
        + "the history was compacted, or the step belongs to another author. Call `stacks()` to get the current steps",
      step)
  }

  var description: String { "\(isRedo ? "redo" : "undo") of \(step)" }
}

extension CommandTransaction {
  /// Throws if a step can't be undone or redone after all decisions of this transaction.
  ///
  /// Otherwise, adds a condition, so that the append conflicts with any concurrent step of the author.
  ///
  /// - Parameters:
  ///   - check: The step, and the known steps of the author.
  ///   - isFresh: True if the known steps were read for this attempt, so that the condition covers all later events.
  /// - Throws: ``UndoError``, ``EventStoreError``.
  mutating func check(_ check: UndoCheck, isFresh: Bool = false) throws {
    var window = check.window
    if !isFresh { try log.read { try window.update($0) } }
    var fold = window.fold
    // The check doesn't use the times, and uses the positions only to distinguish events.
    for (index, entry) in entries.enumerated() where entry.event.tags.contains(window.tag) {
      let id = entry.event.id ?? EventID(source: "", id: "\(index)")
      fold.fold(entry.event.metadata, entry.stream, id, at: Position(index + 1), .distantPast)
    }
    try check.ensureHolds(in: fold)
    let condition = Append.Condition(noneMatching: window.query, after: window.position)
    require(condition, of: window.revision, asking: KeptCommand(check) { try $0.check(check) })
  }
}
