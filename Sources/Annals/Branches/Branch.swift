import AnnalsLog
import Foundation
import Synchronization

/// A draft on top of a log: lists on the branch show the effects of its commands, but the log doesn't contain the
/// commands' events until you merge the branch.
///
/// A branch is an ``EventStore``. It has the events of its ``base`` up to its ``fork``, followed by the events of
/// commands on the branch. Deciders, controllers, transactions and time travel work as they do on every other store.
///
///     let draft = try store.branch()
///     try draft.execute(.rename(book, to: "Emma"), on: Shelf["main"])
///     // Lists on `draft` show the new title, lists on `store` the old one.
///     try draft.merge()
///
/// The branch keeps the commands in addition to their events, because `merge()` re-decides the commands: it calls
/// `decide` for each command with the base's current state. If a command is refused in that state, no events are added,
/// and `merge()` throws ``Branch/MergeError``. If you release a branch without a merge, the log doesn't change.
///
/// A branch is fixed or floating. A fixed branch keeps its fork until you call ``rebase(isolation:)``, and doesn't see
/// events that are appended to the base after the fork. A floating branch follows its base. If the base has new events,
/// the branch's next read moves the fork to the base's end, and re-decides the branch's commands.
///
/// A branch exists only in memory, unless you create it with ``EventStore/draft(named:deciders:)``, which keeps its
/// commands in the store. A branch doesn't support checkpoints, snapshots, saved lists, erasures or compactions. An
/// ``EventFollower`` needs checkpoints, so no follower can run on a branch. For example, a follower that sends emails
/// doesn't send an email for a command of a draft. If data are erased from the base, the branch no longer contains the
/// data, except for values in its own commands.
public final class Branch: EventStore, CommandKeeper {
  /// The store on which the branch is based, and to which a merge appends events.
  public let base: any EventStore
  /// True if the branch is floating, so that it gets new events of its base, or false if it is fixed.
  public let isFloating: Bool
  /// The branch's runtime, which notifies observers of commits to the branch and to its base.
  public let runtime: StoreRuntime
  let state: Mutex<State>
  private let role: Role
  /// True if the base is itself a branch, so that events before the fork may be re-decided.
  let hasMovingGround: Bool
  /// The storage of the commands, or nil if they are only in memory.
  let keeping: DraftKeeping?

  private enum Role {
    /// A branch that a caller created.
    ///
    /// The token passes on the base's announcements, because an erasure or compaction of the base also changes the
    /// branch's history.
    case visible(StoreRuntime.Token)
    /// A branch that re-decides the commands of another branch on a consistent view of the base.
    case scratch(for: Branch, on: any EventLog)
  }

  struct State: Sendable {
    var tail: BranchTail
    var commands: [Command] = []
    /// The commands that were refused in the latest decision, with the reasons.
    var conflicts: [Conflict] = []
    /// The number of the next command.
    var nextNumber = 1
    /// The name, identifier and edition of the stored draft, or nil if the branch is only in memory.
    var version: DraftVersion?
    /// The largest number of a decision, including discarded decisions.
    var lastDecision = 0
    /// The number of changes to this state.
    var edition = 0
    /// The command that is being re-decided.
    var again: Command?
    var phase = Phase.open
  }

  enum Phase: Sendable {
    case open, merging, discarded
    case merged(Receipt)

    var isOpen: Bool { if case .open = self { true } else { false } }
  }

  init(
    _ base: any EventStore, on ground: BranchGround, isFloating: Bool, keeping: DraftKeeping? = nil,
    at version: DraftVersion? = nil, _ commands: [Command] = [], nextNumber: Int = 1
  ) throws {
    self.base = base
    self.isFloating = isFloating
    self.keeping = keeping
    runtime = StoreRuntime(ofBranchOf: base.runtime)
    hasMovingGround = try base.stableEnd() != nil
    state = Mutex(
      State(tail: BranchTail(ground, decision: 0), commands: commands, nextNumber: nextNumber, version: version))
    role = .visible(base.runtime.watchAll { [runtime] in runtime.announce($0.ofBranch(isFloating: isFloating)) })
  }

  /// Creates a branch that re-decides the commands of another branch, before the other branch shows the result.
  ///
  /// - Parameters:
  ///   - original: The other branch, under which the decider states are kept in memory.
  ///   - tail: The part of the branch after the fork, which doesn't contain events yet.
  ///   - view: A consistent view of the base.
  init(for original: Branch, _ tail: BranchTail, on view: any EventLog) {
    base = original.base
    isFloating = false
    role = .scratch(for: original, on: view)
    runtime = original.runtime
    hasMovingGround = original.hasMovingGround
    keeping = nil
    state = Mutex(State(tail: tail))
  }

  /// Reads a consistent view of the base.
  ///
  /// When commands are re-decided, all reads use the same view, which is one read transaction in a file.
  func readBase<T>(_ body: (any EventLog) throws -> T) throws -> T {
    if case .scratch(_, let view) = role { return try body(view) }
    return try base.read(body)
  }

  /// The last position that the branch shares with its base, after which the branch has its own events.
  public var fork: Position { state.withLock { $0.tail.fork } }
  /// The branch under which the decider states are kept in memory.
  var stateOwner: any StateOwner {
    if case .scratch(let original, _) = role { original } else { self }
  }

  /// The ``EventID/source`` of events that are created on the branch, which is the base's source.
  public var source: String { base.source }
  /// The base's environment, which contains the clock, the identifier generator and a closure for tests
  /// (``StoreEnvironment/hook``).
  public var environment: StoreEnvironment { base.environment }
  /// The base's interface for notifying controllers of commits that other stores and processes make, or `nil` if the
  /// base has none.
  public var externalWriters: (any ExternalWriters)? { base.externalWriters }

  /// The commands that were executed on the branch, in order, including commands that are currently refused.
  public var commands: [Command] { state.withLock { $0.commands } }

  /// The commands that were refused when the branch last decided them, in order, with the reasons.
  ///
  /// The array includes the refused commands of `propose`. These commands remain in ``commands``, but have no events.
  /// The next rebase or merge may accept them.
  public var conflicts: [Conflict] { state.withLock { $0.conflicts } }

  /// Commits an append to the branch, or throws and leaves the branch unchanged.
  ///
  /// A later merge appends these events to the base unchanged. In contrast, a command that you execute on the branch is
  /// re-decided by the merge, so the merge can append other events for the command.
  ///
  /// - Parameter append: The append to commit.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: ``EventStoreError`` (`.closed` if the branch was merged or discarded).
  public func commit(_ append: Append) throws -> Receipt {
    try commit(append, keeping: append.entries.isEmpty ? [] : [KeptCommand(append.entries)])
  }

  func commit(_ append: Append, keeping commands: [KeptCommand]) throws -> Receipt {
    try append.validate()
    _ = try append.cutPersonalFields()
    let prepared = append.identified(by: source, environment)
    while true {
      // An append without a decision applies to the branch's current end.
      if append.decidedOn.isEmpty { try read { _ in } }
      if let receipt = try commit(append, prepared, keeping: commands) { return receipt }
      if !append.decidedOn.isEmpty { throw EventStoreError.decidedAgain }
    }
  }

  /// - Returns: A receipt, or nil if the events before the fork were re-decided concurrently.
  private func commit(
    _ append: Append, _ prepared: [(entry: Append.Entry, id: EventID, time: Date)], keeping commands: [KeptCommand]
  ) throws -> Receipt? {
    try state.withLock { state in
      try state.checkIsOpen()
      // Refuse a command that can't be kept, before any change.
      let draft = try keeping.flatMap { keeping in
        commands.isEmpty
          ? nil : try keeping.codec.command(commands, number: state.nextNumber, append.identified)
      }
      guard append.decidedOn.allSatisfy({ $0.rebases == state.tail.decision }) else { return nil }
      return try readBase { log in
        if try newGround(state.tail, state.phase, !state.commands.isEmpty, log, mayLag: true) != nil { return nil }
        let moment = BranchSnapshot(base: log, tail: state.tail)
        if let first = try append.repeated({ try moment.receipt(ofCommand: $0) }) { return first }
        try moment.check(append)
        let (tail, isEmpty) = (state.tail, prepared.isEmpty)
        var versions: [StreamName: Int] = [:]
        for stream in Set(append.entries.map(\.stream)).union(append.expectations.keys) {
          versions[stream] = try moment.version(of: stream)
        }
        // Check all events before keeping any of them.
        let transaction = isEmpty ? nil : tail.transaction + 1
        var (events, fresh) = ([] as [StoredEvent], [:] as [EventID: Position])
        var former = state.again.map { FormerEvents($0.identities) }
        for (entry, id, time) in prepared {
          // Keep the identity and the time, so that readers recognize an event that they have seen.
          let before = former?.next(of: entry)
          let id = entry.event.id ?? before?.id ?? id
          if let known = try fresh[id] ?? moment.position(of: id) {
            throw EventStoreError.duplicateEvent(id, at: known)
          }
          versions[entry.stream, default: 0] += 1
          let event = StoredEvent(
            position: Position(tail.head.rawValue + events.count + 1), transaction: transaction ?? 0,
            stream: entry.stream, version: versions[entry.stream] ?? 0, id: id, type: entry.event.type,
            schema: entry.event.schema, time: entry.event.time ?? before?.time ?? time, tags: entry.event.tags,
            payload: entry.event.payload, metadata: entry.event.metadata)
          fresh[id] = event.position
          events.append(event)
        }
        let receipt = Receipt(
          position: Position(tail.head.rawValue + events.count), count: events.count, transaction: transaction,
          versions: versions)
        if let draft { try keep(draft, in: &state) }
        state.tail.append(events, append.receipts(receipt))
        if !commands.isEmpty { state.keep(commands, receipt, events, append.identified) }
        state.edition += 1
        return receipt
      }
    }
  }

  /// Ends the branch without a merge, so that it accepts no more commands.
  ///
  /// Lists on the branch keep showing the branch's last state. The call has no effect on a merged branch, and doesn't
  /// stop a merge in progress. If you created the branch with ``EventStore/draft(named:deciders:)``, its kept commands
  /// are deleted from the store. If the store can't delete the commands now, for example because the disk is full, the
  /// draft still exists the next time the store is opened.
  public func discard() {
    let version: DraftVersion? = state.withLock { state in
      if case .merged = state.phase { return nil }
      // A merge in progress deletes the draft itself.
      let version = state.phase.isOpen ? state.version : nil
      state.phase = .discarded
      state.edition += 1
      return version
    }
    forget(version)
  }
}

extension Branch.State {
  /// Throws if the branch was merged or discarded, or is being merged.
  func checkIsOpen() throws {
    switch phase {
    case .open: break
    case .merging:
      throw EventStoreError(
        .busy, "the branch is being merged, so it accepts no other call; wait until merge() returns")
    case .discarded: throw EventStoreError(.closed, "the branch was discarded; create a new branch with store.branch()")
    case .merged(let receipt):
      throw EventStoreError(
        .closed, "the branch was merged at position \(receipt.position); create a new branch with store.branch()")
    }
  }

  fileprivate mutating func keep(
    _ kept: [KeptCommand], _ receipt: Receipt, _ events: [StoredEvent], _ identified: IdentifiedCommand?
  ) {
    if let again {
      commands.append(again.decided(receipt.events, events))
    } else {
      commands.append(Branch.Command(number: nextNumber, receipt.events, events, identified, kept: kept))
      nextNumber += 1
    }
  }
}

/// The identities and times of a command's events in the former decision, for the events of the new decision.
private struct FormerEvents {
  private struct Kind: Hashable {
    let (stream, type): (StreamName, String)
  }

  /// The remaining events by stream and type, the first event last.
  private var rest: [Kind: [Branch.Command.Identity]] = [:]

  init(_ identities: [Branch.Command.Identity]) {
    for one in identities.reversed() { rest[Kind(stream: one.stream, type: one.type), default: []].append(one) }
  }

  /// Removes and returns the next event with the stream and the type of a new event, or nil if none is left.
  mutating func next(of entry: Append.Entry) -> Branch.Command.Identity? {
    rest[Kind(stream: entry.stream, type: entry.event.type)]?.popLast()
  }
}

extension StoreRuntime.Announcement {
  /// Returns the base's announcement, converted for the branch's observers, because the caller committed to the base
  /// instead of the branch.
  fileprivate func ofBranch(isFloating: Bool) -> StoreRuntime.Announcement {
    switch self {
    case .commit(let caller), .below(let caller): isFloating ? .below(from: caller) : .commit(from: caller)
    case .ahead, .returned: .ahead(of: nil)
    }
  }
}
