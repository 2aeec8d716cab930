import Foundation
import Synchronization

/// A draft on top of a log: commands that are decided and shown, and that the log does not have until they are merged.
///
/// A branch is an ``EventStore``. It has the events of its ``base`` up to its ``fork``, and after them what commands on
/// the branch lead to. Deciders, controllers, transactions and time travel work on it as on every other store. What the
/// base appends after the fork is not seen by a branch that stands.
///
///     let draft = try store.branch()
///     try draft.execute(.rename(book, to: "Emma"), on: Shelf.self, id: "main")
///     // Lists on `draft` show the new title, lists on `store` the old one.
///     try draft.merge()
///
/// The branch keeps the commands and not only their events: `merge()` decides them again on the
/// base as it is then. If one of them is refused there, nothing is added, and you get a ``BranchConflicts``. A branch
/// that is released without a merge leaves no trace.
///
/// A branch stands where it left its base, until you call ``rebase(isolation:)``. A branch that floats follows its
/// base: its next reader sees what the base has by then, and the branch's commands decided again on it.
///
/// A branch is in memory, unless the store keeps it under a name: ``EventStore/branch(keptAs:deciders:)``. It has no
/// checkpoints, snapshots or saved lists, and erases and compacts nothing. So a follower cannot stand on it: no mail is
/// sent for a draft. If something is erased from the base, the branch does not have it either, but for what its own
/// commands say.
public final class Branch: EventStore, CommandKeeper, StateHeir {
  /// The log that the branch stands on.
  public let base: any EventStore
  /// True if the branch follows its base; see ``EventStore/branch(floating:)``.
  public let isFloating: Bool
  /// Notifies those who watch the branch of its commits, and of those of the base.
  public let signal: CommitSignal
  let state: Mutex<State>
  /// The branch that this one decides for; nil if it is one that you have.
  private let original: Branch?
  /// The base at the moment that commands are decided again on; nil in a branch that you have.
  private let still: (any EventLog)?
  /// True if events below the branch may be decided again.
  let hasMovingGround: Bool
  /// What is erased from the base or compacted there is another history of the branch, too.
  private let watch: CommitSignal.Token?
  /// What keeps the commands over a restart; nil if they are in memory only.
  let keeping: DraftKeeping?

  struct State: Sendable {
    var tail: BranchTail
    var commands: [BranchCommand] = []
    /// Those commands that are refused where the branch stands, each with the reason.
    var conflicts: [BranchConflict] = []
    /// What the next command is called.
    var nextNumber = 1
    /// What is kept of the branch; nil if it is in memory only.
    var place: DraftPlace?
    /// The largest number that was given to a decision, also to one that came to nothing.
    var lastDecision = 0
    /// Counts the changes of all of this.
    var edition = 0
    /// The command that is decided again now.
    var again: BranchCommand?
    var phase = Phase.open
  }

  enum Phase: Sendable {
    case open, merging, discarded
    case merged(Receipt)

    var isOpen: Bool { if case .open = self { true } else { false } }
  }

  init(
    _ base: any EventStore, on ground: BranchGround, isFloating: Bool, keeping: DraftKeeping? = nil,
    at place: DraftPlace? = nil, _ commands: [BranchCommand] = [], nextNumber: Int = 1
  ) throws {
    (self.base, self.isFloating, original, still, self.keeping) = (base, isFloating, nil, nil, keeping)
    signal = CommitSignal(ofBranchOf: base.signal)
    hasMovingGround = try base.stableEnd() != nil
    state = Mutex(
      State(tail: BranchTail(ground, decision: 0), commands: commands, nextNumber: nextNumber, place: place))
    watch = base.signal.watchAll { [signal] in signal.announce($0.ofBranch) }
  }

  /// Creates one that decides the commands of another again, before that one shows what came of it.
  ///
  /// - Parameters:
  ///   - original: The other; states that are folded here are kept for it.
  ///   - tail: What the other is to have of its own, before its first command.
  ///   - still: The base, which stands still.
  init(for original: Branch, _ tail: BranchTail, on still: any EventLog) {
    (base, isFloating, self.original, self.still) = (original.base, false, original, still)
    (signal, hasMovingGround, watch, keeping) = (original.signal, original.hasMovingGround, nil, nil)
    state = Mutex(State(tail: tail))
  }

  /// Reads from the base: all that commands which are decided again read is of one moment, and in a file of one
  /// transaction.
  func readBase<T>(_ body: (any EventLog) throws -> T) throws -> T {
    if let still { return try body(still) }
    return try base.read(body)
  }

  /// The last position that the branch has in common with its base.
  public var fork: Position { state.withLock { $0.tail.fork } }
  /// The branch whose states are kept.
  var viewer: any EventStore { original ?? self }

  /// The source that events made in the branch carry: that of the base.
  public var source: String { base.source }
  /// The time, the identifiers and the hook of the base.
  public var environment: StoreEnvironment { base.environment }
  /// Announces what other processes do to the base.
  public var otherWriters: (any OtherWriters)? { base.otherWriters }

  /// What was executed on the branch, in order; also what is refused where the branch stands now.
  public var commands: [BranchCommand] { state.withLock { $0.commands } }

  /// Those commands that were refused when the branch's commands were decided last, in order, each with the reason.
  ///
  /// They are still among ``commands``, and lead to nothing. The next time they are decided they may be accepted.
  public var conflicts: [BranchConflict] { state.withLock { $0.conflicts } }

  /// Commits an append to the branch, or throws and changes nothing.
  ///
  /// Its events are merged as they are: nothing decides them again.
  ///
  /// - Parameter append: What to commit.
  /// - Returns: Where the events went.
  /// - Throws: ``EventStoreError``; with the code `closed` if the branch was merged or discarded.
  public func commit(_ append: Append) throws -> Receipt {
    try commit(append, keeping: append.entries.isEmpty ? [] : [KeptCommand(append.entries)])
  }

  func commit(_ append: Append, keeping commands: [KeptCommand]) throws -> Receipt {
    try append.validate()
    _ = try append.cutPersonalFields()
    let prepared = append.identified(by: source, environment)
    while true {
      // What was not decided here counts where the branch is now.
      if append.decidedOn.isEmpty { try read { _ in } }
      if let receipt = try commit(append, prepared, keeping: commands) { return receipt }
      if !append.decidedOn.isEmpty { throw EventStoreError.decidedAgain }
    }
  }

  /// - Returns: Where the events went; nil if what is below the branch was decided again meanwhile.
  private func commit(
    _ append: Append, _ prepared: [(entry: Append.Entry, id: EventID, time: Date)], keeping commands: [KeptCommand]
  ) throws -> Receipt? {
    try state.withLock { state in
      try state.checkIsOpen()
      // Before anything is done: what cannot be kept is refused.
      let draft = try keeping.flatMap { keeping in
        commands.isEmpty
          ? nil : try keeping.codec.command(commands, number: state.nextNumber, append.identified)
      }
      guard append.decidedOn.allSatisfy({ $0.rebases == state.tail.decision }) else { return nil }
      return try readBase { log in
        if try newGround(state, log, mayLag: true) != nil { return nil }
        let moment = BranchMoment(base: log, tail: state.tail)
        if let first = try append.repeated({ try moment.receipt(ofCommand: $0) }) { return first }
        try moment.check(append)
        // All of it is checked before any of it is kept.
        var tail = state.tail
        if !prepared.isEmpty { tail.beginTransaction() }
        var known = state.again?.identities ?? []
        for (entry, id, time) in prepared {
          // A reader that has seen the event before knows it by its identity and its time.
          let same = known.firstIndex { $0.type == entry.event.type && $0.stream == entry.stream }
          let before = same.map { known.remove(at: $0) }
          let id = entry.event.id ?? before?.id ?? id
          if let known = try tail.ids[id] ?? moment.position(of: id) {
            throw EventStoreError.duplicateEvent(id, at: known)
          }
          let version = try tail.versions[entry.stream] ?? moment.version(of: entry.stream)
          tail.append(
            entry.event, id, at: entry.event.time ?? before?.time ?? time, to: entry.stream, after: version)
        }
        var versions: [StreamName: Int] = [:]
        for stream in Set(append.entries.map(\.stream)).union(append.expectations.keys) {
          versions[stream] = try tail.versions[stream] ?? moment.version(of: stream)
        }
        let receipt = Receipt(
          position: tail.head, count: prepared.count, transaction: prepared.isEmpty ? nil : tail.transaction,
          versions: versions)
        for (id, receipt) in append.receipts(receipt) { tail.keep(receipt, ofCommand: id) }
        if let draft { try keep(draft, in: &state) }
        state.tail = tail
        if !commands.isEmpty { state.keep(commands, receipt, append.identified) }
        state.edition += 1
        return receipt
      }
    }
  }

  /// Ends the branch without a merge: from here on it takes no command.
  ///
  /// Lists on it keep showing what it was. A branch that was merged stays so, and a merge that is under way is not
  /// stopped. A draft that the store keeps is deleted there. If the store cannot do that now, because its disk is full,
  /// say, the draft is still there when it is opened the next time.
  public func discard() {
    let place: DraftPlace? = state.withLock { state in
      if case .merged = state.phase { return nil }
      // A merge that is under way deletes the draft itself.
      let place = state.phase.isOpen ? state.place : nil
      state.phase = .discarded
      state.edition += 1
      return place
    }
    forget(place)
  }
}

extension Branch.State {
  /// Refuses what comes after the end.
  func checkIsOpen() throws {
    switch phase {
    case .open: break
    case .merging:
      throw EventStoreError(
        .busy, "the branch is being merged; expected no other call meanwhile: wait until merge() has returned")
    case .discarded: throw EventStoreError(.closed, "the branch was discarded; make a new one with store.branch()")
    case .merged(let receipt):
      throw EventStoreError(
        .closed, "the branch was merged at position \(receipt.position); make a new one with store.branch()")
    }
  }

  fileprivate mutating func keep(_ kept: [KeptCommand], _ receipt: Receipt, _ identified: IdentifiedCommand?) {
    let events = Array(tail.events.suffix(receipt.count))
    if let again {
      commands.append(again.decided(receipt.events, events))
    } else {
      commands.append(BranchCommand(number: nextNumber, receipt.events, events, identified, kept: kept))
      nextNumber += 1
    }
  }
}

extension CommitSignal.Announcement {
  /// What those who watch a branch hear of it: the caller did not commit to the branch.
  fileprivate var ofBranch: CommitSignal.Announcement {
    if case .commit(let caller) = self { .commit(from: caller) } else { .ahead(of: nil) }
  }
}
