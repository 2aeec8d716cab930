/// The read side of a domain: folds events into rows.
///
/// A projection is pure: the same events lead to the same rows, wherever and however often they are folded.
///
/// Implement one of the two `project` methods: that with the event alone, or that with the recorded event, if the rows
/// show where, when or by whom something happened.
///
///     struct Activity: Projection {
///       func project(_ recorded: Recorded<CardEvent>, into rows: inout Rows<Line>) {
///         rows.insert(Line(id: recorded.position, by: recorded.author, at: recorded.time))
///       }
///     }
public protocol Projection: Sendable {
  /// The events that it folds; others pass by.
  associatedtype Event: Annals.Event
  /// What it makes of them.
  associatedtype Row: Annals.Row

  /// What the projection is called where something of it is kept, such as a saved list; by default its type's full
  /// name.
  ///
  /// Private types of one name in two files have one name by default.
  static var name: String { get }

  /// What sets this projection apart from others of its type where something of it is kept; by default nil.
  ///
  /// A saved list is an example of what is kept. A projection without stored properties needs no identity, and one that
  /// is `Encodable` is known by its JSON. If you give any other one a ``FetchedResultsController/cacheName``, let it
  /// say what it is:
  ///
  ///     struct TeamOnly: Projection {
  ///       let team: String
  ///       var identity: String? { team }
  ///       …
  ///     }
  ///
  /// Projections that make other rows of the same events have other identities, in every process alike.
  var identity: String? { get }

  /// The number of the projection's code, raised when the same events lead to other rows; by default 1.
  ///
  /// A step of ``Event/upcasters`` is part of that code: raise it too when one is corrected.
  static var version: Int { get }

  /// Former versions whose saved lists may stand in while the list of this one is made; by default none.
  ///
  /// They are for a controller with a ``FetchedResultsController/cacheName``, when you call
  /// ``FetchedResultsController/performFetch(isolation:progress:)``. The controller shows at once the newest of them
  /// that was saved, and its list goes over to this version's in one batch. Rows of the former version must still be
  /// worth showing, and have the same stored properties.
  static var formerVersions: Set<Int> { get }

  /// What happens at an event with the prefix of `Event` and none of its cases; by default the projection stops.
  static var unknownEvents: UnknownEventPolicy { get }

  /// What happens at an event whose schema is newer than that of `Event`; by default the projection stops.
  ///
  /// An event without a case is unknown, whatever its schema.
  static var newerEvents: NewerEventPolicy { get }

  /// The entities of other kinds that rows depend on; by default none.
  static var relations: [Relation<Row>] { get }

  /// Folds an event into the rows.
  ///
  /// Without it, the `project(_:into:)` that takes a ``Recorded`` event is the projection's code. If a projection has
  /// neither, the program ends with a sentence at the first event.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - rows: The rows so far, to be changed.
  /// - Throws: Whatever makes the event impossible to fold; the projection then stops before it.
  func project(_ event: Event, into rows: inout Rows<Row>) throws

  /// Folds an event into the rows, knowing where and when it was recorded.
  ///
  /// This is what is called, also of a projection that has both. By default it leaves out what was recorded and calls
  /// the `project(_:into:)` that takes the event alone.
  ///
  /// - Parameters:
  ///   - recorded: What happened, where, when and by whom.
  ///   - rows: The rows so far, to be changed.
  /// - Throws: Whatever makes the event impossible to fold; the projection then stops before it.
  func project(_ recorded: Recorded<Event>, into rows: inout Rows<Row>) throws
}

extension Projection {
  /// The type's name, with its module and the types that it is in.
  public static var name: String { stableName(of: Self.self) }

  /// Nothing: the projection has no stored properties, or its JSON tells it from others.
  public var identity: String? { nil }

  /// The first version.
  public static var version: Int { 1 }

  /// Nothing stands in.
  public static var formerVersions: Set<Int> { [] }

  /// Rows depend on nothing but the events that set them.
  public static var relations: [Relation<Row>] { [] }

  /// The projection stops.
  public static var unknownEvents: UnknownEventPolicy { .stop }

  /// The projection stops.
  public static var newerEvents: NewerEventPolicy { .stop }

  /// Ends the program: only the recorded event can be folded, or none.
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
