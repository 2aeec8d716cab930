/// What happened, as a domain's own type: usually an enum with a case for each kind of event.
///
///     enum BookEvent: Event {
///       case inserted(Book)                          // stored as BookInserted {"id":"b1","title":…}
///       case repriced(id: Book.ID, to: Double)       // stored as BookRepriced {"id":"b1","to":60.5}
///     }
///
/// A case is the event's type: its stored name is ``typePrefix`` and the case's name. A case has labelled values,
/// stored as an object of them, or one unlabelled value, stored as that value. Anything else is refused with a
/// sentence.
///
/// To rename a case and keep reading old logs, pin its stored name with Swift's own coding keys; a name that begins
/// with a capital letter is the whole stored name: `enum CodingKeys: String, CodingKey { case added = "BookInserted"
/// }`. Names that a type had before are listed in ``formerNames``; payloads that have changed are upcast by
/// ``upcasters``.
public protocol Event: Codable, Sendable {
  /// The word that begins the stored name of every case; by default the type's name without "Event".
  ///
  /// The default doesn't contain the types that the type is nested in: `Sales.Event` and `Support.Event` are both
  /// `Event`. Two types with one prefix can't be used on one store, unless both declare it.
  static var typePrefix: String { get }

  /// The number of the payloads' schema, 1 or more; by default 1.
  static var schema: Int { get }

  /// Stored names of the past, each with its current stored name; by default none.
  static var formerNames: [String: String] { get }

  /// The steps that upcast stored events of older schemas to the present one; by default none.
  ///
  /// They are the same in every run of a program, and are checked when the type is first used.
  static var upcasters: [Upcaster] { get }

  /// The words by which the event can be found; by default none.
  var tags: Set<EventTag> { get }
}

extension Event {
  /// The type's name without "Event".
  public static var typePrefix: String {
    DefaultNames.note(Self.self)
    let name = String(describing: Self.self)
    return name.hasSuffix("Event") && name.count > 5 ? String(name.dropLast(5)) : name
  }

  /// The first schema.
  public static var schema: Int { 1 }

  /// No names of the past.
  public static var formerNames: [String: String] { [:] }

  /// No steps.
  public static var upcasters: [Upcaster] { [] }

  /// No tags.
  public var tags: Set<EventTag> { [] }
}
