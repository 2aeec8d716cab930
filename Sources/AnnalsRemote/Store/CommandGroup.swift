import Annals
import AnnalsLog

/// Commands on one stream that are decided one after another, and committed with one message.
///
/// Every command is decided on the events that the previous commands have decided but not yet committed.
///
/// `@unchecked Sendable`: only the command that has the turn uses the group, and afterwards only the group's commit.
final class CommandGroup: @unchecked Sendable {
  /// The outcome of a decision.
  enum Decision {
    case append(Append)
    /// An error that is only valid if the group's appends are committed, because it was decided on their events.
    case refusal(any Error)
    /// The decision needs data that haven't been read yet, so the command is re-decided after the commit.
    case incomplete
  }

  private struct Member {
    let decision: Decision
    let waiter: CommandMemory.Waiter
  }

  /// The known part of the log.
  let known: RemoteSnapshot
  /// The number of the last command that waited before the log was read.
  ///
  /// For these commands, the log's events are current. A later command may have been called after another process's
  /// command that isn't in these events.
  private let lastNumber: Int
  private let log: DecisionLog
  private var transaction: CommandTransaction
  private var members: [Member] = []
  private var bytes = 0
  /// The number of commands, also of refused commands, and the bytes of payload at which a group is committed.
  private static let (mostMembers, mostBytes) = (256, 4 << 20)

  /// Creates a group without commands.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - trusts: True if the decisions assume that states in memory are current.
  ///   - lastNumber: The number of the last waiting command.
  convenience init(of store: any RemoteEventStore, trusts: Bool, lastNumber: Int) {
    self.init(of: store, RemoteSnapshot(of: store, trusts: trusts), lastNumber: lastNumber)
  }

  private init(of store: any RemoteEventStore, _ known: RemoteSnapshot, lastNumber: Int) {
    self.known = known
    self.lastNumber = lastNumber
    log = DecisionLog(known, environment: store.environment, runtime: store.commands.runtime, owner: store.commands)
    transaction = CommandTransaction(on: log, attempt: 1, command: nil)
  }

  /// True if no command has joined the group.
  var isEmpty: Bool { members.isEmpty }
  /// True if the group must be committed before another command is decided.
  var isFull: Bool {
    if case .incomplete? = members.last?.decision { return true }
    return members.count >= Self.mostMembers || bytes >= Self.mostBytes
  }

  /// True if the events that were read contain all events that were committed before a command was called.
  func isCurrent(for turn: CommandTurn) -> Bool { !known.hasTrusted && turn.number <= lastNumber }

  /// Runs a body that decides commands.
  ///
  /// After an error, the group contains no events of the body.
  func decide<T>(
    _ attempt: Int, _ command: IdentifiedCommand?, _ body: (inout CommandTransaction) throws -> T
  ) throws -> T {
    if isEmpty {
      transaction = CommandTransaction(on: log, attempt: attempt, command: command)
    } else {
      transaction.beginAppend(attempt: attempt, command: command)
    }
    do { return try body(&transaction) } catch {
      discard()
      throw error
    }
  }

  /// Discards the last decision, if the group isn't empty.
  func discard() { transaction.discardAppend() }

  /// The last decision as an append.
  var append: Append {
    var append = transaction.append
    // With this revision, the store refuses the append if values of the events were erased since the decision.
    append.revision = known.decidedOn
    return append
  }

  /// Keeps the states that result from committed appends.
  func settle(_ receipts: [Receipt]) { transaction.settle(receipts) }

  /// Converts an error to a conflict.
  ///
  /// - Parameters:
  ///   - error: The error of an append.
  ///   - store: The store.
  ///   - lastNumber: The number of the last command that was called before the append.
  /// - Returns: The conflict after which a command is re-decided, or nil for another error.
  func conflict(_ error: any Error, in store: any RemoteEventStore, lastNumber: Int) -> CommitConflict? {
    switch error {
    case let error as EventsConflict:
      let known = known.extended(by: error)
      return CommitConflict(
        error: error.conflict, next: known.map { CommandGroup(of: store, $0, lastNumber: lastNumber) })
    case let error as EventStoreError where error.isConflict || error.code == .rewritten:
      return CommitConflict(error: error)
    default: return nil
    }
  }

  /// Adds the command that has the turn.
  func add(_ decision: Decision, _ waiter: CommandMemory.Waiter) {
    members.append(Member(decision: decision, waiter: waiter))
    guard case .append(let append) = decision else { return }
    bytes += append.entries.reduce(0) { $0 + ($1.event.payload?.utf8.count ?? 0) }
  }

  /// Commits the appends.
  ///
  /// - Returns: The outcome for every command, in order.
  func commit(to store: any RemoteGroupingStore) async -> [(waiter: CommandMemory.Waiter, wake: CommandMemory.Wake)] {
    let appends = members.compactMap { if case .append(let append) = $0.decision { append } else { nil } }
    var results = (await store.appendGroup(appends, isChain: true))[...]
    let receipts = results.compactMap { try? $0.get() }
    let isCommitted = receipts.count == appends.count && receipts.allSatisfy { !$0.isRepeated }
    if isCommitted { settle(receipts) }
    let lastNumber = members.last?.waiter.number ?? 0
    return members.map { member in
      switch member.decision {
      case .append:
        switch results.popFirst() {
        case .failure(let error)?:
          if let conflict = conflict(error, in: store, lastNumber: lastNumber) {
            (member.waiter, .turn(after: conflict))
          } else {
            (member.waiter, .ended(.failure(error)))
          }
        case .success(let receipt)?: (member.waiter, .ended(.success(receipt)))
        case nil: (member.waiter, .turn(after: nil))
        }
      // The commit has shown that the decision's events were the newest events of the stream.
      case .refusal(let error) where isCommitted: (member.waiter, .ended(.failure(error)))
      case .refusal, .incomplete: (member.waiter, .turn(after: nil))
      }
    }
  }
}

/// The end of an attempt to commit a decision because another writer appended events, or data were erased.
struct CommitConflict: Error {
  let error: EventStoreError
  /// A group that knows the other writer's events, or nil if the next attempt must read them.
  var next: CommandGroup?
}
