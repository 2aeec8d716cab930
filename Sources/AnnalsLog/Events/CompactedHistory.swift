/// A description of a log's compactions, which removed or replaced events in its history.
public struct CompactedHistory: Hashable, Sendable {
  /// The number of compactions that removed or replaced events, or 0 in a log that was never compacted.
  public let count: Int
  /// The position through which the log was compacted.
  ///
  /// States at positions before the horizon can no longer be computed, except for the empty state at position 0. The
  /// horizon is 0 in a log that was never compacted.
  public let horizon: Position

  /// Creates a description of compactions, for use in a custom store.
  ///
  /// - Parameters:
  ///   - count: The number of compactions that removed or replaced events.
  ///   - horizon: The position through which the log was compacted.
  public init(count: Int, horizon: Position) {
    self.count = count
    self.horizon = horizon
  }

  /// The value for a log that was never compacted.
  public static let none = CompactedHistory(count: 0, horizon: 0)

  /// Returns whether the log's state at a position can still be computed.
  ///
  /// - Parameter position: The position, which must not be past the log's end.
  /// - Returns: True if the position is 0, or is at or after the horizon.
  public func shows(_ position: Position) -> Bool { position == 0 || position >= horizon }
}
