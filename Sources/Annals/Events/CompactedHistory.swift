/// The extent to which a log's history was compacted.
public struct CompactedHistory: Hashable, Sendable {
  /// The number of compactions that removed or replaced events, or 0 in a log with its whole history.
  public let count: Int
  /// The position through which the log was compacted.
  ///
  /// States before it can no longer be shown, except for the empty state at 0. The position is 0 in a log with its
  /// whole history.
  public let horizon: Position

  /// Creates a description of compactions, for use in a custom store.
  ///
  /// - Parameters:
  ///   - count: The number of compactions that removed or replaced events.
  ///   - horizon: The position before which states can no longer be shown.
  public init(count: Int, horizon: Position) { (self.count, self.horizon) = (count, horizon) }

  /// The value for a log with its whole history.
  public static let none = CompactedHistory(count: 0, horizon: 0)

  /// Returns whether the state at a position up to the log's end can still be shown.
  ///
  /// - Parameter position: The position.
  /// - Returns: True if the position is 0, or is at or after the horizon.
  public func shows(_ position: Position) -> Bool { position == 0 || position >= horizon }
}
