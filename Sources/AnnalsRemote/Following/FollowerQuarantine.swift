/// A policy that determines how a ``RemoteFollower`` continues if it can't handle an event.
///
/// A follower can't handle an event if the event can't be decoded, or if the last attempt that `FollowerRetries`
/// permits has failed. The follower can then stop. Alternatively, it can quarantine the event's stream and continue
/// with other streams. The stream's events then wait until you call ``RemoteFollower/retry(_:)`` or
/// ``RemoteFollower/skip(_:)``.
public struct FollowerQuarantine: Hashable, Sendable {
  /// The maximum number of streams per partition that can be quarantined at the same time.
  ///
  /// A partition (``FollowerState/Partition``) is a group of the log's streams.
  public let limit: Int

  /// A policy without a quarantine: the follower stops before an event that it can't handle.
  public static let none = FollowerQuarantine(limit: 0)

  /// Returns a policy that quarantines the event's stream, and stores the error with the stream's name.
  ///
  /// The limit matters for problems that affect every event, for example an unavailable mail server. When the limit is
  /// reached, the follower stops, as it does without a quarantine.
  ///
  /// - Parameter limit: The maximum number of streams per partition that can be quarantined at the same time, at least
  ///   1.
  /// - Returns: The policy.
  public static func streams(atMost limit: Int) -> FollowerQuarantine {
    precondition(limit >= 1, "`limit` must be at least 1 (was \(limit))")
    return FollowerQuarantine(limit: limit)
  }
}
