import Synchronization

extension Branch {
  /// Changes which commands the branch has, and decides them again.
  ///
  /// - Parameters:
  ///   - toBaseEnd: True if the branch goes to its base's end; otherwise it stays where it is.
  ///   - change: The commands from now on; called again if others change the branch meanwhile.
  /// - Returns: The commands that are refused.
  /// - Throws: ``EventStoreError``, and what `change` throws.
  func change(
    toBaseEnd: Bool, _ change: ([BranchCommand]) throws -> [BranchCommand]
  ) throws -> [BranchConflict] {
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
        // What a branch that stands has below it must be there still.
        try read { _ in }
      }
      if let refused = try decideAgain(seen, commands, on: ground, isAsked: true) { return refused }
    }
  }

  /// Decides commands again elsewhere, and then shows what came of it, in one step.
  ///
  /// The commands are decided beside the branch and without a lock: others read it and write to it meanwhile.
  ///
  /// - Parameters:
  ///   - seen: The branch as it was when this began.
  ///   - commands: The commands.
  ///   - ground: Where they are decided.
  ///   - isAsked: True if a caller changes the commands, false if this is only for a read.
  /// - Returns: Those that are refused; nil if the branch or what is below it changed meanwhile, so that nothing was
  ///   done.
  /// - Throws: ``EventStoreError``.
  func decideAgain(
    _ seen: State, _ commands: [BranchCommand], on ground: BranchGround, isAsked: Bool = false
  ) throws -> [BranchConflict]? {
    let isErased = isAsked || ground.revision != seen.tail.ground.revision
    let (commands, place) = isErased ? try withoutErased(commands, of: seen) : (commands, seen.place)
    if seen.commands.isEmpty, commands.isEmpty, ground.revision == seen.tail.ground.revision {
      // The branch has nothing of its own: it goes on as its base does, and nothing is another than it was.
      let tail = BranchTail(ground, decision: seen.tail.decision, after: seen.tail.decisions)
      return try show(State(tail: tail, nextNumber: seen.nextNumber, place: place), instead: seen, isAsked) ? [] : nil
    }
    // A number is given once, also to a decision that no one sees: states are kept by it.
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
          // What cannot be read there now stays beside its command, as what is refused does.
          scratch.keep(BranchConflict(command, error))
        } catch {
          scratch.keep(try BranchConflict(command, refusedBy: error))
        }
      }
      return scratch
    }
    guard let scratch else { return nil }
    guard try base.revision() == ground.revision else { return nil }
    var made = scratch.state.withLock { $0 }
    (made.nextNumber, made.place) = (seen.nextNumber, place)
    return try show(made, instead: seen, isAsked) ? made.conflicts : nil
  }

  /// Executes a command of a branch at the end of this one, with the identities that its events had.
  ///
  /// - Returns: False if the base has the command by now, so that it is not decided again.
  /// - Throws: Why it is refused, ``EventStoreError`` or ``EventCodingError``; nothing was added then.
  func execute(again command: BranchCommand) throws -> Bool {
    if try repeated(command.identified) != nil { return false }
    state.withLock { $0.again = command }
    defer { state.withLock { $0.again = nil } }
    _ = try commitRetrying(command.identified, willCommit: {}) { try command.decide(in: &$0) }
    return true
  }

  private func keep(_ conflict: BranchConflict) {
    state.withLock { state in
      state.commands.append(conflict.command.undecided)
      state.conflicts.append(conflict)
    }
  }

  /// Shows another state, unless the branch is not what it was any more.
  private func show(_ made: State, instead seen: State, _ isAsked: Bool) throws -> Bool {
    try state.withLock { state in
      guard state.edition == seen.edition else { return false }
      if case .merging = state.phase { return false }
      if state.phase.isOpen {
        state.place = made.place
        try keep(orderOf: made.commands, in: &state, isOptional: !isAsked)
      }
      var made = made
      made.place = state.place
      (made.edition, made.lastDecision, made.phase) = (state.edition + 1, state.lastDecision, state.phase)
      state = made
      return true
    }
  }
}
