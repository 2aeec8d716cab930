public import Annals

/// What a check of a log found.
public struct LogReport: Hashable, Sendable {
  /// Something that is not as it must be.
  public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// The event that it concerns, nil if it is none in particular.
    public let position: Position?
    /// What was expected and what was found.
    public let message: String

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - position: The event that it concerns, nil if it is none in particular.
    ///   - message: What was expected and what was found.
    public init(position: Position?, message: String) {
      self.position = position
      self.message = message
    }

    /// The event and the message.
    public var description: String { position.map { "event \($0): \(message)" } ?? message }
  }

  /// The number of events that were checked.
  public internal(set) var events = 0
  /// What was found, the file first, then event by event; at most 100, after which the check ends.
  public internal(set) var problems: [Problem] = []

  /// True if the log is as it must be.
  public var isSound: Bool { problems.isEmpty }
}
