/// The decoding container for an object's members, by the coding keys of a type.
struct PayloadMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private enum Source {
    case tape(JSONTape)
    /// The values of an event's case, which are on a different tape for every event.
    case event(PayloadSlot)
  }

  private let source: Source
  private let token: Int

  init(_ tape: JSONTape, _ token: Int) {
    source = .tape(tape)
    self.token = token
  }

  init(_ place: PayloadSlot) { (source, token) = (.event(place), JSONTape.root) }

  private var tape: JSONTape {
    switch source {
    case .tape(let tape): tape
    case .event(let place): place.tape
    }
  }

  /// The name of the event's case to which the values belong, or `nil` for any other object.
  private var caseName: String? { if case .event(let place) = source { place.caseName } else { nil } }

  var codingPath: [any CodingKey] { tape.path(to: token) }

  var allKeys: [Key] {
    guard tape.kind(token) == .object else { return [] }
    return (tape.names(of: token) ?? []).compactMap { Key(stringValue: $0) }
  }

  func contains(_ key: Key) -> Bool {
    if caseName != nil {
      if isUnlabelled(key.stringValue) { return true }
      guard tape.kind(token) == .object else { return false }
    }
    return tape.member(key.stringValue, of: token) != nil
  }

  /// Returns the token of a member.
  private func find(_ key: some CodingKey, on tape: JSONTape) throws -> Int {
    let name = key.stringValue
    if caseName != nil, let whole = try tape.wholeOfCase(token, name, caseName) { return whole }
    if let found = tape.member(name, of: token) { return found }
    throw DecodingError.keyNotFound(
      key,
      .init(codingPath: codingPath, debugDescription: "No value associated with key \(key) (\"\(name)\")."))
  }

  /// Returns the path to a member.
  ///
  /// If the payload is a single unlabelled value, the path contains no name for it.
  private func path(to found: Int, _ key: Key) -> [any CodingKey] {
    found == token ? codingPath : codingPath + [key]
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    let tape = tape
    return tape.kind(try find(key, on: tape)) == .null
  }

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    let tape = tape
    let found = try find(key, on: tape)
    if let value = tape.string(found) { return value }
    throw tape.failure(type, at: found, path(to: found, key))
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    let tape = tape
    let found = try find(key, on: tape)
    if let value = tape.double(found) { return value }
    throw tape.failure(type, at: found, path(to: found, key))
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    let tape = tape
    let found = try find(key, on: tape)
    if let value: Int = tape.integer(found) { return value }
    throw tape.failure(type, at: found, path(to: found, key))
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    let tape = tape
    let found = try find(key, on: tape)
    if let value = tape.bool(found) { return value }
    throw tape.failure(type, at: found, path(to: found, key))
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    let tape = tape
    let found = try find(key, on: tape)
    if let value = try tape.known(type, found, path: { path(to: found, key) }) { return value }
    return try T(from: decoder(found, key))
  }

  /// Returns the token of a member, or `nil` if it is missing or null.
  private func findValue(_ key: Key, on tape: JSONTape) throws -> Int? {
    let name = key.stringValue
    if caseName != nil {
      if isUnlabelled(name) {
        let whole = try find(key, on: tape)
        return tape.kind(whole) == .null ? nil : whole
      }
      // A case whose values are all optional is read from any kind of value, as in earlier versions.
      guard tape.kind(token) == .object else { return nil }
    }
    guard let found = tape.member(name, of: token), tape.kind(found) != .null else { return nil }
    return found
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    let tape = tape
    guard let found = try findValue(key, on: tape) else { return nil }
    if let value = tape.string(found) { return value }
    throw tape.failure(type, at: found, path(to: found, key))
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    let tape = tape
    guard let found = try findValue(key, on: tape) else { return nil }
    if let value = tape.double(found) { return value }
    throw tape.failure(type, at: found, path(to: found, key))
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    let tape = tape
    guard let found = try findValue(key, on: tape) else { return nil }
    if let value: Int = tape.integer(found) { return value }
    throw tape.failure(type, at: found, path(to: found, key))
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    let tape = tape
    guard let found = try findValue(key, on: tape) else { return nil }
    if let value = tape.bool(found) { return value }
    throw tape.failure(type, at: found, path(to: found, key))
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    let tape = tape
    guard let found = try findValue(key, on: tape) else { return nil }
    if let value = try tape.known(type, found, path: { path(to: found, key) }) { return value }
    return try T(from: decoder(found, key))
  }

  /// Returns the decoder of a member's value, and records the key for which it was requested.
  private func decoder(_ found: Int, _ key: Key) -> PayloadDecoder {
    if found != token { tape.askedKeys.append((found, key)) }
    return PayloadDecoder(tape, found)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoder(find(key, on: tape), key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(find(key, on: tape), key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { decoderOrNowhere(PayloadKey(stringValue: "super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { decoderOrNowhere(key) }

  private func decoderOrNowhere(_ key: some CodingKey) -> any Decoder {
    guard let found = try? find(key, on: tape) else { return PayloadDecoder(tape, nowhere: codingPath + [key]) }
    if found != token { tape.askedKeys.append((found, key)) }
    return PayloadDecoder(tape, found)
  }
}

extension JSONTape {
  /// Returns the token of the whole payload if a name belongs to the case's single unlabelled value, or `nil` if the
  /// name is a label.
  func wholeOfCase(_ token: Int, _ name: String, _ caseName: String?) throws -> Int? {
    if isUnlabelled(name) {
      guard name == "_0" else { throw UnlabelledValue(caseName: caseName ?? "?") }
      return token
    }
    guard kind(token) == .object else { throw containerFailure(.object, at: token, path(to: token)) }
    return nil
  }
}
