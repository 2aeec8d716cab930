/// How far a log has been read.
public struct LogProgress: Hashable, Sendable {
  /// The position that was reached.
  public let position: Position
  /// The log's last position when that was.
  public let end: Position

  package init(position: Position, end: Position) {
    (self.position, self.end) = (position, end)
  }

  /// The part of the log that is read, from 0 to 1.
  public var fraction: Double { end == 0 ? 1 : Double(position.rawValue) / Double(end.rawValue) }
}
