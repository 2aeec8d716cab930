/// A union of several event types, for code that needs them together: a projection, a follower or a decider.
///
/// The library contains a union of two types, ``EventUnion2``:
///
///     struct Board: Projection {
///       typealias Event = EventUnion2<PersonEvent, TaskEvent>
///
///       func project(_ event: Event, into rows: inout Rows<TaskRow>) throws {
///         switch event {
///         case .first(.renamed(let id, let name)): …
///         case .second(.added(let id, let title)): …
///         }
///       }
///     }
///
/// Write a custom union if you want to name its cases, or need more types:
///
///     enum OfficeEvent: EventUnion {
///       case person(PersonEvent)
///       case task(TaskEvent)
///
///       static var members: [EventMember<Self>] { [EventMember(Self.person), EventMember(Self.task)] }
///       var event: any Event {
///         switch self {
///         case .person(let event): event
///         case .task(let event): event
///         }
///       }
///     }
///
/// A union does not have its own stored names. Every event is stored and read as an event of its member type, with that
/// type's names, former names, schema, upcasters, tags and coding, as if the union didn't exist. A union can be a
/// member of another union. If a union contains a type twice, or two types with the same prefix, its first use throws
/// an ``EventCodingError``.
public protocol EventUnion: Event {
  /// The member event types, with the cases that contain their events.
  static var members: [EventMember<Self>] { get }

  /// The event that this union value contains.
  var event: any Event { get }
}

/// A member event type of a union, with the case that contains the type's events.
public struct EventMember<Union: EventUnion>: Sendable {
  let type: any Event.Type
  let makeCoder: @Sendable () throws -> MemberCoder<Union>
  let decode: @Sendable (KeyedDecodingContainer<PrefixKey>, PrefixKey) throws -> Union

  /// Creates a member from the case that contains the type's events.
  ///
  /// - Parameter hold: A closure that wraps an event in the union. Pass the case itself, such as `OfficeEvent.person`.
  public init<Member: Event>(_ hold: @escaping @Sendable (Member) -> Union) {
    type = Member.self
    makeCoder = { try TypedMemberCoder<Union, Member>(hold) }
    decode = { container, key in hold(try container.decode(Member.self, forKey: key)) }
  }
}

extension EventUnion {
  /// A placeholder for the required prefix: the members' prefixes, joined by "+".
  ///
  /// No stored name begins with this string, because every event is stored with the prefix of its member type.
  public static var typePrefix: String { members.map { $0.type.typePrefix }.joined(separator: "+") }

  /// The tags of the contained event.
  public var tags: Set<EventTag> { event.tags }

  /// The types of the union's events.
  ///
  /// Nested unions are replaced by their members.
  static var eventTypes: [any Event.Type] {
    members.flatMap { member in (member.type as? any EventUnion.Type)?.eventTypes ?? [member.type] }
  }
}

// Outside of a log, an event of a union is encoded as an object with a single member. The member's name is the prefix
// of the event's type, and its value is the event.
extension EventUnion {
  /// Encodes the contained event for use outside of a log, for example in a file of your app.
  ///
  /// The result is an object with one member. The member's name is the prefix of the event's type, and its value is the
  /// event. In a log, the event is stored like every other event of its type.
  public func encode(to encoder: any Encoder) throws {
    func write(_ event: some Event) throws {
      var container = encoder.container(keyedBy: PrefixKey.self)
      try container.encode(event, forKey: PrefixKey(stringValue: type(of: event).typePrefix))
    }
    try write(event)
  }

  /// Decodes an event that was encoded outside of a log.
  ///
  /// The encoded form is an object with one member. The member's name is the prefix of the event's type, and its value
  /// is the event.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: PrefixKey.self)
    let members = Self.members
    guard let key = container.allKeys.first, container.allKeys.count == 1,
      let member = members.first(where: { ExactString.exactlyEqual($0.type.typePrefix, key.stringValue) })
    else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription:
            "expected an object with exactly one of the keys "
            + "\(members.map { $0.type.typePrefix }.joined(separator: ", ")), found the keys "
            + "[\(container.allKeys.map(\.stringValue).sorted().joined(separator: ", "))]"))
    }
    self = try member.decode(container, key)
  }
}

/// The prefix of a union's member, used as the coding key for the member's events outside of a log.
struct PrefixKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// The coding keys of a type that does not have its own cases.
enum NoCase: CodingKey {}
