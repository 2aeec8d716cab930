import AnnalsLog

/// The marks for a transaction's commands, and the reversals of these commands.
struct UndoMark: CommandMarking {
  let author: String
  let step: String
  let title: String?
  /// The step that the commands reverse, or nil for an executed step.
  let target: Metadata.UndoTarget?
  let deciders: UndoDeciders
  let makeID: () -> EventID
  /// The number of the step's last command.
  var count: Int
  /// The reversals of the commands, by the id of a command's first event.
  private(set) var reversals: [EventID: UndoReversal] = [:]

  init(
    author: String, step: String, title: String?, target: Metadata.UndoTarget?, deciders: UndoDeciders, count: Int,
    makeID: @escaping () -> EventID
  ) {
    self.author = author
    self.step = step
    self.title = title
    self.target = target
    self.deciders = deciders
    self.count = count
    self.makeID = makeID
  }

  mutating func mark<D: Decider>(
    _ metadata: inout Metadata, _ events: [D.Event], before state: D, in stream: StreamName, _ boundary: EventQuery?,
    _ revision: LogRevision
  ) -> EventID? {
    guard let undoable = state as? any UndoableDecider else { return nil }
    return mark(&metadata, events, undoable, stream, boundary, revision)
  }

  private mutating func mark<D: UndoableDecider>(
    _ metadata: inout Metadata, _ events: [any Event], _ state: D, _ stream: StreamName, _ boundary: EventQuery?,
    _ revision: LogRevision
  ) -> EventID? {
    guard let events = events as? [D.Event] else {
      preconditionFailure(
        "expected events of type \(D.Event.self) from the decider \(D.self), found events of another type. Please "
          + "report this")
    }
    deciders.check(D.self)
    let reversal = UndoReversal(
      before: state, events, in: stream, isInBoundary: boundary != nil, revision)
    // Mark a reversal even if it can't be redone, because otherwise its target could be reversed twice.
    if reversal == nil, target == nil { return nil }
    count += 1
    metadata.author = author
    metadata.undoStep = step
    metadata.undoTitle = title
    metadata.undoTarget = target
    metadata.undoPart = count
    metadata.undoDecider = D.undoName
    metadata.undoBoundary = boundary?.canonicalText
    let id = makeID()
    reversals[id] = reversal
    return id
  }
}

/// The deciders of a history, by their names.
struct UndoDeciders: Sendable {
  private let types: [String: any UndoableDecider.Type]

  init(_ deciders: [any UndoableDecider.Type]) {
    var types: [String: any UndoableDecider.Type] = [:]
    for decider in deciders {
      let name = decider.undoName
      if let other = types[name], other != decider {
        preconditionFailure(
          "\(other) and \(decider) have the undo name \"\(name)\"; declare `undoName` in one of them"
        )
      }
      types[name] = decider
    }
    self.types = types
  }

  subscript(name: String) -> (any UndoableDecider.Type)? { types[name] }

  var names: [String] { types.keys.sorted() }

  /// Traps if a decider isn't one of the history's deciders, because it couldn't be found after a restart.
  func check(_ decider: any UndoableDecider.Type) {
    precondition(
      types[decider.undoName] == decider,
      "the undo history doesn't have the decider \(decider); add it to `deciders:`")
  }
}
