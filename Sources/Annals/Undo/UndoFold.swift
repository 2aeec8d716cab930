import Foundation

/// The stacks of one author, folded from the events of the author's steps.
struct UndoFold: Sendable {
  private(set) var undo: [UndoHistory.Step] = []
  private(set) var redo: [UndoHistory.Step] = []
  /// The steps that were undone or redone.
  private(set) var reversed: Set<String> = []
  /// True if a step may lack its first commands, because the fold doesn't begin with the log's first event or has
  /// dropped steps.
  private(set) var mayBeCut: Bool
  /// True if a command has cleared the steps to redo.
  ///
  /// After that, `redo` is complete.
  private(set) var hasCleared = false
  /// The steps that lack their first commands.
  ///
  /// Such an incomplete step can't be undone.
  private var cut: Set<String> = []

  init(mayBeCut: Bool) { self.mayBeCut = mayBeCut }

  mutating func fold(_ event: StoredEvent) {
    fold(event.metadata, event.stream, event.id, at: event.position, event.time)
  }

  /// Folds an event of a step, and ignores other events.
  mutating func fold(_ metadata: Metadata, _ stream: StreamName, _ id: EventID, at position: Position, _ time: Date) {
    guard let step = metadata.undoStep, let decider = metadata.undoDecider, let number = metadata.undoPart else {
      return
    }
    let subject = UndoPart.Subject(decider: decider, stream: stream, boundary: metadata.undoBoundary)
    let part = UndoPart(number: number, subject: subject, id: id, positions: [position])
    let target = metadata.undoTarget
    if target == nil { hasCleared = true }
    if let index = undo.lastIndex(where: { $0.id == step }) {
      undo[index].add(part, time)
      // A further command of a step clears the steps to redo, as the group's first command does.
      if target == nil { redo = [] }
      return
    }
    if let index = redo.lastIndex(where: { $0.id == step }) { return redo[index].add(part, time) }
    var new = UndoHistory.Step(
      id: step, title: metadata.undoTitle, time: time, position: position, target: target?.step,
      group: metadata.undoGroup)
    new.add(part, time)
    // If a step continued while another process undid it, it begins with the next command, so the first number can be
    // above 1.
    if mayBeCut, !reversed.contains(step), number != 1 || cut.contains(step) {
      cut.insert(step)
      if target == nil { redo = [] }
      return
    }
    guard let target else {
      undo.append(new)
      redo = []
      return
    }
    reversed.insert(target.step)
    cut.remove(target.step)
    if target.isRedo {
      redo.removeAll { $0.id == target.step }
      undo.append(new)
    } else {
      undo.removeAll { $0.id == target.step }
      redo.append(new)
    }
  }

  func stack(isRedo: Bool) -> [UndoHistory.Step] { isRedo ? redo : undo }

  /// Drops the oldest steps, so that the given number of steps remains.
  ///
  /// Returns false if there weren't more steps.
  mutating func keep(_ count: Int) -> Bool {
    if reversed.count > 64 * count { reversed = [] }
    if undo.count <= count { return false }
    // If a dropped step continues, its later commands are no longer the whole step.
    for step in undo.prefix(undo.count - count) { reversed.remove(step.id) }
    undo.removeFirst(undo.count - count)
    mayBeCut = true
    return true
  }
}

extension UndoHistory.Step {
  fileprivate mutating func add(_ part: UndoPart, _ time: Date) {
    self.time = time
    position = part.positions[0]
    if let last = parts.last, last.number == part.number, last.subject == part.subject {
      parts[parts.count - 1].positions += part.positions
    } else {
      parts.append(part)
    }
  }
}
