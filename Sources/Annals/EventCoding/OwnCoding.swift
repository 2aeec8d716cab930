/// The coding that an event type brings, as the coder of events calls it.
final class OwnCoding<E: Event> {
  private let write: (E, inout PayloadWriter) -> String
  private let read: (String, PayloadValue) throws -> E?
  private let output = PayloadOutput()

  private init(write: @escaping (E, inout PayloadWriter) -> String, read: @escaping (String, PayloadValue) throws -> E?)
  {
    (self.write, self.read) = (write, read)
  }

  /// The coding of a type that brings one; nil of any other type.
  static func make() -> OwnCoding<E>? {
    func make<S: SelfCodingEvent>(_ type: S.Type) -> OwnCoding<E>? {
      // The type is the same, which only the cast can tell.
      OwnCoding<S>(write: { $0.write(to: &$1) }, read: { try S(case: $0, payload: $1) }) as? OwnCoding<E>
    }
    guard let type = E.self as? any SelfCodingEvent.Type else { return nil }
    return make(type)
  }

  /// The case's name and the payload of an event.
  func encode(_ event: E) throws -> (key: String, payload: String) {
    output.clear()
    var writer = PayloadWriter(output)
    let key = write(event, &writer)
    writer.end()
    if let failure = output.failure { throw failure }
    return (key, output.text.text)
  }

  /// The event of a case; nil if the coding does not know the case.
  func decode(_ key: String, _ tape: PayloadTape) throws -> E? {
    try read(key, PayloadValue(tape, PayloadTape.root))
  }
}
