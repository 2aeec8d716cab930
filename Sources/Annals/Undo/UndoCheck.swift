import Foundation

/// What must be true when an undo or a redo is decided, also when a draft with it is decided again: the step is there.
struct UndoCheck: Sendable, CustomStringConvertible {
  /// What is known of the actor's steps; it is brought up to date.
  let window: UndoWindow
  let step: UndoStep
  let isRedo: Bool

  func ensureHolds(in fold: UndoFold) throws {
    if fold.stack(isRedo: isRedo).contains(where: { $0.id == step.id }) { return }
    throw Self.missing(step, isRedo: isRedo, isReversed: fold.reversed.contains(step.id))
  }

  static func missing(_ step: UndoStep, isRedo: Bool, isReversed: Bool) -> UndoError {
    let word = isRedo ? "redo" : "undo"
    if isReversed {
      return UndoError(
        .alreadyReversed, "\(step) cannot be \(word)ne twice: it was taken back before; read the stacks again", step)
    }
    return UndoError(
      .notFound,
      "expected a step that can be \(word)ne, found \(step), which is not on the stack: a newer command has cleared "
        + "it, the history was compacted, or it is another actor's; read the stacks again", step)
  }

  var description: String { "\(isRedo ? "redo" : "undo") of \(step)" }
}

extension CommandTransaction {
  /// Throws if a step is not there to be taken back, after all that this transaction has decided.
  ///
  /// The append then conflicts with whatever the actor does meanwhile.
  ///
  /// - Parameters:
  ///   - check: The step, and what is known of the actor's steps.
  ///   - isFresh: True if that was read for this try, so that the condition alone says what came since.
  /// - Throws: ``UndoError``, ``EventStoreError``.
  mutating func check(_ check: UndoCheck, isFresh: Bool = false) throws {
    var window = check.window
    if !isFresh { try store.read { try window.update($0) } }
    var fold = window.fold
    // The times do not matter, and positions only set one event apart from the next.
    for (index, entry) in entries.enumerated() where entry.event.tags.contains(window.tag) {
      let id = entry.event.id ?? EventID(source: "", id: "\(index)")
      fold.fold(entry.event.metadata, entry.stream, id, at: Position(index + 1), .distantPast)
    }
    try check.ensureHolds(in: fold)
    let condition = Append.Condition(noneMatching: window.query, after: window.position)
    require(condition, of: window.revision, asking: KeptCommand(check) { try $0.check(check) })
  }
}
