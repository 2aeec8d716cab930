public import Annals

/// The result of a log's verification.
public struct LogReport: Hashable, Sendable {
  /// A problem that a verification found.
  public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// The position of the affected event, or `nil` if the problem isn't about a particular event.
    public let position: Position?
    /// A description of the expected data and the actual data.
    public let message: String

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - position: The position of the affected event, or `nil` if the problem isn't about a particular event.
    ///   - message: A description of the expected data and the actual data.
    public init(position: Position?, message: String) {
      self.position = position
      self.message = message
    }

    /// The event's position and the message.
    public var description: String { position.map { "event \($0): \(message)" } ?? message }
  }

  /// The number of checked events.
  public internal(set) var events = 0
  /// The problems, first of the file and then event by event: at most 100, after which the verification ends.
  public internal(set) var problems: [Problem] = []

  /// True if no problems were found.
  public var isSound: Bool { problems.isEmpty }
}
