/// The custom coding of an event type, as closures for ``EventCoder``.
final class CustomCoding<E: Event> {
  private let write: (E, inout PayloadWriter) -> String
  private let read: (String, PayloadValue) throws -> E?
  private let append: (String, PayloadValue, inout [E]) throws -> Bool
  private let output = PayloadOutput()

  private init(
    write: @escaping (E, inout PayloadWriter) -> String, read: @escaping (String, PayloadValue) throws -> E?,
    append: @escaping (String, PayloadValue, inout [E]) throws -> Bool
  ) {
    self.write = write
    self.read = read
    self.append = append
  }

  /// Returns the coding of a type with a custom coding, or `nil` for any other type.
  static func make() -> CustomCoding<E>? {
    func make<S: CustomCodedEvent>(_ type: S.Type) -> CustomCoding<E>? {
      // `S` and `E` are the same type, but the compiler accepts this only with a cast.
      CustomCoding<S>(write: { $0.write(to: &$1) }, read: { try S(case: $0, payload: $1) }) { key, payload, events in
        guard let event = try S(case: key, payload: payload) else { return false }
        events.append(event)
        return true
      } as? CustomCoding<E>
    }
    guard let type = E.self as? any CustomCodedEvent.Type else { return nil }
    return make(type)
  }

  /// Returns the case's name and the payload of an event.
  func encode(_ event: E) throws -> (key: String, payload: String) {
    output.clear()
    var writer = PayloadWriter(output)
    let key = write(event, &writer)
    writer.end()
    if let failure = output.failure { throw failure }
    return (key, output.text.text)
  }

  /// Decodes and appends the event of a case, or returns false if the custom coding doesn't handle the case.
  func decode(_ key: String, _ tape: JSONTape, into events: inout [E]) throws -> Bool {
    try append(key, PayloadValue(tape, JSONTape.root), &events)
  }

  /// Decodes the event of a case, or returns `nil` if the custom coding doesn't handle the case.
  func decode(_ key: String, _ tape: JSONTape) throws -> E? {
    try read(key, PayloadValue(tape, JSONTape.root))
  }
}
