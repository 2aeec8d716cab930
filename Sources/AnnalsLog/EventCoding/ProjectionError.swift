public import Foundation

/// An error for an event that a projection can't apply to its rows, or that a follower can't handle.
///
/// The projection's list keeps the results of all transactions before the transaction that contains the event, and then
/// stops. The list retries the event only if you call `FetchedResultsController.refresh()`, or restart the program with
/// corrected code. ``EventFollower`` describes when a follower retries the event.
///
/// `Docs/Errors.md` lists the causes and remedies of every code.
public struct ProjectionError: LocalizedError, Sendable, CustomStringConvertible {
  /// A kind of problem.
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

    /// The event's stored name has the prefix of the projection's event type, but that type has no case for this name.
    public static let unknownEvent = Code(rawValue: "unknownEvent")
    /// The event's payload doesn't match the values of its case.
    public static let undecodable = Code(rawValue: "undecodable")
    /// The event's schema is newer than the schema of the projection's event type, because a newer program wrote the
    /// event.
    public static let newerEvent = Code(rawValue: "newerEvent")
    /// The event has an older schema, and the upcaster for this schema failed or doesn't exist.
    public static let notUpcast = Code(rawValue: "notUpcast")
    /// The projection's or follower's code threw an error when it received the event.
    public static let refused = Code(rawValue: "refused")
  }

  /// The kind of problem.
  public let code: Code
  /// The stored event that couldn't be applied or handled.
  public let event: StoredEvent
  /// The underlying error: an ``EventCodingError``, or the error that the projection or follower threw.
  public let underlying: any Error
  /// A description of the problem and of the event's place in the log, with a way to resolve the problem.
  public let message: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of problem.
  ///   - event: The stored event.
  ///   - projection: The projection or follower that stopped, as the beginning of a sentence.
  ///   - underlying: The underlying error.
  package init(_ code: Code, at event: StoredEvent, in projection: String, because underlying: any Error) {
    self.code = code
    self.event = event
    self.underlying = underlying
    message =
      "\(projection) stopped before event \(event.position) (\(event.type), version \(event.version) of stream "
      + "\"\(event.stream)\"): \(described(underlying)). \(Self.advice(code))"
  }

  /// A way to resolve the problem, without any of the event's values.
  var advice: String { Self.advice(code) }

  private static func advice(_ code: Code) -> String {
    switch code {
    case .unknownEvent:
      "If a newer version of this program appended the event, update this program. Otherwise, add a case for the "
        + "event, or set `unknownEvents` to `.skip`"
    case .undecodable:
      "Change the event's case so that it matches the payload, or write an upcaster that converts the payload"
    case .newerEvent: "Update the program, or set `newerEvents` to `.skip` or `.read`"
    case .notUpcast: "Correct the upcasters so that they convert the event, and raise the projection's version"
    default: "Correct the projection's or follower's code so that it accepts the event"
    }
  }

  /// Creates the error for an event that could not be read.
  package init(reading event: StoredEvent, in projection: String, because underlying: any Error) {
    self.init(Self.code(reading: underlying), at: event, in: projection, because: underlying)
  }

  /// A way to read an event that could not be read.
  static func advice(reading underlying: any Error) -> String { advice(code(reading: underlying)) }

  private static func code(reading underlying: any Error) -> Code {
    switch (underlying as? EventCodingError)?.code {
    case .unknownEvent: .unknownEvent
    case .newerSchema: .newerEvent
    case .notUpcast: .notUpcast
    default: .undecodable
    }
  }

  /// The message.
  public var description: String { message }

  /// The ``description``, which Foundation returns as the error's `localizedDescription`.
  public var errorDescription: String? { description }
}

/// A policy for events whose stored names have the prefix of a projection's event type, but match none of that type's
/// cases.
public enum UnknownEventPolicy: Hashable, Sendable {
  /// The projection stops before the event with a ``ProjectionError``, because the list would be wrong without the
  /// event.
  case stop
  /// The event is skipped, like events of other types.
  case skip
}

/// A policy for events of a newer program, which have a newer schema than a projection's event type.
public enum NewerEventPolicy: Hashable, Sendable {
  /// The projection stops before the event with a ``ProjectionError``, because the meaning of the payload is unknown.
  case stop
  /// The event is skipped, like events of other types.
  case skip
  /// The payload is decoded as if it had the event type's present schema.
  ///
  /// Additional members of the payload are ignored. If the type of a member doesn't match, the projection stops.
  case read
}
