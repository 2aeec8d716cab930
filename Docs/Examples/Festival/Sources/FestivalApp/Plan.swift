import Annals
import FestivalDomain

/// Several commands whose result a user sees before they are carried out.
///
/// The commands are tried in order. For example, to swap two slots, first move one of them to a free place.
public struct Plan: Sendable {
  /// The branch on which lists show the plan.
  ///
  /// It follows the log, so other users' changes also appear there.
  public let draft: Branch
  private let planner: Planner

  public init(by planner: Planner) throws {
    draft = try planner.store.branch(floating: true)
    self.planner = planner
  }

  /// Adds a command to the plan, even if it is refused now.
  ///
  /// - Returns: The reason as a sentence if the command is refused.
  @discardableResult
  public func propose(_ command: ProgrammeCommand) async throws -> String? {
    try await draft.propose(command, on: Programme.main)?.message
  }

  /// Returns the programme as it would be, and a sentence for every command that is refused now.
  public func preview() async throws -> (programme: Results<ProgrammeRow>, conflicts: [String]) {
    // The list is read first, because a reader makes the draft decide its commands on the newest log.
    let programme = try await draft.list(of: ProgrammeList(), .programme)
    return (programme, draft.conflicts.map(\.message))
  }

  /// Removes the commands that are refused from the plan.
  public func dropConflicts() throws {
    for conflict in draft.conflicts { try draft.drop(conflict.command) }
  }

  /// Carries out all commands as one step that the user can undo, and ends the plan.
  ///
  /// - Throws: The refusal if a command is refused. In this case, no command is carried out.
  public func carryOut() async throws {
    let commands = draft.commands.flatMap { $0.values(of: Programme.self) }
    try await planner.history.transaction(named: "Plan") { transaction in
      for command in commands { try transaction.execute(command, on: Programme.main) }
    }
    draft.discard()
  }
}
