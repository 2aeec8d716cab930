import AnnalsLog
import Synchronization

/// The number of decisions after which a refusal is kept, even if the branch changed during the decision.
private let maximumDecisions = 16

extension Branch {
  /// Executes a command on the branch, or keeps the command as a conflict if it is refused.
  ///
  /// Use this function for the preview of a plan: all commands of the plan are then in ``commands``, and the refused
  /// commands are also in ``conflicts``. In contrast, `execute` throws the refusal, and the branch doesn't contain the
  /// refused command.
  ///
  ///     for move in plan {
  ///       if let conflict = try draft.propose(move, on: Programme["2026"]) { print(conflict.message) }
  ///     }
  ///
  /// The branch re-decides a conflict like all other commands, for example after ``drop(_:isolation:)``. If the command
  /// is accepted then, it is no longer a conflict. A draft that the store keeps under a name also keeps its conflicts.
  ///
  /// In a function that isn't `async`, Swift selects this overload, which decides on the caller's thread.
  ///
  /// - Parameters:
  ///   - command: The command to execute.
  ///   - subject: The stream, such as `Bookshop["main"]`, or ``CommandSubject/boundary(_:)`` for a ``BoundaryDecider``.
  ///   - commandID: An id that is unique in the log, or `nil`. If you repeat the call with this id, the command isn't
  ///     executed or kept a second time. If the first call returned a conflict that still exists, you get this
  ///     conflict.
  ///   - metadata: Metadata to store with every event, such as `actor`.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: The conflict that the branch keeps, or `nil` if the command was executed.
  /// - Throws: ``EventStoreError`` (`.closed` if the branch was merged or discarded, and `.commandReused` for an id
  ///   that was used for a different call), ``EventCodingError``, or ``Branch/DraftError`` if a named draft can't keep
  ///   the command. In these cases, the branch is unchanged.
  /// - Complexity: The same as executing the command.
  @discardableResult
  public func propose<D: Decider>(
    _ command: D.Command, on subject: CommandSubject<D>, commandID: String? = nil, metadata: Metadata = [:],
    isolation: isolated (any Actor)? = #isolation
  ) throws -> Conflict? {
    let identified = IdentifiedCommand.execute(commandID, command, on: subject)
    let (conflict, hasAdded) = try proposing(command, on: subject, identified, metadata)
    if hasAdded { runtime.announce(from: isolation) }
    return conflict
  }

  /// Executes a command on the branch, or keeps the command as a conflict, on the base store's own threads.
  ///
  /// In all other respects, this function behaves like the overload that isn't `async`. If the task is cancelled before
  /// the commit begins, the branch is unchanged.
  ///
  /// - Parameters:
  ///   - command: The command to execute. It is sent to another thread, but doesn't have to be `Sendable` if you don't
  ///     use it afterwards.
  ///   - subject: The stream, such as `Bookshop["main"]`, or ``CommandSubject/boundary(_:)`` for a ``BoundaryDecider``.
  ///   - commandID: An id that is unique in the log, or `nil`.
  ///   - metadata: Metadata to store with every event, such as `actor`.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: The conflict that the branch keeps, or `nil` if the command was executed.
  /// - Throws: The errors of the overload that isn't `async`, and `CancellationError`.
  /// - Complexity: The same as executing the command.
  @discardableResult
  public func propose<D: Decider>(
    _ command: sending D.Command, on subject: CommandSubject<D>, commandID: String? = nil, metadata: Metadata = [:],
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Conflict? {
    let identified = IdentifiedCommand.execute(commandID, command, on: subject)
    let lane = subject.lane(for: command)
    let sent = SentCommand(command)
    return try await committing(lane, isolation: isolation) { isCancelled in
      try self.proposing(sent.command, on: subject, identified, metadata) {
        if isCancelled() { throw CancellationError() }
      }
    }
  }

  private func proposing<D: Decider>(
    _ command: D.Command, on subject: CommandSubject<D>, _ identified: IdentifiedCommand?, _ metadata: Metadata,
    willCommit: () throws -> Void = {}
  ) throws -> (result: Conflict?, hasAdded: Bool) {
    var decisions = 0
    while true {
      // A floating branch first moves to its base's end, so the decision below is the last change of the branch.
      try read { _ in }
      // Don't hold the commands during the decision, because the commit would have to copy them.
      let (known, edition) = try state.withLock { (try $0.conflict(of: identified), $0.edition) }
      if let known { return (known, false) }
      if try repeated(identified) != nil { return (nil, false) }
      decisions += 1
      do {
        let receipt = try commitRetrying(identified, willCommit: willCommit) {
          try $0.execute(command, on: subject, metadata: metadata)
        }.receipt
        return (nil, receipt.count > 0 && !receipt.isRepeated)
      } catch {
        let kept = KeptCommand(command, on: subject, metadata.with(commandID: identified?.id), after: 0)
        let edition = decisions < maximumDecisions ? edition : nil
        if let conflict = try keep(kept, identified, refusedBy: error, at: edition) { return (conflict, false) }
      }
    }
  }

  /// Keeps a refused command at the branch's end.
  ///
  /// - Parameters:
  ///   - kept: The command.
  ///   - identified: The command's id, and the call for which the id was used.
  ///   - error: The refusal, or another error.
  ///   - edition: The branch's edition before the decision, or nil if any edition is accepted.
  /// - Returns: The conflict, or nil if the branch has another edition, so that the refusal might be outdated.
  /// - Throws: The given error if it isn't a refusal, ``EventStoreError`` or ``Branch/DraftError``. In these cases, the
  ///   branch wasn't changed.
  private func keep(
    _ kept: KeptCommand, _ identified: IdentifiedCommand?, refusedBy error: any Error, at edition: Int?
  ) throws -> Conflict? {
    try state.withLock { state in
      let command = Command(number: state.nextNumber, nil, [], identified, kept: [kept])
      let conflict = try Conflict(command, refusedBy: error)
      try state.checkIsOpen()
      if let edition, state.edition != edition { return nil }
      if let keeping {
        try keep(keeping.codec.command([kept], number: state.nextNumber, identified), in: &state)
      }
      state.commands.append(command)
      state.conflicts.append(conflict)
      state.nextNumber += 1
      state.edition += 1
      return conflict
    }
  }
}

extension Branch.State {
  /// Returns the conflict of the same call, or nil if the branch has no conflict with the call's id.
  ///
  /// - Throws: ``EventStoreError`` (`.commandReused` if the conflict's id was used for another call).
  fileprivate func conflict(of identified: IdentifiedCommand?) throws -> Branch.Conflict? {
    guard let identified, let known = conflicts.first(where: { $0.command.commandID == identified.id }) else {
      return nil
    }
    if let use = known.command.identified?.use, !use.isCompatible(with: identified.use) {
      throw EventStoreError(
        .commandReused,
        "expected a new command id, found \"\(identified.id)\". The branch already contains the refused command "
          + "\(known.command) with this id. Use another id, or drop the refused command first")
    }
    return known
  }
}
