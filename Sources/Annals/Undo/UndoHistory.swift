import Synchronization

/// What one actor has done, can take back, and can repeat.
///
/// Commands that are executed through a history are steps that can be undone. The log keeps all there is to know: the
/// events of a step say in their metadata which step it is, and the events of an undo which step it takes back. So the
/// history survives a restart, and is the same in all windows, processes and devices that share the log.
///
///     let history = UndoHistory(store, of: "ann", deciders: [Hall.self])
///     try history.execute(.take(2, "Bob"), on: Hall.self, id: "main", named: "Take Seat")
///     try history.undo()
///     try history.redo()
///
/// What takes a step back is decided by the domain (``UndoableDecider``) in the state in which the step was decided. It
/// is a command, decided on the state that there is now: if it is refused you get an ``UndoError``, nothing was
/// changed, and the step stays where it was.
///
/// Each actor takes back its own steps alone. Commands that are executed on the store itself are no one's steps. A new
/// step clears what could be repeated. A history works on every ``EventStore``, and on a ``Branch``, whose merge
/// decides an undo again like other commands.
///
/// You may make several histories of one actor, and use one from several threads.
public final class UndoHistory: Sendable {
  /// The log.
  public let store: any EventStore
  /// Whose history it is.
  ///
  /// The name stands in metadata and tags, which are never erased: let it say nothing by itself, such as a user's
  /// number.
  public let actor: String
  /// The largest number of steps that every stack of ``stacks()`` shows.
  public let levels: Int
  let deciders: UndoDeciders
  private let known: Mutex<Known>

  private struct Known: Sendable {
    var window: UndoWindow
    /// The same with what this history has committed since, if nothing else came before that.
    var latest: UndoWindow?
    var reversals = UndoReversals()
  }

  /// Creates the history of an actor; nothing is read yet.
  ///
  /// - Parameters:
  ///   - store: The log.
  ///   - actor: Whose history: what events have as their ``Metadata/actor``. An empty one traps.
  ///   - deciders: All deciders whose commands the actor executes through a history, each with an `undoName` of its
  ///     own; two of one name trap.
  ///   - levels: The largest number of steps that every stack of ``stacks()`` shows, 1 or more, by default 100. It
  ///     limits no undo: older steps appear as newer ones are undone.
  public init(_ store: any EventStore, of actor: String, deciders: [any UndoableDecider.Type], levels: Int = 100) {
    precondition(!actor.isEmpty, "`actor` must not be empty")
    precondition(levels > 0, "`levels` must be at least 1 (was \(levels))")
    (self.store, self.actor, self.levels) = (store, actor, levels)
    self.deciders = UndoDeciders(deciders)
    known = Mutex(Known(window: UndoWindow(of: actor, levels: levels)))
  }

  /// What can be undone and redone now.
  ///
  /// - Returns: The stacks, as the log says at this moment.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(k log n) for the k events of the actor's steps that came since the last call; at first for those
  ///   of as many steps as there are levels.
  public func stacks() throws -> UndoStacks {
    let window = try window()
    return UndoStacks(
      undo: Array(window.fold.undo.suffix(levels)), redo: Array(window.fold.redo.suffix(levels)),
      position: window.position)
  }

  /// Begins a step of several commits.
  ///
  /// - Parameter title: What the step is called on a screen: `"Typing"`.
  /// - Returns: The group; give it to each of its commands.
  public func group(named title: String? = nil) -> UndoGroup {
    UndoGroup(id: store.environment.makeID(), title: title)
  }

  /// What is known of the steps, brought up to date.
  func window() throws -> UndoWindow {
    // No lock is held while the log is read. Of two threads that read, the one that saw more is kept.
    var window = known.withLock { $0.window }
    try store.read { try window.update($0) }
    known.withLock { known in
      if window.position >= known.window.position || window.revision != known.window.revision {
        known.window = window
        known.latest = window
      }
      known.reversals.keep(window.revision)
    }
    return window
  }

  /// What takes a command back, as it was found out when it was executed, or is found out now.
  func reversal(of part: UndoPart, in step: UndoStep, _ window: UndoWindow) throws -> UndoReversal {
    let find = { self.known.withLock { $0.reversals.find(part.id, window.revision) } }
    if let found = find() { return found }
    guard let decider = deciders[part.subject.decider] else {
      throw UndoError(
        .unknownDecider,
        "\(step) was decided by \"\(part.subject.decider)\"; expected one of \(deciders.names): make the history with "
          + "it", step)
    }
    // All commands of the same stream are asked for at once: the stream is read once.
    let fold = window.fold
    let steps = Array(fold.undo.suffix(levels)) + fold.redo + [step]
    let parts = Set(steps.flatMap(\.parts))
    let wanted = parts.filter { $0.subject == part.subject }
    let found = try store.read { try Self.reversals(of: Array(wanted), by: decider, in: $0, step) }
    known.withLock { $0.reversals.add(found, limit: 8 * levels) }
    guard let reversal = found[part.id] else {
      throw UndoError(
        .irreversible, "\(step) cannot be taken back: \(decider) says so in the state in which it was decided", step)
    }
    return reversal
  }

  private static func reversals(
    of parts: [UndoPart], by decider: any UndoableDecider.Type, in log: any EventLog, _ step: UndoStep
  ) throws -> [EventID: UndoReversal] {
    try UndoReversal.all(of: parts, by: decider, in: log, for: step)
  }

  /// What is known of the steps without reading them, for one use; nil if the log has gone on since.
  ///
  /// Not for a draft, which keeps what it was asked with.
  func takeLatest() throws -> UndoWindow? {
    if store is any CommandKeeper { return nil }
    let latest = known.withLock { known in
      defer { known.latest = nil }
      return known.latest
    }
    return try latest?.position == store.head() ? latest : nil
  }

  /// The steps as they are now, read only if the log has new events that this history did not commit.
  func latestWindow(of revision: LogRevision) throws -> UndoWindow {
    let latest = store is any CommandKeeper ? nil : known.withLock { $0.latest }
    if let latest, latest.revision == revision, try latest.position == store.head() { return latest }
    return try window()
  }

  /// All steps of the log, read from the start.
  func allSteps() throws -> UndoFold {
    var window = UndoWindow(of: actor, levels: max(levels, try store.head().rawValue))
    try store.read { try window.update($0) }
    return window.fold
  }

  /// Keeps what takes commands back that were committed, and what they make of the stacks.
  ///
  /// - Parameters:
  ///   - mark: What they were marked with.
  ///   - entries: All events of their transaction.
  ///   - receipt: Where these went.
  ///   - window: What the transaction's condition has proved to be all that came before it; nil if it had none. It is
  ///     taken: a copy that is left elsewhere would have to be copied to be changed, which was a third of an undo.
  func keep(_ mark: UndoMark?, _ entries: [Append.Entry], at receipt: Receipt, after window: inout UndoWindow?) {
    known.withLock { known in
      if let mark { known.reversals.add(mark.reversals, limit: 8 * levels) }
      if window != nil {
        known.latest = nil
        swap(&known.latest, &window)
      } else if known.latest?.position.rawValue != receipt.position.rawValue - receipt.count {
        // Others may have been between the two.
        known.latest = nil
      }
      known.latest?.add(entries, at: receipt)
    }
  }

  func mark(_ step: String, _ title: String?, _ target: Metadata.UndoTarget? = nil, count: Int = 0) -> UndoMark {
    UndoMark(actor: actor, step: step, title: title, target: target, deciders: deciders, count: count) { [store] in
      EventID(source: store.source, id: store.environment.makeID())
    }
  }
}

/// What takes commands back, as far as it is known: the log says it as well, and slower.
struct UndoReversals: Sendable {
  private var found: [EventID: UndoReversal] = [:]
  private var order: [EventID] = []

  mutating func add(_ new: [EventID: UndoReversal], limit: Int) {
    for (id, reversal) in new where found.updateValue(reversal, forKey: id) == nil { order.append(id) }
    guard order.count > 2 * max(limit, new.count) else { return }
    for id in order.prefix(order.count - limit) { found[id] = nil }
    order.removeFirst(order.count - limit)
  }

  func find(_ id: EventID, _ revision: LogRevision?) -> UndoReversal? {
    found[id].flatMap { $0.revision == revision ? $0 : nil }
  }

  /// Forgets what was said before an erasure: it may have values that are gone.
  mutating func keep(_ revision: LogRevision?) {
    guard found.contains(where: { $0.value.revision != revision }) else { return }
    found = found.filter { $0.value.revision == revision }
    order = order.filter { found[$0] != nil }
  }
}
