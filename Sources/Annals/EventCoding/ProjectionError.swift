/// An error with which a projection or a follower stops at an event that it cannot fold or handle.
///
/// The projection stops at the end of the transaction before that event, and its earlier results are unchanged. It
/// retries the event only after ``FetchedResultsController/refresh()`` or after a restart with fixed code.
public struct ProjectionError: Error, Sendable, CustomStringConvertible {
  /// The kind of problem, to which later versions can add further ones.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name of the code.
    public let rawValue: String

    /// Creates a code with a name.
    ///
    /// - Parameter rawValue: The name of the code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name of the code.
    public var description: String { rawValue }

    /// The event's type has the prefix of the projection's events, but they have no case for it.
    public static let unknownEvent = Code(rawValue: "unknownEvent")
    /// The event's payload does not match its case.
    public static let undecodable = Code(rawValue: "undecodable")
    /// The event's schema is newer than the projection's events, because a newer program wrote it.
    public static let newerEvent = Code(rawValue: "newerEvent")
    /// A step that converts the event from an older schema failed or is missing.
    public static let notUpcast = Code(rawValue: "notUpcast")
    /// The projection threw an error.
    public static let refused = Code(rawValue: "refused")
  }

  /// The kind of problem.
  public let code: Code
  /// The stored event.
  public let event: StoredEvent
  /// The underlying error: ``EventCodingError``, or the projection's own error.
  public let underlying: any Error
  /// A description of the problem and its place, with a way to resolve it.
  public let message: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of problem.
  ///   - event: The stored event.
  ///   - projection: The projection or follower that stopped, as the beginning of a sentence.
  ///   - underlying: The underlying error.
  init(_ code: Code, at event: StoredEvent, in projection: String, because underlying: any Error) {
    self.code = code
    self.event = event
    self.underlying = underlying
    message =
      "\(projection) stopped before event \(event.position) (\(event.type), version \(event.version) of stream "
      + "\"\(event.stream)\"): \(underlying); \(Self.advice(code))"
  }

  /// A way to resolve the problem, without any of the event's values.
  var advice: String { Self.advice(code) }

  private static func advice(_ code: Code) -> String {
    switch code {
    case .unknownEvent: "add a case for it, or let unknown events be skipped"
    case .undecodable: "compare the payload with the event's case, and name what was renamed"
    case .newerEvent: "update the program, or let newer events be skipped or read as they are"
    case .notUpcast: "make the steps take what the log has, and raise the projection's version"
    default: "make its code take the event"
    }
  }

  /// Creates the error for an event that could not be read.
  init(reading event: StoredEvent, in projection: String, because underlying: any Error) {
    let code: Code =
      switch (underlying as? EventCodingError)?.code {
      case .unknownEvent: .unknownEvent
      case .newerSchema: .newerEvent
      case .notUpcast: .notUpcast
      default: .undecodable
      }
    self.init(code, at: event, in: projection, because: underlying)
  }

  /// The message.
  public var description: String { message }
}

/// The treatment of an event that has the prefix of a projection's events, but none of their cases.
public enum UnknownEventPolicy: Hashable, Sendable {
  /// The projection stops before the event with a ``ProjectionError``, because the list would be wrong without it.
  case stop
  /// The event is skipped, like events of other types.
  case skip
}

/// The treatment of an event with a newer schema than a projection's events, which a newer program wrote.
public enum NewerEventPolicy: Hashable, Sendable {
  /// The projection stops before the event with a ``ProjectionError``, because the meaning of the payload is unknown.
  case stop
  /// The event is skipped, like events of other types.
  case skip
  /// The payload is read as if it had the present schema.
  ///
  /// Unknown members are ignored, and a member that doesn't match stops the projection.
  case read
}
