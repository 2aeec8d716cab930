import Foundation

/// The stacks of one actor, folded from the events of the actor's steps.
struct UndoFold: Sendable {
  private(set) var undo: [UndoStep] = []
  private(set) var redo: [UndoStep] = []
  /// The steps that were taken back.
  private(set) var reversed: Set<String> = []
  /// True if events before the first one are not seen, or steps were forgotten, so that a step may have lost its
  /// beginning.
  private(set) var mayBeCut: Bool
  /// True if a command was seen that cleared what could be repeated before: from there on `redo` is all there is.
  private(set) var hasCleared = false
  /// The steps that have lost it: half of a step is not taken back.
  private var cut: Set<String> = []

  init(mayBeCut: Bool) { self.mayBeCut = mayBeCut }

  mutating func fold(_ event: StoredEvent) {
    fold(event.metadata, event.stream, event.id, at: event.position, event.time)
  }

  /// Folds an event of a step; others change nothing.
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
      // A group that goes on is a new command, as it was when it began.
      if target == nil { redo = [] }
      return
    }
    if let index = redo.lastIndex(where: { $0.id == step }) { return redo[index].add(part, time) }
    var new = UndoStep(id: step, title: metadata.undoTitle, time: time, position: position, target: target?.step)
    new.add(part, time)
    // A step that was taken back begins with the next command of its group, whose number may not be 1.
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

  func stack(isRedo: Bool) -> [UndoStep] { isRedo ? redo : undo }

  /// Forgets the oldest steps, so that so many are left; false if there were no more.
  mutating func keep(_ count: Int) -> Bool {
    if reversed.count > 64 * count { reversed = [] }
    if undo.count <= count { return false }
    // If a group of such a step continues, this is no longer the whole step.
    for step in undo.prefix(undo.count - count) { reversed.remove(step.id) }
    undo.removeFirst(undo.count - count)
    mayBeCut = true
    return true
  }
}

extension UndoStep {
  fileprivate mutating func add(_ part: UndoPart, _ time: Date) {
    (self.time, position) = (time, part.positions[0])
    if let last = parts.last, last.number == part.number, last.subject == part.subject {
      parts[parts.count - 1].positions += part.positions
    } else {
      parts.append(part)
    }
  }
}
