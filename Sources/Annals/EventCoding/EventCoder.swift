/// Turns events of one Swift type into their stored form, and back.
///
/// The case goes into the type's name and not into the payload. Make one and keep it: it is not shared between threads.
package struct EventCoder<E: Event> {
  /// What a stored type means to the Swift type.
  package enum Meaning: Hashable {
    /// The case with this coding key.
    case event(key: String)
    /// The Swift type's prefix, and no case.
    case unknown
    /// Another type's event, which passes by.
    case foreign
  }

  private let coder = PayloadCoder()
  private let memory = CaseMemory(E.self)
  /// Nil of a type that leaves its coding to Codable.
  private let own: OwnCoding<E>?
  private let keyType: any CodingKey.Type
  /// What types mean that were met; the first few are found by looking at each, which is quicker than hashing.
  private var firstMeanings: [(type: String, meaning: Meaning)] = []
  private var meanings: [ExactString: Meaning] = [:]

  /// Creates a coder, refusing a type that is no enum with synthesized coding.
  ///
  /// - Parameter own: False to leave the coding to Codable also if the type brings one.
  /// - Throws: `EventCodingError`.
  package init(own: Bool = true) throws {
    self.own = own ? OwnCoding.make() : nil
    guard let keys = CaseProbe.keyType(of: E.self) else {
      throw EventCodingError(
        .unsuitableType,
        "\(E.self) cannot be stored as an event: expected an enum with a case for each kind of event and Codable "
          + "written by the compiler, found a type whose coding does not name its case")
    }
    keyType = keys
  }

  /// What a stored type means here.
  package mutating func meaning(of type: String) -> Meaning {
    for known in firstMeanings where ExactString.exactlyEqual(known.type, type) { return known.meaning }
    if let known = meanings[ExactString(type)] { return known }
    let meaning = findMeaning(of: type)
    if firstMeanings.count < 16 {
      firstMeanings.append((type, meaning))
    } else {
      meanings[ExactString(type)] = meaning
    }
    return meaning
  }

  /// The stored form of an event.
  package func encode(_ event: E) throws -> NewEvent {
    do {
      if let own {
        let (key, payload) = try own.encode(event)
        let type = try memory.storedName(ofKey: key) {
          if keyType.init(stringValue: key) == nil {
            throw EventCodingError(
              .unsuitableType,
              "\(E.self) has no case \(key), which its own coding has written: answer the case's name as Codable knows it"
            )
          }
        }
        return NewEvent(type: type, schema: E.schema, payload: payload, tags: event.tags)
      }
      let sheet = coder.cleared()
      let found = try memory.encoding(event) { try event.encode(to: CaseEncoder(sheet: sheet, memory: memory)) }
      guard let found else {
        throw EventCodingError(.unsuitableType, "\(E.self) cannot be stored as an event: its coding names no case")
      }
      if sheet.nodes[PayloadSheet.root].kind == .empty {
        // The one unlabelled value is an optional without value, which the compiler's coding leaves out.
        sheet.write(PayloadSheet.root) { $0.add("null") }
      }
      guard let payload = coder.text(of: sheet) else { throw sheet.tooDeep(event) }
      return NewEvent(type: found.storedName, schema: E.schema, payload: payload, tags: event.tags)
    } catch let error as EncodingError {
      throw EventCodingError(.unsuitableValue, "\(E.self) holds a value that JSON cannot hold: \(error)")
    }
  }

  /// The event of a stored type and payload; nil if it is another type's.
  package mutating func decode(type: String, payload: String?) throws -> E? {
    var payload = payload ?? "{}"
    return try payload.withUTF8 { try decode(type: type, bytes: UnsafeRawBufferPointer($0)) }
  }

  /// The event of a stored type and the bytes of its payload, nil if it has none; nil if it is another type's.
  package mutating func decode(type: String, bytes: UnsafeRawBufferPointer?) throws -> E? {
    try decode(meaning(of: type), type: type, bytes: bytes)
  }

  /// The event of a type whose meaning is known; nil if it is another type's.
  func decode(_ meaning: Meaning, type: String, bytes: UnsafeRawBufferPointer?) throws -> E? {
    switch meaning {
    case .foreign: return nil
    case .unknown:
      throw EventCodingError(
        .unknownEvent, "the event type \(type) begins as \(E.self)'s do, and \(E.self) has no case for it")
    case .event(let key):
      do {
        let tape = try bytes.map { try coder.tape(of: $0) } ?? coder.tape(of: "{}")
        guard let own else { return try E(from: CaseDecoder(tape: tape, key: key)) }
        if let event = try own.decode(key, tape) { return event }
        throw EventCodingError(
          .unsuitableType, "\(E.self) has a case \(key), and the coding that it brings does not read it: add it there")
      } catch let error as DecodingError {
        throw EventCodingError(.badPayload, "the payload of \(type) does not fit \(E.self).\(key): \(error)")
      }
    }
  }

  private func findMeaning(of type: String) -> Meaning {
    let current = E.formerNames.first { ExactString($0.key) == ExactString(type) }?.value ?? type
    if let first = current.first, first.isUppercase, keyType.init(stringValue: current) != nil {
      return .event(key: current)
    }
    let prefix = E.typePrefix
    guard current.utf8.starts(with: prefix.utf8) else { return .foreign }
    let rest = String(decoding: current.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    // "Bookshop…" is no "Book…": the case's name begins with a capital letter, so the rest must.
    guard let first = rest.first, !first.isLowercase else { return .foreign }
    let key = first.lowercased() + rest.dropFirst()
    return keyType.init(stringValue: key) != nil ? .event(key: key) : .unknown
  }
}
