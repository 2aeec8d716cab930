/// A type that turns (folds) events into rows for lists: the read side of a domain.
///
/// A projection is pure: the same events produce the same rows, in any process and any number of times.
///
/// Implement one of the two `project` methods. If the rows show an event's position, time, author or other recorded
/// data, implement the method that receives a ``Recorded`` event. Otherwise, implement the method that receives only
/// the event.
///
///     struct Activity: Projection {
///       func project(_ recorded: Recorded<CardEvent>, into rows: inout Rows<Line>) {
///         rows.insert(Line(id: recorded.position, by: recorded.author, at: recorded.time))
///       }
///     }
public protocol Projection: Sendable {
  /// The type of events that the projection folds.
  ///
  /// The projection skips all other events.
  associatedtype Event: Annals.Event
  /// The type of rows that the projection builds.
  associatedtype Row: Annals.Row

  /// The projection's name in stored data, such as a saved list, by default the type's full name.
  ///
  /// Two private types with the same name in different files have the same default name. If both are saved, implement
  /// this property.
  static var name: String { get }

  /// An identity that distinguishes this projection from others of the same type in stored data, by default `nil`.
  ///
  /// A saved list is an example of stored data. A projection without stored properties needs no identity, and an
  /// `Encodable` projection is identified by its JSON. If you save a list of any other projection
  /// (``FetchedResultsController/cacheName``), implement this property:
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
  /// Increase it when you change the code so that the same events produce different rows.
  ///
  /// The ``Event/upcasters`` of the events are part of that code, so increase the version when you correct an upcaster.
  static var version: Int { get }

  /// Former versions whose saved lists may be shown while this version's list is built, by default none.
  ///
  /// This property applies to a controller with a ``FetchedResultsController/cacheName`` if you call
  /// ``FetchedResultsController/performFetch(isolation:progress:)``. The controller immediately shows the saved list of
  /// the newest former version. When the current version's list is ready, the controller changes to it in one batch.
  /// The former version's rows must still be meaningful to users, and must have the same stored properties as the
  /// current rows.
  static var formerVersions: Set<Int> { get }

  /// The policy for events whose stored names have the prefix of the type `Event` but match none of that type's cases.
  /// By default, such an event stops the projection.
  static var unknownEvents: UnknownEventPolicy { get }

  /// The policy for events whose schema is newer than the schema of the type `Event`. By default, such an event stops
  /// the projection.
  ///
  /// If `Event` has no case for an event, ``unknownEvents`` applies, regardless of the schema.
  static var newerEvents: NewerEventPolicy { get }

  /// The relations between rows and the entities of other types on which the rows depend, by default none.
  static var relations: [Relation<Row>] { get }

  /// Folds an event into the rows.
  ///
  /// If you don't implement this method, implement the `project(_:into:)` that receives a ``Recorded`` event. A
  /// projection without either method crashes with a message at the first event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - rows: The current rows, to be changed.
  /// - Throws: An error if the event can't be folded. The projection then stops before the event.
  func project(_ event: Event, into rows: inout Rows<Row>) throws

  /// Folds an event into the rows, with access to the event's position, time, author and other recorded data.
  ///
  /// If a projection implements both methods, only this method is called. The default implementation calls the
  /// `project(_:into:)` that receives only the event.
  ///
  /// - Parameters:
  ///   - recorded: The event, with its position in the log, its time, its author and other recorded data.
  ///   - rows: The current rows, to be changed.
  /// - Throws: An error if the event can't be folded. The projection then stops before the event.
  func project(_ recorded: Recorded<Event>, into rows: inout Rows<Row>) throws
}

extension Projection {
  /// The type's name, with its module and its enclosing types.
  public static var name: String { stableName(of: Self.self) }

  /// The default identity, `nil`, for a projection without stored properties or a projection that is identified by its
  /// JSON.
  public var identity: String? { nil }

  /// The default version, 1.
  public static var version: Int { 1 }

  /// The default, an empty set: no former versions.
  public static var formerVersions: Set<Int> { [] }

  /// The default, an empty array: no relations to entities.
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

  /// Calls the `project(_:into:)` that receives only the event.
  public func project(_ recorded: Recorded<Event>, into rows: inout Rows<Row>) throws {
    try project(recorded.event, into: &rows)
  }
}
