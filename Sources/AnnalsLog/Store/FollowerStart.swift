/// The place in the log at which an ``EventFollower`` or `RemoteFollower` starts if no version of it ever ran.
public enum FollowerStart: Hashable, Sendable {
  /// Handles all events, starting with the log's first event.
  ///
  /// So a new follower that sends mails would send the mails of the whole past.
  case beginning
  /// Skips the events that the log contains when a follower with this name is created for the first time.
  case end
  /// Skips the events up to a position.
  case after(Position)

  /// Returns the position of the last skipped event.
  ///
  /// - Parameters:
  ///   - head: The position of the log's last event.
  ///   - follower: The follower's name, for the error.
  /// - Returns: The position.
  /// - Throws: ``EventStoreError`` (`.notFound`) if the log doesn't contain the position.
  package func position(head: Position, follower: String) throws -> Position {
    switch self {
    case .beginning: return 0
    case .end: return head
    case .after(let position):
      guard position >= 0, position <= head else {
        throw EventStoreError(
          .notFound,
          "the follower \"\(follower)\" can't start after position \(position): expected a position from 0 to \(head), "
            + "the log's last position")
      }
      return position
    }
  }
}
