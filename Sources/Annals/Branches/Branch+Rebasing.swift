import Synchronization

extension Branch {
  /// Moves the branch's ``fork`` to the end of its base, and re-decides the branch's commands based on the base's
  /// current state.
  ///
  /// Lists on the branch deliver one batch of changes, with the cause ``ChangeCause/rebase``. Lists in the caller's
  /// isolation deliver the batch before this function returns.
  ///
  /// To re-decide a command, the branch calls the decider's `decide` with the new state. A floating branch moves its
  /// fork automatically, so it doesn't need this function.
  ///
  /// - Parameter isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: The commands that are now refused. They are also in ``conflicts``, and remain in ``commands``.
  /// - Throws: ``EventStoreError``. In this case, the branch is unchanged.
  /// - Complexity: The same as executing all commands of the branch.
  @discardableResult
  public func rebase(isolation: isolated (any Actor)? = #isolation) throws -> [Conflict] {
    let refused = try change(toBaseEnd: true) { $0 }
    runtime.announce(from: isolation)
    return refused
  }

  /// Removes a command from the branch, and re-decides the remaining commands.
  ///
  /// Lists on the branch deliver one batch of changes, with the cause ``ChangeCause/rebase``.
  ///
  ///     try draft.drop(draft.commands[1])
  ///
  /// - Parameters:
  ///   - command: The command to remove. The branch finds it by its ``Branch/Command/number``.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: All commands of the branch that are refused after the removal.
  /// - Throws: ``EventStoreError`` (`.notFound` if the branch doesn't have the command). In this case, the branch is
  ///   unchanged.
  /// - Complexity: The same as executing all commands of the branch.
  @discardableResult
  public func drop(
    _ command: Command, isolation: isolated (any Actor)? = #isolation
  ) throws -> [Conflict] {
    let refused = try change(toBaseEnd: isFloating) { commands in
      guard commands.contains(where: { $0.number == command.number }) else {
        throw Self.missing([command.number], of: commands)
      }
      return commands.filter { $0.number != command.number }
    }
    runtime.announce(from: isolation)
    return refused
  }

  /// Reorders the branch's commands, and re-decides them in the new order.
  ///
  /// - Parameters:
  ///   - commands: The branch's ``commands``, each exactly once, in the new order.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: The commands that are refused in the new order.
  /// - Throws: ``EventStoreError`` (`.notFound` if `commands` aren't exactly the commands of the branch). In this case,
  ///   the branch is unchanged.
  /// - Complexity: The same as executing all commands of the branch.
  @discardableResult
  public func reorder(
    _ commands: [Command], isolation: isolated (any Actor)? = #isolation
  ) throws -> [Conflict] {
    let numbers = commands.map(\.number)
    let refused = try change(toBaseEnd: isFloating) { present in
      guard numbers.sorted() == present.map(\.number).sorted() else { throw Self.missing(numbers, of: present) }
      let places = Dictionary(uniqueKeysWithValues: present.map { ($0.number, $0) })
      return numbers.compactMap { places[$0] }
    }
    runtime.announce(from: isolation)
    return refused
  }

  private static func missing(_ numbers: [Int], of commands: [Command]) -> EventStoreError {
    EventStoreError(
      .notFound,
      "the call passed the command numbers \(numbers), but the branch has the commands with the numbers "
        + "\(commands.map(\.number)). Pass commands from the branch's current `commands`. A call of reorder(_:) must "
        + "pass all of them")
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
  ///   - commands: The commands to execute, in order. They can be from any branches with the same base. The default is
  ///     this branch's ``commands``.
  ///   - position: The new branch's ``fork``, which must be the position of a transaction's last event, or 0. The
  ///     default is the base's end.
  /// - Returns: The new fixed branch, and the refused commands, which the new branch doesn't contain. Decisions are
  ///   based on the new branch's state, which includes the events of the accepted commands so far. If the base has
  ///   already executed a command under its `commandID`, this function skips the command. A skipped command is neither
  ///   on the new branch nor among the refused commands.
  /// - Throws: ``EventStoreError`` or ``EventCodingError``. In these cases, no branch was created.
  /// - Complexity: The same as executing all of the given commands.
  public func rebased(
    _ commands: [Command]? = nil, at position: Position? = nil
  ) throws -> (branch: Branch, refused: [Conflict]) {
    let branch = try base.branch(at: position)
    var refused: [Conflict] = []
    for command in commands ?? self.commands {
      let number = branch.state.withLock { $0.nextNumber }
      do {
        if try branch.execute(again: command.numbered(number)) { branch.state.withLock { $0.nextNumber += 1 } }
      } catch {
        refused.append(try Conflict(command, refusedBy: error))
      }
    }
    return (branch, refused)
  }
}
