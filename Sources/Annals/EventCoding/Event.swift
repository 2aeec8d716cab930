/// A domain's own type of events, which is usually an enum with a case for every kind of event.
///
///     enum BookEvent: Event {
///       case inserted(Book)                          // stored as BookInserted {"id":"b1","title":…}
///       case repriced(id: Book.ID, to: Double)       // stored as BookRepriced {"id":"b1","to":60.5}
///     }
///
/// A case is the event's type: its stored name consists of ``typePrefix`` and the case's name. A case has either
/// labelled values, which are stored as an object, or a single unlabelled value, which is stored as that value. Any
/// other case is refused with an error.
///
/// To rename a case and still read old logs, pin its stored name with Swift's own coding keys. A name that begins
/// with a capital letter is the whole stored name:
/// `enum CodingKeys: String, CodingKey { case added = "BookInserted" }`. Former names of a type are listed in
/// ``formerNames``, and ``upcasters`` convert payloads of older schemas.
public protocol Event: Codable, Sendable {
  /// The word that begins the stored name of every case, by default the type's name without "Event".
  ///
  /// The default doesn't contain the types that the type is nested in: `Sales.Event` and `Support.Event` are both
  /// `Event`. Two types with one prefix can't be used on one store, unless both declare it.
  static var typePrefix: String { get }

  /// The number of the payloads' schema, which is at least 1, and 1 by default.
  static var schema: Int { get }

  /// The former stored names with their current stored names, by default none.
  static var formerNames: [String: String] { get }

  /// The steps that convert stored events of older schemas to the present one, by default none.
  ///
  /// They must be the same in every run of a program, and are checked when the type is first used.
  static var upcasters: [Upcaster] { get }

  /// The tags by which the event can be found, by default none.
  var tags: Set<EventTag> { get }
}

extension Event {
  /// The type's name without "Event".
  public static var typePrefix: String {
    DefaultNames.note(Self.self)
    let name = String(describing: Self.self)
    return name.hasSuffix("Event") && name.count > 5 ? String(name.dropLast(5)) : name
  }

  /// The first schema, 1.
  public static var schema: Int { 1 }

  /// An empty dictionary, without former names.
  public static var formerNames: [String: String] { [:] }

  /// An empty array, without steps.
  public static var upcasters: [Upcaster] { [] }

  /// An empty set, without tags.
  public var tags: Set<EventTag> { [] }
}
