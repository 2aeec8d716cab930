extension Branch {
  /// Makes a branch at the base's end, and decides commands of this one again on it.
  ///
  /// With it a draft follows what others do meanwhile. You can also leave commands out, or put them in another order:
  ///
  ///     let (draft, refused) = try draft.rebased()
  ///     let without = try draft.rebased(draft.commands.filter { $0.number != 2 }).branch
  ///
  /// This branch stays what it is; let go of it, or ``discard()`` it.
  ///
  /// - Parameters:
  ///   - commands: Commands of branches of the same base, in the order in which they are decided; by default those of
  ///     this branch.
  ///   - position: Where the new branch leaves the base, the end of a transaction; by default the base's end.
  /// - Returns: The new branch, and the commands that are refused there. Each is decided after those before it that are
  ///   not. A command whose id the base has by now is not decided again.
  /// - Throws: ``EventStoreError`` or ``EventCodingError``; there is no new branch then.
  /// - Complexity: That of executing the commands.
  public func rebased(
    _ commands: [BranchCommand]? = nil, at position: Position? = nil
  ) throws -> (branch: Branch, refused: [BranchConflict]) {
    let branch = try base.branch(at: position)
    var refused: [BranchConflict] = []
    for command in commands ?? self.commands {
      do {
        if let id = command.commandID {
          try branch.transaction(commandID: id, isolation: nil) { try command.decide(in: &$0) }
        } else {
          try branch.transaction(isolation: nil) { try command.decide(in: &$0) }
        }
      } catch {
        refused.append(try BranchConflict(command, refusedBy: error))
      }
    }
    return (branch, refused)
  }
}
