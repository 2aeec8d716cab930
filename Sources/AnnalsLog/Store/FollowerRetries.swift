/// A policy for errors that the code of an ``EventFollower`` or `RemoteFollower` throws: the maximum number of
/// attempts, and the delays between them.
///
///     let mailer = try EventFollower(
///       "mailer", of: OrderEvent.self, in: store, startingAt: .beginning, retries: .retrying(attempts: 5)
///     ) { recorded, context in
///       try await mail(recorded.event, key: recorded.id)
///     }
///
/// In this example, the follower makes up to five attempts, with delays of 1, 2, 4 and 8 seconds between them. If the
/// last attempt also fails, the follower stops with the error.
public struct FollowerRetries: Hashable, Sendable {
  /// The maximum number of times that the follower calls its code for an event, at least 1.
  public let attempts: Int
  /// The delay between the first and the second attempt.
  public let firstDelay: Duration
  /// The factor by which each delay is multiplied to get the next delay, at least 1.
  public let factor: Double
  /// The maximum delay between two attempts.
  public let largestDelay: Duration

  /// The policy without retries: the follower stops at the first error.
  ///
  /// A `RemoteFollower` with a `FollowerQuarantine` can continue with other streams instead.
  public static let none = retrying(attempts: 1)

  /// The delays while the log can't be read or written.
  static let outage = retrying(attempts: .max, largestDelay: .seconds(15))

  /// The delays while another runner handles the follower's events, together a minute.
  ///
  /// The first eight delays add up to 255 ms, and 239 delays of 250 ms follow.
  package static let claim = retrying(
    attempts: 248, firstDelay: .milliseconds(1), largestDelay: .milliseconds(250))

  /// Returns a policy with several attempts and increasing delays.
  ///
  /// - Parameters:
  ///   - attempts: The maximum number of times that the follower calls its code for an event, at least 1, or `Int.max`
  ///     for no limit.
  ///   - firstDelay: The delay between the first and the second attempt, at least 0.
  ///   - factor: The factor by which each delay is multiplied to get the next delay, at least 1.
  ///   - largestDelay: The maximum delay between two attempts, at least `firstDelay`.
  /// - Returns: The policy.
  public static func retrying(
    attempts: Int, firstDelay: Duration = .seconds(1), factor: Double = 2, largestDelay: Duration = .seconds(60)
  ) -> FollowerRetries {
    precondition(attempts >= 1, "`attempts` must be at least 1 (was \(attempts))")
    precondition(factor >= 1 && factor.isFinite, "`factor` must be finite and at least 1 (was \(factor))")
    precondition(firstDelay >= .zero, "`firstDelay` must not be negative (was \(firstDelay))")
    precondition(
      largestDelay >= firstDelay,
      "`largestDelay` must be at least \(firstDelay), the value of `firstDelay` (was \(largestDelay))")
    return FollowerRetries(
      attempts: attempts, firstDelay: firstDelay, factor: factor, largestDelay: largestDelay)
  }

  /// Returns the delay after a failed attempt.
  ///
  /// - Parameter failures: The number of failed attempts for the event so far, at least 1.
  /// - Returns: The delay, or `nil` after the last attempt.
  package func delay(after failures: Int) -> Duration? {
    if failures >= attempts { return nil }
    var delay = firstDelay
    for _ in 1..<failures {
      let next = delay * factor
      if next >= largestDelay { return largestDelay }
      if next <= delay { break }
      delay = next
    }
    return delay
  }
}
