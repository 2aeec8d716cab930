import Annals
import KanbanDomain

/// Commands that are tried before they are done: a draft, on a branch of the log.
///
/// The board's rules hold for the draft, and its lists show it. The log has nothing of it until it is merged.
public struct Plan {
  private let branch: Branch

  /// Tries commands, one after the other.
  ///
  /// - Parameters:
  ///   - commands: What you want.
  ///   - store: The log.
  /// - Throws: A refusal, or why the log cannot be read.
  public init(_ commands: [KanbanCommand], on store: some EventStore) throws {
    branch = try store.branch()
    for command in commands { try branch.execute(command, on: Board.main) }
  }

  /// The board as it would be.
  public var board: Results<Card> {
    get throws { try branch.list(of: Cards(), .board) }
  }

  /// Does all of it, in one transaction, on the board as it is now.
  ///
  /// - Throws: `Branch.MergeError` if the board refuses a command by now; then nothing is done.
  public func merge() throws { _ = try branch.merge() }
}
