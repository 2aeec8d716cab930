import Synchronization

extension Branch {
  /// Moves the branch to its base's end, and decides its commands again there.
  ///
  /// Lists on the branch get one batch, with the cause ``ChangeCause/rebase``. Those in the caller's isolation have
  /// delivered before this returns. A branch that floats does so by itself.
  ///
  /// - Parameter isolation: The caller's isolation; leave it to its default.
  /// - Returns: The commands that are refused there; also in ``conflicts``. They stay among the branch's commands.
  /// - Throws: ``EventStoreError``; the branch is what it was then.
  /// - Complexity: That of executing the commands.
  @discardableResult
  public func rebase(isolation: isolated (any Actor)? = #isolation) throws -> [BranchConflict] {
    let refused = try change(toBaseEnd: true) { $0 }
    signal.announce(from: isolation)
    return refused
  }

  /// Takes a command back: leaves it out, and decides those after it again.
  ///
  /// Lists on the branch get one batch, with the cause ``ChangeCause/rebase``.
  ///
  ///     try draft.drop(draft.commands[1])
  ///
  /// - Parameters:
  ///   - command: The command, known by its number.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: The commands that are refused without it.
  /// - Throws: ``EventStoreError``, with the code `notFound` if the branch has no such command; the branch is what it
  ///   was then.
  /// - Complexity: That of executing the commands.
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

  /// Puts the branch's commands in another order, and decides them again in it.
  ///
  /// - Parameters:
  ///   - commands: The branch's ``commands``, each of them once, in the new order.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: The commands that are refused in this order.
  /// - Throws: ``EventStoreError``, with the code `notFound` if they are not the commands of the branch; the branch is
  ///   what it was then.
  /// - Complexity: That of executing the commands.
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
      "commands \(numbers) of the branch: expected commands of those that it has, \(commands.map(\.number)); read its "
        + "`commands` again")
  }

  /// Makes a branch at the base's end, and decides commands of this one again on it.
  ///
  /// So you see what the draft would be elsewhere, while this one stays what it is. You can also leave commands out, or
  /// put them in another order:
  ///
  ///     let (newer, refused) = try draft.rebased()
  ///     let without = try draft.rebased(draft.commands.filter { $0.number != 2 }).branch
  ///
  /// - Parameters:
  ///   - commands: Commands of branches of the same base, in the order in which they are decided; by default those of
  ///     this branch.
  ///   - position: Where the new branch leaves the base, the end of a transaction; by default the base's end.
  /// - Returns: The new branch, which stands, and the commands that are refused there: it does not have them. Each is
  ///   decided after those before it that are not. A command whose id the base has by now is not decided again.
  /// - Throws: ``EventStoreError`` or ``EventCodingError``; there is no new branch then.
  /// - Complexity: That of executing the commands.
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
