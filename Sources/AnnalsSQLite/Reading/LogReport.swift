public import AnnalsLog

/// The result of a log's verification.
public struct LogReport: Hashable, Sendable {
  /// A problem that a verification found.
  public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// The position of the affected event, or `nil` if the problem isn't about a particular event.
    public let position: Position?
    /// A description of the problem, with the expected and the actual data.
    public let message: String

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - position: The position of the affected event, or `nil` if the problem isn't about a particular event.
    ///   - message: A description of the problem, with the expected and the actual data.
    public init(position: Position?, message: String) {
      self.position = position
      self.message = message
    }

    /// The message, preceded by the event's position if there is one.
    public var description: String { position.map { "event \($0): \(message)" } ?? message }
  }

  /// The number of checked events.
  public internal(set) var events = 0
  /// The problems of the file itself, followed by the problems of its events in the order of their positions.
  ///
  /// The verification ends after 100 problems.
  public internal(set) var problems: [Problem] = []

  /// True if no problems were found.
  public var isSound: Bool { problems.isEmpty }
}
