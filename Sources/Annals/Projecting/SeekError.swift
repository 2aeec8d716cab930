public import Foundation

/// An error for a request to show the state at a position that the log doesn't contain, or no longer contains.
///
/// `Docs/Errors.md` describes the remedy.
public struct SeekError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// The requested position.
  public let position: Position
  /// The log's last position.
  public let end: Position
  /// The position through which the log was compacted, or 0 if the log was never compacted.
  ///
  /// A list can't show its state at an earlier position, except at position 0, at which the list is empty.
  public let horizon: Position

  init(position: Position, end: Position, horizon: Position = 0) {
    self.position = position
    self.end = end
    self.horizon = horizon
  }

  /// A message with the expected positions and the requested position.
  public var description: String {
    if horizon == 0 { return "expected a position from 0 to \(end) (the log's last position), found \(position)" }
    return
      "the history before position \(horizon) was compacted: expected 0 or a position from \(horizon) to \(end) (the "
      + "log's last position), found \(position)"
  }

  /// The ``description``, which Foundation returns as the error's `localizedDescription`.
  public var errorDescription: String? { description }
}
