import Synchronization

/// Several commits that are one step: what a user typed, or a drag with its many places.
///
/// Make one with ``UndoHistory/group(named:)``, and give it to each command. Commands that are committed together are
/// one step without it: `transaction(named:in:)`. Let one task at a time use a
/// group.
public final class UndoGroup: Sendable, Identifiable {
  /// The id of the step.
  public let id: String
  /// What the step is called on a screen.
  public let title: String?
  /// The number of commands that were committed, and where the last of them is.
  private let committed = Mutex<(count: Int, end: Position)>((0, 0))

  init(id: String, title: String?) { (self.id, self.title) = (id, title) }

  var count: Int { committed.withLock { $0.count } }

  /// The position of the last command that was committed.
  var end: Position { committed.withLock { $0.end } }

  func didCommit(_ count: Int, through end: Position) {
    committed.withLock { $0 = (max($0.count, count), max($0.end, end)) }
  }

  /// Begins the step from the start, because its commands so far were undone or compacted.
  func startOver() { committed.withLock { $0.count = 0 } }
}
