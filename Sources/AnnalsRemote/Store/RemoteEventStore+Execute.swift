public import Annals
public import AnnalsLog

/// The number of attempts before a command fails with its last conflict.
///
/// After a conflict, the losing command needs two round trips for its next attempt, but a command of another writer
/// needs only one. So a command might lose many times in a row.
private let maximumAttempts = 64

extension RemoteEventStore {
  /// Executes a command: reads the subject's events, decides, and appends the decided events.
  ///
  /// If the subject's state is in memory, the command needs one network round trip: the store decides the command based
  /// on that state, and appends the events. If another writer appended to the subject first, the store reads the new
  /// events and retries the command. If the decider refuses the command, the state in memory might be outdated. In this
  /// case too, the store reads the new events and retries the command. The store makes at most 64 attempts in total.
  /// Calls for the same subject run one after another.
  ///
  /// If the task is cancelled before the commit begins, no events are added. Once the commit has begun, you get the
  /// receipt, even in a cancelled task.
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
    _ command: IdentifiedCommand?, turn: WorkLanes.Key?, _ body: @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> (result: T?, receipt: Receipt) {
    try await commands.calls.counting {
      try await commands.inTurn(of: turn) {
        var conflict: EventStoreError?
        for attempt in 1...maximumAttempts {
          do {
            return try await commitOnce(command, attempt: attempt, body)
          } catch let error as CommitConflict {
            conflict = error.conflict
            environment.note(.conflicts, .count(1))
          }
        }
        throw EventStoreError.tooManyConflicts(
          attempts: maximumAttempts,
          "the command conflicted with other writers in each of its \(maximumAttempts) attempts, so no events were "
            + "added; retry when fewer writers append to the stream. The last conflict: "
            + (conflict?.message ?? "unknown"))
      }
    }
  }

  /// Makes one attempt to decide and to commit, based on the known part of the log.
  ///
  /// Throws a ``CommitConflict`` if another writer appended first.
  private func commitOnce<T: Sendable>(
    _ command: IdentifiedCommand?, attempt: Int, _ body: @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> (result: T?, receipt: Receipt) {
    var moment = RemoteSnapshot(of: self, trusts: attempt == 1)
    while true {
      let log = DecisionLog(moment, environment: environment, runtime: commands.runtime, owner: commands)
      var transaction = CommandTransaction(on: log, attempt: attempt, command: command)
      // A body may catch the error for missing data. The snapshot still records that data were missing.
      let decided = Result { try body(&transaction) }
      if moment.isIncomplete {
        try Task.checkCancellation()
        do {
          if let command, let first = try await moment.read(from: self, command.id) {
            return (nil, try command.repeated(first))
          }
          if command == nil { _ = try await moment.read(from: self, nil) }
        } catch let error as EventStoreError where error.code == .rewritten {
          throw CommitConflict(conflict: error)
        }
        continue
      }
      switch decided {
      case .failure where moment.hasTrusted:
        // States in memory may be outdated, so read the log before a command is refused.
        moment = RemoteSnapshot(of: self, trusts: false)
      case .failure(let error):
        if let command, let first = try await receipt(ofCommand: command.id) {
          return (nil, try command.repeated(first))
        }
        throw error
      case .success(let result):
        try environment.hook?(.willAppend(attempt: attempt))
        try Task.checkCancellation()
        do {
          var decided = transaction.append
          // With this revision, the store refuses the append if values of the events were erased since the decision.
          decided.revision = moment.decidedOn
          let receipt = try await append(decided)
          transaction.settle(receipt)
          return (receipt.isRepeated ? nil : result, receipt)
        } catch let error as EventStoreError where error.isConflict || error.code == .rewritten {
          throw CommitConflict(conflict: error)
        }
      }
    }
  }
}

extension StoreOperation {
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

/// An error for a decision during which another writer appended events, or data were erased.
private struct CommitConflict: Error {
  let conflict: EventStoreError
}
