/// A coder of a union's events, which uses the coders of its members.
///
/// Like the ``EventCoder`` that contains it, a union's coder must not be shared between threads.
final class UnionCoder<E: Event> {
  private let members: [MemberCoder<E>]
  private let held: (E) -> any Event

  private init(_ members: [MemberCoder<E>], _ held: @escaping (E) -> any Event) {
    self.members = members
    self.held = held
  }

  /// Returns the coder of a type that is a union, or `nil` for any other type.
  static func make() throws -> UnionCoder<E>? {
    func make<U: EventUnion>(_ type: U.Type) throws -> UnionCoder<E>? {
      // `U` and `E` are the same type, but the compiler accepts this only with a cast.
      UnionCoder<U>(try U.members.map { try $0.makeCoder() }) { $0.event } as? UnionCoder<E>
    }
    guard let type = E.self as? any EventUnion.Type else { return nil }
    return try make(type)
  }

  /// Returns the meaning of a stored type according to the member that owns it.
  func known(_ type: String) -> KnownType {
    let known = members.enumerated().map { index, member in
      var known = member.known(type)
      known.member = index
      return known
    }
    let claims = known.filter(\.isRead)
    if var claim = claims.first {
      claim.isClaimedTwice = claim.isClaimedTwice || claims.count > 1
      return claim
    }
    // If a name begins with the prefixes of two members, it belongs to the member with the longer prefix.
    let unknown = known.filter { $0.meaning == .unknown }.max {
      members[$0.member].reach(type) < members[$1.member].reach(type)
    }
    return unknown ?? KnownType(meaning: .foreign, name: type, hasSteps: false)
  }

  /// Returns the length in bytes of the longest member prefix with which a stored type begins.
  func reach(_ type: String) -> Int { members.map { $0.reach(type) }.max() ?? 0 }

  func encode(_ event: E) throws -> NewEvent {
    let held = held(event)
    guard let member = members.first(where: { $0.type == Swift.type(of: held) }) else {
      throw EventCodingError(
        .unsuitableType,
        "\(E.self) contains an event of type \(Swift.type(of: held)), which isn't one of the union's members. Add the "
          + "type to `members`")
    }
    let new = try member.encode(held)
    if known(new.type).isClaimedTwice { throw claimedTwice(new.type) }
    return new
  }

  func decode(_ known: KnownType, _ type: String, _ bytes: UnsafeRawBufferPointer?) throws -> E? {
    if known.isForeign { return nil }
    return try owner(of: type, known).decode(type, bytes)
  }

  func read(
    _ known: KnownType, type: String, schema: Int, bytes: UnsafeRawBufferPointer?, _ policy: ReadingPolicy,
    _ context: () -> Upcaster.Context, into events: inout [E]
  ) throws {
    try owner(of: type, known).read(known, type, schema, bytes, policy, context, into: &events)
  }

  func read(
    _ known: KnownType, type: String, schema: Int, payload: String?, _ policy: ReadingPolicy,
    _ context: () -> Upcaster.Context, where isWanted: (String) -> Bool
  ) throws -> EventReading<E> {
    try owner(of: type, known).read(type, schema, payload, policy, context, where: isWanted)
  }

  func hasSteps(type: String, schema: Int) -> Bool { members.contains { $0.hasSteps(type, schema) } }

  func origins(of types: Set<String>) -> Set<String> {
    members.reduce(into: []) { $0.formUnion($1.origins(of: types)) }
  }

  private func owner(of type: String, _ known: KnownType) throws -> MemberCoder<E> {
    if known.isClaimedTwice { throw claimedTwice(type) }
    return members[known.member]
  }

  private func claimedTwice(_ name: String) -> EventCodingError {
    let claims = members.filter { $0.known(name).isRead }.map { "\($0.type)" }
    return NameClaims.twice(name, claims)
  }
}

/// A coder of the events of a union's member.
///
/// Only the subclass contains the member's type.
class MemberCoder<E: Event> {
  var type: any Event.Type { preconditionFailure("a subclass must override this member") }
  func known(_ type: String) -> KnownType { preconditionFailure("a subclass must override this member") }
  func reach(_ type: String) -> Int { preconditionFailure("a subclass must override this member") }
  func encode(_ event: any Event) throws -> NewEvent { preconditionFailure("a subclass must override this member") }
  func decode(_ type: String, _ bytes: UnsafeRawBufferPointer?) throws -> E? {
    preconditionFailure("a subclass must override this member")
  }
  func read(
    _ known: KnownType, _ type: String, _ schema: Int, _ bytes: UnsafeRawBufferPointer?, _ policy: ReadingPolicy,
    _ context: () -> Upcaster.Context, into events: inout [E]
  ) throws { preconditionFailure("a subclass must override this member") }
  func read(
    _ type: String, _ schema: Int, _ payload: String?, _ policy: ReadingPolicy, _ context: () -> Upcaster.Context,
    where isWanted: (String) -> Bool
  ) throws -> EventReading<E> { preconditionFailure("a subclass must override this member") }
  func hasSteps(_ type: String, _ schema: Int) -> Bool { preconditionFailure("a subclass must override this member") }
  func origins(of types: Set<String>) -> Set<String> { preconditionFailure("a subclass must override this member") }
}

/// A coder of the events of a union's member, which uses the member's own coder.
final class TypedMemberCoder<Union: EventUnion, Member: Event>: MemberCoder<Union> {
  private let hold: (Member) -> Union
  private var coder: EventCoder<Member>
  /// The events of the last read.
  ///
  /// The array is kept to reuse its memory.
  private var events: [Member] = []

  init(_ hold: @escaping (Member) -> Union) throws {
    self.hold = hold
    coder = try EventCoder()
  }

  override var type: any Event.Type { Member.self }
  override func known(_ type: String) -> KnownType { coder.known(type) }
  override func reach(_ type: String) -> Int { coder.reach(type) }

  override func encode(_ event: any Event) throws -> NewEvent {
    guard let event = event as? Member else {
      preconditionFailure(
        "expected an event of type \(Member.self), found \(Swift.type(of: event)). Please report this")
    }
    return try coder.encode(event)
  }

  override func decode(_ type: String, _ bytes: UnsafeRawBufferPointer?) throws -> Union? {
    try coder.decode(type: type, bytes: bytes).map(hold)
  }

  override func read(
    _ known: KnownType, _ type: String, _ schema: Int, _ bytes: UnsafeRawBufferPointer?, _ policy: ReadingPolicy,
    _ context: () -> Upcaster.Context, into events: inout [Union]
  ) throws {
    self.events.removeAll(keepingCapacity: true)
    // If the member is itself a union, its coder must find the nested member that owns the type.
    let known = coder.isUnion ? coder.known(type) : known
    try coder.read(known, type: type, schema: schema, bytes: bytes, policy, context: context(), into: &self.events)
    for event in self.events { events.append(hold(event)) }
  }

  override func read(
    _ type: String, _ schema: Int, _ payload: String?, _ policy: ReadingPolicy, _ context: () -> Upcaster.Context,
    where isWanted: (String) -> Bool
  ) throws -> EventReading<Union> {
    switch try coder.read(
      type: type, schema: schema, payload: payload, policy, context: context(), where: isWanted)
    {
    case .none: .none
    case .one(let event): .one(hold(event))
    case .several(let events): .several(events.map(hold))
    }
  }

  override func hasSteps(_ type: String, _ schema: Int) -> Bool { coder.hasSteps(type: type, schema: schema) }
  override func origins(of types: Set<String>) -> Set<String> { coder.origins(of: types) }
}
