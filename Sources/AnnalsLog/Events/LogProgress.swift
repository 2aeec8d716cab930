/// The progress of an operation that reads a log.
public struct LogProgress: Hashable, Sendable {
  /// The position of the last event that was read.
  public let position: Position
  /// The log's last position when the progress was measured.
  public let end: Position

  package init(position: Position, end: Position) {
    self.position = position
    self.end = end
  }

  /// The fraction of the log that has been read, from 0 to 1, or 1 if the log is empty.
  public var fraction: Double { end == 0 ? 1 : Double(position.rawValue) / Double(end.rawValue) }
}
