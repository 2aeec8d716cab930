import Synchronization

extension Branch {
  /// Moves the branch's fork to its base's end, and re-decides the branch's commands based on the state at that
  /// position.
  ///
  /// Lists on the branch deliver one batch of changes, with the cause ``ChangeCause/rebase``. Lists in the caller's
  /// isolation deliver the batch before this function returns. A floating branch moves automatically, so you don't need
  /// to call this function.
  ///
  /// - Parameter isolation: The caller's isolation, which is the default.
  /// - Returns: The commands that are now refused. They are also in ``conflicts``, and remain in ``commands``.
  /// - Throws: ``EventStoreError``. In this case, the branch is unchanged.
  /// - Complexity: The total complexity of executing the branch's commands.
  @discardableResult
  public func rebase(isolation: isolated (any Actor)? = #isolation) throws -> [BranchConflict] {
    let refused = try change(toBaseEnd: true) { $0 }
    signal.announce(from: isolation)
    return refused
  }

  /// Removes a command from the branch, and re-decides the commands after it.
  ///
  /// Lists on the branch deliver one batch of changes, with the cause ``ChangeCause/rebase``.
  ///
  ///     try draft.drop(draft.commands[1])
  ///
  /// - Parameters:
  ///   - command: The command, identified by its number.
  ///   - isolation: The caller's isolation, which is the default.
  /// - Returns: The commands that are refused without the dropped command.
  /// - Throws: ``EventStoreError`` (`.notFound` if the branch doesn't have the command). In this case, the branch is
  ///   unchanged.
  /// - Complexity: The total complexity of executing the branch's commands.
  @discardableResult
  public func drop(
    _ command: BranchCommand, isolation: isolated (any Actor)? = #isolation
  ) throws -> [BranchConflict] {
    let refused = try change(toBaseEnd: isFloating) { commands in
      guard commands.contains(where: { $0.number == command.number }) else {
        throw Self.missing([command.number], of: commands)
      }
      return commands.filter { $0.number != command.number }
    }
    signal.announce(from: isolation)
    return refused
  }

  /// Reorders the branch's commands, and re-decides them in the new order.
  ///
  /// - Parameters:
  ///   - commands: The branch's ``commands``, each exactly once, in the new order.
  ///   - isolation: The caller's isolation, which is the default.
  /// - Returns: The commands that are refused in this order.
  /// - Throws: ``EventStoreError`` (`.notFound` if `commands` aren't exactly the commands of the branch). In this case,
  ///   the branch is unchanged.
  /// - Complexity: The total complexity of executing the branch's commands.
  @discardableResult
  public func reorder(
    _ commands: [BranchCommand], isolation: isolated (any Actor)? = #isolation
  ) throws -> [BranchConflict] {
    let numbers = commands.map(\.number)
    let refused = try change(toBaseEnd: isFloating) { present in
      guard numbers.sorted() == present.map(\.number).sorted() else { throw Self.missing(numbers, of: present) }
      let places = Dictionary(uniqueKeysWithValues: present.map { ($0.number, $0) })
      return numbers.compactMap { places[$0] }
    }
    signal.announce(from: isolation)
    return refused
  }

  private static func missing(_ numbers: [Int], of commands: [BranchCommand]) -> EventStoreError {
    EventStoreError(
      .notFound,
      "expected the numbers of the branch's commands, \(commands.map(\.number)), found \(numbers); reread the branch's "
        + "`commands`")
  }

  /// Creates a fixed branch at the base's end, and executes this branch's commands on the new branch.
  ///
  /// The new branch has the same commands on top of a different position in the base. This branch doesn't change. You
  /// can also omit or reorder commands:
  ///
  ///     let (newer, refused) = try draft.rebased()
  ///     let without = try draft.rebased(draft.commands.filter { $0.number != 2 }).branch
  ///
  /// - Parameters:
  ///   - commands: Commands from any branches with the same base, in the order in which to decide the commands. The
  ///     default is this branch's commands.
  ///   - position: The fork of the new branch, which must be the end of a transaction. The default is the base's end.
  /// - Returns: The new fixed branch, and the refused commands, which the new branch doesn't contain. Every command is
  ///   decided on a state that includes the accepted commands before that command. A command whose id was already used
  ///   in the base is omitted.
  /// - Throws: ``EventStoreError`` or ``EventCodingError``. In these cases, no branch was created.
  /// - Complexity: The total complexity of executing the branch's commands.
  public func rebased(
    _ commands: [BranchCommand]? = nil, at position: Position? = nil
  ) throws -> (branch: Branch, refused: [BranchConflict]) {
    let branch = try base.branch(at: position)
    var refused: [BranchConflict] = []
    for command in commands ?? self.commands {
      let number = branch.state.withLock { $0.nextNumber }
      do {
        if try branch.execute(again: command.numbered(number)) { branch.state.withLock { $0.nextNumber += 1 } }
      } catch {
        refused.append(try BranchConflict(command, refusedBy: error))
      }
    }
    return (branch, refused)
  }
}
