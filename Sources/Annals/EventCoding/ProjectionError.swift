/// Why a projection or a follower stopped: an event that it cannot fold or handle.
///
/// The projection stands where the transaction before that event ended, and what it made so far is unchanged. It tries
/// the event again only when it is asked to, with ``FetchedResultsController/refresh()`` or by a new start with better
/// code.
public struct ProjectionError: Error, Sendable, CustomStringConvertible {
  /// What is wrong; later versions may add some.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// Creates one that is none of those below.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }

    /// The event's type has the prefix of the projection's events, and they have no case for it.
    public static let unknownEvent = Code(rawValue: "unknownEvent")
    /// The event's payload does not fit its case.
    public static let undecodable = Code(rawValue: "undecodable")
    /// The event's schema is newer than that of the projection's events: a newer program wrote it.
    public static let newerEvent = Code(rawValue: "newerEvent")
    /// A step that brings the event up from an older schema failed, or there is none.
    public static let notUpcast = Code(rawValue: "notUpcast")
    /// The projection threw.
    public static let refused = Code(rawValue: "refused")
  }

  /// What is wrong with the event.
  public let code: Code
  /// The event, as the store keeps it.
  public let event: StoredEvent
  /// What was thrown: ``EventCodingError``, or the projection's own error.
  public let underlying: any Error
  /// What happened, where, and what to do.
  public let message: String

  /// - Parameters:
  ///   - code: What is wrong.
  ///   - event: The event.
  ///   - projection: What stopped, as a sentence begins.
  ///   - underlying: What was thrown.
  init(_ code: Code, at event: StoredEvent, in projection: String, because underlying: any Error) {
    self.code = code
    self.event = event
    self.underlying = underlying
    message =
      "\(projection) stopped before event \(event.position) (\(event.type), version \(event.version) of stream "
      + "\"\(event.stream)\"): \(underlying); \(Self.advice(code))"
  }

  /// What to do, without a word of the event's values.
  var advice: String { Self.advice(code) }

  private static func advice(_ code: Code) -> String {
    switch code {
    case .unknownEvent: "add a case for it, or skip unknown events"
    case .undecodable: "compare the payload with the event's case, and declare renamed values"
    case .newerEvent: "update the program, or skip newer events, or read them unchanged"
    case .notUpcast: "correct the steps so that they accept the events of the log, and raise the projection's version"
    default: "correct its code so that it accepts the event"
    }
  }

  /// An event that could not be read.
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

/// What a projection does with an event that has its events' prefix and none of their cases.
public enum UnknownEventPolicy: Hashable, Sendable {
  /// The projection stops before it with a ``ProjectionError``: the list would be wrong without it.
  case stop
  /// The event passes by, as another type's do.
  case skip
}

/// What a projection does with an event whose schema is newer than that of its events: a newer program wrote it.
public enum NewerEventPolicy: Hashable, Sendable {
  /// The projection stops before it with a ``ProjectionError``: who knows what the payload means today.
  case stop
  /// The event passes by, as another type's do.
  case skip
  /// The payload is read as if it were of the present schema: members that are not known are left out, and one that
  /// does not fit stops the projection.
  case read
}
