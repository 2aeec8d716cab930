/// A position that the log does not have, or has no more.
public struct SeekError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The position that was asked for.
  public let position: Position
  /// The log's last position.
  public let end: Position
  /// The position before which the history was compacted, so that no state of it can be shown but the empty one at 0; 0
  /// if it was not.
  public let horizon: Position

  init(position: Position, end: Position, horizon: Position = 0) {
    (self.position, self.end, self.horizon) = (position, end, horizon)
  }

  /// What was expected and what was found.
  public var description: String {
    if horizon == 0 { return "expected a position from 0 to \(end), the log's last one, found \(position)" }
    return
      "the history before position \(horizon) was compacted: expected 0 or a position from \(horizon) to \(end), the "
      + "log's last one, found \(position)"
  }
}
