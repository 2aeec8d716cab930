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
    /// The steps that bring old events up do not fit together.
    case unsuitableUpcasters
    /// The stored event has a schema that the Swift type does not have yet: a newer program wrote it.
    case newerSchema
    /// A step that brings an old event up failed, or there is none.
    case notUpcast
  }

  /// The kind of failure.
  public let code: Code
  /// What happened: what was expected, what was found, what to do.
  public let message: String
  /// The stored event that a decider could not read; nil if it is not about one, or if the error that holds this one
  /// says.
  public let event: StoredEvent?

  package init(_ code: Code, _ message: String, at event: StoredEvent? = nil) {
    self.code = code
    self.message = message
    self.event = event
  }

  /// The message.
  public var description: String { message }
}
