/// The read side of a domain, which folds events into rows.
///
/// A projection is pure: the same events produce the same rows, in any process and any number of times.
///
/// Implement one of the two `project` methods. Use the one with the recorded event if the rows show where, when or by
/// whom an event was recorded. Otherwise use the one with the event alone.
///
///     struct Activity: Projection {
///       func project(_ recorded: Recorded<CardEvent>, into rows: inout Rows<Line>) {
///         rows.insert(Line(id: recorded.position, by: recorded.author, at: recorded.time))
///       }
///     }
public protocol Projection: Sendable {
  /// The type of events that the projection folds.
  ///
  /// It skips all other events.
  associatedtype Event: Annals.Event
  /// The type of rows that the projection builds.
  associatedtype Row: Annals.Row

  /// The projection's name in stored data, such as a saved list, by default the type's full name.
  ///
  /// By default, private types with the same name in two files have the same name.
  static var name: String { get }

  /// An identity that distinguishes this projection from others of its type in stored data, by default `nil`.
  ///
  /// A saved list is an example of stored data. A projection without stored properties needs no identity, and an
  /// `Encodable` one is identified by its JSON. If you give any other projection a
  /// ``FetchedResultsController/cacheName``, implement this property:
  ///
  ///     struct TeamOnly: Projection {
  ///       let team: String
  ///       var identity: String? { team }
  ///       …
  ///     }
  ///
  /// Projections that build different rows from the same events must have different identities. The identity must be
  /// the same in every process.
  var identity: String? { get }

  /// The version of the projection's code, by default 1.
  ///
  /// Increase it when the same events produce different rows.
  ///
  /// The steps of ``Event/upcasters`` are part of that code, so increase the version when you correct one.
  static var version: Int { get }

  /// Former versions whose saved lists may be shown while this version's list is built, by default none.
  ///
  /// They apply to a controller with a ``FetchedResultsController/cacheName`` if you call
  /// ``FetchedResultsController/performFetch(isolation:progress:)``. The controller immediately shows the saved list
  /// of the newest of these versions, and later changes to this version's list in one batch. Rows of the former
  /// version must still be meaningful, and must have the same stored properties.
  static var formerVersions: Set<Int> { get }

  /// The policy for events with the prefix of `Event` but none of its cases, by default to stop the projection.
  static var unknownEvents: UnknownEventPolicy { get }

  /// The policy for events whose schema is newer than the schema of `Event`, by default to stop the projection.
  ///
  /// An event without a case is unknown, regardless of its schema.
  static var newerEvents: NewerEventPolicy { get }

  /// The entities of other kinds that rows depend on, by default none.
  static var relations: [Relation<Row>] { get }

  /// Folds an event into the rows.
  ///
  /// Without this method, the projection's code is the `project(_:into:)` with a ``Recorded`` event. A projection
  /// without either method crashes with a message at the first event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - rows: The current rows, to be changed.
  /// - Throws: An error if the event can't be folded. The projection then stops before the event.
  func project(_ event: Event, into rows: inout Rows<Row>) throws

  /// Folds an event into the rows, with access to where and when it was recorded.
  ///
  /// This method is the one that is called, even if a projection implements both. By default, it calls the
  /// `project(_:into:)` with the event alone.
  ///
  /// - Parameters:
  ///   - recorded: The event, with its place in the log, its time and its author.
  ///   - rows: The current rows, to be changed.
  /// - Throws: An error if the event can't be folded. The projection then stops before the event.
  func project(_ recorded: Recorded<Event>, into rows: inout Rows<Row>) throws
}

extension Projection {
  /// The type's name, with its module and its enclosing types.
  public static var name: String { stableName(of: Self.self) }

  /// The default of `nil`, for a projection without stored properties or one identified by its JSON.
  public var identity: String? { nil }

  /// The first version.
  public static var version: Int { 1 }

  /// The default without former versions.
  public static var formerVersions: Set<Int> { [] }

  /// The default without relations to other entities.
  public static var relations: [Relation<Row>] { [] }

  /// The default policy: the projection stops.
  public static var unknownEvents: UnknownEventPolicy { .stop }

  /// The default policy: the projection stops.
  public static var newerEvents: NewerEventPolicy { .stop }

  /// Crashes, because the projection folds only recorded events or implements neither method.
  public func project(_ event: Event, into rows: inout Rows<Row>) throws {
    preconditionFailure(
      "\(Self.self) must implement project(_ event: \(Event.self), into:) or, if it needs the time and the actor, "
        + "project(_ recorded: Recorded<\(Event.self)>, into:)")
  }

  /// Folds the event alone.
  public func project(_ recorded: Recorded<Event>, into rows: inout Rows<Row>) throws {
    try project(recorded.event, into: &rows)
  }
}
