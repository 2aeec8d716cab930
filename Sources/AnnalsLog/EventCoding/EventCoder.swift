package import Foundation
import Synchronization

/// A coder that converts events of a Swift type to their stored form, and back.
///
/// The case's name becomes a part of the stored name (the stored type), not of the payload. Create a coder and reuse
/// it, but don't share it between threads. A union's coder forwards all work to the coders of its members.
package struct EventCoder<E: Event> {
  package typealias Known = KnownType

  private let coder = PayloadCoder()
  private let memory: CaseMemory
  /// The present schema.
  package var schema: Int { chain.schema }
  package let facts: EventTypeFacts
  /// The custom coding, or `nil` for a type that uses Codable.
  private let custom: CustomCoding<E>?
  /// True to refuse a stored name that another declared type also has.
  private let checksNames: Bool
  /// The coder of a union, or `nil` for a type with its own cases.
  private let union: UnionCoder<E>?
  private let keyType: any CodingKey.Type
  private let chain: UpcasterChain
  /// The cached meanings of the first few stored types, in an array because a linear search is faster than hashing.
  private var firstKnown: [(type: String, known: Known)]
  private var known: [ExactString: Known] = [:]

  /// Creates a coder, or throws for a type that isn't an enum with synthesized coding or has inconsistent upcasters.
  ///
  /// - Parameters:
  ///   - custom: False to use Codable even if the type has a custom coding.
  ///   - checksNames: False to accept stored names that another declared type also has. Use it to encode events of an
  ///     older version of a declared type, because both versions have the same names.
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
          "\(E.self) can't be stored as an event, because it doesn't encode the name of its case. Declare the event "
            + "type as an enum with a case for every kind of event, and use the synthesized Codable conformance of "
            + "the enum")
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

  /// Returns a stored type's meaning for the Swift type, from the cache if possible.
  package mutating func known(_ type: String) -> Known {
    for known in firstKnown where ExactString.exactlyEqual(known.type, type) { return known.known }
    if let known = known[ExactString(type)] { return known }
    let new = union.map { $0.known(type) } ?? ownKnown(type)
    // An unknown stored type isn't cached, because an event type that is declared later might own it.
    if new.meaning == .unknown { return new }
    if firstKnown.count < 16 {
      firstKnown.append((type, new))
      facts.known.withLock { [firstKnown] in if $0.count < firstKnown.count { $0 = firstKnown } }
    } else {
      known[ExactString(type)] = new
    }
    return new
  }

  /// Computes a stored type's meaning for the Swift type.
  private func ownKnown(_ type: String) -> Known {
    let name = chain.currentName(of: type)
    let hasSteps = chain.steps(of: name) != nil
    var meaning = Self.meaning(of: name, keyType)
    if meaning == .unknown, !hasSteps, NameClaims.isOwned(name, byOtherThan: E.self, prefix: facts.prefix) {
      meaning = .foreign
    }
    return Known(meaning: meaning, name: name, hasSteps: hasSteps)
  }

  /// Returns true if a stored name belongs to the type: as a case, a former name, or the source of an upcaster.
  package func claims(_ type: String) -> Bool {
    let name = chain.currentName(of: type)
    if chain.steps(of: name) != nil { return true }
    if case .event = Self.meaning(of: name, keyType) { return true }
    return false
  }

  /// Returns the length of the type's prefix in bytes, or 0 if the stored type doesn't begin with this prefix.
  ///
  /// For a union, the result is the length of the longest matching member prefix.
  func reach(_ type: String) -> Int {
    union?.reach(type) ?? (EventPrefix.begins(type, with: facts.prefix) ? facts.prefix.utf8.count : 0)
  }

  /// True if the type is a union, which does not have its own cases.
  var isUnion: Bool { union != nil }

  /// The former names that the type reads, including the sources of upcasters, in order.
  var pastNames: [String] { chain.pastNames }

  /// Returns the stored form of an event.
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
              "\(E.self) has no case \(key), but its custom coding encoded this case name; encode the name of an "
                + "existing case")
          }
        }
        return NewEvent(type: type, schema: E.schema, payload: payload, tags: event.tags)
      }
      let builder = coder.cleared()
      let found = try memory.encoding { try event.encode(to: CaseEncoder(builder: builder, memory: memory)) }
      guard let found else {
        throw EventCodingError(
          .unsuitableType,
          "\(E.self) can't be stored as an event, because its encode(to:) doesn't encode the name of a case. Use a "
            + "synthesized Codable conformance")
      }
      if checksNames { try memory.keepNewCase { try NameClaims.ensureFree($0, for: E.self) } }
      if builder.nodes[JSONBuilder.root].kind == .empty {
        // The single unlabelled value is an optional without a value, which the compiler's coding omits.
        builder.write(JSONBuilder.root) { $0.add("null") }
      }
      guard let payload = coder.text(of: builder) else { throw JSONBuilder.tooDeep(E.self) }
      return NewEvent(type: found.storedName, schema: E.schema, writtenAs: payload, tags: event.tags)
    } catch let error as UnlabelledValue {
      throw EventCodingError(error)
    } catch let error as EncodingError {
      throw EventCodingError(
        .unsuitableValue,
        "\(E.self) contains a value that JSON can't represent. Change the value, or encode it in another form, for "
          + "example as a string. The encoder's error: \(described(error))")
    }
  }

  /// Decodes an event from its stored type and a payload of the present schema, or returns `nil` if the event belongs
  /// to another type.
  package mutating func decode(type: String, payload: String?) throws -> E? {
    var payload = payload ?? "{}"
    return try payload.withUTF8 { try decode(type: type, bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Decodes an event from its stored type and its payload's bytes, or returns `nil` if the event belongs to another
  /// type.
  ///
  /// `bytes` is `nil` for an event without a payload.
  package mutating func decode(type: String, bytes: UnsafeRawBufferPointer?) throws -> E? {
    try decode(known(type), type, bytes)
  }

  /// Decodes an event of a known stored type at the present schema, or returns `nil` if it belongs to another event
  /// type.
  private func decode(_ known: Known, _ type: String, _ bytes: UnsafeRawBufferPointer?) throws -> E? {
    if let union { return try union.decode(known, type, bytes) }
    switch known.meaning {
    case .foreign: return nil
    case .unknown: throw unknown(type)
    case .event(let key): return try decode(type, key, bytes)
    }
  }

  /// Converts a stored event to events of the Swift type, and appends them to an array.
  ///
  /// The events are the same as those of the `read` method that returns them. For many events, this method is faster,
  /// because it directly appends an event of the most frequent kind: a case of the present schema.
  @inline(__always)
  package mutating func read(
    _ known: Known, type: String, schema: Int, bytes: UnsafeRawBufferPointer?, _ policy: ReadingPolicy,
    context: @autoclosure () -> Upcaster.Context, into events: inout [E]
  ) throws {
    if known.isForeign { return }
    if let union {
      return try union.read(known, type: type, schema: schema, bytes: bytes, policy, context, into: &events)
    }
    guard schema <= chain.schema, !known.hasSteps, case .event(let key) = known.meaning else {
      let payload = bytes.map { String(decoding: $0, as: UTF8.self) }
      try read(type: type, schema: schema, payload: payload, policy, context: context()).forEach { events.append($0) }
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

  /// Returns the slot that decodes the events of a stored type, or `nil` if they need more than Codable's decoding.
  ///
  /// A type has a slot if all its events up to the present schema belong to one case that Codable decodes.
  package func slot(of known: Known) -> CaseSlot? {
    guard union == nil, custom == nil, !known.hasSteps, case .event(let key) = known.meaning else { return nil }
    return memory.slot(key)
  }

  /// Decodes a stored event in the slot of its case, and appends the result to an array.
  ///
  /// - Parameters:
  ///   - slot: The slot that `slot(of:)` returned.
  ///   - type: The stored type.
  ///   - bytes: The payload, or `nil` for an event without a payload.
  ///   - events: The array to append to.
  /// - Throws: `EventCodingError`.
  @inline(__always)
  package func read(in slot: CaseSlot, type: String, bytes: UnsafeRawBufferPointer?, into events: inout [E]) throws {
    do {
      events.append(try decode(in: slot, bytes))
    } catch let error as DecodingError {
      throw badPayload(type, slot.key, error)
    } catch let error as UnlabelledValue {
      throw EventCodingError(error)
    }
  }

  /// Decodes an event from bytes in the slot of its case, and rethrows errors from the event's decoding.
  @inline(__always)
  package func decode(in slot: CaseSlot, _ bytes: UnsafeRawBufferPointer?) throws -> E {
    slot.open(try tape(of: bytes))
    defer { slot.close() }
    return try E(from: CaseDecoder(slot: slot))
  }

  /// Returns a tape with a payload, or with an empty object for an event without a payload.
  private func tape(of bytes: UnsafeRawBufferPointer?) throws -> JSONTape {
    if let bytes { try coder.tape(of: bytes) } else { try coder.tape(of: "{}") }
  }

  /// Decodes a stored event that is a case of the type itself and needs no upcaster, or returns `nil` for any other
  /// event.
  package func readPlain(_ known: Known, type: String, schema: Int, bytes: UnsafeRawBufferPointer?) throws -> E? {
    guard union == nil, schema <= chain.schema, !known.hasSteps, case .event(let key) = known.meaning else {
      return nil
    }
    return try decode(type, key, bytes)
  }

  private func unreadCase(_ key: String) -> EventCodingError {
    EventCodingError(
      .unsuitableType,
      "\(E.self) has a case \(key), but its custom decoding doesn't handle this case; add the case to the decoding")
  }

  private func badPayload(_ type: String, _ key: String, _ error: DecodingError) -> EventCodingError {
    EventCodingError(.badPayload, "the payload of \(type) doesn't match \(E.self).\(key): \(error.sentence)")
  }

  /// Returns a query that is extended by the stored types whose events can be converted to events of the query's types.
  package func widened(_ query: EventQuery) -> EventQuery {
    guard let alternatives = query.alternatives else { return query }
    return EventQuery(
      alternatives.map { alternative in
        var alternative = alternative
        if !alternative.types.isEmpty { alternative.types.formUnion(origins(of: alternative.types)) }
        return alternative
      })
  }

  /// Returns the other stored types whose events can be converted to events of the given types.
  func origins(of types: Set<String>) -> Set<String> {
    union.map { $0.origins(of: types) } ?? chain.origins(of: types)
  }

  /// Converts a stored event to events of the Swift type.
  ///
  /// After upcasting, there can be several events or none.
  ///
  /// - Parameters:
  ///   - type: The stored type.
  ///   - schema: The schema of the payload.
  ///   - payload: The payload.
  ///   - policy: The treatment of unknown types and newer schemas.
  ///   - context: The event's context, which is created only if an upcaster needs it.
  ///   - isWanted: A closure that returns whether the reader wants events of a name. It is called only for upcast
  ///     events, with the current name.
  /// - Returns: The events.
  /// - Throws: ``EventCodingError``.
  package mutating func read(
    type: String, schema: Int, payload: String?, _ policy: ReadingPolicy = ReadingPolicy(),
    context: @autoclosure () -> Upcaster.Context, where isWanted: (String) -> Bool = { _ in true }
  ) throws -> EventReading<E> {
    let known = known(type)
    if known.isForeign { return .none }
    if let union {
      return try union.read(known, type: type, schema: schema, payload: payload, policy, context, where: isWanted)
    }
    if schema > chain.schema {
      let isCase = known.isEvent
      // A type without a case is unknown, regardless of its schema.
      if isCase, policy.newer == .skip { return .none }
      if isCase, policy.newer == .stop { throw newer(type, schema) }
      // The event matched only because the query was extended by the sources of steps, but no step converts it.
      if isCase, known.hasSteps, !isWanted(known.name) { return .none }
      if !isCase {
        if policy.unknown == .skip { return .none }
        throw unknown(type, newer: schema)
      }
    } else if known.hasSteps {
      let upcast = try chain.upcast(known.name, schema: schema, payload: payload, coder, context)
      let events = try upcast.compactMap { event in
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

  /// Converts an event of a log to events of the Swift type.
  package mutating func read(
    _ event: StoredEvent, _ policy: ReadingPolicy = ReadingPolicy(), where isWanted: (String) -> Bool = { _ in true }
  ) throws -> EventReading<E> {
    try read(
      type: event.type, schema: event.schema, payload: event.payload, policy,
      context: Upcaster.Context(stream: event.stream, time: event.time, metadata: event.metadata), where: isWanted)
  }

  /// Converts an event of a log to the events that a query selects.
  ///
  /// If the query matches the stored event, the result contains all events into which upcasters convert the event.
  /// Otherwise, the result contains only the converted events that match the query.
  ///
  /// - Parameters:
  ///   - event: An event that the query matches after ``widened(_:)``.
  ///   - policy: The treatment of unknown types and newer schemas.
  ///   - query: The query, with the current names of types.
  /// - Returns: The events.
  /// - Throws: ``EventCodingError`` if the event can't be read.
  package mutating func read(
    _ event: StoredEvent, _ policy: ReadingPolicy = ReadingPolicy(), to query: EventQuery
  ) throws -> EventReading<E> {
    try read(event, policy) { name in
      query.matches(event) || query.matches(stream: event.stream, type: name, tags: event.tags)
    }
  }

  /// Converts an event that isn't in a log to events of the Swift type.
  ///
  /// - Parameters:
  ///   - entry: The event and its stream.
  ///   - time: The time for upcasters if the event has none. It is evaluated only if an upcaster needs it.
  ///   - isWanted: A closure that returns whether the reader wants events of a name. It is called only for upcast
  ///     events, with the current name.
  /// - Returns: The events.
  /// - Throws: ``EventCodingError``.
  package mutating func read(
    _ entry: Append.Entry, at time: @autoclosure () -> Date, where isWanted: (String) -> Bool = { _ in true }
  ) throws -> EventReading<E> {
    let event = entry.event
    return try read(
      type: event.type, schema: event.schema, payload: event.payload,
      context: Upcaster.Context(stream: entry.stream, time: event.time ?? time(), metadata: event.metadata),
      where: isWanted)
  }

  /// Returns true if an upcaster converts events of a stored type and schema.
  package func hasSteps(type: String, schema: Int) -> Bool {
    if let union { return union.hasSteps(type: type, schema: schema) }
    return chain.steps(of: chain.currentName(of: type))?.step(from: schema, present: chain.schema) != nil
  }

  /// Decodes a result of upcasting, or returns `nil` if it belongs to another type.
  ///
  /// Only an event that no upcaster converted can belong to another type.
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
          "the upcasters converted \(type) from schema version \(schema) to \(chain.schema), but the result can't be "
            + "decoded as an event of this program: \(error.message)")
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
    let found =
      schema.map {
        ". A newer program wrote the event with schema version \($0), but this program's \(E.self) has schema version "
          + "\(chain.schema)"
      } ?? ""
    return EventCodingError(
      .unknownEvent,
      "the stored name \(type) has the prefix of \(E.self), but \(E.self) has no case for this name\(found). If the "
        + "event belongs to another type, declare that type with EventCatalog.declare. If the event belongs to "
        + "another program, declare the prefix of its name with EventCatalog.declareOthers")
  }

  private func newer(_ type: String, _ schema: Int) -> EventCodingError {
    EventCodingError(
      .newerSchema,
      "a newer program wrote the event: \(type) has schema version \(schema), but this program can read only schema "
        + "versions up to \(chain.schema); update this program")
  }

  /// Returns the meaning of a current stored name, as opposed to a former name.
  private static func meaning(of name: String, _ keyType: any CodingKey.Type) -> StoredTypeMeaning {
    if let first = name.first, first.isUppercase, keyType.init(stringValue: name) != nil {
      return .event(key: name)
    }
    let prefix = E.typePrefix
    guard name.utf8.starts(with: prefix.utf8) else { return .foreign }
    let rest = String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    // "Bookshop…" does not belong to "Book…": the case's name begins with a capital letter, so the rest must too.
    guard let first = rest.first, !first.isLowercase else { return .foreign }
    let key = first.lowercased() + rest.dropFirst()
    return keyType.init(stringValue: key) != nil ? .event(key: key) : .unknown
  }
}
