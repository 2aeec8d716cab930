public import Annals
public import AnnalsLog

/// The number of attempts before a command fails with its last conflict.
///
/// If the response to a refused append doesn't contain the new events, the next attempt needs two round trips, but a
/// command of another writer needs only one. So a command might lose many times in a row.
private let maximumAttempts = 64
/// The number of attempts before a command waits for commands whose boundaries might overlap.
private let freeAttempts = 3

extension RemoteEventStore {
  /// Executes a command: reads the subject's events, decides, and appends the decided events.
  ///
  /// If the subject's state is in memory, the command needs one network round trip: the store decides the command based
  /// on that state, and appends the events. If another writer appended to the subject first, the store retries the
  /// command on the new events. Some stores receive them in the response to the refused append. Other stores read them
  /// first. If the decider refuses the command, the state in memory might be outdated. In this case too, the store
  /// reads the new events and retries the command. The store makes at most 64 attempts in total.
  ///
  /// Calls for the same subject are decided one after another. Calls with other boundaries and transactions are decided
  /// one after another when they have lost three attempts, because their boundaries might overlap. While an append to a
  /// stream is being committed, more commands on the stream can queue. The store decides all of them, and then commits
  /// their appends with one message, if it can commit several appends together.
  ///
  /// If the task is cancelled before the command is decided, no events are added. Afterwards, you get the receipt, even
  /// in a cancelled task.
  ///
  /// - Parameters:
  ///   - command: The command to execute. It doesn't have to be `Sendable` if you don't use it afterwards.
  ///   - subject: The stream, such as `Hall["a"]`, or `CommandSubject.boundary(_:)` for a `BoundaryDecider`.
  ///   - commandID: An id that is unique in the log, or `nil`. A command with an id is executed only once. If you
  ///     repeat the call, even in another process or after a crash, it adds no events and returns the receipt of the
  ///     first call.
  ///   - metadata: Metadata to store with every event, such as `actor`. If an event caused the command, use
  ///     `.caused(by: event)`.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: The decider's rejection, `EventStoreError`, `EventCodingError` or `CancellationError`. After the code
  ///   `.unknownOutcome`, the events might have been added. In all other cases, no events were added.
  /// - Complexity: O(k) for the subject's k new events since the last command. If the state isn't in memory, O(n) for a
  ///   stream's n events, or for the n events inside a boundary.
  @discardableResult
  public func execute<D: Decider>(
    _ command: sending D.Command, on subject: CommandSubject<D>, commandID: String? = nil, metadata: Metadata = [:]
  ) async throws -> Receipt {
    let identified = IdentifiedCommand.execute(commandID, command, on: subject)
    let turn = subject.lane(for: command)
    let sent = SentCommand(command)
    return try await environment.monitored(.executing(D.self, turn, commandID)) {
      try await committing(identified, turn: turn) { transaction in
        _ = try transaction.execute(sent.command, on: subject, metadata: metadata)
      }.receipt
    }
  }

  /// Executes several commands as one transaction.
  ///
  /// The body first runs immediately, with the decider states in memory. The store reruns the body in three cases: the
  /// body needed data that the store hadn't read yet, the body threw an error that an outdated state in memory might
  /// have caused, or another writer appended first. So side effects of the body must tolerate repetition. Every stream
  /// whose state isn't in memory needs a network round trip.
  ///
  /// - Parameter body: A closure that executes commands on the transaction.
  /// - Returns: The body's result.
  /// - Throws: The body's error, `EventStoreError`, `EventCodingError` or `CancellationError`. After the code
  ///   `.unknownOutcome`, the events might have been added. In all other cases, no events were added.
  @discardableResult
  public func transaction<T: Sendable>(
    _ body: @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> T {
    let outcome = try await environment.monitored(.executing()) { try await committing(nil, turn: nil, body) }
    guard let result = outcome.result else {
      preconditionFailure("a transaction without a command id didn't run its closure. Please report this")
    }
    return result
  }

  /// Executes several commands as one transaction, at most once per id.
  ///
  /// - Parameters:
  ///   - commandID: The transaction's id, unique in the log. If you repeat the call, no events are added, and you get
  ///     the receipt of the first call.
  ///   - body: A closure that executes commands on the transaction. It can be called several times.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: The body's error, `EventStoreError`, `EventCodingError` or `CancellationError`. After the code
  ///   `.unknownOutcome`, the events might have been added. In all other cases, no events were added.
  @discardableResult
  public func transaction(
    commandID: String, _ body: @Sendable (inout CommandTransaction) throws -> Void
  ) async throws -> Receipt {
    try await environment.monitored(.executing(commandID)) {
      try await committing(.transaction(commandID), turn: nil, body).receipt
    }
  }

  /// Runs a body and commits its decisions, with retries after conflicts.
  ///
  /// - Returns: The receipt, and the body's result, which is nil if the command was committed before.
  private func committing<T: Sendable>(
    _ command: IdentifiedCommand?, turn key: WorkLanes.Key?, _ body: @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> (result: T?, receipt: Receipt) {
    try await commands.calls.counting {
      var turn = await CommandTurn(of: key, in: self)
      defer { turn.end() }
      try Task.checkCancellation()
      var conflict: CommitConflict?
      for attempt in 1...maximumAttempts {
        do {
          return try await commitOnce(command, attempt: attempt, after: conflict, &turn, body)
        } catch let error as CommitConflict {
          conflict = error
          environment.note(.conflicts, .count(1))
          if attempt == freeAttempts, await turn.waitForOverlapping() {
            // The events of the conflict aren't the newest events after the wait.
            conflict?.next = nil
            try Task.checkCancellation()
          }
        }
      }
      throw EventStoreError.tooManyConflicts(
        attempts: maximumAttempts,
        "the command conflicted with other writers in each of its \(maximumAttempts) attempts, so no events were "
          + "added; retry when fewer writers append to the stream. The last conflict: "
          + (conflict?.error.message ?? "unknown"))
    }
  }

  /// Makes one attempt to decide and to commit, based on the known part of the log.
  ///
  /// Throws a ``CommitConflict`` if another writer appended first.
  private func commitOnce<T: Sendable>(
    _ command: IdentifiedCommand?, attempt: Int, after conflict: CommitConflict?, _ turn: inout CommandTurn,
    _ body: @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> (result: T?, receipt: Receipt) {
    var group = turn.join(self, trusts: attempt == 1, next: conflict?.next)
    while true {
      // A body may catch the error for missing data. The snapshot still records that data were missing.
      let decided = Result { try group.decide(attempt, command, body) }
      if group.known.isIncomplete {
        try Task.checkCancellation()
        if !group.isEmpty {
          // Commit the group first, so that its commands don't wait for the read.
          _ = await turn.wait(for: .incomplete, in: group)
          group = turn.join(self, trusts: false)
          continue
        }
        do {
          let first = try await group.known.read(from: self, command?.id)
          if let command, let first { return (nil, try command.repeated(first)) }
        } catch let error as EventStoreError where error.code == .rewritten {
          throw CommitConflict(error: error)
        }
        continue
      }
      switch decided {
      case .failure where group.isEmpty && !group.isCurrent(for: turn):
        // States in memory may be outdated, so read the log before a command is refused.
        group = turn.join(self, trusts: false)
      case .failure(let error):
        if group.isEmpty {
          turn.end(leaving: group)
        } else if case .turn = await turn.wait(for: .refusal(error), in: group) {
          group = turn.join(self, trusts: attempt == 1)
          continue
        }
        if let command, let first = try await receipt(ofCommand: command.id) {
          return (nil, try command.repeated(first))
        }
        throw error
      case .success(let result):
        do {
          try environment.hook?(.willAppend(attempt: attempt))
          try Task.checkCancellation()
        } catch {
          group.discard()
          throw error
        }
        if let receipt = try await commit(group, &turn) { return (receipt.isRepeated ? nil : result, receipt) }
        group = turn.join(self, trusts: attempt == 1)
      }
    }
  }

  /// Commits the last decision, separately or together with its group.
  ///
  /// - Returns: The receipt, or nil if an earlier append of the group was invalid, so that this append wasn't tried.
  private func commit(_ group: CommandGroup, _ turn: inout CommandTurn) async throws -> Receipt? {
    let decided = group.append
    var conflict: CommitConflict?
    do {
      guard turn.isGrouping else {
        let receipt = try await append(decided)
        group.settle([receipt])
        return receipt
      }
      return try await environment.monitored(.appending(decided)) {
        switch await turn.commit(decided, in: group, of: self) {
        case .ended(let result): return try result.get()
        case .turn(let found?):
          conflict = found
          throw found.error
        case .turn(after: nil): return nil
        }
      }
    } catch { throw conflict ?? group.conflict(error, in: self, lastNumber: turn.number) ?? error }
  }
}

extension StoreOperation {
  static func appending(_ append: Append) -> StoreOperation {
    StoreOperation(.append, details: ["events": "\(append.entries.count)"])
  }

  fileprivate static func executing<D>(
    _ decider: D.Type, _ subject: WorkLanes.Key, _ commandID: String?
  ) -> StoreOperation {
    var operation = executing(commandID).details
    if case .stream(let stream) = subject { operation["stream"] = stream.text }
    return StoreOperation(.execute, ["decider": "\(D.self)"], details: operation)
  }

  fileprivate static func executing(_ commandID: String? = nil) -> StoreOperation {
    StoreOperation(.execute, details: commandID.map { ["command": $0] } ?? [:])
  }
}
