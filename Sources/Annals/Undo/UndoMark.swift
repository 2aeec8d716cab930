/// What a transaction's commands are marked with, and what it finds out of how to take them back.
struct UndoMark: CommandMarking {
  let actor: String
  let step: String
  let title: String?
  /// What the step takes back; nil for one that is executed.
  let target: Metadata.UndoTarget?
  let deciders: UndoDeciders
  let makeID: () -> EventID
  /// The number of the step's last command.
  var count: Int
  /// What takes the commands back, by their first events.
  private(set) var reversals: [EventID: UndoReversal] = [:]

  init(
    actor: String, step: String, title: String?, target: Metadata.UndoTarget?, deciders: UndoDeciders, count: Int,
    makeID: @escaping () -> EventID
  ) {
    (self.actor, self.step, self.title, self.target) = (actor, step, title, target)
    (self.deciders, self.count, self.makeID) = (deciders, count, makeID)
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
    guard let events = events as? [D.Event] else { preconditionFailure("the events are of \(D.self)") }
    deciders.check(D.self)
    let reversal = UndoReversal(
      before: state, events, in: stream, isInBoundary: boundary != nil, revision)
    // What takes something back is noted also if nothing repeats it: else it would be taken back twice.
    if reversal == nil, target == nil { return nil }
    count += 1
    metadata.actor = actor
    (metadata.undoStep, metadata.undoTitle, metadata.undoTarget) = (step, title, target)
    (metadata.undoPart, metadata.undoDecider) = (count, D.undoName)
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
          "\(other) and \(decider) have the same name \"\(name)\" in the undo history; declare `undoName` in one of them"
        )
      }
      types[name] = decider
    }
    self.types = types
  }

  subscript(name: String) -> (any UndoableDecider.Type)? { types[name] }

  var names: [String] { types.keys.sorted() }

  /// Traps for a decider that would not be found again after a restart.
  func check(_ decider: any UndoableDecider.Type) {
    precondition(
      types[decider.undoName] == decider,
      "the undo history doesn't have the decider \(decider); add it to `deciders:`")
  }
}
