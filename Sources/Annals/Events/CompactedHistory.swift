/// How much of a log's history was compacted.
public struct CompactedHistory: Hashable, Sendable {
  /// How often something was cut or replaced; 0 in a log with its whole history.
  public let count: Int
  /// The position before which states can no longer be shown, but for the empty one at 0.
  ///
  /// It is 0 in a log with its whole history.
  public let horizon: Position

  /// Creates what a store answers.
  ///
  /// - Parameters:
  ///   - count: How often something was cut or replaced.
  ///   - horizon: The position before which states can no longer be shown.
  public init(count: Int, horizon: Position) { (self.count, self.horizon) = (count, horizon) }

  /// The whole history is there.
  public static let none = CompactedHistory(count: 0, horizon: 0)

  /// True if the state at a position can be shown, as far as the log goes.
  ///
  /// - Parameter position: The position.
  /// - Returns: True at 0, and from the horizon on.
  public func shows(_ position: Position) -> Bool { position == 0 || position >= horizon }
}
