/// Events of several types as one, for code that needs them together: a projection, a follower, a decider.
///
/// The library brings the unions ``EventUnion2``, ``EventUnion3``, ``EventUnion4`` and ``EventUnion5``, which are all
/// that most code needs:
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
/// Write one yourself where you want names for its cases, or have more types:
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
/// A union has no stored names of its own. Each event is stored and read by the type that declares it, with that type's
/// names, former names, schema, upcasters, tags and coding, as if there were no union. A union may be a member of
/// another one. A type that is twice in it, or two types whose names begin alike, are refused when the union is first
/// used.
public protocol EventUnion: Event {
  /// The types whose events it holds, each with the case that holds them.
  static var members: [EventMember<Self>] { get }

  /// The event that it holds.
  var event: any Event { get }
}

/// A type whose events a union holds.
public struct EventMember<Union: EventUnion>: Sendable {
  let type: any Event.Type
  let makeCoder: @Sendable () throws -> MemberCoder<Union>
  let decode: @Sendable (KeyedDecodingContainer<PrefixKey>, PrefixKey) throws -> Union

  /// Names a type by the case that holds its events.
  ///
  /// - Parameter hold: Makes the union's event of the type's: the case itself, such as `OfficeEvent.person`.
  public init<Member: Event>(_ hold: @escaping @Sendable (Member) -> Union) {
    type = Member.self
    makeCoder = { try TypedMemberCoder<Union, Member>(hold) }
    decode = { container, key in hold(try container.decode(Member.self, forKey: key)) }
  }
}

extension EventUnion {
  /// The members' prefixes, joined by "+"; no stored name begins so.
  public static var typePrefix: String { members.map { $0.type.typePrefix }.joined(separator: "+") }

  /// The tags of the event that it holds.
  public var tags: Set<EventTag> { event.tags }

  /// The types of events, those of unions in it instead of the unions.
  static var eventTypes: [any Event.Type] {
    members.flatMap { member in (member.type as? any EventUnion.Type)?.eventTypes ?? [member.type] }
  }
}

// Outside of a log, an event of a union is coded as an object with one member: the prefix of its type, and the event.
extension EventUnion {
  /// Writes the event under its type's prefix.
  public func encode(to encoder: any Encoder) throws {
    func write(_ event: some Event) throws {
      var container = encoder.container(keyedBy: PrefixKey.self)
      try container.encode(event, forKey: PrefixKey(stringValue: type(of: event).typePrefix))
    }
    try write(event)
  }

  /// Reads an event by its type's prefix.
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
            "expected one of \(members.map { $0.type.typePrefix }.joined(separator: ", ")) with its event, "
            + "found \(container.allKeys.map(\.stringValue).sorted().joined(separator: ", "))"))
    }
    self = try member.decode(container, key)
  }
}

/// The prefix of a union's member, where its events are coded outside of a log.
struct PrefixKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// The coding keys of a type without cases of its own.
enum NoCase: CodingKey {}
