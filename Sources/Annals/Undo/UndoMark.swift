import AnnalsLog

/// The marks for a transaction's commands, and the reversals of these commands.
struct UndoMark: CommandMarking {
  let author: String
  let step: String
  let title: String?
  /// The step that the commands reverse, or nil for an executed step.
  let target: Metadata.UndoTarget?
  /// The key of the step's group, or nil.
  let group: String?
  let deciders: UndoDeciders
  let makeID: () -> EventID
  /// The number of the step's last command.
  var count: Int
  /// The reversals of the commands, by the id of a command's first event.
  private(set) var reversals: [EventID: UndoReversal] = [:]
  /// The commands of the current reversal, whose events have the same number, or nil.
  private var open: Open?

  /// Commands of one reversal on the same stream and boundary.
  private struct Open {
    let id: EventID
    /// The state before the first command.
    let state: any UndoableDecider
    var events: [any Event]
    let stream: StreamName
    let boundary: String?
    let revision: LogRevision
  }

  init(
    author: String, step: String, title: String?, target: Metadata.UndoTarget?, group: String?, deciders: UndoDeciders,
    count: Int, makeID: @escaping () -> EventID
  ) {
    self.author = author
    self.step = step
    self.title = title
    self.target = target
    self.group = group
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
    let boundary = boundary?.canonicalText
    var id: EventID?
    if target == nil {
      let reversal = UndoReversal(before: state, events, in: stream, isInBoundary: boundary != nil, revision)
      guard let reversal else { return nil }
      let new = makeID()
      (count, reversals[new], id) = (count + 1, reversal, new)
    } else {
      // Mark a reversal even if it can't be redone, because otherwise its target could be reversed twice.
      id = addToOpen(events, state, stream, boundary, revision)
    }
    metadata.author = author
    metadata.undoStep = step
    metadata.undoTitle = title
    metadata.undoTarget = target
    metadata.undoGroup = group
    metadata.undoPart = count
    metadata.undoDecider = D.undoName
    metadata.undoBoundary = boundary
    return id
  }

  /// Adds a command's events to the current reversal, or to a new one if the stream or boundary is different.
  ///
  /// - Returns: The identity for the first event of a new number, or nil.
  private mutating func addToOpen(
    _ events: [any Event], _ state: any UndoableDecider, _ stream: StreamName, _ boundary: String?,
    _ revision: LogRevision
  ) -> EventID? {
    if let last = open, last.stream == stream, last.boundary == boundary {
      open?.events += events
      return nil
    }
    endReversal()
    count += 1
    let id = makeID()
    open = Open(id: id, state: state, events: events, stream: stream, boundary: boundary, revision: revision)
    return id
  }

  /// Keeps the reversal of the commands that were marked since the last call.
  ///
  /// A redo thus passes the events of all commands of one reversal to one call of `undoing`. The decider needs all of
  /// them, for example to close a stage whose undo has reopened the stage and restored its slots.
  mutating func endReversal() {
    guard let ended = open else { return }
    open = nil
    reversals[ended.id] = Self.reversal(of: ended, before: ended.state)
  }

  private static func reversal<D: UndoableDecider>(of ended: Open, before state: D) -> UndoReversal? {
    UndoReversal(
      before: state, ended.events.compactMap { $0 as? D.Event }, in: ended.stream,
      isInBoundary: ended.boundary != nil, ended.revision)
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

  /// Traps if a decider isn't one of the undo history's deciders, because it couldn't be found after a restart.
  func check(_ decider: any UndoableDecider.Type) {
    precondition(
      types[decider.undoName] == decider,
      "the undo history doesn't have the decider \(decider); add it to `deciders:`")
  }
}
