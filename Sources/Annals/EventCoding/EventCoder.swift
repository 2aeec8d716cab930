import Synchronization

/// Turns events of one Swift type into their stored form, and back.
///
/// The case goes into the type's name and not into the payload. Make one and keep it: it is not shared between threads.
/// A union's coder hands everything on to the coders of its members.
package struct EventCoder<E: Event> {
  package typealias Known = KnownType

  private let coder = PayloadCoder()
  private let memory: CaseMemory
  /// The present schema.
  var schema: Int { chain.schema }
  let facts: EventTypeFacts
  /// Nil of a type that leaves its coding to Codable.
  private let custom: CustomCoding<E>?
  /// True if a name that a declared type has too is refused.
  private let checksNames: Bool
  /// Nil of a type that has cases of its own.
  private let union: UnionCoder<E>?
  private let keyType: any CodingKey.Type
  private let chain: UpcasterChain
  /// What is known of types that were met; the first few are found by looking at each, which is quicker than hashing.
  private var firstKnown: [(type: String, known: Known)]
  private var known: [ExactString: Known] = [:]

  /// Creates a coder, refusing a type that is no enum with synthesized coding or whose upcasters do not fit together.
  ///
  /// - Parameters:
  ///   - custom: False to leave the coding to Codable also if the type brings one.
  ///   - checksNames: False to encode events of an older version of a declared type, which has the same names.
  /// - Throws: `EventCodingError`.
  package init(custom: Bool = true, checksNames: Bool = true) throws {
    self.checksNames = checksNames
    facts = try EventTypeFacts.of(E.self) {
      if let union = E.self as? any EventUnion.Type {
        try NameClaims.ensureApart(membersOf: union)
        return (NoCase.self, UpcasterChain([], schema: 1, formerNames: [:]))
      }
      guard let keys = CaseProbe.keyType(of: E.self) else {
        throw EventCodingError(
          .unsuitableType,
          "\(E.self) can't be stored as an event: expected an enum with a case for every kind of event and synthesized "
            + "Codable, found a type whose coding doesn't name its case")
      }
      let chain = try UpcasterChain.of(E.self) { name in
        if case .event = Self.meaning(of: name, keys) { true } else { false }
      }
      return (keys, chain)
    }
    union = facts.keyType == NoCase.self ? try UnionCoder.make() : nil
    self.custom = custom && union == nil ? CustomCoding.make() : nil
    memory = CaseMemory(facts.cases, prefix: facts.prefix)
    keyType = facts.keyType
    chain = facts.chain
    firstKnown = facts.known.withLock { $0 }
  }

  /// What is known of a stored type.
  package mutating func known(_ type: String) -> Known {
    for known in firstKnown where ExactString.exactlyEqual(known.type, type) { return known.known }
    if let known = known[ExactString(type)] { return known }
    let new = union.map { $0.known(type) } ?? ownKnown(type)
    // Another type that is declared later may turn out to be the owner.
    if new.meaning == .unknown { return new }
    if firstKnown.count < 16 {
      firstKnown.append((type, new))
      facts.known.withLock { [firstKnown] in if $0.count < firstKnown.count { $0 = firstKnown } }
    } else {
      known[ExactString(type)] = new
    }
    return new
  }

  /// What is known of a stored type, found out.
  private func ownKnown(_ type: String) -> Known {
    let name = chain.currentName(of: type)
    let hasSteps = chain.steps(of: name) != nil
    var meaning = Self.meaning(of: name, keyType)
    if meaning == .unknown, !hasSteps, NameClaims.isOwned(name, byOtherThan: E.self, prefix: facts.prefix) {
      meaning = .foreign
    }
    return Known(meaning: meaning, name: name, hasSteps: hasSteps)
  }

  /// True if a stored name is one of the type's: a case's, a former one, or one that a step is from.
  package func claims(_ type: String) -> Bool {
    let name = chain.currentName(of: type)
    if chain.steps(of: name) != nil { return true }
    if case .event = Self.meaning(of: name, keyType) { return true }
    return false
  }

  /// How many bytes of a stored type are the type's prefix, or a union's member's.
  func reach(_ type: String) -> Int {
    union?.reach(type) ?? (EventPrefix.begins(type, with: facts.prefix) ? facts.prefix.utf8.count : 0)
  }

  /// True if the type has no cases of its own.
  var isUnion: Bool { union != nil }

  /// The names of the past that the type reads: former ones, and those that steps are from, in order.
  var pastNames: [String] { chain.pastNames }

  /// The stored form of an event.
  package func encode(_ event: E) throws -> NewEvent {
    if let union { return try union.encode(event) }
    do {
      if let custom {
        let (key, payload) = try custom.encode(event)
        let type = try memory.storedName(ofKey: key) { name in
          if checksNames { try NameClaims.ensureFree(name, for: E.self) }
          if keyType.init(stringValue: key) == nil {
            throw EventCodingError(
              .unsuitableType,
              "\(E.self) has no case \(key), but its custom coding wrote this name: return the case's name in Codable"
            )
          }
        }
        return NewEvent(type: type, schema: E.schema, payload: payload, tags: event.tags)
      }
      let builder = coder.cleared()
      let found = try memory.encoding { try event.encode(to: CaseEncoder(builder: builder, memory: memory)) }
      guard let found else {
        throw EventCodingError(.unsuitableType, "\(E.self) can't be stored as an event: its coding doesn't name a case")
      }
      if checksNames { try memory.keepNewCase { try NameClaims.ensureFree($0, for: E.self) } }
      if builder.nodes[JSONBuilder.root].kind == .empty {
        // The one unlabelled value is an optional without value, which the compiler's coding leaves out.
        builder.write(JSONBuilder.root) { $0.add("null") }
      }
      guard let payload = coder.text(of: builder) else { throw builder.tooDeep(event) }
      return NewEvent(type: found.storedName, schema: E.schema, writtenAs: payload, tags: event.tags)
    } catch let error as UnlabelledValue {
      throw EventCodingError(error)
    } catch let error as EncodingError {
      throw EventCodingError(.unsuitableValue, "\(E.self) contains a value that JSON can't represent: \(error)")
    }
  }

  /// The event of a stored type and payload of the present schema; nil if it is another type's.
  package mutating func decode(type: String, payload: String?) throws -> E? {
    var payload = payload ?? "{}"
    return try payload.withUTF8 { try decode(type: type, bytes: UnsafeRawBufferPointer($0)) }
  }

  /// The event of a stored type and the bytes of its payload, nil if it has none; nil if it is another type's.
  package mutating func decode(type: String, bytes: UnsafeRawBufferPointer?) throws -> E? {
    try decode(known(type), type, bytes)
  }

  /// The event of a known stored type, at the present schema; nil if the type belongs to another event type.
  private func decode(_ known: Known, _ type: String, _ bytes: UnsafeRawBufferPointer?) throws -> E? {
    if let union { return try union.decode(known, type, bytes) }
    switch known.meaning {
    case .foreign: return nil
    case .unknown: throw unknown(type)
    case .event(let key): return try decode(type, key, bytes)
    }
  }

  /// Appends what a stored event is to the Swift type, as `read` answers it.
  ///
  /// For long runs: what is read most often, a case of the present schema, is appended where it is made.
  @inline(__always)
  mutating func read(
    _ known: Known, type: String, schema: Int, bytes: UnsafeRawBufferPointer?, _ policy: ReadingPolicy,
    into events: inout [E]
  ) throws {
    if known.isForeign { return }
    if let union { return try union.read(known, type: type, schema: schema, bytes: bytes, policy, into: &events) }
    guard schema <= chain.schema, !known.hasSteps, case .event(let key) = known.meaning else {
      let payload = bytes.map { String(decoding: $0, as: UTF8.self) }
      try read(type: type, schema: schema, payload: payload, policy).forEach { events.append($0) }
      return
    }
    guard let custom else { return try read(in: memory.slot(key), type: type, bytes: bytes, into: &events) }
    do {
      guard try custom.decode(key, tape(of: bytes), into: &events) else { throw unreadCase(key) }
    } catch let error as DecodingError {
      throw badPayload(type, key, error)
    } catch let error as UnlabelledValue {
      throw EventCodingError(error)
    }
  }

  /// Where the events of a stored type are decoded, if each up to the present schema is an event of one case that
  /// Codable decodes; nil of any other type.
  func slot(of known: Known) -> CaseSlot? {
    guard union == nil, custom == nil, !known.hasSteps, case .event(let key) = known.meaning else { return nil }
    return memory.slot(key)
  }

  /// Appends what a stored event is to the Swift type, where its case's events are decoded.
  ///
  /// - Parameters:
  ///   - slot: The place, as `slot(of:)` answered it.
  ///   - type: The stored type.
  ///   - bytes: The payload; nil if the event has none.
  ///   - events: What the event is appended to.
  /// - Throws: `EventCodingError`.
  @inline(__always)
  func read(in slot: CaseSlot, type: String, bytes: UnsafeRawBufferPointer?, into events: inout [E]) throws {
    do {
      events.append(try decode(in: slot, bytes))
    } catch let error as DecodingError {
      throw badPayload(type, slot.key, error)
    } catch let error as UnlabelledValue {
      throw EventCodingError(error)
    }
  }

  /// The event of some bytes, where its case's events are decoded; throws what its coding throws.
  @inline(__always)
  func decode(in slot: CaseSlot, _ bytes: UnsafeRawBufferPointer?) throws -> E {
    slot.open(try tape(of: bytes))
    defer { slot.close() }
    return try E(from: CaseDecoder(slot: slot))
  }

  /// A tape with a payload; an event without one has no values.
  private func tape(of bytes: UnsafeRawBufferPointer?) throws -> JSONTape {
    if let bytes { try coder.tape(of: bytes) } else { try coder.tape(of: "{}") }
  }

  /// What a stored event says if it is a case of the type itself and no step is from it; nil of any other.
  func readPlain(_ known: Known, type: String, schema: Int, bytes: UnsafeRawBufferPointer?) throws -> E? {
    guard union == nil, schema <= chain.schema, !known.hasSteps, case .event(let key) = known.meaning else {
      return nil
    }
    return try decode(type, key, bytes)
  }

  private func unreadCase(_ key: String) -> EventCodingError {
    EventCodingError(
      .unsuitableType, "\(E.self) has a case \(key), but its custom coding doesn't read the case: add the case there")
  }

  private func badPayload(_ type: String, _ key: String, _ error: DecodingError) -> EventCodingError {
    EventCodingError(.badPayload, "the payload of \(type) doesn't match \(E.self).\(key): \(error)")
  }

  /// A query for events of some types, widened by the stored types that may become them.
  package func widened(_ query: EventQuery) -> EventQuery {
    guard let alternatives = query.alternatives else { return query }
    return EventQuery(
      alternatives.map { alternative in
        var alternative = alternative
        if !alternative.types.isEmpty { alternative.types.formUnion(origins(of: alternative.types)) }
        return alternative
      })
  }

  /// The other stored types whose events may become events of some types.
  func origins(of types: Set<String>) -> Set<String> {
    union.map { $0.origins(of: types) } ?? chain.origins(of: types)
  }

  /// What a stored event is to the Swift type: one event, or several or none where it was upcast.
  ///
  /// - Parameters:
  ///   - type: The stored type.
  ///   - schema: The schema of the payload.
  ///   - payload: The payload.
  ///   - policy: What happens at what is not known.
  ///   - isWanted: Whether the reader wants events of a name; asked only of what was upcast, by its current name.
  /// - Returns: The events.
  /// - Throws: ``EventCodingError``.
  package mutating func read(
    type: String, schema: Int, payload: String?, _ policy: ReadingPolicy = ReadingPolicy(),
    where isWanted: (String) -> Bool = { _ in true }
  ) throws -> EventReading<E> {
    let known = known(type)
    if known.isForeign { return .none }
    if let union {
      return try union.read(known, type: type, schema: schema, payload: payload, policy, where: isWanted)
    }
    if schema > chain.schema {
      let isCase = known.isEvent
      // A type without a case is unknown, whatever its schema.
      if isCase, policy.newer == .skip { return .none }
      if isCase, policy.newer == .stop { throw newer(type, schema) }
      // The query was widened by what steps are from, and no step takes this event.
      if isCase, known.hasSteps, !isWanted(known.name) { return .none }
      if !isCase {
        if policy.unknown == .skip { return .none }
        throw unknown(type, newer: schema)
      }
    } else if known.hasSteps {
      let events = try chain.upcast(known.name, schema: schema, payload: payload, coder).compactMap { event in
        isWanted(event.name) ? try upcasted(event.name, event.payload, from: type, schema, policy) : nil
      }
      return events.count == 1 ? .one(events[0]) : events.isEmpty ? .none : .several(events)
    }
    switch known.meaning {
    case .foreign: return .none
    case .unknown:
      if policy.unknown == .skip { return .none }
      throw unknown(type)
    case .event(let key): return .one(try decode(type, key, payload))
    }
  }

  /// True if a step is from a stored type and schema.
  package func hasSteps(type: String, schema: Int) -> Bool {
    if let union { return union.hasSteps(type: type, schema: schema) }
    return chain.steps(of: chain.currentName(of: type))?.step(from: schema, present: chain.schema) != nil
  }

  /// The event that came of a stored one; nil if it is another type's, as one that no step took may be.
  private mutating func upcasted(
    _ name: String, _ payload: String, from type: String, _ schema: Int, _ policy: ReadingPolicy
  ) throws -> E? {
    switch known(name).meaning {
    case .foreign: return nil
    case .unknown:
      if policy.unknown == .skip { return nil }
      throw unknown(name)
    case .event(let key):
      guard schema < chain.schema else { return try decode(name, key, payload) }
      do {
        return try decode(name, key, payload)
      } catch let error as EventCodingError {
        throw EventCodingError(
          .notUpcast,
          "\(type) was upcast from schema \(schema) to \(chain.schema), but the result of the steps doesn't match: "
            + error.message)
      }
    }
  }

  private func decode(_ type: String, _ key: String, _ payload: String?) throws -> E {
    var payload = payload ?? "{}"
    return try payload.withUTF8 { try decode(type, key, UnsafeRawBufferPointer($0)) }
  }

  private func decode(_ type: String, _ key: String, _ bytes: UnsafeRawBufferPointer?) throws -> E {
    do {
      guard let custom else { return try decode(in: memory.slot(key), bytes) }
      if let event = try custom.decode(key, tape(of: bytes)) { return event }
      throw unreadCase(key)
    } catch let error as DecodingError {
      throw badPayload(type, key, error)
    } catch let error as UnlabelledValue {
      throw EventCodingError(error)
    }
  }

  private func unknown(_ type: String, newer schema: Int? = nil) -> EventCodingError {
    let found = schema.map { ", and its schema \($0) is newer than \(chain.schema): a newer program wrote it" } ?? ""
    return EventCodingError(
      .unknownEvent,
      "the event type \(type) has the prefix of \(E.self), but \(E.self) has no case for it\(found); if it belongs to "
        + "another type, declare that type or its prefix with EventCatalog.declare")
  }

  private func newer(_ type: String, _ schema: Int) -> EventCodingError {
    EventCodingError(
      .newerSchema,
      "expected \(type) in schema \(chain.schema) or older, found schema \(schema): a newer program wrote it")
  }

  /// What a name means that no other stands for.
  private static func meaning(of name: String, _ keyType: any CodingKey.Type) -> StoredTypeMeaning {
    if let first = name.first, first.isUppercase, keyType.init(stringValue: name) != nil {
      return .event(key: name)
    }
    let prefix = E.typePrefix
    guard name.utf8.starts(with: prefix.utf8) else { return .foreign }
    let rest = String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    // "Bookshop…" is no "Book…": the case's name begins with a capital letter, so the rest must.
    guard let first = rest.first, !first.isLowercase else { return .foreign }
    let key = first.lowercased() + rest.dropFirst()
    return keyType.init(stringValue: key) != nil ? .event(key: key) : .unknown
  }
}
