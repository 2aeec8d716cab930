import Synchronization

/// A draft on top of a log: commands that are decided and shown, and that the log does not have until they are merged.
///
/// A branch is an ``EventStore``. It has the events of its ``base`` up to its ``fork``, and after them what commands on
/// the branch lead to. Deciders, controllers, transactions and time travel work on it as on every other store. What the
/// base appends after the fork is not seen.
///
///     let draft = try store.branch()
///     try draft.execute(.rename(book, to: "Emma"), on: Shelf.self, id: "main")
///     // Lists on `draft` show the new title, lists on `store` the old one.
///     try draft.merge()
///
/// The branch keeps the commands and not only their events: `merge()` decides them again on the
/// base as it is then. If one of them is refused there, nothing is added, and you get a ``BranchConflicts``. A branch
/// that is let go without a merge leaves no trace.
///
/// A branch is in memory. It has no checkpoints, snapshots or saved lists, and erases and compacts nothing. So a
/// follower cannot stand on it: no mail is sent for a draft. If something is erased from the base, the branch does not
/// have it either, but for what its own commands say.
public final class Branch: EventStore, CommandKeeper {
  /// The log that the branch stands on.
  public let base: any EventStore
  /// The last position that the branch has in common with its base.
  public let fork: Position
  /// Notifies those who watch the branch of its commits.
  public let signal = CommitSignal()
  let state: Mutex<State>
  /// What is erased from the base or compacted there is another history of the branch, too.
  private let watch: CommitSignal.Token

  struct State: Sendable {
    var tail: BranchTail
    var commands: [BranchCommand] = []
    var phase = Phase.open
  }

  enum Phase: Sendable {
    case open, merging, discarded
    case merged(Receipt)
  }

  init(_ base: any EventStore, at fork: Position, afterTransaction transaction: Int) {
    (self.base, self.fork) = (base, fork)
    state = Mutex(State(tail: BranchTail(fork: fork, transaction: transaction)))
    watch = base.signal.watchAll { [signal] in signal.announce($0.ofBranch) }
  }

  /// The source that events made in the branch carry: that of the base.
  public var source: String { base.source }
  /// The time, the identifiers and the hook of the base.
  public var environment: StoreEnvironment { base.environment }
  /// Announces what other processes do to the base.
  public var otherWriters: (any OtherWriters)? { base.otherWriters }

  /// What was executed on the branch, in order.
  public var commands: [BranchCommand] { state.withLock { $0.commands } }

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

  /// Reads what belongs together: all answers of the log that the body gets are of one moment.
  public func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    // The base's part ends at the fork, so that it is of the same moment. No lock is held while a body reads.
    let tail = state.withLock { $0.tail }
    return try base.read { try body(BranchMoment(base: $0, tail: tail)) }
  }

  func commit(_ append: Append, keeping commands: [KeptCommand]) throws -> Receipt {
    try append.validate()
    _ = try append.cutPersonalFields()
    let prepared = append.identified(by: source, environment)
    return try state.withLock { state in
      try state.checkIsOpen()
      return try base.read { log in
        let moment = BranchMoment(base: log, tail: state.tail)
        if let id = append.commandID, let first = try moment.receipt(ofCommand: id) { return first.repeated() }
        try moment.check(append)
        // All of it is checked before any of it is kept.
        var tail = state.tail
        if !prepared.isEmpty { tail.beginTransaction() }
        for (entry, id, time) in prepared {
          if let known = try tail.ids[id] ?? moment.position(of: id) {
            throw EventStoreError.duplicateEvent(id, at: known)
          }
          let version = try tail.versions[entry.stream] ?? moment.version(of: entry.stream)
          tail.append(entry.event, id, at: time, to: entry.stream, after: version)
        }
        var versions: [StreamName: Int] = [:]
        for stream in Set(append.entries.map(\.stream)).union(append.expectations.keys) {
          versions[stream] = try tail.versions[stream] ?? moment.version(of: stream)
        }
        let receipt = Receipt(
          position: tail.head, count: prepared.count, transaction: prepared.isEmpty ? nil : tail.transaction,
          versions: versions)
        if let id = append.commandID { tail.keep(receipt, ofCommand: id) }
        state.tail = tail
        if !commands.isEmpty { state.keep(commands, receipt, append.commandID) }
        return receipt
      }
    }
  }

  /// Ends the branch without a merge: from here on it takes no command.
  ///
  /// What shows it goes on to show what it was. A branch that was merged stays so, and a merge that is under way is not
  /// stopped.
  public func discard() {
    state.withLock { state in
      if case .merged = state.phase { return }
      state.phase = .discarded
    }
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

  fileprivate mutating func keep(_ kept: [KeptCommand], _ receipt: Receipt, _ commandID: String?) {
    commands.append(
      BranchCommand(number: commands.count + 1, events: receipt.events, commandID: commandID, kept: kept))
  }
}

extension CommitSignal.Announcement {
  /// What those who watch a branch hear of it: the caller did not commit to the branch.
  fileprivate var ofBranch: CommitSignal.Announcement {
    if case .commit(let caller) = self { .commit(from: caller) } else { .ahead(of: nil) }
  }
}

extension EventStore {
  /// Begins a branch: a draft on top of the log.
  ///
  /// - Parameter position: Where it leaves the log, the end of a transaction; by default the log's end.
  /// - Returns: The branch, which has no commands yet.
  /// - Throws: ``EventStoreError``: with the code `notFound` if the log has no such position, or if it lies inside a
  ///   transaction; with `compacted` if the history there was compacted.
  /// - Complexity: O(log n) for n events of the log.
  public func branch(at position: Position? = nil) throws -> Branch {
    try read { log in
      let head = try log.head()
      let fork = position ?? head
      guard fork <= head else {
        throw EventStoreError(
          .notFound, "a branch at position \(fork): the log has the positions 0 to \(head)")
      }
      let horizon = try log.revision().compacted
      guard horizon.shows(fork) else {
        throw EventStoreError(
          .compacted,
          "a branch at position \(fork): the history up to \(horizon.horizon) was compacted; expected 0, or a position "
            + "from there on")
      }
      let last = fork > 0 ? try log.eventsBackwards(.all, after: 0, through: fork, limit: 1).first : nil
      if let last, let next = try log.events(.all, after: fork, through: nil, limit: 1).first,
        next.transaction == last.transaction
      {
        throw EventStoreError(
          .notFound,
          "a branch at position \(fork): it lies inside transaction \(last.transaction), which goes on at "
            + "\(next.position); expected the end of a transaction")
      }
      return Branch(self, at: fork, afterTransaction: last?.transaction ?? 0)
    }
  }
}
