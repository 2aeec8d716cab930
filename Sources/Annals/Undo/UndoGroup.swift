import Synchronization

/// A group of commits that form one undo step, for example typing, or a drag with many intermediate positions.
///
/// Create a group with ``UndoHistory/group(named:)``, and pass the group with every command. You don't need a group for
/// commands that are committed together with the history's `transaction` method, because a transaction is already one
/// step. Don't use a group from several tasks at the same time.
public final class UndoGroup: Sendable, Identifiable {
  /// The id of the step that the group's commits form.
  public let id: String
  /// The step's title for the user interface, or `nil` for a step without a title.
  public let title: String?
  /// The number of committed commands, and the position of the last committed command.
  private let committed = Mutex<(count: Int, end: Position)>((0, 0))

  init(id: String, title: String?) {
    self.id = id
    self.title = title
  }

  var count: Int { committed.withLock { $0.count } }

  /// The position of the last committed command.
  var end: Position { committed.withLock { $0.end } }

  func didCommit(_ count: Int, through end: Position) {
    committed.withLock { $0 = (max($0.count, count), max($0.end, end)) }
  }

  /// Restarts the step's numbering, because all its commands were undone or compacted.
  func startOver() { committed.withLock { $0.count = 0 } }
}
