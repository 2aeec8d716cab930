/// Why an event could not be turned into its stored form, or back.
public struct EventCodingError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Code: Hashable, Sendable {
    /// The Swift type is not one that can be stored as an event.
    case unsuitableType
    /// The stored type belongs to the Swift type, which has no case for it.
    case unknownEvent
    /// The payload does not fit the case.
    case badPayload
    /// The event holds a value that JSON cannot.
    case unsuitableValue
  }

  /// The kind of failure.
  public let code: Code
  /// What happened: what was expected, what was found, what to do.
  public let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
