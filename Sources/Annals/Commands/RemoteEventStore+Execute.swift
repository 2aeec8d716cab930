/// How many times a command is decided before it fails with its last conflict.
///
/// One that lost needs two round trips for the next try, and a winner one: it may lose many times in a row.
private let maximumAttempts = 64

extension RemoteEventStore {
  /// Executes a command: reads the stream, decides, and appends what was decided.
  ///
  /// A command on a state that the store keeps in memory is one round trip: it is decided on that state, and the append
  /// finds out whether another writer came first. Then, or if such a state refuses the command, the stream's new events
  /// are read and the command is decided again, at most 64 times. Calls on one stream take turns.
  ///
  /// If the task is cancelled before the commit begins, nothing is added. Once it has begun you get the receipt, even
  /// in a cancelled task.
  ///
  /// - Parameters:
  ///   - command: What someone wants. It need not be `Sendable`, if you do not use it afterwards.
  ///   - decider: Who decides.
  ///   - id: Which of the decider's streams.
  ///   - commandID: What tells the command from every other, so that it is executed once: given again, also by another
  ///     process or after a crash, it adds nothing, and answers the first receipt.
  ///   - expected: What the stream must be; a conflict with it is thrown and not tried again.
  ///   - metadata: What the events say of themselves; `.caused(by: event)` for what an event led to.
  /// - Returns: Where the events went.
  /// - Throws: The decider's rejection, ``EventStoreError``, ``EventCodingError`` or `CancellationError`, and then
  ///   nothing was added.
  /// - Complexity: O(k) for the k events that came since the last command on the stream. O(n) for n events of a stream
  ///   whose state is not in memory.
  @discardableResult
  public func execute<D: Decider>(
    _ command: sending D.Command, on decider: D.Type, id: String, commandID: String? = nil,
    expecting expected: ExpectedVersion = .any, metadata: Metadata = [:]
  ) async throws -> Receipt {
    let identified = IdentifiedCommand.execute(commandID, command, on: decider, in: D.stream(id))
    let sent = RemoteCommand(command)
    return try await environment.monitored(.executing(D.self, on: D.stream(id), commandID)) {
      try await committing(identified, turn: .stream(D.stream(id))) { transaction in
        _ = try transaction.execute(sent.command, on: D.self, id: id, expecting: expected, metadata: metadata)
      }.receipt
    }
  }

  /// Executes a command on the events inside its boundary: reads them, decides, and appends what was decided.
  ///
  /// It does what ``execute(_:on:id:commandID:expecting:metadata:)`` does, with a boundary in the place of a stream.
  ///
  /// - Parameters:
  ///   - command: What someone wants. It need not be `Sendable`, if you do not use it afterwards.
  ///   - decider: Who decides.
  ///   - commandID: What tells the command from every other, so that it is executed once.
  ///   - metadata: What the events say of themselves.
  /// - Returns: Where the events went.
  /// - Throws: The decider's rejection, ``EventStoreError``, ``EventCodingError`` or `CancellationError`, and then
  ///   nothing was added.
  /// - Complexity: O(k) for the k events inside the boundary that came since the last command on it; O(m) for m events
  ///   inside a boundary whose state is not in memory.
  @discardableResult
  public func execute<D: BoundaryDecider>(
    _ command: sending D.Command, on decider: D.Type, commandID: String? = nil, metadata: Metadata = [:]
  ) async throws -> Receipt {
    let boundary = D.boundary(for: command)
    let identified = IdentifiedCommand.execute(commandID, command, on: decider)
    let sent = RemoteCommand(command)
    return try await environment.monitored(.executing(D.self, commandID)) {
      try await committing(identified, turn: .boundary(boundary)) { transaction in
        _ = try transaction.execute(sent.command, on: D.self, metadata: metadata)
      }.receipt
    }
  }

  /// Executes several commands as one transaction.
  ///
  /// The body runs at once, on what is known of the log. It runs again when it needed what was not read yet, and when
  /// another writer came first: what it does beside the transaction must tolerate that. Each stream that is not in
  /// memory is a round trip.
  ///
  /// - Parameter body: Executes commands on the transaction.
  /// - Returns: What the body returned.
  /// - Throws: What the body throws, ``EventStoreError``, ``EventCodingError`` or `CancellationError`, and then nothing
  ///   was added.
  @discardableResult
  public func transaction<T: Sendable>(
    _ body: @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> T {
    let outcome = try await environment.monitored(.executing()) { try await committing(nil, turn: nil, body) }
    guard let result = outcome.result else {
      preconditionFailure("a body without a command's id runs")
    }
    return result
  }

  /// Executes several commands as one transaction, once.
  ///
  /// - Parameters:
  ///   - commandID: What sets the whole apart from every other. If you give it again, nothing is added, and you get the
  ///     first receipt.
  ///   - body: Executes commands on the transaction; it may run several times.
  /// - Returns: Where the events went.
  /// - Throws: What the body throws, ``EventStoreError``, ``EventCodingError`` or `CancellationError`, and then nothing
  ///   was added.
  @discardableResult
  public func transaction(
    commandID: String, _ body: @Sendable (inout CommandTransaction) throws -> Void
  ) async throws -> Receipt {
    try await environment.monitored(.executing(commandID)) {
      try await committing(.transaction(commandID), turn: nil, body).receipt
    }
  }

  /// Runs a body and commits what it decided, again while it meets conflicts.
  ///
  /// - Returns: What the body returned, nil if the command was committed before; and where the events went.
  private func committing<T: Sendable>(
    _ command: IdentifiedCommand?, turn: WorkLanes.Key?, _ body: @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> (result: T?, receipt: Receipt) {
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
        "the command met a conflict in each of \(maximumAttempts) tries, and nothing was added; the last was: "
          + (conflict?.message ?? "unknown") + "; try again when fewer write to the stream")
    }
  }

  /// Decides once on what is there, and commits it; throws a ``CommitConflict`` if another writer came first.
  private func commitOnce<T: Sendable>(
    _ command: IdentifiedCommand?, attempt: Int, _ body: @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> (result: T?, receipt: Receipt) {
    var moment = RemoteMoment(of: self, trusts: attempt == 1)
    while true {
      var transaction = CommandTransaction(store: moment, attempt: attempt, command: command)
      // A body may catch what it is thrown; then the moment still says that something was missing.
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
        // What is in memory may be old: before a command is refused, the log is asked.
        moment = RemoteMoment(of: self, trusts: false)
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
          // Nothing is decided on what is erased by now.
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
    _ decider: D.Type, on stream: StreamName? = nil, _ commandID: String?
  ) -> StoreOperation {
    var operation = executing(commandID).details
    operation["stream"] = stream?.text
    return StoreOperation(.execute, ["decider": "\(D.self)"], details: operation)
  }

  fileprivate static func executing(_ commandID: String? = nil) -> StoreOperation {
    StoreOperation(.execute, details: commandID.map { ["command": $0] } ?? [:])
  }
}

/// Another writer came first, or something was erased meanwhile.
private struct CommitConflict: Error {
  let conflict: EventStoreError
}

/// A command on its way to where it is decided.
///
/// `@unchecked Sendable`: the caller has given the command away, and one task at a time has it.
private struct RemoteCommand<Command>: @unchecked Sendable {
  let command: Command

  init(_ command: sending Command) { self.command = command }
}
