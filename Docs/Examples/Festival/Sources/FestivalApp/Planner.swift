import Annals
import FestivalDomain

/// A user who changes the programme.
///
/// The log contains the user's undo steps, so the user can undo them after a restart and in another process.
public struct Planner: Sendable {
  /// The user's key, which isn't personal data.
  public let id: String
  public let history: UndoHistory
  let store: any EventStore
  /// The name under which the log stores how far a user has seen the programme.
  private static let seenList = "programme"

  public init(_ id: String, in festival: Festival) {
    self.id = id
    store = festival.store
    history = UndoHistory(store, of: id, deciders: [Programme.self])
  }

  /// Executes a command as a step that the user can undo.
  @discardableResult
  public func execute(_ command: ProgrammeCommand) async throws -> Receipt {
    try await history.execute(command, on: Programme.main, named: command.title)
  }

  /// The projection of the slots that other users have changed since this user last saw the programme.
  ///
  /// For a new user, these are all slots.
  public var unseen: UnseenChanges<ProgrammeEvent, Slot.ID> {
    UnseenChanges(Self.seenList, by: id) { [id] (recorded: Recorded<ProgrammeEvent>) in
      recorded.author == id ? nil : recorded.event.slot
    }
  }

  /// Records that the user has seen the programme through a position.
  public func markSeen(through position: Position) async throws {
    try await store.markSeen(Self.seenList, by: id, through: position)
  }
}
