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
  /// The number of commands that were committed.
  private let committed = Mutex(0)

  init(id: String, title: String?) { (self.id, self.title) = (id, title) }

  var count: Int {
    get { committed.withLock { $0 } }
    set { committed.withLock { $0 = max($0, newValue) } }
  }
}
