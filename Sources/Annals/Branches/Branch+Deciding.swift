import Synchronization

extension Branch {
  /// Changes the commands of the branch, and re-decides them.
  ///
  /// - Parameters:
  ///   - toBaseEnd: True if the branch moves to its base's end, or false if it keeps its fork.
  ///   - change: A closure that returns the new commands. It is called more than once if the branch changes
  ///     concurrently.
  /// - Returns: The refused commands.
  /// - Throws: ``EventStoreError``, and the errors of `change`.
  func change(
    toBaseEnd: Bool, _ change: ([Command]) throws -> [Command]
  ) throws -> [Conflict] {
    while true {
      let seen = state.withLock { $0 }
      try seen.checkIsOpen()
      let commands = try change(seen.commands)
      let ground = try base.read { log in
        if toBaseEnd { return try BranchGround(endOf: log) }
        let known = seen.tail.ground
        return BranchGround(fork: known.fork, transaction: known.transaction, revision: try log.revision())
      }
      if !toBaseEnd {
        // The events below a fixed branch must still exist.
        try read { _ in }
      }
      if let refused = try decideAgain(seen, commands, on: ground, isAsked: true) { return refused }
    }
  }

  /// Re-decides commands on a different fork or revision of the base, and then shows the result in one step.
  ///
  /// The commands are decided in a separate branch without a lock, so that other callers can read and write this
  /// branch.
  ///
  /// - Parameters:
  ///   - seen: The branch's state that the caller has read.
  ///   - commands: The commands.
  ///   - ground: The fork and the base's revision on which the commands are decided.
  ///   - isAsked: True if a caller changes the commands, or false if the commands are re-decided only for a read.
  /// - Returns: The refused commands, or nil if the branch or its base changed concurrently, so that the branch wasn't
  ///   changed.
  /// - Throws: ``EventStoreError``.
  func decideAgain(
    _ seen: State, _ commands: [Command], on ground: BranchGround, isAsked: Bool = false
  ) throws -> [Conflict]? {
    let isErased = isAsked || ground.revision != seen.tail.ground.revision
    let (commands, version) = isErased ? try withoutErased(commands, of: seen) : (commands, seen.version)
    if seen.commands.isEmpty, commands.isEmpty, ground.revision == seen.tail.ground.revision {
      // The branch has no commands, so it can adopt the base's new end, and no event differs from before.
      let tail = BranchTail(ground, decision: seen.tail.decision, after: seen.tail.decisions)
      return try show(State(tail: tail, nextNumber: seen.nextNumber, version: version), instead: seen, isAsked)
        ? [] : nil
    }
    // A number is used only once, even for a discarded decision, because kept states refer to it.
    let number = state.withLock { state in
      state.lastDecision += 1
      return state.lastDecision
    }
    let scratch = try base.read { log -> Branch? in
      guard try log.revision() == ground.revision else { return nil }
      let scratch = Branch(for: self, BranchTail(ground, decision: number, after: seen.tail.decisions), on: log)
      for command in commands {
        do {
          _ = try scratch.execute(again: command)
        } catch let error as EventCodingError {
          // If the events on which a command is decided can't be decoded, the command stays in the branch, like a
          // refused command.
          scratch.keep(Conflict(command, error))
        } catch {
          scratch.keep(try Conflict(command, refusedBy: error))
        }
      }
      return scratch
    }
    guard let scratch else { return nil }
    guard try base.revision() == ground.revision else { return nil }
    var made = scratch.state.withLock { $0 }
    made.nextNumber = seen.nextNumber
    made.version = version
    return try show(made, instead: seen, isAsked) ? made.conflicts : nil
  }

  /// Executes another branch's command at the end of this branch, with the identities of the command's former events.
  ///
  /// - Returns: False if the base has executed the command since, so that the command isn't re-decided.
  /// - Throws: The refusal, ``EventStoreError`` or ``EventCodingError``. In these cases, no events were added.
  func execute(again command: Command) throws -> Bool {
    if try repeated(command.identified) != nil { return false }
    state.withLock { $0.again = command }
    defer { state.withLock { $0.again = nil } }
    _ = try commitRetrying(command.identified, willCommit: {}) { try command.decide(in: &$0) }
    return true
  }

  private func keep(_ conflict: Conflict) {
    state.withLock { state in
      state.commands.append(conflict.command.undecided)
      state.conflicts.append(conflict)
    }
  }

  /// Replaces the branch's state, unless the state has changed since it was read.
  private func show(_ made: State, instead seen: State, _ isAsked: Bool) throws -> Bool {
    try state.withLock { state in
      guard state.edition == seen.edition else { return false }
      if case .merging = state.phase { return false }
      if state.phase.isOpen {
        state.version = made.version
        try keep(orderOf: made.commands, in: &state, isOptional: !isAsked)
      }
      var made = made
      made.version = state.version
      made.edition = state.edition + 1
      made.lastDecision = state.lastDecision
      made.phase = state.phase
      state = made
      return true
    }
  }
}
