/// The policy of a ``RemoteFollower`` for an event that its code couldn't handle in the last attempt.
public struct FollowerQuarantine: Hashable, Sendable {
  /// The maximum number of quarantined streams in a partition at the same time.
  public let limit: Int

  /// A policy without a quarantine: the follower stops before the event.
  public static let none = FollowerQuarantine(limit: 0)

  /// Returns a policy that quarantines the event's stream and stores the error with it.
  ///
  /// The stream's later events wait, while the events of other streams are handled.
  ///
  /// The limit protects you from problems that affect every event, for example an unavailable mail server. When the
  /// limit is reached, the follower stops, as it does without a quarantine.
  ///
  /// - Parameter limit: The maximum number of quarantined streams in a partition at the same time, at least 1.
  /// - Returns: The policy.
  public static func streams(atMost limit: Int) -> FollowerQuarantine {
    precondition(limit >= 1, "`limit` must be at least 1 (was \(limit))")
    return FollowerQuarantine(limit: limit)
  }
}
