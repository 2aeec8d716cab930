/// A decider that is folded from events as they are stored.
struct DeciderFold<D: Decider> {
  private(set) var state = D()
  private(set) var coder: EventCoder<D.Event>

  init() throws { coder = try EventCoder() }

  /// Folds an event that was committed.
  mutating func fold(_ event: StoredEvent) throws { try fold(event.type, event.payload) }

  /// Folds an event that was decided and is not committed.
  mutating func fold(_ event: NewEvent) throws { try fold(event.type, event.payload) }

  /// Folds an event, if it is one of the decider's.
  private mutating func fold(_ type: String, _ payload: String?) throws {
    if let event = try coder.decode(type: type, payload: payload) { state.evolve(event) }
  }
}
