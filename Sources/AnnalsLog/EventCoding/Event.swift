/// A type of events in your domain, usually an enum with a case for every kind of event.
///
///     enum BookEvent: Event {
///       case inserted(Book)                          // stored as BookInserted {"id":"b1","title":…}
///       case repriced(id: Book.ID, to: Double)       // stored as BookRepriced {"id":"b1","to":60.5}
///     }
///
/// The stored name of an event consists of ``typePrefix`` and the case's name, such as `BookInserted`. The payload of a
/// case with labelled values is a JSON object. The payload of a case with a single unlabelled value is the JSON of that
/// value. A store throws an error for a case with several unlabelled values, or with both labelled and unlabelled
/// values.
///
/// To rename a case and still read old logs, keep its stored name with Swift's coding keys: `enum CodingKeys: String,
/// CodingKey { case added = "BookInserted" }`. A coding key that begins with a capital letter is the whole stored name.
/// If you change a stored name, add the former name to ``formerNames``. If you change the format of a payload (its
/// schema), add an ``Upcaster`` to ``upcasters``, which converts payloads of the older schema.
public protocol Event: Codable, Sendable {
  /// The prefix of all cases' stored names, by default the type's name without "Event".
  ///
  /// The default doesn't contain the names of enclosing types. For example, the default is `Event` for both
  /// `Sales.Event` and `Support.Event`. A store throws an error if you use two types with the same prefix, unless both
  /// types declare this property. If the types are unrelated, declare a different prefix in one of them. If they are
  /// versions of one type, declare the same prefix in both.
  static var typePrefix: String { get }

  /// The version number of the payloads' current format (their schema), at least 1, by default 1.
  static var schema: Int { get }

  /// A dictionary from former stored names to current stored names, by default empty.
  static var formerNames: [String: String] { get }

  /// The upcasters that convert stored events from older schemas to the present schema, by default none.
  ///
  /// The property must have the same value in every run of a program. The upcasters are checked when the event type is
  /// first used.
  static var upcasters: [Upcaster] { get }

  /// The tags by which queries can find the event, by default none.
  var tags: Set<EventTag> { get }
}

extension Event {
  /// The default prefix, which is the type's name without "Event".
  public static var typePrefix: String {
    DefaultNames.note(Self.self)
    let name = shortName(of: Self.self)
    return name.hasSuffix("Event") && name.count > 5 ? String(name.dropLast(5)) : name
  }

  /// The default schema version, 1.
  public static var schema: Int { 1 }

  /// An empty dictionary, without former names.
  public static var formerNames: [String: String] { [:] }

  /// An empty array, without upcasters.
  public static var upcasters: [Upcaster] { [] }

  /// An empty set, without tags.
  public var tags: Set<EventTag> { [] }
}
