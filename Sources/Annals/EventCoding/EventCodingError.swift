/// Why an event could not be turned into its stored form, or back.
public struct EventCodingError: Error, Sendable, CustomStringConvertible {
  /// A kind of failure; later versions may add some.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// Creates one that is none of those below.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }

    /// The Swift type is not one that can be stored as an event.
    public static let unsuitableType = Code(rawValue: "unsuitableType")
    /// The stored type belongs to the Swift type, which has no case for it.
    public static let unknownEvent = Code(rawValue: "unknownEvent")
    /// The payload does not fit the case.
    public static let badPayload = Code(rawValue: "badPayload")
    /// The event holds a value that JSON cannot.
    public static let unsuitableValue = Code(rawValue: "unsuitableValue")
    /// Two types claim one stored name, or names that begin alike.
    public static let claimedTwice = Code(rawValue: "claimedTwice")
    /// The steps that bring old events up do not fit together.
    public static let unsuitableUpcasters = Code(rawValue: "unsuitableUpcasters")
    /// The stored event has a schema that the Swift type does not have yet: a newer program wrote it.
    public static let newerSchema = Code(rawValue: "newerSchema")
    /// A step that brings an old event up failed, or there is none.
    public static let notUpcast = Code(rawValue: "notUpcast")
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
