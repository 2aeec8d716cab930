/// How often a follower tries an event again at which its code threw, and how long it waits before.
///
///     let mailer = try EventFollower(
///       "mailer", of: OrderEvent.self, in: store, retries: .retrying(attempts: 5)
///     ) { recorded, context in
///       try await mail(recorded.event, key: recorded.id)
///     }
///
/// With the delays of the example the follower waits 1, 2, 4 and 8 seconds, and then stops with the error.
public struct FollowerRetries: Hashable, Sendable {
  /// How often the code is called for an event in all, 1 or more.
  public let attempts: Int
  /// How long the follower waits before the second attempt.
  public let firstDelay: Duration
  /// How many times longer each delay is than the one before, 1 or more.
  public let factor: Double
  /// The longest delay.
  public let largestDelay: Duration

  /// One attempt: the follower stops at the first error.
  public static let none = retrying(attempts: 1)

  /// Several attempts, with delays that grow.
  ///
  /// - Parameters:
  ///   - attempts: How often the code is called for an event in all, 1 or more; `Int.max` for no end.
  ///   - firstDelay: How long the follower waits before the second attempt, 0 or more.
  ///   - factor: How many times longer each delay is than the one before, 1 or more.
  ///   - largestDelay: The longest delay, at least `firstDelay`.
  /// - Returns: The policy.
  public static func retrying(
    attempts: Int, firstDelay: Duration = .seconds(1), factor: Double = 2, largestDelay: Duration = .seconds(60)
  ) -> FollowerRetries {
    precondition(attempts >= 1, "`attempts` must be at least 1 (was \(attempts))")
    precondition(factor >= 1 && factor.isFinite, "`factor` must be finite and at least 1 (was \(factor))")
    precondition(firstDelay >= .zero, "`firstDelay` must not be negative (was \(firstDelay))")
    precondition(
      largestDelay >= firstDelay, "`largestDelay` must be at least `firstDelay`, \(firstDelay) (was \(largestDelay))")
    return FollowerRetries(
      attempts: attempts, firstDelay: firstDelay, factor: factor, largestDelay: largestDelay)
  }

  /// How long to wait after a failure.
  ///
  /// - Parameter failures: How often the code has failed at the event, 1 or more.
  /// - Returns: The delay; nil if the attempts are used up.
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
