public import Foundation

/// An error that occurs when an event is encoded for the log, or when a stored event is decoded.
///
/// `Docs/Errors.md` lists the causes and remedies of every code.
public struct EventCodingError: LocalizedError, Sendable, CustomStringConvertible {
  /// A kind of failure.
  ///
  /// Later versions of the library can add more kinds.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name of the code.
    public let rawValue: String

    /// Creates a code with a name.
    ///
    /// - Parameter rawValue: The name of the code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name of the code.
    public var description: String { rawValue }

    /// The Swift type cannot be stored as an event.
    public static let unsuitableType = Code(rawValue: "unsuitableType")
    /// The stored event's name has the prefix of the Swift type, but the Swift type has no case for this name.
    public static let unknownEvent = Code(rawValue: "unknownEvent")
    /// The stored event's payload doesn't match the values of its case.
    public static let badPayload = Code(rawValue: "badPayload")
    /// The event contains a value that JSON cannot represent.
    public static let unsuitableValue = Code(rawValue: "unsuitableValue")
    /// Two event types use the same stored name, or the same prefix for their stored names.
    public static let claimedTwice = Code(rawValue: "claimedTwice")
    /// The upcasters of the Swift type are inconsistent, for example because a step is missing.
    public static let unsuitableUpcasters = Code(rawValue: "unsuitableUpcasters")
    /// The stored event has a newer schema than the Swift type, because a newer program wrote it.
    public static let newerSchema = Code(rawValue: "newerSchema")
    /// The stored event has an older schema, and the upcaster for this schema failed or doesn't exist.
    public static let notUpcast = Code(rawValue: "notUpcast")
  }

  /// The kind of failure.
  public let code: Code
  /// A description of the expected and the actual value, with a way to resolve the error.
  public let message: String
  /// The stored event that a decider or another reader of typed events couldn't decode.
  ///
  /// The property is `nil` for any other error. It is also `nil` for the ``ProjectionError/underlying`` error of a
  /// ``ProjectionError``, because the ``ProjectionError`` already contains the event.
  public let event: StoredEvent?

  package init(_ code: Code, _ message: String, at event: StoredEvent? = nil) {
    self.code = code
    self.message = message
    self.event = event
  }

  /// The message.
  public var description: String { message }

  /// The ``description``, which Foundation returns as the error's `localizedDescription`.
  public var errorDescription: String? { description }
}
