import AnnalsLog
import Synchronization

/// The undo and redo history of one author, for example a user.
///
/// A command that you execute through a history is a step that the author can undo. The history is stored in the log,
/// as metadata of events. The metadata identifies an event's step. If the event results from an undo or a redo, the
/// metadata also identifies the step that was reversed. So the history survives a restart, and is the same in all
/// windows, processes and devices that share the log.
///
///     let history = UndoHistory(store, of: "ann", deciders: [Hall.self])
///     try history.execute(.take(2, "Bob"), on: Hall["main"], named: "Take Seat")
///     try history.undo()
///     try history.redo()
///
/// An ``UndoableDecider`` returns the commands that reverse a step, based on the state before the step. These commands
/// are then executed on the current state. If one of them is refused, the call throws an ``UndoError`` and leaves the
/// log unchanged, so you can try to undo the step later.
///
/// Authors undo only their own steps. Commands that you execute directly on the store belong to no author's steps.
/// A new step clears the steps to redo. A history works on every ``EventStore``, including a ``Branch``. When you merge
/// a branch, its undo steps are decided a second time, based on the base's current state, like all other commands of
/// the branch.
///
/// You can create several histories for one author, and use a history from several threads.
public final class UndoHistory: Sendable {
  /// The store whose log contains the history.
  public let store: any EventStore
  /// The author whose steps are in the history.
  ///
  /// The author's name is stored in events' metadata and tags, which are never erased. So use a name without personal
  /// data, such as a user's number.
  public let author: String
  /// The maximum number of steps in each stack that ``stacks()`` returns.
  public let levels: Int
  let deciders: UndoDeciders
  /// True for a draft, which keeps the conditions of its commands.
  private var keepsCommands: Bool { store is any CommandKeeper }
  private let known: Mutex<Known>

  private struct Known: Sendable {
    var window: UndoWindow
    /// The same steps including this history's later commits, or `nil` if other events were appended before these
    /// commits.
    var latest: UndoWindow?
    var reversals = UndoReversals()
  }

  /// Creates an author's history, without reading the log.
  ///
  /// - Parameters:
  ///   - store: The store whose log contains the history.
  ///   - author: The author whose steps are in the history, equal to the events' ``Metadata/author``. If the string is
  ///     empty, the program traps.
  ///   - deciders: All deciders whose commands the author executes through a history. If two deciders have the same
  ///     ``UndoableDecider/undoName``, the program traps.
  ///   - levels: The maximum number of steps in each stack that ``stacks()`` returns, at least 1 and by default 100.
  ///     This number doesn't limit undo, because older steps appear in the stack when newer steps are undone.
  public init(_ store: any EventStore, of author: String, deciders: [any UndoableDecider.Type], levels: Int = 100) {
    precondition(!author.isEmpty, "`author` must not be empty")
    precondition(levels > 0, "`levels` must be at least 1 (was \(levels))")
    self.store = store
    self.author = author
    self.levels = levels
    self.deciders = UndoDeciders(deciders)
    known = Mutex(Known(window: UndoWindow(of: author, levels: levels)))
  }

  /// Returns the steps that can currently be undone and redone.
  ///
  /// - Returns: The steps that the author can undo and redo, according to the log's current state.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(k log n) in a log of n events, where k is the number of the author's events since the last call.
  ///   In the first call, k is the number of events in the author's last s steps, where s is the history's ``levels``.
  public func stacks() throws -> Stacks {
    let window = try window()
    return Stacks(
      undo: Array(window.fold.undo.suffix(levels)), redo: Array(window.fold.redo.suffix(levels)),
      position: window.position)
  }

  /// Returns the known steps, updated from the log.
  func window() throws -> UndoWindow {
    // No lock is held while the log is read. If two threads read at the same time, the later steps are kept.
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

  /// Returns the reversal of a command.
  ///
  /// The reversal was determined when the command was executed, or is determined from the log.
  func reversal(of part: UndoPart, in step: Step, isRedo: Bool, _ window: UndoWindow) throws -> UndoReversal {
    let find = { self.known.withLock { $0.reversals.find(part.id, window.revision) } }
    if let found = find() { return found }
    guard let decider = deciders[part.subject.decider] else {
      throw UndoError(
        .unknownDecider,
        "\(step) cannot be reversed, because the decider \"\(part.subject.decider)\" executed the step's command, but "
          + "the undo history has only the deciders \(deciders.names); also pass this decider when you create the "
          + "history", step)
    }
    // Determine the reversals of all commands of the same stream together, so that the stream is read once.
    let fold = window.fold
    let steps = Array(fold.undo.suffix(levels)) + fold.redo + [step]
    let parts = Set(steps.flatMap(\.parts))
    let wanted = parts.filter { $0.subject == part.subject }
    let (found, irreversible) = try store.read { try Self.reversals(of: Array(wanted), by: decider, in: $0, step) }
    known.withLock { $0.reversals.add(found, limit: 8 * levels) }
    if let reversal = found[part.id] { return reversal }
    let events = irreversible[part.id] ?? "[…]"
    throw UndoError(
      .irreversible,
      "\(step) cannot be \(isRedo ? "redone" : "undone"), because \(decider).undoing(\(events)) returned nil. "
        + (isRedo ? "The undo of the step appended these events. " : "These events are in the log. ")
        + "Return commands that reverse the events", step)
  }

  private static func reversals(
    of parts: [UndoPart], by decider: any UndoableDecider.Type, in log: any EventLog, _ step: Step
  ) throws -> (found: [EventID: UndoReversal], irreversible: [EventID: String]) {
    try UndoReversal.all(of: parts, by: decider, in: log, for: step)
  }

  /// Returns the known steps for a single use, without reading the log, or nil if the log has new events.
  ///
  /// For a draft, the result is always nil, because a draft rechecks the conditions of its commands.
  func takeLatest() throws -> UndoWindow? {
    if keepsCommands { return nil }
    let latest = known.withLock { known in
      defer { known.latest = nil }
      return known.latest
    }
    return try latest?.position == store.head() ? latest : nil
  }

  /// Keeps the reversals of committed commands, and their effect on the stacks.
  ///
  /// - Parameters:
  ///   - mark: The mark of the commands.
  ///   - entries: All events of their transaction.
  ///   - receipt: The receipt of the transaction.
  ///   - window: The complete steps before the transaction, as proven by the transaction's condition, or nil without a
  ///     condition. The method sets the caller's variable to nil. If the caller kept the value, changing it would copy
  ///     it, which took a third of an undo's time.
  func keep(_ mark: UndoMark?, _ entries: [Append.Entry], at receipt: Receipt, after window: inout UndoWindow?) {
    known.withLock { known in
      if let mark { known.reversals.add(mark.reversals, limit: 8 * levels) }
      if window != nil {
        known.latest = nil
        swap(&known.latest, &window)
      } else if known.latest?.position.rawValue != receipt.position.rawValue - receipt.count {
        // Other writers may have appended events between the known steps and this transaction.
        known.latest = nil
      }
      known.latest?.add(entries, at: receipt)
    }
  }

  func mark(
    _ step: String, _ title: String?, _ target: Metadata.UndoTarget? = nil, in group: String? = nil, count: Int = 0
  ) -> UndoMark {
    UndoMark(
      author: author, step: step, title: title, target: target, group: group, deciders: deciders, count: count
    ) { [store] in
      EventID(source: store.source, id: store.environment.makeID())
    }
  }
}

/// A cache of known reversals, which can also be determined from the log, but more slowly.
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

  /// Drops reversals from before an erasure, because they may contain erased values.
  mutating func keep(_ revision: LogRevision?) {
    guard found.contains(where: { $0.value.revision != revision }) else { return }
    found = found.filter { $0.value.revision == revision }
    order = order.filter { found[$0] != nil }
  }
}
