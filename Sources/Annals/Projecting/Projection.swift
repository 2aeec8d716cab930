import AnnalsLog

/// A type that builds rows for lists by applying (folding) events: the read side of a domain.
///
/// A projection must be pure: the same events must always produce the same rows, in every process.
///
/// Implement one of the two `project` methods. If the rows show an event's position, time, author or other recorded
/// data, implement the method that receives a ``Recorded`` event. Otherwise, implement the method that receives only
/// the event. For example:
///
///     struct Activity: Projection {
///       func project(_ recorded: Recorded<CardEvent>, into rows: inout Rows<Line>) {
///         rows.insert(Line(id: recorded.position, by: recorded.author, at: recorded.time))
///       }
///     }
public protocol Projection: Sendable {
  /// The type of the events that the projection applies to its rows.
  ///
  /// The projection skips events of other types.
  associatedtype Event: Annals.Event
  /// The type of the rows that the projection builds.
  associatedtype Row: Annals.Row

  /// The projection's name in stored data, such as saved lists, by default the type's full name.
  ///
  /// Private projection types in different files can have the same default name. If you save lists of such types,
  /// implement this property to give every type a different name.
  static var name: String { get }

  /// A string that distinguishes this projection from others of the same type in stored data, by default `nil`.
  ///
  /// For example, a saved list contains the identity of its projection. A projection without stored properties needs no
  /// identity, and an `Encodable` projection is identified by its JSON. If you save a list of any other projection
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
  /// If you change the code and the same events then produce different rows, increase the version. Lists that were
  /// saved with a former version are rebuilt.
  ///
  /// The code includes the event type's ``Event/upcasters``, which convert stored events of older schemas. So if you
  /// correct an upcaster, increase the version, too.
  static var version: Int { get }

  /// The former versions whose saved lists a controller can show while it builds this version's list, by default none.
  ///
  /// This property applies to a controller with a ``FetchedResultsController/cacheName`` if you call
  /// ``FetchedResultsController/performFetch(isolation:progress:)``. The controller immediately shows the saved list of
  /// the newest former version. When the current version's list is ready, the controller changes to it in one batch.
  /// The former version's rows must still be meaningful to users, and must have the same stored properties as the
  /// current rows.
  static var formerVersions: Set<Int> { get }

  /// The policy for events whose stored names have the prefix of the type `Event` but match none of its cases.
  ///
  /// By default, such an event stops the projection.
  static var unknownEvents: UnknownEventPolicy { get }

  /// The policy for events whose stored schema number is higher than the schema of the type `Event`.
  ///
  /// By default, such an event stops the projection.
  ///
  /// If `Event` has no case for an event, ``unknownEvents`` applies instead, regardless of the event's schema.
  static var newerEvents: NewerEventPolicy { get }

  /// The stored types of events that may change a missing row or insert an existing row, by default none.
  ///
  /// In debug builds, a store reports the first event of every other type that changes or deletes a row that doesn't
  /// exist, or inserts a row that exists already (``FailureReport/Kind/projection``). Usually, this is a mistake in the
  /// projection or in a decider, and would otherwise go unnoticed. If it is intended, add the event's type:
  ///
  ///     // A reader can remove a bookmark twice.
  ///     static var toleratedEvents: Set<String> { ["BookmarkRemoved"] }
  ///
  /// The laws of `AnnalsTesting` use this property, too: they don't expect an effect of these events.
  static var toleratedEvents: Set<String> { get }

  /// The relations to the entities of other types on which rows depend, by default none.
  ///
  /// For example, the rows of books can depend on their authors.
  static var relations: [Relation<Row>] { get }

  /// Applies an event to the rows.
  ///
  /// If you don't implement this method, implement the `project(_:into:)` that receives a ``Recorded`` event. If a
  /// projection implements neither method, the program crashes with a message at the first event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - rows: The rows to change.
  /// - Throws: An error if the event can't be applied to the rows. The projection then stops before this event.
  func project(_ event: Event, into rows: inout Rows<Row>) throws

  /// Applies an event to the rows, with access to the event's position, time, author and other recorded data.
  ///
  /// If a projection implements both methods, only this method is called. The default implementation calls the
  /// `project(_:into:)` that receives only the event.
  ///
  /// - Parameters:
  ///   - recorded: The event, with its position in the log, its time, its author and other recorded data.
  ///   - rows: The rows to change.
  /// - Throws: An error if the event can't be applied to the rows. The projection then stops before this event.
  func project(_ recorded: Recorded<Event>, into rows: inout Rows<Row>) throws
}

extension Projection {
  /// The type's name, with its module and its enclosing types.
  public static var name: String { stableName(of: Self.self) }

  /// The default identity, `nil`.
  ///
  /// You can keep the default for a projection without stored properties, and for an `Encodable` projection, which is
  /// identified by its encoded JSON instead.
  public var identity: String? { nil }

  /// The default version, 1.
  public static var version: Int { 1 }

  /// The default, an empty set: no saved lists of former versions are shown.
  public static var formerVersions: Set<Int> { [] }

  /// The default is an empty set, so debug builds report all types of events that change a missing row or insert an
  /// existing row.
  public static var toleratedEvents: Set<String> { [] }

  /// The default, an empty array: the rows depend on no other entities.
  public static var relations: [Relation<Row>] { [] }

  /// The default policy, ``UnknownEventPolicy/stop``: the projection stops before the event.
  public static var unknownEvents: UnknownEventPolicy { .stop }

  /// The default policy, ``NewerEventPolicy/stop``: the projection stops before the event.
  public static var newerEvents: NewerEventPolicy { .stop }

  /// Crashes with a message that names the `project` methods to implement.
  public func project(_ event: Event, into rows: inout Rows<Row>) throws {
    preconditionFailure(
      "\(Self.self) must implement project(_ event: \(Event.self), into:). To get the time and the author of the "
        + "event, implement project(_ recorded: Recorded<\(Event.self)>, into:) instead")
  }

  /// Calls the `project(_:into:)` that receives only the event.
  public func project(_ recorded: Recorded<Event>, into rows: inout Rows<Row>) throws {
    try project(recorded.event, into: &rows)
  }
}
