/// Reads stored events as recorded events of a type.
struct RecordedReader<E: Event> {
  /// Which stored events are read: what was asked for, and what may become it.
  let query: EventQuery
  private let named: EventQuery
  private let policy: ReadingPolicy
  /// The stored types that may be the type's.
  var types: EventTypeChoice { coder.facts.types }
  private var coder: EventCoder<E>

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - query: Which events, by the types' names of today.
  ///   - policy: What happens at what is not known.
  /// - Throws: ``EventCodingError`` if the type cannot be stored as an event.
  init(_ query: EventQuery, _ policy: ReadingPolicy) throws {
    coder = try EventCoder()
    (named, self.query, self.policy) = (query, coder.widened(query), policy)
  }

  /// What an event of a batch is: nothing if it is another type's, several where a step split it.
  mutating func read(_ batch: EventBatch, _ index: Int) throws -> [Recorded<E>] {
    if batch.values == nil {
      // Most events of a log may be others', and no value is made of them.
      if coder.known(batch.types[batch.rows[index].type]).isForeign { return [] }
    }
    return try read(batch.event(at: index))
  }

  /// What a stored event is: nothing if it is another type's, several where a step split it.
  mutating func read(_ stored: StoredEvent) throws -> [Recorded<E>] {
    do {
      // Of what steps made, only what was asked for; all of it if the stored event itself was.
      return try coder.read(type: stored.type, schema: stored.schema, payload: stored.payload, policy) { name in
        named.matches(stored) || named.matches(stream: stored.stream, type: name, tags: stored.tags)
      }.events.map { Recorded($0, stored) }
    } catch let error as EventCodingError {
      throw EventCodingError(
        error.code,
        "event \(stored.position) (\(stored.type), version \(stored.version) of stream \"\(stored.stream)\") can't be "
          + "read as \(E.self): \(error.message)", at: stored)
    }
  }
}
