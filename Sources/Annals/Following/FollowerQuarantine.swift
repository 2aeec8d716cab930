/// What a ``RemoteFollower`` does with an event that its code cannot handle, once its attempts are used up.
public struct FollowerQuarantine: Hashable, Sendable {
  /// How many streams of a partition may be set aside at once.
  public let limit: Int

  /// Nothing is set aside: the follower stops before the event.
  public static let none = FollowerQuarantine(limit: 0)

  /// The event's stream is set aside with the error.
  ///
  /// Its later events wait, and the other streams go on.
  ///
  /// The limit is there for what is wrong with every event, such as a mail server that is off: then the follower stops
  /// as without a quarantine.
  ///
  /// - Parameter limit: How many streams of a partition may be set aside at once, 1 or more.
  /// - Returns: The policy.
  public static func streams(atMost limit: Int) -> FollowerQuarantine {
    precondition(limit >= 1, "`limit` must be at least 1 (was \(limit))")
    return FollowerQuarantine(limit: limit)
  }
}
